// Package web is the engine for http and https (RFC 1738 §3.3), built on
// net/http: HTTP/1.1 (RFC 9112) and HTTP/2 (RFC 9113) if TLS negotiates it.
//
// Path and query are sent exactly as the URL has them. The fragment is not
// sent. There is no Referer. Cookies are kept only in a Request.Cookies.
//
// A user name with a password in the URL is sent at once (RFC 7617, Basic), as
// curl does. Without a password nothing is sent until the server asks (401).
// Then Request.Login is called. Digest (RFC 7616) is used if the server offers
// it, so the server does not see the password.
//
// Notable divergences:
//   - RFC 9110 §12.5.3: content coding is not negotiated ("Accept-Encoding:
//     identity"), so sizes and offsets count stored bytes. If a server codes
//     the content anyway, its bytes are returned as they are, and
//     Content-Encoding is in [Reply.Header].
//   - RFC 9110 §15.4: redirects are not followed; the error is an
//     *access.Moved.
//   - RFC 9110 §14: only one byte range per request.
//   - RFC 9110 §9.3: an upload has no Content-Type. The server knows the type
//     by the name. A change is repeated only if the server asked for that (401,
//     417) and Body can be read again.
//   - RFC 7616 §3.4: Digest with the qop "auth" only, for one request each.
//     The server's own proof (Authentication-Info) is ignored.
//   - RFC 1738 §3.3 has no user name in http URLs; one is accepted, as
//     described above.
//   - RFC 9113: a request that an [access.Tap] sees uses HTTP/1.1, because what is sent
//     over HTTP/2 cannot be recorded as a message.
package web

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	neturl "net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A Client opens and changes what http and https URLs name. It is an
// [access.Engine]. [Client.Do] says what each Op does.
//
// Several goroutines may use a Client at once. Set the fields before the first
// use. Do not copy a Client. It keeps idle connections for 30 seconds.
type Client struct {
	// Dial connects to the server. Nil refuses every request with
	// access.ErrNoDial.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// TLS configures https; nil means the defaults of crypto/tls.
	TLS *tls.Config

	// Security is RequireTLS to refuse http URLs. https URLs always use TLS.
	Security access.Security

	// Idle is how long the server may send or accept nothing during a request;
	// 0 means a minute. It does not apply between requests.
	Idle time.Duration

	// Proxy returns the http URL of the proxy for u. ok is false for a direct
	// connection. Nil means no proxy. Environment variables are ignored.
	Proxy func(u url.URL) (proxy url.URL, ok bool)

	// UserAgent is the User-Agent field; "" means "locus".
	UserAgent string

	// Header returns fields for the header of a request for u, by their names; nil:
	// none. It is asked for each request, and so again for the target of a redirect. The
	// fields that this package sets itself, such as Range, stay as they are, except
	// User-Agent. A password in u counts more than a field Authorization.
	Header func(u url.URL) map[string]string

	// Via is the name of a proxy that uses this Client. It is appended to the
	// Via field of each request (RFC 9110 §7.6.3), so that the proxy
	// recognises loops. "" sends none.
	Via string

	transports transports
}

// transports keep idle connections. They are made when they are first needed.
type transports struct {
	mu        sync.Mutex
	plain     *http.Transport // nil: they are not made yet
	recording *http.Transport // of requests that a Tap sees
	unshared  *http.Transport // of those of RoundTrip that must not be repeated: no idle connections
}

// A Reply is the Sys of the Resources, Entries and Errors of this package.
type Reply struct {
	Proto  string       // "HTTP/1.1", "HTTP/2.0"
	Status access.Reply // code and reason phrase
	Header http.Header  // as received
}

func newReply(resp *http.Response) *Reply {
	return &Reply{Proto: resp.Proto, Status: replyOf(resp), Header: resp.Header}
}

// ReplyOf returns the Reply of a resource that came over HTTP; nil if r is another kind of
// resource, or came through a wrapper that drops Sys.
func ReplyOf(r *access.Resource) *Reply {
	reply, _ := r.Sys.(*Reply)
	return reply
}

// headerOf returns the header of a response, sorted by the names of its fields because
// net/http does not keep their order. The fields are Hidden: they describe the message.
func headerOf(resp *http.Response) access.Header {
	n := 0
	for _, values := range resp.Header {
		n += len(values)
	}
	fields := make(access.Header, 0, n)
	for name, values := range resp.Header {
		for _, value := range values {
			fields = append(fields, access.Field{Name: name, Value: value, Hidden: true})
		}
	}
	slices.SortStableFunc(fields, func(a, b access.Field) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

// Do executes every Op except Ask: Get (GET), Stat (HEAD), Put (PUT), Append
// (POST), Delete (DELETE) and MakeDir (MKCOL, RFC 4918 §9.3). The Sys of the
// Resource is a [*Reply].
//
// Get with List sends PROPFIND (RFC 4918 §9.1) for a URL that ends in "/". A server
// without WebDAV gives errors.ErrUnsupported. See [Lister].
//
// Stat sends a GET for one byte if the server does not support HEAD.
//
// A change returns after the server has confirmed it. What a failed Put leaves
// depends on the server. IfMatch is sent as If-Match, and IfAbsent as
// "If-None-Match: *". Since some servers ignore these, a HEAD checks them
// first. ModTime is ignored, since HTTP has no field for it. An Offset is
// unsupported. The Resource of Append has the URL in Location, if the server
// created something (201).
func (c *Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Answers != nil {
		return nil, access.Unsupported(req)
	}
	switch req.Op {
	case access.Get:
		if req.List {
			return req.Result(c.find(ctx, req))
		}
		return req.Result(c.fetch(ctx, req, originRequest))
	case access.Stat:
		return req.Result(c.statBy(ctx, req, originRequest))
	case access.Put, access.Append, access.Delete, access.MakeDir:
		return req.Result(access.Done(c.change(ctx, req)))
	default:
		return nil, access.Unsupported(req)
	}
}

// CloseIdleConnections closes the connections that no request uses.
func (c *Client) CloseIdleConnections() {
	c.transports.closeIdle()
}

func (t *transports) closeIdle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.plain != nil {
		t.plain.CloseIdleConnections()
		t.recording.CloseIdleConnections()
	}
}

// A routeFunc returns the HTTP request for a URL: to its own server, or to a
// gateway.
type routeFunc func(u url.URL) (*http.Request, error)

// fetch sends a GET. Closing Body cancels the request.
func (c *Client) fetch(ctx context.Context, req *access.Request, route routeFunc) (*access.Resource, error) {
	resp, err := c.send(ctx, http.MethodGet, req, route)
	if err != nil {
		return nil, err
	}
	r, err := toResource(req, resp)
	if err != nil {
		discard(ctx, resp)
		return nil, err
	}
	r.Body = &body{resp.Body, req.URL, resp.ContentLength}
	return r, nil
}

func (c *Client) statBy(ctx context.Context, req *access.Request, route routeFunc) (*access.Resource, error) {
	whole := &access.Request{URL: req.URL, IfChanged: req.IfChanged, Login: req.Login, Cookies: req.Cookies}
	resp, err := c.send(ctx, http.MethodHead, whole, route)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	r, err := toResource(whole, resp)
	if resp.StatusCode == http.StatusMethodNotAllowed || resp.StatusCode == http.StatusNotImplemented {
		r, err = c.statByGet(ctx, *whole, route)
	}
	if err != nil {
		return nil, err
	}
	return attributes(r), nil
}

// statByGet finds the attributes with a GET for the first byte.
func (c *Client) statByGet(ctx context.Context, req access.Request, route routeFunc) (*access.Resource, error) {
	req.Length = 1
	r, err := c.fetch(ctx, &req, route)
	if errors.Is(err, access.ErrRange) { // it is empty
		req.Length = 0
		r, err = c.fetch(ctx, &req, route)
	}
	if err != nil {
		return nil, err
	}
	drain(r.Body, drainLimit, drainTime)
	return r, r.Body.Close()
}

// attributes returns the Resource of Stat for an opened one.
func attributes(r *access.Resource) *access.Resource {
	found := *r
	found.Kind, found.Offset, found.Body = access.Object, 0, access.NoBody
	if v, err := scheme.ParseHTTP(r.URL); err == nil {
		if found.Title = path.Base(v.Path); found.Title == "." {
			found.Title = v.Name
		}
	}
	return &found
}

// send sends a request. If the server wants credentials, it sends the request
// again with them. If there are none, the response has this status (401), and its Body is
// closed.
func (c *Client) send(ctx context.Context, method string, req *access.Request, route routeFunc) (*http.Response, error) {
	return c.sendWith(ctx, method, req, route, func(*http.Request) {})
}

// sendWith is send for a request that prepare completes. Its body must have a GetBody.
func (c *Client) sendWith(ctx context.Context, method string, req *access.Request, route routeFunc, prepare func(*http.Request)) (*http.Response, error) {
	out, err := c.newOutgoing(ctx, method, req, route)
	if err != nil {
		return nil, err
	}
	prepare(out)
	resp, err := c.roundTrip(out)
	if err != nil {
		return nil, err
	}
	keepCookies(req.Cookies, resp)
	if resp.StatusCode != http.StatusUnauthorized {
		return resp, nil
	}
	discard(ctx, resp) // now: a person may need longer to answer than the server keeps the connection
	if out, err = c.withCredentials(ctx, out, resp, req); err != nil {
		return nil, err
	}
	if out == nil {
		return resp, nil
	}
	prepare(out)
	out.Header.Del("Cookie") // resp may have changed them
	addCookies(req.Cookies, out)
	if resp, err = c.roundTrip(out); err != nil {
		return nil, err
	}
	keepCookies(req.Cookies, resp)
	return resp, nil
}

// newOutgoing returns the HTTP request for req.
func (c *Client) newOutgoing(ctx context.Context, method string, req *access.Request, route routeFunc) (*http.Request, error) {
	if c.Dial == nil {
		return nil, access.ErrNoDial
	}
	out, err := route(req.URL)
	if err != nil {
		return nil, err
	}
	if c.Security == access.RequireTLS && out.URL.Scheme == "http" {
		return nil, wire.ErrNoTLS
	}
	out = out.WithContext(ctx)
	out.Method = method
	c.setHeader(ctx, out.Header, req)
	addCookies(req.Cookies, out)
	return out, nil
}

func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dialer().Connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if w, ok := ctx.Value(watchKey{}).(*watch); ok {
		w.restart("sent nothing")
	}
	return c.dialer().Sender(conn), nil
}

// made returns the transports of c, which it makes at the first call.
func (c *Client) made() *transports {
	t := &c.transports
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.plain == nil {
		c.makeTransports(t)
	}
	return t
}

// makeTransports sets the fields of t.
func (c *Client) makeTransports(t *transports) {
	t.plain = &http.Transport{
		DialContext:            c.dial,
		Proxy:                  c.proxy(),
		TLSClientConfig:        c.TLS.Clone(),
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    64, // enough in practice
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    c.handshakeLimit(), // if its request was cancelled
		ExpectContinueTimeout:  continueTimeout,
		MaxResponseHeaderBytes: 256 << 10,
	}
	t.recording = t.plain.Clone()
	t.recording.ForceAttemptHTTP2, t.recording.Proxy = false, c.proxyWithoutTunnel()
	t.recording.DialContext, t.recording.DialTLSContext = c.dialTapped, c.dialTLSTapped
	t.unshared = t.recording.Clone()
	t.unshared.MaxIdleConnsPerHost = -1 // unlike DisableKeepAlives, this adds no field to requests
}

// handshakeLimit is how long a TLS handshake may take.
func (c *Client) handshakeLimit() time.Duration { return 2 * c.dialer().IdleLimit() }

// proxy returns Proxy in the form that net/http wants.
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
