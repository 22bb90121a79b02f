package web

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
)

// A watch cancels a request whose server does nothing for the idle limit. It runs
// only while the request waits for the server, so that connections without a
// request are kept, and a slow reader of the answer harms nobody.
type watch struct {
	limit  time.Duration
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	timer  *time.Timer // nil while the watch is stopped
	paused int         // how many wait for the caller's bytes
}

// watchKey is the key of a request's watch in its context, for whoever connects.
type watchKey struct{}

// start begins to wait, and says what the server did if it is idle.
func (w *watch) start(did string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set(did)
}

// restart waits anew, unless the watch is stopped.
func (w *watch) restart(did string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.set(did)
	}
}

// set sets the timer. The caller holds the lock.
func (w *watch) set(did string) {
	if w.timer != nil {
		w.timer.Stop()
	}
	limit := w.limit
	if w.paused > 0 {
		limit = 1<<63 - 1
	}
	w.timer = time.AfterFunc(limit, func() { w.cancel(&wire.IdleError{Did: did, Limit: w.limit}) })
}

// pause stops the clock while the caller's bytes are read.
func (w *watch) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paused++; w.timer != nil {
		w.timer.Stop()
	}
}

// resume ends a pause.
func (w *watch) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paused--; w.timer != nil {
		w.set("accepted nothing")
	}
}

// stop ends the waiting.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}

// trace returns what restarts the watch as a request makes progress. Whoever
// connects for one request may end up serving another, so no event stops it.
func (w *watch) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		TLSHandshakeStart:    func() { w.restart("sent nothing") },
		TLSHandshakeDone:     func(tls.ConnectionState, error) { w.restart("sent nothing") },
		GotConn:              func(httptrace.GotConnInfo) { w.restart("accepted nothing") },
		WroteRequest:         func(httptrace.WroteRequestInfo) { w.restart("sent nothing") },
		GotFirstResponseByte: func() { w.restart("sent nothing") },
	}
}

// roundTrip sends out under the idle limit. The Body of the answer has it too.
func (c *Client) roundTrip(out *http.Request) (*http.Response, error) {
	outer := out.Context()
	ctx, cancel := context.WithCancelCause(outer)
	w := &watch{limit: c.wire().IdleLimit(), cancel: cancel}
	out = out.WithContext(context.WithValue(httptrace.WithClientTrace(ctx, w.trace()), watchKey{}, w))
	if out.Body != nil {
		out.Body = pausing{out.Body, w}
	}
	w.start("accepted no connection")
	resp, err := c.roundTripper().RoundTrip(out)
	w.stop()
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		cancel(err)
		return nil, failure(outer, err)
	}
	resp.Body = &watched{ReadCloser: resp.Body, ctx: ctx, watch: w}
	return resp, nil
}

// A pausing body is the caller's: the time that it takes to be read is not the
// server's.
type pausing struct {
	io.ReadCloser
	watch *watch
}

func (p pausing) Read(b []byte) (int, error) {
	p.watch.pause()
	defer p.watch.resume()
	return p.ReadCloser.Read(b)
}

// A watched body is the Body of an answer.
type watched struct {
	io.ReadCloser
	ctx   context.Context
	watch *watch
}

func (w *watched) Read(p []byte) (int, error) {
	w.watch.start("sent nothing")
	n, err := w.ReadCloser.Read(p)
	w.watch.stop()
	if err != nil && err != io.EOF && w.ctx.Err() != nil {
		err = context.Cause(w.ctx)
	}
	return n, err
}

// Close ends the request.
func (w *watched) Close() error {
	err := w.ReadCloser.Close()
	w.watch.cancel(nil)
	return err
}

// wire returns how connections are made.
func (c *Client) wire() wire.Dialer {
	return wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}
}

// checkSecurity fails if TLS is required and out would go without.
func (c *Client) checkSecurity(out *http.Request) error {
	if c.Security == access.RequireTLS && out.URL.Scheme == "http" {
		return wire.ErrNoTLS
	}
	return nil
}
