package gopher

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/url"
)

const (
	maxLine    = 64 << 10 // how long a line of a menu or of attributes may be
	maxHeader  = 64       // how long a Gopher+ header may be
	maxSkipped = 10_000   // how many lines in a row may have no entry and no text
)

func errSkipped() error {
	return fmt.Errorf("%w: %d lines with nothing in them", access.ErrTooLong, maxSkipped)
}

// An exchange is one request and its reply, on a connection of its own.
type exchange struct {
	*wire.Conn
	url url.URL
	r   *bufio.Reader // reads from the connection

	client Client             // that connected
	ctx    context.Context    // of the request
	cancel context.CancelFunc // is called by Close; may be nil
}

// Close closes the connection.
func (x *exchange) Close() error {
	err := x.Conn.Close()
	if x.cancel != nil {
		x.cancel()
	}
	return err
}

// limited calls read, which reads a part of the reply from r. From its first byte on, the
// server must send 1 KiB, or the rest, within each idle limit.
func (x *exchange) limited(r *bufio.Reader, read func() error) error {
	if _, err := r.Peek(1); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	x.StartLongReply()
	defer x.EndReply()
	return read()
}

// A message is what the client sends.
type message struct {
	address     string
	text        io.Reader
	closesWrite bool // the writing side is closed after the text
}

func (c Client) connect(ctx context.Context, u url.URL, m message) (*exchange, error) {
	d := wire.Dialer{Dial: c.Dial, TLS: c.TLS, Security: c.Security, Idle: c.Idle}
	conn, err := d.DialPlain(ctx, m.address)
	if err != nil {
		return nil, err
	}
	x := &exchange{Conn: conn, url: u, r: bufio.NewReaderSize(conn, maxLine), client: c, ctx: ctx}
	if err := x.send(m); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// send sends the message. If a server replies and closes before it has read all
// of it, send succeeds.
func (x *exchange) send(m message) error {
	w := bufio.NewWriter(onlyWriter{x.Conn})
	_, err := io.Copy(w, m.text)
	if unsent := w.Flush(); unsent != nil {
		if _, idle := errors.AsType[*wire.IdleError](unsent); !idle {
			if _, err := x.r.Peek(1); err == nil {
				return nil
			}
		}
		return unsent
	}
	if err != nil || !m.closesWrite {
		return err
	}
	return x.CloseWrite()
}

// onlyWriter hides the ReadFrom method of a connection. So an error of a
// bufio.Writer is always a write error.
type onlyWriter struct{ io.Writer }

// A header is the first line of a Gopher+ reply.
//
//	("+" / "-") ["-"] 1*DIGIT CR LF
//	    |         \_________/
//	 success      size: N bytes, untilDot or untilClose
type header struct {
	isSuccess bool
	size      int64
	endsInLF  bool // the header ends in LF without CR
}

const (
	untilDot   = -1
	untilClose = -2
)

var headerForm = regexp.MustCompile(`^([+-])(-?[0-9]+)[ \t]*(\r?)$`)

// header reads the Gopher+ header. ok is false if there is none: the server
// speaks plain Gopher, and nothing is consumed. If the reply ends within the
// header, the error is io.ErrUnexpectedEOF. The same is true for an empty reply
// to a Gopher+ request.
func (x *exchange) header(isPlusRequest bool) (h header, ok bool, err error) {
	first, err := x.r.Peek(1)
	switch {
	case errors.Is(err, io.EOF) && !isPlusRequest:
		return header{}, false, nil
	case err != nil:
		return header{}, false, wire.Early(err)
	case first[0] != '+' && first[0] != '-':
		return header{}, false, nil
	}
	line, err := peekLine(x.r, 0, maxHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		return header{}, false, err
	}
	h, ok, syntaxErr := parseHeader(line)
	switch {
	case !ok || syntaxErr != nil:
		return header{}, false, syntaxErr
	case bytes.HasSuffix(line, []byte("\n")):
		_, err = x.r.Discard(len(line))
		return h, true, err
	}
	return header{}, false, wire.Early(err)
}

// parseHeader parses a line with or without its line end. ok is false if it is
// no header.
func parseHeader(line []byte) (h header, ok bool, err error) {
	m := headerForm.FindSubmatch(bytes.TrimSuffix(line, []byte("\n")))
	if m == nil {
		return header{}, false, nil
	}
	size, err := strconv.ParseInt(string(m[2]), 10, 64)
	switch {
	case err != nil:
		return header{}, false, fmt.Errorf("header %q: %w", line, access.ErrProtocol)
	case size < untilClose || m[2][0] == '-' && size == 0:
		return header{}, false, nil
	}
	return header{isSuccess: m[1][0] == '+', size: size, endsInLF: len(m[3]) == 0}, true, nil
}

// peekLine returns the line that starts from bytes ahead, with its line end. It
// consumes nothing. A line longer than limit bytes is cut. If the reply ends
// first, the error is io.EOF.
func peekLine(r *bufio.Reader, from, limit int) ([]byte, error) {
	for n := from + 1; ; n++ {
		p, err := r.Peek(n)
		if len(p) < from {
			return nil, err
		}
		line := p[from:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			return line[:i+1], nil
		}
		if err != nil || len(line) >= limit {
			return line, err
		}
	}
}
