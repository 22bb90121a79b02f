package mail

import (
	"bufio"
	"encoding/base64"
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
	maxIMAPLine   = 64 << 10 // octets in a line
	maxIMAPAnswer = 1 << 20  // octets in all answers to a command, literals included
)

// An imapConn is a connection to an IMAP server. It belongs to one goroutine at
// a time.
type imapConn struct {
	conn         *wire.Conn
	r            *bufio.Reader
	tag          int
	capabilities []string // in upper case
	secrets      []string // what no error shows
}

func newIMAPConn(conn *wire.Conn) *imapConn {
	return &imapConn{conn: conn, r: bufio.NewReaderSize(conn, maxIMAPLine)}
}

// An imapError is an answer that says no.
type imapError struct {
	text  string // "NO [AUTHENTICATIONFAILED] …"
	means error  // nil if nothing is known
}

// Error gives the answer.
func (e *imapError) Error() string { return e.text }

// Unwrap returns what it means.
func (e *imapError) Unwrap() error { return e.means }

// An argument of a command. What is in before is sent with the command, what is
// in after when the server has asked for it.
type argument struct {
	before string
	after  string
	asked  bool // whether there is an after
}

// plain is an argument that is sent as it is.
func plain(s string) argument { return argument{before: s} }

// continuation is a line that is sent when the server asks for it.
func continuation(s string) argument { return argument{after: s, asked: true} }

// text is an argument that may be any text: quoted, or a literal.
func (c *imapConn) text(s string) argument {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return argument{before: fmt.Sprintf("{%d}", len(s)), after: s, asked: true}
		}
	}
	return plain(`"` + quotedText(s) + `"`)
}

func quotedText(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) }

// do sends a command and returns the untagged answers, each with its literals,
// as soon as the server says that it is done.
func (c *imapConn) do(command string, args ...argument) ([]string, error) {
	tag, err := c.send(command, args...)
	if err != nil {
		return nil, err
	}
	var answers []string
	size := 0
	for {
		answer, err := c.answer(maxIMAPAnswer - size)
		if err != nil {
			return nil, err
		}
		if done, err := c.isDone(answer, tag); done {
			return answers, err
		}
		size += len(answer)
		answers = append(answers, answer)
	}
}

// send sends a command and returns its tag.
func (c *imapConn) send(command string, args ...argument) (tag string, err error) {
	c.tag++
	tag = "L" + strconv.Itoa(c.tag)
	text := tag + " " + command
	for _, a := range args {
		if a.before != "" {
			text += " " + a.before
		}
		if !a.asked {
			continue
		}
		if _, err := io.WriteString(c.conn, text+"\r\n"); err != nil {
			return "", err
		}
		if err := c.awaitPlus(tag); err != nil {
			return "", err
		}
		text = a.after
	}
	_, err = io.WriteString(c.conn, text+"\r\n")
	return tag, err
}

// awaitPlus waits until the server asks for more.
func (c *imapConn) awaitPlus(tag string) error {
	for size := 0; ; {
		answer, err := c.answer(maxIMAPAnswer - size)
		if err != nil {
			return err
		}
		size += len(answer)
		if strings.HasPrefix(answer, "+") {
			return nil
		}
		if done, err := c.isDone(answer, tag); done {
			return cmpError(err, fmt.Errorf("%w: the command ended before it was whole", access.ErrProtocol))
		}
	}
}

func cmpError(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// isDone reports whether an answer ends the command with that tag, and the
// error if it was refused.
func (c *imapConn) isDone(answer, tag string) (bool, error) {
	rest, ok := strings.CutPrefix(answer, tag+" ")
	if !ok {
		if !strings.HasPrefix(answer, "* ") && !strings.HasPrefix(answer, "+") {
			return true, fmt.Errorf("%w: %q is no answer", access.ErrProtocol, c.shown(answer))
		}
		return false, nil
	}
	status, _, _ := strings.Cut(rest, " ")
	if strings.EqualFold(status, "OK") {
		return true, nil
	}
	return true, c.refused(rest)
}

// refused returns an answer that says no as an error. A tagged answer has no tag.
func (c *imapConn) refused(answer string) *imapError {
	e := &imapError{text: c.shown(answer)}
	_, said, _ := strings.Cut(strings.TrimPrefix(answer, "* "), " ")
	code, _, _ := strings.Cut(said, "]")
	switch strings.ToUpper(code) {
	case "[UNAVAILABLE", "[INUSE": // RFC 5530 §3
		e.means = access.ErrTemporary
	}
	return e
}

// shown returns what the server said, fit for an error.
func (c *imapConn) shown(text string) string {
	return (&access.Reply{Text: clip(reply.Hide(text, c.secrets))}).String()
}

func clip(s string) string { return s[:min(len(s), 200)] }

// line reads a line without its end.
func (c *imapConn) line() (string, error) {
	b, err := wire.ReadLine(c.r)
	return strings.TrimRight(string(b), "\r"), wire.Early(err)
}

// literalSize returns the size of the literal that a line announces at its end:
// "… {42}".
func literalSize(line string) (n int64, ok bool) {
	open := strings.LastIndexByte(line, '{')
	if open < 0 || !strings.HasSuffix(line, "}") {
		return 0, false
	}
	size, err := strconv.ParseUint(line[open+1:len(line)-1], 10, 62)
	return int64(size), err == nil //nolint:gosec // it fits
}

// answer reads an answer with its literals, of at most most octets.
func (c *imapConn) answer(most int) (string, error) {
	var text strings.Builder
	for {
		line, err := c.line()
		if err != nil {
			return "", err
		}
		text.WriteString(line)
		n, more := literalSize(line)
		if int64(text.Len())+n > int64(most) {
			return "", fmt.Errorf("%w: an answer of more than %d octets", access.ErrTooLong, maxIMAPAnswer)
		}
		if !more {
			return text.String(), nil
		}
		text.WriteString("\r\n")
		if _, err := io.CopyN(&text, c.r, n); err != nil {
			return "", wire.Early(err)
		}
	}
}

// greeting reads how the server greets; known says that it wants no login.
func (c *imapConn) greeting() (known bool, err error) {
	answer, err := c.answer(maxIMAPAnswer)
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
		return false, c.refused(answer)
	}
	return false, fmt.Errorf("%w: the server greets with %q", access.ErrProtocol, c.shown(answer))
}

// askCapabilities learns what the server can do now.
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

func (c *imapConn) capable(of string) bool { return slices.Contains(c.capabilities, of) }

// logout says goodbye and closes. What becomes of it changes nothing.
func (c *imapConn) logout() {
	_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = c.send("LOGOUT")
	c.conn.Close()
}

// fetch begins to read a message, which has the connection from then on.
func (c *imapConn) fetch(uid string) (*Message, error) {
	tag, err := c.send("UID FETCH", plain(uid), plain("(BODY.PEEK[])"))
	if err != nil {
		return nil, err
	}
	for size := 0; size < maxIMAPAnswer; {
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		n, literal := literalSize(line)
		if literal && strings.Contains(strings.ToUpper(line), "BODY[] {") {
			return &Message{Body: &imapMessage{c: c, tag: tag, left: n}, Size: n}, nil
		}
		if done, err := c.isDone(line, tag); done {
			return nil, cmpError(err, fmt.Errorf("%w: the message was not sent", access.ErrProtocol))
		}
		if literal {
			return nil, fmt.Errorf("%w: a literal that was not asked for", access.ErrProtocol)
		}
		size += len(line)
	}
	return nil, fmt.Errorf("%w: an answer of more than %d octets", access.ErrTooLong, maxIMAPAnswer)
}

// An imapMessage is a message as it comes from the server.
type imapMessage struct {
	c    *imapConn
	tag  string
	left int64 // octets of the literal
	done error // how it has ended
}

// Read gives the octets, and io.EOF only when the server says that it was all.
func (m *imapMessage) Read(b []byte) (int, error) {
	if m.left == 0 && m.done == nil {
		m.done = m.finish()
	}
	if m.done != nil {
		return 0, m.done
	}
	n, err := m.c.r.Read(b[:min(int64(len(b)), m.left)])
	m.left -= int64(n)
	return n, wire.Early(err)
}

// finish reads what follows the literal.
func (m *imapMessage) finish() error {
	for size := 0; ; {
		answer, err := m.c.answer(maxIMAPAnswer - size)
		if err != nil {
			return err
		}
		size += len(answer)
		if strings.HasPrefix(answer, m.tag+" ") {
			_, err := m.c.isDone(answer, m.tag)
			return cmpError(err, io.EOF)
		}
	}
}

// Close closes the connection.
func (m *imapMessage) Close() error { return m.c.conn.Close() }

// mailboxName returns the name of a mailbox in modified UTF-7 (RFC 3501
// §5.1.3).
func mailboxName(name string) string {
	var b strings.Builder
	var wide []rune
	flush := func() {
		if len(wide) == 0 {
			return
		}
		var octets []byte
		for _, u := range utf16.Encode(wide) {
			octets = append(octets, byte(u>>8), byte(u))
		}
		b.WriteString("&" + strings.ReplaceAll(base64.RawStdEncoding.EncodeToString(octets), "/", ",") + "-")
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
