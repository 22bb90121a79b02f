package web

import (
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
)

// A watch cancels a request if the server does nothing for the idle limit. It
// runs only while the request waits for the server. So idle connections are
// kept, and a slow reader causes no timeout.
type watch struct {
	limit  time.Duration
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	timer  *time.Timer
	since  time.Time    // when the timer was set
	did    string       // what the server did, for the error; "" while the watch is stopped
	paused int          // number of pending reads of the request body
	sender *wire.Sender // the connection of the request; nil if there is none yet

	tap      access.Tap      // sees the exchange; nil: nobody does
	exchange access.Exchange // on the connection of the request; nil without a tap
}

// watchKey is the context key of the watch, for dial.
type watchKey struct{}

func newWatch(limit time.Duration, cancel context.CancelCauseFunc) *watch {
	w := &watch{limit: limit, cancel: cancel}
	w.timer = time.AfterFunc(limit, w.expire)
	w.start("accepted no connection")
	return w
}

func (w *watch) start(did string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.setTimer(did)
}

func (w *watch) stop() { w.start("") }

// restart restarts the timer, unless the watch is stopped.
func (w *watch) restart(did string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.did != "" {
		w.setTimer(did)
	}
}

// pause stops the timer while the request body is read: by is 1 before a read,
// and -1 after it.
func (w *watch) pause(by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused += by
	if w.did != "" {
		w.setTimer("accepted nothing")
	}
}

// setTimer sets the timer. The caller holds mu.
func (w *watch) setTimer(did string) {
	w.did, w.since = did, time.Now()
	if did == "" || w.paused > 0 {
		w.timer.Stop()
	} else {
		w.timer.Reset(w.limit)
	}
}

// expire cancels the request. While the server accepts bytes slowly, it only sets the
// timer again: a write is seen by the watch when it ends, and by its sender before.
func (w *watch) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.did == "", w.paused > 0, time.Since(w.since) < w.limit: // it was stopped or set meanwhile
	case w.sender != nil && w.sender.IsSending():
		w.setTimer(w.did)
	default:
		w.cancel(&wire.IdleError{Did: w.did, Limit: w.limit})
	}
}

// connected records the connection of the request.
func (w *watch) connected(info httptrace.GotConnInfo) {
	w.mu.Lock()
	defer w.mu.Unlock()
	conn := info.Conn
	if seen, ok := conn.(*tapped); ok {
		if w.exchange != nil { // net/http tries again, because the first connection was closed
			_ = w.exchange.End(io.ErrUnexpectedEOF)
		}
		w.exchange = seen.begin(w.tap)
		conn = seen.Conn
	}
	for secure, ok := conn.(*tls.Conn); ok; secure, ok = conn.(*tls.Conn) { // twice for an https proxy
		conn = secure.NetConn()
	}
	w.sender, _ = conn.(*wire.Sender)
	if w.did != "" {
		w.setTimer("accepted nothing")
	}
}

// trace returns hooks that restart the watch on progress. A connection dialed
// for one request may serve another, so no hook stops it.
func (w *watch) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		TLSHandshakeStart:    func() { w.restart("sent nothing") },
		TLSHandshakeDone:     func(tls.ConnectionState, error) { w.restart("sent nothing") },
		GotConn:              w.connected,
		WroteRequest:         func(httptrace.WroteRequestInfo) { w.restart("sent nothing") },
		GotFirstResponseByte: func() { w.restart("sent nothing") },
	}
}

// roundTrip sends out with the idle limit, which covers the Body of the
// response too.
func (c *Client) roundTrip(out *http.Request) (*http.Response, error) {
	return c.roundTripBy(out, c.transportFor(out.Context()))
}

// transportFor returns the transport for requests with that context.
func (c *Client) transportFor(ctx context.Context) *http.Transport {
	t := c.made()
	if access.TapOf(ctx) != nil {
		return t.recording
	}
	return t.plain
}

// roundTripBy is roundTrip by a transport.
func (c *Client) roundTripBy(out *http.Request, transport *http.Transport) (*http.Response, error) {
	outer := out.Context()
	ctx, cancel := context.WithCancelCause(outer)
	w := newWatch(c.dialer().IdleLimit(), cancel)
	w.tap = access.TapOf(outer)
	out = out.WithContext(context.WithValue(httptrace.WithClientTrace(ctx, w.trace()), watchKey{}, w))
	if out.Body != nil && out.Body != http.NoBody { // net/http takes any other body without a length for a stream
		out.Body = pausingBody{out.Body, w}
	}
	resp, err := transport.RoundTrip(out)
	w.stop()
	if err == nil {
		err = w.watchEnd(resp)
	} else {
		_ = w.end(err) // err is why the request fails
	}
	if err != nil {
		err = cmp.Or(context.Cause(ctx), err)
		cancel(err)
		return nil, c.failure(outer, err)
	}
	resp.Body = &watchedBody{ReadCloser: resp.Body, ctx: ctx, watch: w}
	return resp, nil
}

// A pausingBody is a request body. Time spent in its Read does not count as
// idle.
type pausingBody struct {
	io.ReadCloser
	watch *watch
}

func (p pausingBody) Read(b []byte) (int, error) {
	p.watch.pause(1)
	defer p.watch.pause(-1)
	return p.ReadCloser.Read(b)
}

type watchedBody struct {
	io.ReadCloser
	ctx   context.Context
	watch *watch
}

func (w *watchedBody) Read(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	w.watch.start("sent nothing")
	n, err := w.ReadCloser.Read(p)
	w.watch.stop()
	if err != nil && err != io.EOF && w.ctx.Err() != nil { //nolint:errorlint // an end that is wrapped is an early one
		err = context.Cause(w.ctx)
	}
	return n, err
}

// Close ends the request, even while Read blocks in another goroutine.
func (w *watchedBody) Close() error {
	w.watch.cancel(net.ErrClosed)
	return w.ReadCloser.Close()
}

func (c *Client) dialer() wire.Dialer {
	return wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}
}
