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
	"locus/access/engine"
	"locus/proto/internal/wire"
)

// A watch cancels a request if the server does not send or accept a byte for the idle limit. Its
// timer runs only while the request waits for the server. So idle connections are kept, and a slow
// reader causes no timeout.
type watch struct {
	limit  time.Duration
	ctx    context.Context // of the request and the body of its response
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	timer  *time.Timer
	since  time.Time    // the time at which the timer was set
	did    string       // the verb of the IdleError, such as "sent nothing"; "" while the watch is stopped
	paused int          // the number of pending reads of the request body
	queued bool         // the request waits for one of the PerHost connections
	sender *wire.Sender // the connection of the request; nil before it is known

	tap      engine.Tap      // records the request and its response; may be nil
	exchange engine.Exchange // the record of the current connection; nil without a tap

	upgrades    bool                    // the request has a field Upgrade
	onConnected func(access.Connection) // is called with the connection; may be nil
}

// A watchKey is the context key under which dial finds the watch.
type watchKey struct{}

// newWatch returns a watch for a request with a context that is derived from outer. The request is queued: the timer of
// the watch starts when dequeue or connected is called. If limit then passes without progress, the context ends with an
// IdleError as its cause.
func newWatch(outer context.Context, limit time.Duration) *watch {
	w := &watch{limit: limit, queued: true}
	w.ctx, w.cancel = context.WithCancelCause(outer)
	w.timer = time.AfterFunc(limit, w.expire)
	w.start("accepted no connection")
	return w
}

// start starts the timer from zero, even if the watch is stopped. If the timer expires, did is the verb of the
// IdleError.
func (w *watch) start(did string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.setTimer(did)
}

// stop stops the watch: the timer does not expire before the next start.
func (w *watch) stop() { w.start("") }

// restart starts the timer from zero, unless the watch is stopped. If the timer expires, did is the verb of the
// IdleError.
func (w *watch) restart(did string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.did != "" {
		w.setTimer(did)
	}
}

// pause adds by to the number of pending reads of the request body: 1 before a read, and -1 after it. The timer does
// not run while a read is pending, and starts from zero after the last one, unless the watch is stopped.
func (w *watch) pause(by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused += by
	if w.did != "" {
		w.setTimer("accepted nothing")
	}
}

// dequeue records that the request connects, and starts the timer. It has no effect if the request is not queued.
func (w *watch) dequeue() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queued {
		w.queued = false
		w.setTimer(w.did)
	}
}

// setTimer sets did and starts the timer from zero. If did is "", the request is queued, or a read of the request body
// is pending, it stops the timer instead. The caller holds mu.
func (w *watch) setTimer(did string) {
	w.did, w.since = did, time.Now()
	if did == "" || w.queued || w.paused > 0 {
		w.timer.Stop()
	} else {
		w.timer.Reset(w.limit)
	}
}

// expire is called when the timer expires, and cancels the request with an IdleError. It has no effect if the timer was
// stopped or restarted meanwhile. If the server still accepts the bytes of a pending write, expire restarts the timer
// instead, because hooks see a write only when it ends.
func (w *watch) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.did == "", w.queued, w.paused > 0, time.Since(w.since) < w.limit: // the timer was stopped or set meanwhile
	case w.sender != nil && w.sender.IsSending():
		w.setTimer(w.did)
	default:
		w.cancel(&wire.IdleError{Did: w.did, Limit: w.limit})
	}
}

// bind returns a copy of ctx that also ends when the request ends. The caller calls end when it no longer needs the copy.
func (w *watch) bind(ctx context.Context) (bound context.Context, end context.CancelFunc) {
	bound, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(w.ctx, cancel)
	return bound, func() { stop(); cancel() }
}

// connected is called when net/http has a connection for the request. It records the connection, calls onConnected,
// begins the exchange of the Tap, and restarts the timer unless the watch is stopped.
func (w *watch) connected(info httptrace.GotConnInfo) {
	if w.onConnected != nil {
		w.onConnected(access.Connection{Address: info.Conn.RemoteAddr().String(), Reused: info.Reused})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	conn := info.Conn
	if seen, ok := conn.(*tapped); ok {
		if w.exchange != nil { // net/http sends the request again because the first connection was closed
			_ = w.exchange.End(io.ErrUnexpectedEOF)
		}
		w.exchange = seen.begin(w.tap)
		conn = seen.Conn
	}
	isHTTP2 := false
	for secure, ok := conn.(*tls.Conn); ok; secure, ok = conn.(*tls.Conn) { // TLS in TLS for an https proxy
		isHTTP2 = isHTTP2 || secure.ConnectionState().NegotiatedProtocol == "h2"
		conn = secure.NetConn()
	}
	if w.sender, _ = conn.(*wire.Sender); w.sender != nil && !isHTTP2 {
		w.sender.ExpectAnswer() // not with HTTP/2, because its reader also writes
	}
	w.queued = false
	if w.did != "" {
		w.setTimer("accepted nothing")
	}
}

// conn returns the connection of the request, or nil before there is one.
func (w *watch) conn() *wire.Sender {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sender
}

// trace returns hooks that restart the timer of the watch on progress, and call connected. No hook stops the watch,
// because a connection dialed for one request may serve another.
func (w *watch) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		TLSHandshakeStart:    func() { w.restart("sent nothing") },
		TLSHandshakeDone:     func(tls.ConnectionState, error) { w.restart("sent nothing") },
		GotConn:              w.connected,
		WroteRequest:         func(httptrace.WroteRequestInfo) { w.restart("sent nothing") },
		GotFirstResponseByte: func() { w.restart("sent nothing") },
	}
}

// roundTrip sends out and returns the response, whatever its status. The idle limit applies to the request and to the
// Body of the response.
func (c *Client) roundTrip(out *http.Request) (*http.Response, error) {
	return c.roundTripWith(out, c.transportFor(out.Context()))
}

// transportFor returns the transport for requests with that context. If the context has a Tap, it is the transport that
// shows the bytes to the Tap.
func (c *Client) transportFor(ctx context.Context) *http.Transport {
	t := c.ensureTransports()
	if engine.TapOf(ctx) != nil {
		return t.recording
	}
	return t.plain
}

// roundTripWith sends out over transport, and returns the response, whatever its status. It cancels the request, or the
// reading of the response, if the server is idle. It ends the exchange of the Tap if the request fails, and translates
// the error with failure.
func (c *Client) roundTripWith(out *http.Request, transport *http.Transport) (*http.Response, error) {
	outer := out.Context()
	w := newWatch(outer, c.dialer().IdleLimit())
	w.tap, w.onConnected = engine.TapOf(outer), access.ConnectedOf(outer)
	w.upgrades = out.Header.Get("Upgrade") != ""
	out = out.WithContext(context.WithValue(httptrace.WithClientTrace(w.ctx, w.trace()), watchKey{}, w))
	if out.Body != nil && out.Body != http.NoBody { // another type than NoBody would make net/http send a stream
		out.Body, out.GetBody = pausingBody{out.Body, w}, pausingCopy(out.GetBody, w)
	}
	resp, err := transport.RoundTrip(out)
	w.stop()
	if err == nil {
		err = w.watchEnd(resp)
	} else {
		_ = w.endExchange(err) // the caller gets err, not the error of the Tap
	}
	if err != nil {
		err = cmp.Or(context.Cause(w.ctx), err)
		if out.URL.Scheme == "http" { // the first bytes of other connections are those of TLS
			err = withBeginning(err, w.conn())
		}
		w.cancel(err)
		return nil, c.failure(outer, err)
	}
	resp.Body = &watchedBody{ReadCloser: resp.Body, watch: w}
	return resp, nil
}

// A pausingBody is a request body. The time in its Read does not count as idle.
type pausingBody struct {
	io.ReadCloser
	watch *watch
}

// Read reads the body, and stops the idle limit while it does.
func (p pausingBody) Read(b []byte) (int, error) {
	p.watch.pause(1)
	defer p.watch.pause(-1)
	return p.ReadCloser.Read(b)
}

// A watchedBody is the body of a response. The time between its Reads does not count as idle.
type watchedBody struct {
	io.ReadCloser
	watch *watch
}

// Read reads the body. It returns the cause of the context if the context has ended, for example
// because the server sent no bytes for too long.
func (w *watchedBody) Read(p []byte) (int, error) {
	if w.watch.ctx.Err() != nil {
		return 0, context.Cause(w.watch.ctx)
	}
	w.watch.start("sent nothing")
	n, err := w.ReadCloser.Read(p)
	w.watch.stop()
	if err != nil && !access.IsEnd(err) && w.watch.ctx.Err() != nil {
		err = context.Cause(w.watch.ctx)
	}
	return n, err
}

// Close ends the request, even while Read blocks in another goroutine.
func (w *watchedBody) Close() error {
	w.watch.cancel(net.ErrClosed)
	return w.ReadCloser.Close()
}

// dialer returns a Dialer with the settings of c.
func (c *Client) dialer() wire.Dialer {
	return wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}
}
