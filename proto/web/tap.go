package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	neturl "net/url"
	"sync"

	"locus/access"
	"locus/access/engine"
)

// A tapped is a connection that passes its bytes to the Exchange of its current request. That works
// because net/http sends a request only after the response to the one before is complete.
type tapped struct {
	net.Conn          // the connection to the server
	stream   net.Conn // Conn, or TLS over it

	mu       sync.Mutex
	exchange engine.Exchange
}

// begin begins and returns the exchange of the next request, before net/http sends it. It returns nil if tap is nil.
func (c *tapped) begin(tap engine.Tap) engine.Exchange {
	if tap == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exchange = tap.Exchange()
	return c.exchange
}

// current returns the Exchange of the current request; nil if there is none.
func (c *tapped) current() engine.Exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exchange
}

// Read reads from the stream and shows the bytes to the current exchange.
func (c *tapped) Read(p []byte) (int, error) {
	n, err := c.stream.Read(p)
	if x := c.current(); x != nil && n > 0 {
		x.Received(p[:n])
	}
	return n, err
}

// Write shows p to the current exchange and writes it to the stream.
func (c *tapped) Write(p []byte) (int, error) {
	if x := c.current(); x != nil { // before Write, because the response may be complete when Write returns
		x.Sent(p)
	}
	return c.stream.Write(p)
}

// Close closes the stream, and so the connection.
func (c *tapped) Close() error { return c.stream.Close() }

// dialTapped connects to an address, for requests with a Tap, and restarts the watch of the request. The Tap gets the
// bytes of the connection.
func (c *Client) dialTapped(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &tapped{Conn: conn, stream: conn}, nil
}

// dialTLSTapped connects to an address and starts TLS, for requests with a Tap. The Tap gets the decrypted bytes.
func (c *Client) dialTLSTapped(ctx context.Context, network, address string) (net.Conn, error) {
	secure, err := c.startTLS(ctx, network, address, nil) // HTTP/1.1
	if err != nil {
		return nil, err
	}
	return &tapped{Conn: secure.NetConn(), stream: secure}, nil
}

// RoundTrip sends a request unchanged. It does not add or remove header fields, follow redirects or ask for a login. An
// [engine.Tap] in its context sees the request and the response. The idle limit applies. If a server closes an idle
// connection before it answers, RoundTrip sends the request once more, provided that r is repeatable.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	transport := c.transportFor(r.Context())
	if !IsRepeatable(r) {
		transport = c.ensureTransports().unshared
	}
	return c.roundTripWith(r, transport)
}

// IsRepeatable reports whether net/http may send r again by itself (RFC 9110 §9.2.2): r has no body, and its method is
// GET, HEAD, OPTIONS or TRACE.
func IsRepeatable(r *http.Request) bool {
	if r.Body != nil && r.Body != http.NoBody {
		return false
	}
	switch r.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// proxyWithoutTunnel returns a proxy function for requests with a Tap, or nil if there is no proxy. The function
// refuses https, because net/http would encrypt it above the connection that the Tap sees.
func (c *Client) proxyWithoutTunnel() func(*http.Request) (*neturl.URL, error) {
	proxy := c.proxy()
	if proxy == nil {
		return nil
	}
	return func(r *http.Request) (*neturl.URL, error) {
		at, err := proxy(r)
		if at != nil && r.URL.Scheme == "https" {
			return nil, engine.Reason("https through this proxy cannot be recorded", errors.ErrUnsupported)
		}
		return at, err
	}
}

// endExchange ends the exchange, with err if the request or the response failed. It returns the error of the Tap; nil
// without a Tap.
func (w *watch) endExchange(err error) error {
	w.mu.Lock()
	x := w.exchange
	w.mu.Unlock()
	if x == nil {
		return nil
	}
	return x.End(err)
}

// watchEnd replaces the body of resp by a body that ends the exchange when it was read to its end. If resp does not
// have a body, watchEnd ends the exchange at once, and returns the error of the Tap. It has no effect without a Tap.
func (w *watch) watchEnd(resp *http.Response) error {
	if w.tap == nil {
		return nil
	}
	if resp.Body == http.NoBody || resp.ContentLength == 0 || resp.Request.Method == http.MethodHead {
		if err := w.endExchange(nil); err != nil {
			resp.Body.Close()
			return err
		}
		return nil
	}
	resp.Body = &seenBody{resp.Body, w}
	return nil
}

// errClosedEarly ends an exchange whose response was closed before its end.
var errClosedEarly = errors.New("the rest was not read")

// A seenBody is the body of a response that a Tap sees.
type seenBody struct {
	io.ReadCloser
	watch *watch
}

// Read reads the body. At its end it ends the exchange; the error of the Tap, if there is one, then replaces io.EOF.
func (b *seenBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case access.IsEnd(err):
		if tapErr := b.watch.endExchange(nil); tapErr != nil {
			err = fmt.Errorf("record: %w", tapErr)
		}
	case err != nil:
		_ = b.watch.endExchange(err) // the caller gets err, not the error of the Tap
	}
	return n, err
}

// Close closes the body. If its end was not read, it ends the exchange with errClosedEarly.
func (b *seenBody) Close() error {
	err := b.ReadCloser.Close()
	return errors.Join(err, b.watch.endExchange(errClosedEarly))
}
