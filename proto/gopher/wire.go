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
	maxLine   = 64 << 10 // octets of a line of a menu or of attributes
	maxHeader = 64       // octets of a Gopher+ header
)

// A link is one exchange: the connection, and what the server has answered.
type link struct {
	*wire.Conn
	url url.URL
	r   *bufio.Reader // reads the connection
}

// A message is what is sent to a server.
type message struct {
	address string
	text    io.Reader
	closes  bool // its end is shown by closing the writing side
}

// connect dials and sends the message.
func (c Client) connect(ctx context.Context, u url.URL, m message) (*link, error) {
	d := wire.Dialer{Dial: c.Dial, TLS: c.TLS, Security: c.Security, Idle: c.Idle}
	conn, err := d.DialPlain(ctx, m.address)
	if err != nil {
		return nil, err
	}
	l := &link{Conn: conn, url: u, r: bufio.NewReaderSize(conn, maxLine)}
	if err := l.send(m); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// send sends the message. A server may answer and close before it has read all
// of it: then its answer counts.
func (l *link) send(m message) error {
	w := bufio.NewWriter(onlyWriter{l.Conn})
	_, err := io.Copy(w, m.text)
	if unsent := w.Flush(); unsent != nil {
		if _, idle := errors.AsType[*wire.IdleError](unsent); !idle {
			if _, err := l.r.Peek(1); err == nil {
				return nil
			}
		}
		return unsent
	}
	if err != nil || !m.closes {
		return err
	}
	return l.CloseWrite()
}

// onlyWriter hides what else a connection can do, so that an error of a
// bufio.Writer is one of writing.
type onlyWriter struct{ io.Writer }

// A header is the first line of a Gopher+ answer.
//
//	("+" / "-") ["-"] 1*DIGIT CR LF
//	    |         \_________/
//	 success      size: N octets, untilDot or untilClose
type header struct {
	success bool
	size    int64
	lf      bool // the header ends in LF alone
}

const (
	untilDot   = -1
	untilClose = -2
)

var headerForm = regexp.MustCompile(`^([+-])(-?[0-9]+)[ \t]*(\r?)$`)

// header takes the header off the answer. ok is false if there is none: the
// server speaks plain Gopher, and its answer is untouched. An answer that ends
// within a header is an early end; so is one of nothing, if Gopher+ was asked
// for.
func (l *link) header(asked bool) (h header, ok bool, err error) {
	first, err := l.r.Peek(1)
	switch {
	case errors.Is(err, io.EOF) && !asked:
		return header{}, false, nil
	case err != nil:
		return header{}, false, wire.Early(err)
	case first[0] != '+' && first[0] != '-':
		return header{}, false, nil
	}
	line, err := peekLine(l.r, 0, maxHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		return header{}, false, err
	}
	h, ok, fault := parseHeader(line)
	switch {
	case !ok || fault != nil:
		return header{}, false, fault
	case bytes.HasSuffix(line, []byte("\n")):
		_, err = l.r.Discard(len(line))
		return h, true, err
	}
	return header{}, false, wire.Early(err)
}

// parseHeader reads a header from a line, with its line end if it has one.
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
	return header{success: m[1][0] == '+', size: size, lf: len(m[3]) == 0}, true, nil
}

// peekLine returns the line that starts from octets ahead, with its line end,
// without taking it. A line that is not over after most octets is returned
// cut. If the answer ends first the error is io.EOF.
func peekLine(r *bufio.Reader, from, most int) ([]byte, error) {
	for n := from + 1; ; n++ {
		p, err := r.Peek(n)
		if len(p) < from {
			return nil, err
		}
		line := p[from:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			return line[:i+1], nil
		}
		if err != nil || len(line) >= most {
			return line, err
		}
	}
}
