// Package reply sends commands to servers that answer each line with a three-digit
// reply: FTP (RFC 959 §4.2), NNTP (RFC 3977 §3.2), SMTP (RFC 5321 §4.2).
//
//	250-First line
//	 second line
//	250 last line
//	\_/ \_______/
//	Code   Text
//
// It differs from net/textproto in three ways: the size of a reply is limited, a
// reply may be only a code, and a command must not contain a line end.
//
// Notable divergences:
//   - RFC 959 §4.2: a line may end in LF alone.
//   - RFC 959 §4.2 requires a space after the code of the last line. A line of
//     only three digits is accepted too.
//   - RFC 959 §4.2 requires the same code in the first and the last line. A line with a
//     space after another code ends the reply too, and its code counts.
package reply

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
)

const (
	maxLine  = 8 << 10  // limits the bytes in a line, including its end
	maxReply = 64 << 10 // limits the bytes in all lines of a reply, including their ends
)

// A Conn sends commands and reads replies. Only one goroutine at a time may use
// it.
type Conn struct {
	// R reads from the server. The caller may read other data from it between
	// replies.
	R *bufio.Reader

	// Secrets are texts that errors hide if the server repeats them: the forms in
	// which the password is sent. The longest must come first. Empty texts are
	// ignored.
	Secrets []string

	w    io.Writer
	conn *wire.Conn // limits the time of a reply; may be nil
}

// NewConn returns a Conn over rw. The caller still owns rw. If rw is a *wire.Conn, its idle limit
// also limits the time from the first byte of a reply to its end.
func NewConn(rw io.ReadWriter) *Conn {
	conn, _ := rw.(*wire.Conn)
	return &Conn{R: bufio.NewReaderSize(rw, maxLine), w: rw, conn: conn}
}

// Send sends commands in one write. Each command is a line without its end. If a command contains
// CR, LF or NUL, Send returns a *wire.ArgumentError before it sends any.
func (c *Conn) Send(commands ...string) error {
	var b strings.Builder
	for _, command := range commands {
		if err := wire.CheckArgument("command", command, ""); err != nil {
			return err
		}
		b.WriteString(command)
		b.WriteString("\r\n")
	}
	_, err := io.WriteString(c.w, b.String())
	return err
}

// Do sends a command and reads its reply. A negative reply is not an error.
func (c *Conn) Do(command string) (access.Reply, error) {
	err := c.Send(command)
	if _, isArgument := errors.AsType[*wire.ArgumentError](err); isArgument {
		return access.Reply{}, err
	}
	if err != nil {
		return c.ReadRefusal(err)
	}
	return c.Read()
}

// ReadRefusal returns the negative reply that explains err, the error of the connection while the caller sent to the
// server. A server may refuse, and close the connection, before it has read everything. If the server has sent no such
// reply, the error is err. A positive reply does not count, because the server has not read everything.
func (c *Conn) ReadRefusal(err error) (access.Reply, error) {
	if !wire.HasAnswer(c.R, err) {
		return access.Reply{}, err
	}
	r, readErr := c.Read()
	if readErr != nil || r.Code < 400 {
		return access.Reply{}, err
	}
	return r, nil
}

// Read reads one reply. The error is io.ErrUnexpectedEOF if the connection ends before the end of
// the reply, access.ErrTooLong if the reply is too long, access.ErrProtocol if the bytes are not a
// reply, and a *wire.IdleError if the server takes too long to send it.
func (c *Conn) Read() (access.Reply, error) {
	if _, err := c.R.Peek(1); err != nil {
		return access.Reply{}, wire.Early(err)
	}
	if c.conn != nil {
		c.conn.StartReply(wire.NotEnded)
		defer c.conn.EndReply()
	}
	first, size, err := c.readLine()
	if err != nil {
		return access.Reply{}, err
	}
	code, hasMore, ok := parseCode(first)
	if !ok {
		return access.Reply{}, fmt.Errorf("%w: found %s, want a three-digit reply", access.ErrProtocol, c.quote(first))
	}
	var text strings.Builder
	text.Write(textOf(first))
	for hasMore {
		next, n, err := c.readLine()
		if err != nil {
			return access.Reply{}, err
		}
		if size += n; size > maxReply {
			return access.Reply{}, fmt.Errorf("%w: a reply of more than %d bytes", access.ErrTooLong, maxReply)
		}
		text.WriteByte('\n')
		if nextCode, hasDash, ok := parseCode(next); ok && (nextCode == code || endsReply(next)) {
			code, hasMore = nextCode, hasDash
			next = textOf(next)
		}
		text.Write(next)
	}
	return access.Reply{Code: code, Text: text.String()}, nil
}

// readLine reads a line of at most maxLine bytes. size is its length with an end that counts as one byte. text is the
// line without its end, and is valid until the next read. An early end is io.ErrUnexpectedEOF.
func (c *Conn) readLine() (text []byte, size int, err error) {
	raw, err := wire.ReadLine(c.R)
	return bytes.TrimRight(raw, "\r"), len(raw) + 1, wire.Early(err)
}

// parseCode parses the code at the start of a line. hasMore reports whether more lines of the reply follow, because a
// "-" is after the code. ok is false if the line does not start with a code.
func parseCode(line []byte) (code int, hasMore, ok bool) {
	if len(line) < 3 || line[0] < '1' || line[0] > '5' {
		return 0, false, false
	}
	for _, c := range line[:3] {
		if c < '0' || c > '9' {
			return 0, false, false
		}
		code = code*10 + int(c-'0')
	}
	if len(line) > 3 && line[3] != ' ' && line[3] != '-' {
		return 0, false, false
	}
	return code, len(line) > 3 && line[3] == '-', true
}

// endsReply reports whether a line ends a reply although its code differs from the code of the first line. The line must
// have a space after its code.
//
// QUIRK: FTP servers were seen to end "221-" with "211 End", and to put the text of a file before its transfer in
// "553-" lines that end with "150 ". RFC 959 §4.2 demands the same code; lftp and curl do not.
func endsReply(line []byte) bool { return len(line) > 3 && line[3] == ' ' }

// textOf returns the text of a line that starts with a code: the bytes after the code and its separator.
func textOf(line []byte) []byte { return line[min(4, len(line)):] }

// quote returns a line for an error: without secrets, cut to 60 bytes, and quoted.
func (c *Conn) quote(line []byte) string {
	const limit = 60
	text := Hide(string(line), c.Secrets)
	if len(text) > limit {
		text = text[:limit] + "…"
	}
	return strconv.Quote(text)
}

// shortSecret is the length up to which a secret is hidden only as a whole word, because "p" in
// "stop" does not reveal the password p.
const shortSecret = 5

// Hide replaces the secrets in text by "xxxxx". A secret that contains another must come before it.
// Empty secrets are ignored. A secret of up to 5 bytes is replaced only if it is not part of a
// longer word.
func Hide(text string, secrets []string) string {
	for _, secret := range secrets {
		switch {
		case secret == "":
		case len(secret) > shortSecret:
			text = strings.ReplaceAll(text, secret, hidden)
		default:
			text = hideWord(text, secret)
		}
	}
	return text
}

const hidden = "xxxxx"

// hideWord returns text with "xxxxx" in place of word wherever no letter or digit is beside word.
func hideWord(text, word string) string {
	var b strings.Builder
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return b.String() + text[from:]
		}
		start := from + i
		end := start + len(word)
		if start > 0 && isAlphanumeric(text[start-1]) || end < len(text) && isAlphanumeric(text[end]) {
			end = start + 1
			b.WriteString(text[from:end])
		} else {
			b.WriteString(text[from:start] + hidden)
		}
		from = end
	}
}

// isAlphanumeric reports whether c is a letter or digit of ASCII, or a byte of another character.
func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// Refused returns an error for the negative reply r, with [Conn.Secrets] hidden. The error wraps means, which may be
// nil.
func (c *Conn) Refused(r access.Reply, means error) *engine.Refusal {
	r.Text = Hide(r.Text, c.Secrets)
	return &engine.Refusal{Reply: r, Means: means}
}

// Is reports whether the code of r starts with want: 2 matches 2yz, 33 matches 33z, and 331 matches
// 331.
func Is(r access.Reply, want int) bool {
	got := r.Code
	for got > want {
		got /= 10
	}
	return got == want
}
