package wais

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/url"
)

// A link sends requests to a server. It connects when needed, and reconnects if the server has
// closed the connection, because servers keep no state between requests. One goroutine may make
// requests while another calls Close.
type link struct {
	caller  context.Context // of the request
	ctx     context.Context // derived from caller; cancelled by Close
	cancel  context.CancelCauseFunc
	dialer  wire.Dialer
	address string
	url     url.URL
	init    bool
	limit   int64        // maximum number of bytes of a reply, as agreed with the server
	buf     bytes.Buffer // the last reply

	mu   sync.Mutex
	conn *wire.Conn // nil if it is not connected
	used bool       // conn has completed a round trip
}

// newLink returns a link to the server at address (host:port). It does not connect. u is the
// URL for errors. The caller closes the link.
func (c Client) newLink(ctx context.Context, address string, u url.URL) *link {
	d := wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}
	l := &link{caller: ctx, dialer: d, address: address, url: u, init: c.Init, limit: maxMessage}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	return l
}

// roundTrip sends a request and returns the reply without its header. The reply is valid until
// the next call. The error is errEmptyMessage if the reply is empty. If the connection has
// completed a round trip before and now breaks, roundTrip reconnects and tries once more.
func (l *link) roundTrip(request []byte) ([]byte, error) {
	conn, used, err := l.connection()
	if err != nil {
		return nil, err
	}
	reply, err := l.tryRoundTrip(conn, request)
	if used && isBroken(err) && l.checkOpen() == nil {
		l.disconnect()
		if conn, _, err = l.connection(); err != nil {
			return nil, err
		}
		reply, err = l.tryRoundTrip(conn, request)
	}
	switch {
	case err != nil:
		return nil, err
	case len(reply) == 0:
		err = errEmptyMessage
	}
	l.mu.Lock()
	l.used = true
	l.mu.Unlock()
	return reply, err
}

// connection returns the connection, and dials if needed. used reports whether the connection
// has completed a round trip.
func (l *link) connection() (conn *wire.Conn, used bool, err error) {
	if err := l.checkOpen(); err != nil {
		return nil, false, err
	}
	l.mu.Lock()
	conn, used = l.conn, l.used
	l.mu.Unlock()
	if conn != nil {
		return conn, used, nil
	}
	conn, err = l.connect()
	return conn, false, err
}

// connect dials the server and stores the connection. If Client.Init is true, it sends an Init
// and sets limit, the size of messages that the server accepts.
func (l *link) connect() (*wire.Conn, error) {
	conn, err := l.dialer.DialPlain(l.ctx, l.address)
	if err != nil {
		return nil, err
	}
	if err := l.setConn(conn); err != nil {
		return nil, err
	}
	if !l.init {
		return conn, nil
	}
	reply, err := l.tryRoundTrip(conn, initRequest())
	if err != nil {
		return nil, err
	}
	l.limit, err = parseInit(reply)
	return conn, err
}

// setConn stores conn as a connection that has not completed a round trip. If the link has
// been closed meanwhile, setConn closes conn and returns an error.
func (l *link) setConn(conn *wire.Conn) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.checkOpen(); err != nil {
		conn.Close()
		return err
	}
	l.conn, l.used = conn, false
	return nil
}

// tryRoundTrip sends one message on conn, and returns the next message without its header. The
// result is in l.buf. Requests are never pipelined, because freeWAIS servers lose a request
// that arrives before they have replied to the last one.
func (l *link) tryRoundTrip(conn *wire.Conn, request []byte) ([]byte, error) {
	if _, err := conn.Write(request); err != nil {
		return nil, l.readError(err, dropped())
	}
	var h [headerSize]byte
	n, err := io.ReadAtLeast(conn, h[:], 1)
	if n == 0 {
		return nil, l.readError(err, dropped())
	}
	conn.StartReply(wire.NotEnded)
	defer conn.EndReply()
	if _, err := io.ReadFull(conn, h[n:]); err != nil {
		return nil, l.readError(err, io.ErrUnexpectedEOF)
	}
	size, err := parseHeader(h[:])
	if err != nil {
		return nil, err
	}
	l.buf.Reset()
	if err := conn.ReadReply(&l.buf, conn, size); err != nil {
		return nil, l.readError(err, io.ErrUnexpectedEOF)
	}
	return l.buf.Bytes(), nil
}

// readError translates err, an error of the connection. It returns the reason for which the
// link is closed, or else the argument early if the server has closed the connection. Any
// other err is returned unchanged.
func (l *link) readError(err, early error) error {
	if closed := l.checkOpen(); closed != nil {
		return closed
	}
	if access.IsEnd(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(early, errDropped) && isReset(err) {
		return early
	}
	return err
}

// isBroken reports whether err means that the server closed the connection before the end of a
// reply. It is false for nil and for a timeout.
func isBroken(err error) bool {
	_, isNetwork := errors.AsType[*net.OpError](err)
	return errors.Is(err, io.ErrUnexpectedEOF) || isNetwork && isReset(err)
}

// isReset reports whether err, a network error, is not a timeout. It then counts as a
// connection that the server has closed.
func isReset(err error) bool { return !wire.IsTimeout(err) }

// checkOpen returns an error if the link is closed or its context is done.
func (l *link) checkOpen() error {
	return context.Cause(l.ctx)
}

// disconnect closes the connection. The next request reconnects.
func (l *link) disconnect() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.conn.Close()
		l.conn = nil
	}
}

// Close closes the link and its connection, so that a running request fails. Any goroutine may
// call it, more than once. It always returns nil.
func (l *link) Close() error {
	l.cancel(net.ErrClosed)
	l.disconnect()
	return nil
}
