package gopher

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/url"
)

const (
	maxLine    = 64 << 10 // limits the bytes of a line of a menu or of attributes
	maxHeader  = 64       // limits the bytes of a Gopher+ header
	maxSkipped = 10_000   // limits the lines in a row without an entry or text
)

// errSkipped returns the error for maxSkipped lines without an entry or text.
func errSkipped() error {
	return fmt.Errorf("%w: %d empty lines", access.ErrTooLong, maxSkipped)
}

// A transaction is one request and its reply, on a connection of its own (the term of RFC 1436).
type transaction struct {
	*wire.Conn
	url url.URL
	r   *bufio.Reader // reads from the connection

	client Client
	ctx    context.Context    // the context of the request
	cancel context.CancelFunc // is called by Close; may be nil
}

// Close closes the connection, and cancels a check of the ending. Later calls return the error of
// the connection.
func (t *transaction) Close() error {
	err := t.Conn.Close()
	if t.cancel != nil {
		t.cancel()
	}
	return err
}

// limited waits for the first byte in r, and then calls read, which reads a part of the reply from
// r. During read the server must send 1 KiB, or the rest of the reply, within each idle limit.
// limited returns the error of read, or an error of the connection while it waited.
func (t *transaction) limited(r *bufio.Reader, read func() error) error {
	if _, err := r.Peek(1); err != nil && !access.IsEnd(err) {
		return err
	}
	t.StartLongReply()
	defer t.EndReply()
	return read()
}

// A message is the text that the client sends to address.
type message struct {
	address     string
	text        io.Reader
	closesWrite bool // the writing side is closed after the text
}

// connect dials the server, over TLS if u is a gophers URL, and sends m. u is the URL for errors.
// The caller closes the transaction.
func (c Client) connect(ctx context.Context, u url.URL, m message) (*transaction, error) {
	d := wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}
	dial := d.DialPlain
	if u.Scheme() == "gophers" {
		d.TLS = c.tlsConfig(m.address)
		dial = d.DialTLS
	}
	conn, err := dial(ctx, m.address)
	if err != nil {
		return nil, err
	}
	t := &transaction{Conn: conn, url: u, r: bufio.NewReaderSize(conn, maxLine), client: c, ctx: ctx}
	if err := t.send(m); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// send sends m, and closes the writing side if m says so. It returns nil if the server replied
// before it had read the whole message, because the reply is then of interest.
func (t *transaction) send(m message) error {
	w := bufio.NewWriter(onlyWriter{t.Conn})
	_, err := io.Copy(w, m.text)
	if unsent := w.Flush(); unsent != nil {
		if wire.HasAnswer(t.r, unsent) {
			return nil
		}
		return unsent
	}
	if err != nil || !m.closesWrite {
		return err
	}
	return t.CloseWrite()
}

// An onlyWriter hides the ReadFrom method of a connection, so that an error of a bufio.Writer is always
// a write error.
type onlyWriter struct{ io.Writer }

// A header is the first line of a Gopher+ reply.
//
//	("+" / "-") ["-"] 1*DIGIT CR LF
//	    |         \_________/
//	 success      size: N bytes, untilDot or untilClose
type header struct {
	isSuccess bool
	size      int64 // the number of bytes, or untilDot, or untilClose
	endsInLF  bool  // the header ends in LF without CR
}

const (
	untilDot   = -1 // the data ends at a line with only a period
	untilClose = -2 // the data ends at the close
)

// headerForm matches a header without its LF.
var headerForm = regexp.MustCompile(`^([+-])(-?[0-9]+)[ \t]*(\r?)$`)

// header reads the Gopher+ header. ok is false if the reply has no header, because the server speaks
// plain Gopher; no bytes are consumed then. If the reply ends within the header, the error is
// io.ErrUnexpectedEOF. An empty reply is the same error if isPlusRequest is set, and otherwise a
// reply without a header.
func (t *transaction) header(isPlusRequest bool) (h header, ok bool, err error) {
	first, err := t.r.Peek(1)
	switch {
	case access.IsEnd(err) && !isPlusRequest:
		return header{}, false, nil
	case err != nil:
		return header{}, false, wire.Early(err)
	case first[0] != '+' && first[0] != '-':
		return header{}, false, nil
	}
	line, err := peekLine(t.r, 0, maxHeader)
	if err != nil && !access.IsEnd(err) {
		return header{}, false, err
	}
	h, ok, syntaxErr := parseHeader(line)
	switch {
	case !ok || syntaxErr != nil:
		return header{}, false, syntaxErr
	case bytes.HasSuffix(line, []byte("\n")):
		_, err = t.r.Discard(len(line))
		return h, true, err
	}
	return header{}, false, wire.Early(err)
}

// parseHeader parses line, which may have a line end, as a Gopher+ header. ok is false if line is
// not a header. The error wraps access.ErrProtocol if the size is too large.
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

// peekLine returns the line that begins at the offset from in the unread bytes of r, with its line
// end. It consumes no bytes. If the line has limit bytes or more without an end, the result is its
// start. If the reply ends first, the result is the incomplete line with io.EOF.
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
