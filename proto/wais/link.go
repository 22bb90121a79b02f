package wais

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"locus/proto/internal/wire"
	"locus/url"
)

// A link is a connection to a server, or several, one after the other: a server
// keeps nothing of one request for the next. One goroutine makes requests;
// Close may be called by another.
type link struct {
	caller  context.Context // the caller's
	ctx     context.Context // done with caller, and when the link is closed
	cancel  context.CancelCauseFunc
	dialer  wire.Dialer
	address string
	url     url.URL
	init    bool
	limit   int64        // bytes that an answer may have, as the server says
	buf     bytes.Buffer // the last answer

	mu   sync.Mutex
	conn *wire.Conn // nil if there is none
	used bool       // an exchange over conn is complete
}

// newLink returns a link that connects with the first request.
func (c Client) newLink(ctx context.Context, address string, u url.URL) *link {
	d := wire.Dialer{Dial: c.Dial, TLS: c.TLS, Security: c.Security, Idle: c.Idle}
	l := &link{caller: ctx, dialer: d, address: address, url: u, init: c.Init, limit: maxMessage}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	return l
}

// exchange sends a request and returns the answer, which is good until the next
// exchange; an empty one is errNothing. A server may close a connection between
// two requests: then there is one more try, over a new one.
func (l *link) exchange(request []byte) ([]byte, error) {
	conn, used, err := l.connected()
	if err != nil {
		return nil, err
	}
	answer, err := l.do(conn, request)
	if errors.Is(err, errDropped) && used && l.usable() == nil {
		l.hangUp()
		if conn, _, err = l.connected(); err != nil {
			return nil, err
		}
		answer, err = l.do(conn, request)
	}
	switch {
	case err != nil:
		return nil, err
	case len(answer) == 0:
		err = errNothing
	}
	l.mu.Lock()
	l.used = true
	l.mu.Unlock()
	return answer, err
}

// connected returns the connection, and whether something came over it before.
func (l *link) connected() (conn *wire.Conn, used bool, err error) {
	if err := l.usable(); err != nil {
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

func (l *link) connect() (*wire.Conn, error) {
	conn, err := l.dialer.DialPlain(l.ctx, l.address)
	if err != nil {
		return nil, err
	}
	if err := l.keep(conn); err != nil {
		return nil, err
	}
	if !l.init {
		return conn, nil
	}
	answer, err := l.do(conn, initRequest())
	if err != nil {
		return nil, err
	}
	l.limit, err = parseInit(answer)
	return conn, err
}

// keep makes conn the connection of the link, unless that was closed meanwhile.
func (l *link) keep(conn *wire.Conn) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		conn.Close()
		return err
	}
	l.conn, l.used = conn, false
	return nil
}

// do sends one message and takes in one: never is a request sent before the
// answer to the last one is there. Servers of freeWAIS lose what comes early.
func (l *link) do(conn *wire.Conn, request []byte) ([]byte, error) {
	if _, err := conn.Write(request); err != nil {
		return nil, l.judge(err, errDropped)
	}
	var h [headerSize]byte
	if n, err := io.ReadFull(conn, h[:]); n == 0 {
		return nil, l.judge(err, errDropped)
	} else if err != nil {
		return nil, l.judge(err, io.ErrUnexpectedEOF)
	}
	size, err := parseHeader(h[:])
	if err != nil {
		return nil, err
	}
	l.buf.Reset()
	// The buffer grows with what arrives, not with what the header claims.
	if _, err := io.CopyN(&l.buf, conn, int64(size)); err != nil {
		return nil, l.judge(err, io.ErrUnexpectedEOF)
	}
	return l.buf.Bytes(), nil
}

// judge returns the reason behind an error of the connection: early, if it is
// the other side that has closed it.
func (l *link) judge(err, early error) error {
	if unusable := l.usable(); unusable != nil {
		return unusable
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(early, errDropped) && isReset(err) {
		return early
	}
	return err
}

// isReset reports whether a connection that was open has been closed by the
// other side, and not by the clock.
func isReset(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return !ok || !timeout.Timeout()
}

// usable returns why nothing more may be asked, if so.
func (l *link) usable() error {
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	return nil
}

// hangUp closes the connection; the next exchange makes another one.
func (l *link) hangUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.conn.Close()
		l.conn = nil
	}
}

// Close ends the link. It may be called at any time, more than once.
func (l *link) Close() error {
	l.cancel(net.ErrClosed)
	l.hangUp()
	return nil
}
