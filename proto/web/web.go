// Package web is the engine for http and https (RFC 1738 §3.3), over net/http:
// HTTP/1.1 (RFC 9112) and, where TLS agrees on it, HTTP/2 (RFC 9113).
//
// Path and query are sent as they are written in the URL, to the octet. The
// fragment is never sent. Nothing is sent that the URL does not say: no cookies, no
// Referer.
//
// A user name and a password in a URL are sent to its server at once (RFC 7617,
// Basic), as curl does. Without a password in the URL nothing is sent until the
// server asks (401); then Request.Login is called, and Digest (RFC 7616) is used
// where the server offers it, so that it never sees the password.
//
// Notable divergences:
//   - RFC 9110 §12.5.3: content coding is not negotiated ("Accept-Encoding:
//     identity"), so that sizes and offsets count what is stored. If a server
//     codes the content regardless, its octets come as they are, and
//     Content-Encoding is in [Reply.Header].
//   - RFC 9110 §15.4: the engine follows no redirect; it returns *access.Moved.
//   - RFC 9110 §14: only one range of octets, from an offset to an end.
//   - RFC 9110 §9.3: what is sent has no Content-Type; the server knows what its
//     names stand for. A change is never sent again by itself, except where the
//     server has asked for that (401, 417) and the octets can be had again.
//   - RFC 7616 §3.4: of Digest the qop "auth" alone, for one request each; what
//     the server proves of itself (Authentication-Info) is not looked at.
//   - RFC 1738 §3.3 has no user name in http URLs; one is accepted, as above.
package web

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	neturl "net/url"
	"path"
	"sync"
	"time"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// A Client opens http and https URLs, and changes what they name. Dial must be set before first use; after
// that no field may be changed, nor the Client copied. It may be used by
// several goroutines at once, and keeps idle connections for a while; see
// CloseIdleConnections.
type Client struct {
	// Dial connects. nil: every access fails with access.ErrNoDial.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// TLS is how https is spoken; nil is the default of crypto/tls.
	TLS *tls.Config

	// Security RequireTLS refuses http URLs. https URLs always use TLS.
	Security access.Security

	// Idle is how long the server may send or accept nothing while a request waits
	// for it; 0 is a minute. Connections between requests do not count.
	Idle time.Duration

	// Proxy returns the http URL of the proxy through which u is reached; ok is
	// false if there is none. nil: no proxy. The environment is not asked.
	Proxy func(u url.URL) (proxy url.URL, ok bool)

	// UserAgent is what the client calls itself; "" is "locus".
	UserAgent string

	// Via is what a proxy that asks by this client calls itself in the Via of
	// its requests (RFC 9110 §7.6.3), after those of web.Via, so that it
	// knows them again; "" for none.
	Via string

	// MaxHeader is how many octets the header of an answer may have; 0 is
	// 256 KiB.
	MaxHeader int64

	once      sync.Once
	transport *http.Transport
}

// A Reply is the Sys of the Resources and Entries of this package.
type Reply struct {
	Proto  string       // "HTTP/1.1", "HTTP/2.0"
	Status access.Reply // the code and the reason phrase
	Header http.Header  // as it came
}

// Do sends the HTTP request for each Op but Ask: GET, HEAD, PUT, POST (Append),
// DELETE, MKCOL (MakeDir). To a server that does not know HEAD it sends a GET for
// one byte. The Sys of what it gets or stats is a [*Reply].
func (c *Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Answers != nil {
		return nil, access.Unsupported(req)
	}
	switch req.Op {
	case access.Get:
		return c.openVia(ctx, req, origin)
	case access.Stat:
		return access.Found(c.statVia(ctx, req, origin))
	case access.Put:
		return access.Done(req.URL, c.put(ctx, req))
	case access.Append:
		return access.Done(c.post(ctx, req))
	case access.Delete:
		return access.Done(req.URL, c.delete(ctx, req))
	case access.MakeDir:
		return access.Done(req.URL, c.makeDir(ctx, req))
	default:
		return nil, access.Unsupported(req)
	}
}

// CloseIdleConnections closes the connections that no access is using.
func (c *Client) CloseIdleConnections() { c.roundTripper().CloseIdleConnections() }

// A router turns a URL into where it is asked for: at its origin, or through a
// gateway.
type router func(u url.URL) (*http.Request, error)

func (c *Client) openVia(ctx context.Context, req *access.Request, route router) (*access.Resource, error) {
	r, err := c.get(ctx, req, route)
	if err != nil {
		return nil, access.Fail("open", req.URL, err)
	}
	return r, nil
}

// get opens req. Its Body ends ctx's share in the connection.
func (c *Client) get(ctx context.Context, req *access.Request, route router) (*access.Resource, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	resp, err := c.send(ctx, http.MethodGet, req, route)
	if err != nil {
		cancel(err)
		return nil, err
	}
	r, err := resource(req, resp)
	if err != nil {
		cancel(err)
		resp.Body.Close()
		return nil, err
	}
	r.Body = &body{ctx: ctx, cancel: cancel, rc: r.Body, url: req.URL, left: lengthOf(resp)}
	return r, nil
}

func (c *Client) statVia(ctx context.Context, req *access.Request, route router) (access.Entry, error) {
	whole := &access.Request{URL: req.URL, IfChanged: req.IfChanged, Login: req.Login}
	resp, err := c.send(ctx, http.MethodHead, whole, route)
	if err != nil {
		return access.Entry{}, access.Fail("stat", req.URL, err)
	}
	resp.Body.Close()
	r, err := resource(whole, resp)
	if resp.StatusCode == http.StatusMethodNotAllowed || resp.StatusCode == http.StatusNotImplemented {
		r, err = c.statByGet(ctx, *whole, route)
	}
	if err != nil {
		return access.Entry{}, access.Fail("stat", req.URL, err)
	}
	return entry(r), nil
}

// statByGet finds the attributes by asking for the first octet.
func (c *Client) statByGet(ctx context.Context, req access.Request, route router) (*access.Resource, error) {
	req.Length = 1
	r, err := c.get(ctx, &req, route)
	if errors.Is(err, access.ErrRange) { // it is empty
		req.Length = 0
		r, err = c.get(ctx, &req, route)
	}
	if err != nil {
		return nil, err
	}
	return r, r.Body.Close()
}

func entry(r *access.Resource) access.Entry {
	e := access.Entry{URL: r.URL, Kind: access.Object, Type: r.Type, Size: r.Size, ModTime: r.ModTime, Sys: r.Sys}
	if v, err := scheme.ParseHTTP(r.URL); err == nil {
		if e.Title = path.Base(v.Path); e.Title == "." {
			e.Title = v.Name
		}
	}
	return e
}

// send sends one request, and another one if the server wants a password that
// can be asked for.
func (c *Client) send(ctx context.Context, method string, req *access.Request, route router) (*http.Response, error) {
	out, err := c.outgoing(ctx, method, req, route)
	if err != nil {
		return nil, err
	}
	resp, err := c.roundTrip(out)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusUnauthorized {
		return resp, nil
	}
	out, err = c.withPassword(ctx, out, resp, req)
	if err != nil || out == nil {
		return resp, err
	}
	resp.Body.Close()
	return c.roundTrip(out)
}

// outgoing returns the request to send for req.
func (c *Client) outgoing(ctx context.Context, method string, req *access.Request, route router) (*http.Request, error) {
	if c.Dial == nil {
		return nil, access.ErrNoDial
	}
	out, err := route(req.URL)
	if err != nil {
		return nil, err
	}
	if err := c.checkSecurity(out); err != nil {
		return nil, err
	}
	out = out.WithContext(ctx)
	out.Method = method
	c.setHeader(ctx, out.Header, req)
	return out, nil
}

func (c *Client) connect(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.wire().Connect(ctx, network, address)
	if w, ok := ctx.Value(watchKey{}).(*watch); ok && err == nil {
		w.restart("sent nothing")
	}
	return conn, err
}

func (c *Client) roundTripper() *http.Transport {
	c.once.Do(func() {
		c.transport = &http.Transport{
			DialContext:            c.connect,
			Proxy:                  c.proxy(),
			TLSClientConfig:        c.TLS.Clone(),
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxIdleConnsPerHost:    64, // as many as are used at once, in practice
			IdleConnTimeout:        30 * time.Second,
			TLSHandshakeTimeout:    2 * c.wire().IdleLimit(), // of a connection whose request was cancelled
			ExpectContinueTimeout:  continueTimeout,
			MaxResponseHeaderBytes: orElse(c.MaxHeader, 256<<10),
		}
	})
	return c.transport
}

// proxy returns Proxy as net/http asks for it.
func (c *Client) proxy() func(*http.Request) (*neturl.URL, error) {
	if c.Proxy == nil {
		return nil
	}
	return func(r *http.Request) (*neturl.URL, error) {
		u, err := url.Parse(r.URL.String())
		if err != nil {
			return nil, err
		}
		proxy, ok := c.Proxy(u)
		if !ok {
			return nil, nil
		}
		return neturl.Parse(proxy.String())
	}
}

func orElse[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}
