package mail

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"locus/access"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
)

const (
	maxIMAPLine   = 64 << 10 // limits the bytes in a line
	maxIMAPAnswer = 1 << 20  // limits the bytes in all responses to a command, including literals

	// A server that searches for long may send a short line now and then, so it need send
	// only leastIMAP bytes in maxSlowIdles idle limits.
	maxSlowIdles = 10
	leastIMAP    = 1 << 10
)

// An imapConn is a connection to an IMAP server. One goroutine at a time may use it.
type imapConn struct {
	conn         *wire.Conn
	r            *bufio.Reader
	tag          int      // the number in the tag of the last command
	capabilities []string // in upper case
	secrets      []string // hidden in errors

	started  time.Time // the start of the time in which the server must send leastIMAP bytes
	received int       // the bytes received since then
}

func newIMAPConn(conn *wire.Conn) *imapConn {
	return &imapConn{conn: conn, r: bufio.NewReaderSize(conn, maxIMAPLine), started: time.Now()}
}

// An imapError is a negative response.
type imapError struct {
	text  string // "NO [AUTHENTICATIONFAILED] …"
	means error  // nil if unknown
}

func (e *imapError) Error() string { return e.text }
func (e *imapError) Unwrap() error { return e.means }

// An argument is an argument of a command. It may be a literal, whose bytes follow only after the
// server has asked for them.
type argument struct {
	text            string // sent with the command
	continuation    string // sent after the server has sent "+"
	hasContinuation bool
}

// plain returns an argument whose text is sent unchanged.
func plain(s string) argument { return argument{text: s} }

// continuation returns an argument without a text, whose continuation is s.
func continuation(s string) argument { return argument{continuation: s, hasContinuation: true} }

// text returns an argument for any text: a quoted string, or a literal if s is not printable ASCII.
func (c *imapConn) text(s string) argument {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return argument{text: fmt.Sprintf("{%d}", len(s)), continuation: s, hasContinuation: true}
	}
	return plain(`"` + quotedText(s) + `"`)
}

// quotedText returns the content of the quoted string for s.
func quotedText(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) }

// do sends a command. It returns the untagged responses with their literals, or an error if the
// server refuses the command.
func (c *imapConn) do(command string, args ...argument) ([]string, error) {
	tag, err := c.send(command, args...)
	if err != nil {
		return nil, err
	}
	var answers []string
	size := 0
	for {
		answer, err := c.readResponse(maxIMAPAnswer - size)
		if err != nil {
			return nil, err
		}
		if done, err := c.checkDone(answer, tag); done {
			return answers, err
		}
		size += len(answer)
		answers = append(answers, answer)
	}
}

// send sends a command with its arguments, and returns its tag. Before it sends the
// continuation of an argument, such as a literal, it waits until the server asks for it.
func (c *imapConn) send(command string, args ...argument) (tag string, err error) {
	c.expect()
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
		if _, err := io.WriteString(c.conn, text+"\r\n"); err != nil {
			return "", err
		}
		if err := c.awaitContinuation(tag); err != nil {
			return "", err
		}
		text = a.continuation
	}
	_, err = io.WriteString(c.conn, text+"\r\n")
	return tag, err
}

// awaitContinuation waits until the server asks for the continuation. It returns an error if the
// server ends the command instead.
func (c *imapConn) awaitContinuation(tag string) error {
	for size := 0; ; {
		answer, err := c.readResponse(maxIMAPAnswer - size)
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

// checkDone reports whether the response answer ends the command with that tag. It returns an
// error if the server refused the command, or if the response is invalid.
func (c *imapConn) checkDone(answer, tag string) (bool, error) {
	rest, ok := strings.CutPrefix(answer, tag+" ")
	if !ok {
		if !strings.HasPrefix(answer, "* ") && !strings.HasPrefix(answer, "+") {
			return true, fmt.Errorf("%w: %q is not a response", access.ErrProtocol, c.shown(answer))
		}
		return false, nil
	}
	status, _, _ := strings.Cut(rest, " ")
	if strings.EqualFold(status, "OK") {
		return true, nil
	}
	return true, c.refusal(rest)
}

// refusal returns the error for answer, a negative response without its tag.
func (c *imapConn) refusal(answer string) *imapError {
	e := &imapError{text: c.shown(answer)}
	_, said, _ := strings.Cut(strings.TrimPrefix(answer, "* "), " ")
	code, _, _ := strings.Cut(strings.ToUpper(said), "]")
	if code == "[UNAVAILABLE" || code == "[INUSE" { // RFC 5530 §3
		e.means = access.ErrTemporary
	}
	return e
}

// shown returns the server's text for an error, without secrets and at most 200 bytes of it.
func (c *imapConn) shown(text string) string {
	return (&access.Reply{Text: shorten(reply.Hide(text, c.secrets))}).String()
}

// shorten returns the first 200 bytes of s.
func shorten(s string) string { return s[:min(len(s), 200)] }

// readLine reads a line and returns it without its end. One idle limit applies to the whole line
// after its first byte.
func (c *imapConn) readLine() (string, error) {
	if _, err := c.r.Peek(1); err != nil {
		return "", wire.Early(err)
	}
	c.conn.StartReply(wire.NotEnded)
	defer c.conn.EndReply()
	b, err := wire.ReadLine(c.r)
	if err != nil {
		return "", wire.Early(err)
	}
	return strings.TrimRight(string(b), "\r"), c.progress(len(b))
}

// expect starts a new time in which the server must send leastIMAP bytes.
func (c *imapConn) expect() { c.started, c.received = time.Now(), 0 }

// progress records n more bytes of responses. It returns an error if the server has sent fewer than
// leastIMAP bytes in maxSlowIdles idle limits.
func (c *imapConn) progress(n int) error {
	if c.received += n; c.received >= leastIMAP {
		c.expect()
	}
	if most := maxSlowIdles * c.conn.IdleLimit(); most > 0 && time.Since(c.started) >= most {
		return &wire.IdleError{Did: wire.NotEnded, Limit: most}
	}
	return nil
}

// literalSize returns the size of the literal that follows a line such as "… {42}". It returns
// false if no literal follows.
func literalSize(line string) (n int64, ok bool) {
	open := strings.LastIndexByte(line, '{')
	if open < 0 || !strings.HasSuffix(line, "}") {
		return 0, false
	}
	size, err := strconv.ParseUint(line[open+1:len(line)-1], 10, 62)
	return int64(size), err == nil //nolint:gosec // it fits
}

// readResponse reads a response with its literals. A response of more than limit bytes is an error.
func (c *imapConn) readResponse(limit int) (string, error) {
	var text bytes.Buffer
	for {
		line, err := c.readLine()
		if err != nil {
			return "", err
		}
		text.WriteString(line)
		n, more := literalSize(line)
		if int64(text.Len())+n > int64(limit) {
			return "", fmt.Errorf("%w: a response of more than %d bytes", access.ErrTooLong, maxIMAPAnswer)
		}
		if !more {
			return text.String(), nil
		}
		text.WriteString("\r\n")
		if err := c.conn.ReadReply(&text, c.r, int(n)); err != nil {
			return "", err
		}
		if err := c.progress(int(n)); err != nil {
			return "", err
		}
	}
}

// readGreeting reads the greeting. preauth reports whether the server already considers the client
// logged in.
func (c *imapConn) readGreeting() (preauth bool, err error) {
	answer, err := c.readResponse(maxIMAPAnswer)
	if err != nil {
		return false, err
	}
	words := append(strings.Fields(answer), "", "")
	switch strings.ToUpper(words[1]) {
	case "OK":
		return false, nil
	case "PREAUTH":
		return true, nil
	case "BYE":
		return false, c.refusal(answer)
	}
	return false, fmt.Errorf("%w: the server greets with %q", access.ErrProtocol, c.shown(answer))
}

// askCapabilities asks for the capabilities of the server, which STARTTLS may change.
func (c *imapConn) askCapabilities() error {
	answers, err := c.do("CAPABILITY")
	if err != nil {
		return err
	}
	c.capabilities = nil
	for _, a := range answers {
		words := strings.Fields(strings.ToUpper(a))
		if len(words) > 1 && words[1] == "CAPABILITY" {
			c.capabilities = append(c.capabilities, words[2:]...)
		}
	}
	return nil
}

func (c *imapConn) hasCapability(name string) bool { return slices.Contains(c.capabilities, name) }

// logout sends LOGOUT and closes the connection. It ignores errors.
func (c *imapConn) logout() {
	_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = c.send("LOGOUT")
	c.conn.Close()
}

// startFetch asks for a message and reads the response up to the message. The Body of the Message
// then owns the connection.
func (c *imapConn) startFetch(uid string) (*Message, error) {
	tag, err := c.send("UID FETCH", plain(uid), plain("(BODY.PEEK[])"))
	if err != nil {
		return nil, err
	}
	for size := 0; size < maxIMAPAnswer; {
		line, err := c.readLine()
		if err != nil {
			return nil, err
		}
		n, literal := literalSize(line)
		if literal && strings.Contains(strings.ToUpper(line), "BODY[] {") {
			return &Message{Body: &imapMessage{c: c, tag: tag, remaining: n}, Size: n}, nil
		}
		if done, err := c.checkDone(line, tag); done {
			return nil, cmp.Or(err, fmt.Errorf("%w: the message was not sent", access.ErrProtocol))
		}
		if literal {
			return nil, fmt.Errorf("%w: an unexpected literal", access.ErrProtocol)
		}
		size += len(line)
	}
	return nil, fmt.Errorf("%w: a response of more than %d bytes", access.ErrTooLong, maxIMAPAnswer)
}

// An imapMessage is the Body of a message on an IMAP server.
type imapMessage struct {
	c         *imapConn
	tag       string // the tag of the command that fetches the message
	remaining int64  // the bytes of the literal that are not read yet
	err       error  // the error of every further Read; nil before the end
}

// Read reads the message. It returns io.EOF only after the server has confirmed the end.
func (m *imapMessage) Read(b []byte) (int, error) {
	if m.remaining == 0 && m.err == nil {
		m.err = m.finish()
	}
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.c.r.Read(b[:min(int64(len(b)), m.remaining)])
	m.remaining -= int64(n)
	return n, wire.Early(err)
}

// finish reads the responses after the literal. It returns io.EOF if the command succeeded.
func (m *imapMessage) finish() error {
	m.c.expect()
	for size := 0; ; {
		answer, err := m.c.readResponse(maxIMAPAnswer - size)
		if err != nil {
			return err
		}
		size += len(answer)
		if strings.HasPrefix(answer, m.tag+" ") {
			_, err := m.c.checkDone(answer, m.tag)
			return cmp.Or(err, io.EOF)
		}
	}
}

// Close closes the connection.
func (m *imapMessage) Close() error { return m.c.conn.Close() }

// encodeMailboxName encodes the name of a mailbox in modified UTF-7 (RFC 3501 §5.1.3).
func encodeMailboxName(name string) string {
	var b strings.Builder
	var wide []rune
	flush := func() {
		if len(wide) == 0 {
			return
		}
		var bytes []byte
		for _, u := range utf16.Encode(wide) {
			bytes = binary.BigEndian.AppendUint16(bytes, u)
		}
		b.WriteString("&" + strings.ReplaceAll(base64.RawStdEncoding.EncodeToString(bytes), "/", ",") + "-")
		wide = nil
	}
	for _, r := range name {
		if r < ' ' || r > '~' {
			wide = append(wide, r)
			continue
		}
		flush()
		b.WriteRune(r)
		if r == '&' {
			b.WriteByte('-')
		}
	}
	flush()
	return b.String()
}
