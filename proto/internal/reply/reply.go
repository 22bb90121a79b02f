// Package reply speaks to servers that answer each line with a three-digit
// reply: FTP (RFC 959 §4.2), NNTP (RFC 3977 §3.2), SMTP (RFC 5321 §4.2).
//
//	250-First line
//	 second line
//	250 last line
//	\_/ \_______/
//	Code   Text
//
// It reads as net/textproto does, but what a server can make it keep in memory
// is bounded, a reply may be a code alone, and a command that holds the end of
// a line is not sent.
//
// Notable divergences:
//   - RFC 959 §4.2: a line may end in LF alone.
//   - RFC 959 §4.2 wants a space after the code of the last line; a line of
//     three digits and nothing else is taken too.
package reply

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
)

const (
	maxLine  = 8 << 10  // octets in a line, its end included
	maxReply = 64 << 10 // octets in all lines of a reply, their ends included
)

// A Conn is the connection on which commands go out and replies come in. It
// belongs to one goroutine at a time.
type Conn struct {
	// R is what the server sends. Between replies it may be read directly, for
	// protocols that put other things between them.
	R *bufio.Reader

	// Secrets are the forms in which a password was sent, or will be, the longest
	// first. Should the server repeat one, no error shows it. Empty ones are none.
	Secrets []string

	w io.Writer
}

// NewConn returns a Conn over rw, which the caller goes on owning.
func NewConn(rw io.ReadWriter) *Conn {
	return &Conn{R: bufio.NewReaderSize(rw, maxLine), w: rw}
}

// Send writes commands at once, each a line without its end. If one has CR, LF
// or NUL in it none is sent; the error is a *wire.ArgumentError.
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

// Do sends a command and reads the reply to it.
func (c *Conn) Do(command string) (access.Reply, error) {
	if err := c.Send(command); err != nil {
		return access.Reply{}, err
	}
	return c.Read()
}

// Read reads one reply. If the server sends no reply, the error is
// io.ErrUnexpectedEOF if the connection ends, access.ErrTooLong if there is no
// end to it, and access.ErrProtocol if it is something else.
func (c *Conn) Read() (access.Reply, error) {
	first, size, err := c.line()
	if err != nil {
		return access.Reply{}, err
	}
	code, more, ok := parse(first)
	if !ok {
		return access.Reply{}, fmt.Errorf("%w: found %s, want a three-digit reply", access.ErrProtocol, c.shown(first))
	}
	var text strings.Builder
	text.Write(tail(first))
	for more {
		next, n, err := c.line()
		if err != nil {
			return access.Reply{}, err
		}
		if size += n; size > maxReply {
			return access.Reply{}, fmt.Errorf("%w: a reply of more than %d octets", access.ErrTooLong, maxReply)
		}
		text.WriteByte('\n')
		if again, dash, ok := parse(next); ok && again == code {
			more = dash
			next = tail(next)
		}
		text.Write(next)
	}
	return access.Reply{Code: code, Text: text.String()}, nil
}

// line reads a line and returns it without its end, and how long it was. The line
// is valid until the next read.
func (c *Conn) line() ([]byte, int, error) {
	raw, err := wire.ReadLine(c.R)
	return bytes.TrimRight(raw, "\r"), len(raw) + 1, wire.Early(err)
}

// parse reads the code of a line and whether more lines follow.
func parse(line []byte) (code int, more, ok bool) {
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

// tail returns what follows the code and the octet after it.
func tail(line []byte) []byte { return line[min(4, len(line)):] }

// shown returns a line fit for an error.
func (c *Conn) shown(line []byte) string {
	const most = 60
	text := Hide(string(line), c.Secrets)
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strconv.Quote(text)
}

// shortSecret is how long a secret is that is hidden only as a word. A server that
// repeats "p" says nothing about the password p.
const shortSecret = 5

// Hide returns text without the secrets, of which those that hold another come
// first. Empty ones are none. One of up to 5 bytes is hidden where it is no part of
// a longer word.
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

// hideWord hides word where no letter or digit is beside it.
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

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
