// Package imapwire speaks IMAP4rev1 (RFC 3501) as a client that only reads. The engine for imap URLs and the mailboxes
// of mid and cid URLs use it.
//
// A Server connects and logs in (login.go). Do and Start send a command on the Conn and read the responses, which are
// texts with their literals (conn.go). Values and rows (value.go) are parsed from responses. Fetch starts to read a
// message of any size (fetch.go).
//
// Notable divergences:
//   - RFC 3501 §2.2.2: the client sends one command at a time.
//   - RFC 3501 §6.2.2: the mechanisms are PLAIN and ANONYMOUS.
package imapwire

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/reply"
	"locus/proto/internal/sasl"
	"locus/proto/internal/wire"
)

const (
	maxShown = 200 // limits the bytes of the server's text in an error

	maxLine   = 64 << 10 // limits the bytes in a line
	maxAnswer = 1 << 20  // limits the bytes in all responses to a command, including literals

	// A server that searches for long may send a short line now and then, so it need send
	// only leastBytes bytes in maxSlowIdles idle limits.
	maxSlowIdles = 10
	leastBytes   = 1 << 10
)

// A Conn is a connection to an IMAP server. One goroutine at a time may use it.
type Conn struct {
	*wire.Conn
	r            *bufio.Reader
	tag          int      // the number in the tag of the last command
	capabilities []string // in upper case
	secrets      []string // hidden in errors
	bye          string   // the BYE response, with which the server gives a reason before it closes; "" before it

	started  time.Time // the start of the time in which the server must send leastBytes bytes
	received int       // the bytes received since then
}

// newConn returns a Conn that speaks IMAP on conn.
func newConn(conn *wire.Conn) *Conn {
	return &Conn{Conn: conn, r: bufio.NewReaderSize(conn, maxLine), started: time.Now()}
}

// An Argument is an argument of a command. It may be a literal, whose bytes follow only after the
// server has asked for them.
type Argument struct {
	text            string // sent with the command
	continuation    string // sent after the server has sent "+"
	hasContinuation bool
}

// Plain returns an argument whose text is sent unchanged.
func Plain(s string) Argument { return Argument{text: s} }

// continuation returns an argument that consists only of the continuation s.
func continuation(s string) Argument { return Argument{continuation: s, hasContinuation: true} }

// Text returns an argument for any text: a quoted string, or a literal if s is not printable ASCII.
func Text(s string) Argument {
	if isPrintable(s) {
		return Plain(`"` + sasl.Quoted(s) + `"`)
	}
	return Argument{text: fmt.Sprintf("{%d}", len(s)), continuation: s, hasContinuation: true}
}

// isPrintable reports whether all characters of s are printable ASCII. It is true for "".
func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// Do sends a command and reads all responses. It returns the untagged ones with their literals, or an error if the
// server refuses the command.
func (c *Conn) Do(command string, args ...Argument) ([]string, error) {
	answers, err := c.Start(command, args...)
	if err != nil {
		return nil, err
	}
	var all []string
	for size := 0; ; {
		answer, err := answers.next(maxAnswer - size)
		if access.IsEnd(err) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		size += len(answer)
		all = append(all, answer)
	}
}

// Answers are the untagged responses to a command, which may be too many for memory.
type Answers struct {
	c   *Conn
	tag string
}

// Start sends a command. The caller reads all its Answers before the next command.
func (c *Conn) Start(command string, args ...Argument) (*Answers, error) {
	tag, err := c.send(command, args...)
	return &Answers{c, tag}, err
}

// Next returns the next response with its literals. The error is io.EOF if the server has completed the command. A
// server that sends slowly gets new time for each response, because the caller may have waited before it called Next.
func (a *Answers) Next() (string, error) {
	a.c.restartProgress()
	return a.next(maxAnswer)
}

// next returns the next response with its literals. If the response completes the command, next returns it with io.EOF.
// The time that the server has for the response goes on from earlier calls. A response of more than limit bytes is an
// error.
func (a *Answers) next(limit int) (string, error) {
	answer, err := a.c.readResponse(limit)
	if err != nil {
		return "", err
	}
	done, err := a.c.checkDone(answer, a.tag)
	if done && err == nil {
		err = io.EOF
	}
	return answer, err
}

// send sends a command with its arguments, and returns its tag. Before it sends the
// continuation of an argument, such as a literal, it waits until the server asks for it.
func (c *Conn) send(command string, args ...Argument) (tag string, err error) {
	c.restartProgress()
	c.tag++
	tag = "L" + strconv.Itoa(c.tag)
	text := tag + " " + command
	for _, a := range args {
		if a.text != "" {
			text += " " + a.text
		}
		if !a.hasContinuation {
			continue
		}
		if _, err := io.WriteString(c.Conn, text+"\r\n"); err != nil {
			return "", err
		}
		if err := c.awaitContinuation(tag); err != nil {
			return "", err
		}
		text = a.continuation
	}
	_, err = io.WriteString(c.Conn, text+"\r\n")
	return tag, err
}

// awaitContinuation waits until the server asks for the continuation. It returns an error if the
// server ends the command instead.
func (c *Conn) awaitContinuation(tag string) error {
	for size := 0; ; {
		answer, err := c.readResponse(maxAnswer - size)
		if err != nil {
			return err
		}
		size += len(answer)
		if strings.HasPrefix(answer, "+") {
			return nil
		}
		if done, err := c.checkDone(answer, tag); done {
			return cmp.Or(err, fmt.Errorf("%w: the command ended before it was sent completely", access.ErrProtocol))
		}
	}
}

// checkDone reports whether answer, a response, ends the command with that tag. done is also true if there is an error,
// because the server refused the command or the response is invalid.
func (c *Conn) checkDone(answer, tag string) (done bool, err error) {
	rest, ok := strings.CutPrefix(answer, tag+" ")
	if !ok {
		if !strings.HasPrefix(answer, "* ") && !strings.HasPrefix(answer, "+") {
			return true, fmt.Errorf("%w: %q is not a response", access.ErrProtocol, c.Shown(answer))
		}
		return false, nil
	}
	status, _, _ := strings.Cut(rest, " ")
	if strings.EqualFold(status, "OK") {
		return true, nil
	}
	return true, c.refusal(rest)
}

// refusal returns the error for answer, a negative response without its tag. It wraps access.ErrTemporary if the
// response code says that a retry can help (RFC 5530 §3).
func (c *Conn) refusal(answer string) *engine.Refusal {
	e := &engine.Refusal{Reply: access.Reply{Text: c.Shown(answer)}}
	_, said, _ := strings.Cut(strings.TrimPrefix(answer, "* "), " ")
	code, _, _ := strings.Cut(strings.ToUpper(said), "]")
	if code == "[UNAVAILABLE" || code == "[INUSE" { // RFC 5530 §3
		e.Means = access.ErrTemporary
	}
	return e
}

// Shown returns the server's text for an error, without secrets and at most 200 bytes of it.
func (c *Conn) Shown(text string) string {
	hidden := reply.Hide(text, c.secrets)
	return (&access.Reply{Text: hidden[:min(len(hidden), maxShown)]}).String()
}

// readLine reads a line and returns it without its end. One idle limit applies to the whole line
// after its first byte. At an early end the error has the reason that the server gave in a BYE before.
func (c *Conn) readLine() (string, error) {
	if _, err := c.r.Peek(1); err != nil {
		return "", c.early(err)
	}
	c.StartReply(wire.NotEnded)
	defer c.EndReply()
	b, err := wire.ReadLine(c.r)
	if err != nil {
		return "", c.early(err)
	}
	line := strings.TrimRight(string(b), "\r")
	if said, ok := strings.CutPrefix(line, "* "); ok && len(said) > len("BYE ") && strings.EqualFold(said[:len("BYE ")], "BYE ") {
		c.bye = said
	}
	return line, c.progress(len(b))
}

// early returns the error for err, with which reading from the server failed.
func (c *Conn) early(err error) error {
	err = wire.Early(err)
	if c.bye != "" && errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the server says %q", err, c.Shown(c.bye))
	}
	return err
}

// restartProgress starts a new period in which the server must send leastBytes bytes.
func (c *Conn) restartProgress() { c.started, c.received = time.Now(), 0 }

// progress adds n to the number of bytes received, and starts the time again when the number reaches leastBytes. It
// returns a *wire.IdleError if the server has sent fewer than leastBytes bytes in maxSlowIdles idle limits.
func (c *Conn) progress(n int) error {
	if c.received += n; c.received >= leastBytes {
		c.restartProgress()
	}
	if most := maxSlowIdles * c.IdleLimit(); most > 0 && time.Since(c.started) >= most {
		return &wire.IdleError{Did: wire.NotEnded, Limit: most}
	}
	return nil
}

// literalSize returns the number of bytes of the literal that follows a line such as "… {42}". ok is false if no
// literal follows.
func literalSize(line string) (n int64, ok bool) {
	open := strings.LastIndexByte(line, '{')
	if open < 0 || !strings.HasSuffix(line, "}") {
		return 0, false
	}
	size, err := strconv.ParseUint(line[open+1:len(line)-1], 10, 62)
	return int64(size), err == nil //nolint:gosec // it fits
}

// readResponse reads a response, tagged or not, with its literals. Each literal follows its line and CR LF. A response
// of more than limit bytes is an error.
func (c *Conn) readResponse(limit int) (string, error) {
	var text bytes.Buffer
	for {
		line, err := c.readLine()
		if err != nil {
			return "", err
		}
		text.WriteString(line)
		n, more := literalSize(line)
		if int64(text.Len())+n > int64(limit) {
			return "", fmt.Errorf("%w: a response of more than %d bytes", access.ErrTooLong, maxAnswer)
		}
		if !more {
			return text.String(), nil
		}
		text.WriteString("\r\n")
		if err := c.ReadReply(&text, c.r, int(n)); err != nil {
			return "", err
		}
		if err := c.progress(int(n)); err != nil {
			return "", err
		}
	}
}

// Logout sends LOGOUT, waits at most a second until it is sent, and closes the connection. It ignores errors.
func (c *Conn) Logout() {
	_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = c.send("LOGOUT")
	c.Close()
}
