// Package ph reads the replies of Ph, the protocol of CSO phone books (RFC 2378). The engine for cso URLs uses it, and
// the engine for phone books of gopher (type 2).
//
// A [Reader] converts a reply to text: one line for each field, and an empty line between people.
//
//	-200:1:   name: Smith CR LF       "-" means that more lines follow
//	200:Ok. CR LF
package ph

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
)

// DefaultPort is the port of phone books.
const DefaultPort = 105

// maxSkipped limits the lines in a row that have no text.
const maxSkipped = 10_000

// Query returns the lines to send that search for the people who match words, and then quit. words must not contain CR,
// LF or NUL.
func Query(words string) string { return "query " + words + "\r\nquit\r\n" }

// A Reader reads the reply to a query as text. It does not close the connection. Only one goroutine at a time may use
// it.
type Reader struct {
	conn   *wire.Conn
	r      *bufio.Reader
	out    []byte // the data for the next Read
	person string // the number that the server has given to the current person
	err    error  // the error after out
}

// NewReader returns a Reader of the reply on conn, which r reads. It waits for the first field. If the server refuses
// the query, it returns an *engine.Refusal, which wraps fs.ErrNotExist if no person matches.
func NewReader(conn *wire.Conn, r *bufio.Reader) (*Reader, error) {
	b := &Reader{conn: conn, r: r}
	if err := b.fill(); err != nil && !access.IsEnd(err) {
		return nil, err
	}
	return b, nil
}

// Read returns the fields of the people, a line each, with an empty line between two people. It returns io.EOF only
// after the last line of the reply.
func (b *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(b.out) == 0 {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

// fill reads lines until out has data. It returns nil if out has data, and b.err if the reply ended or failed before
// that.
func (b *Reader) fill() error {
	if b.err != nil {
		return b.err
	}
	if _, err := b.r.Peek(1); err != nil {
		b.err = wire.Early(err)
		return b.err
	}
	b.conn.StartLongReply()
	defer b.conn.EndReply()
	b.readLines()
	if len(b.out) > 0 {
		return nil
	}
	return b.err
}

// readLines reads lines until out has data or err is set.
func (b *Reader) readLines() {
	for skipped := 0; b.err == nil && len(b.out) == 0; skipped++ {
		line, err := wire.ReadLine(b.r)
		switch {
		case err != nil:
			b.err = wire.Early(err)
		case skipped == maxSkipped:
			b.err = fmt.Errorf("%w: %d lines without a field", access.ErrTooLong, maxSkipped)
		default:
			b.err = b.add(line)
		}
	}
}

// add appends the field in one line of the reply to out, after an empty line if the field belongs to another person
// than the field before. It ignores lines with codes below 200. It returns io.EOF for the last line of the reply, and
// an *engine.Refusal for a code of 400 or more.
func (b *Reader) add(line []byte) error {
	number, text, _ := bytes.Cut(line, []byte(":"))
	digits, hasMore := bytes.CutPrefix(number, []byte("-"))
	code, err := strconv.Atoi(string(digits))
	switch {
	case err != nil:
		return fmt.Errorf("reply %q: %w", line, access.ErrProtocol)
	case code >= 400:
		return refusal(access.Reply{Code: code, Text: string(text)})
	case code >= 200 && !hasMore:
		return io.EOF
	case code < 200:
		return nil
	}
	person, field, _ := strings.Cut(string(text), ":")
	if b.person != "" && person != b.person {
		b.out = append(b.out, '\n')
	}
	b.person = person
	b.out = append(append(b.out, strings.TrimSpace(field)...), '\n')
	return nil
}

// refusal returns the error for a negative reply. It wraps fs.ErrNotExist for code 501, and access.ErrTemporary for
// codes below 500.
func refusal(reply access.Reply) error {
	const noMatches = 501
	means := errRefused
	switch {
	case reply.Code == noMatches:
		means = fs.ErrNotExist
	case reply.Code < 500: // temporary
		means = engine.Reason(errRefused.Error(), access.ErrTemporary)
	}
	return &engine.Refusal{Reply: reply, Means: means}
}

var errRefused = errors.New("the server refuses the request")
