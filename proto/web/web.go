// Package web is the engine for http and https (RFC 1738 §3.3), built on net/http: HTTP/1.1 (RFC
// 9112) and HTTP/2 (RFC 9113) if TLS negotiates it.
//
// Path and query are sent exactly as the URL has them. The fragment is not sent, and the client
// sends no Referer. Cookies are kept only in a Request.Cookies.
//
// A user name with a password in the URL is sent at once (RFC 7617, Basic), as curl does. A user
// name without a password is sent only after the server has asked for a login (401) and
// Request.Login has returned one. Digest (RFC 7616) is used if the server offers it, so that the
// server does not see the password.
//
// # How the pieces work together
//
// originRequest (request.go) or Gateway.route (gateway.go) makes the http.Request for a URL. send
// adds the header and the cookies (cookies.go), and after a 401 sends it once more with a login
// (challenge.go, digest.go). net/http owns the connections and their goroutines. roundTrip gives it
// the request with a watch, which cancels a request whose server is idle; its timer stands still
// while the caller is slow (idle.go). A request with a Tap uses a transport of its own, whose
// connections show their bytes (tap.go).
//
// toResource makes the Resource, or the error that the status means (reply.go), and decodes a body
// that the server has compressed unasked (coding.go). Close of the Body cancels the request. The
// body of a change is an upload (write.go, upload.go), which Put first stores under a temporary
// name if the server can rename (put.go). net/http may still read an upload after the response, so
// upload.stop ends that before the engine returns. A [Lister] around the Client makes listings of
// the pages of directories (list.go), of WebDAV (propfind.go) and of the buckets of S3 (s3.go). A
// Send passes a whole request on (whole.go).
//
// Notable divergences:
//   - RFC 9110 §12.5.3: content coding is not negotiated ("Accept-Encoding:
//     identity"), so sizes and offsets count stored bytes. If a server codes
//     the content anyway, gzip and deflate are decoded, and the size is unknown.
//     With another coding, or if the resource is a compressed file, the bytes are
//     returned unchanged, and Content-Encoding is in [Reply.Header].
//   - RFC 9110 §15.4: redirects are not followed; the error is an
//     *access.Moved.
//   - RFC 9110 §14: the client asks for only one byte range per request.
//   - RFC 9110 §9.3: an upload has no Content-Type, because the server derives the type from the
//     name. A change is repeated only if the server asked for that (401, 417) and Body can be read
//     again.
//   - RFC 7616 §3.4: the client uses Digest only with the qop "auth", and each nonce for only one
//     request. It ignores the server's own proof (Authentication-Info).
//   - RFC 1738 §3.3 has no user name in http URLs. The client accepts one, and sends it as a login.
//   - RFC 9113: a request that an [engine.Tap] sees uses HTTP/1.1, because
//     messages of HTTP/2 cannot be recorded in their wire format.
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
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A Client opens and changes the resources that http and https URLs name. It is an
// [access.Engine]. [Client.Do] describes each Op.
//
// Several goroutines may use a Client at once. Set the fields before the first
// use. Do not copy a Client. It keeps idle connections for 30 seconds.
type Client struct {
	// Dial connects to the server. Nil refuses every request with
	// access.ErrNoDial.
	Dial proto.Dial

	// TLS configures https; nil means the defaults of crypto/tls.
	TLS *tls.Config

	// Security is RequireTLS to refuse http URLs. https URLs always use TLS.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte
	// during a request; 0: a minute, negative: no limit. It does not apply
	// between requests, nor while a request waits for one of the PerHost connections.
	Idle time.Duration

	// Proxy returns the http URL of the proxy for u. ok is false for a direct
	// connection. Nil means no proxy. Environment variables are ignored.
	Proxy func(u url.URL) (proxy url.URL, ok bool)

	// UserAgent is the User-Agent field; "" means "locus".
	UserAgent string

	// Header returns additional fields for the header of a request for u, by their names;
	// it may be nil. It is called for each request, and so again for the target of a
	// redirect. Of the fields that this package sets, such as Range, it can replace only
	// User-Agent and Accept. A password in u takes precedence over a field Authorization.
	Header func(u url.URL) map[string]string

	// PerHost limits the connections to one host and port, idle ones included. A request
	// waits until it can have one of them. 0 means no limit; a negative value also
	// means no limit. It is ignored with a Proxy, because many hosts share its connections.
	PerHost int

	// Via is the name of a proxy that uses this Client. It is appended to the
	// Via field of each request (RFC 9110 §7.6.3), so that the proxy
	// recognises loops. "" sends none.
	Via string

	transports transports
	moves      remembered[moveState] // of directories, by their URLs
}

// A transports has the transports of a Client, which keep idle connections. They are made at the
// first request.
type transports struct {
	mu        sync.Mutex
	plain     *http.Transport // nil before the first request
	recording *http.Transport // for requests with a Tap
	unshared  *http.Transport // for requests of RoundTrip that must not be repeated; it keeps no idle connections
}

// A Reply is the Sys of the Resources, Entries and Errors of this package.
type Reply struct {
	Proto  string       // "HTTP/1.1", "HTTP/2.0"
	Status access.Reply // code and reason phrase
	Header http.Header  // the received header

	// Response is the whole response to an access.Send; nil for every other Op. The
	// caller reads the Body of the Resource, not its Body.
	Response *http.Response
}

// newReply returns the Reply for a response.
func newReply(resp *http.Response) *Reply {
	return &Reply{Proto: resp.Proto, Status: replyOf(resp), Header: resp.Header}
}

// ReplyOf returns the Reply of a resource that came over HTTP. It returns nil if r is another kind
// of resource, or came through a wrapper that drops Sys.
func ReplyOf(r *access.Resource) *Reply {
	reply, _ := r.Sys.(*Reply)
	return reply
}

// headerOf returns the header of a response, sorted by the names of its fields because net/http
// does not keep their order. The fields are Hidden because they describe the message, not the
// resource.
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

// Do executes every Op except Ask: Get (GET), Stat (HEAD), Put (PUT), Append (POST), Delete (DELETE), MakeDir (MKCOL,
// RFC 4918 §9.3) and Send. The Sys of the Resource is a [*Reply].
//
// Get with List sends PROPFIND (RFC 4918 §9.1) for a URL that ends in "/". The error is errors.ErrUnsupported if the
// server has no WebDAV. See [Lister].
//
// Stat sends a GET for one byte if the server does not support HEAD.
//
// A change returns after the server has confirmed it. Put sends the file under a temporary name and moves it if the
// server has WebDAV with MOVE in that directory; put.go has the steps. On other servers, and with IfMatch, the state
// after a failed Put depends on the server. IfMatch is sent as If-Match, and IfAbsent as "If-None-Match: *". A HEAD
// checks both first, because some servers ignore these fields. ModTime is ignored because HTTP has no field for it. An
// Offset is unsupported. The Resource of Append has the URL in Location, if the server has created a resource (201).
//
// Send sends an *http.Request with its method, its header, its body and its trailers, and returns the whole response,
// whatever its status, also of a redirect; see [Reply.Response]. The request gets the fields User-Agent and Via and the
// fields of Client.Header that it does not have. A 401 is answered with the login of the URL or of Request.Login, if
// the request has no other login and its body can be sent again. A method CONNECT and a field Upgrade are unsupported,
// because the response would be a connection.
func (c *Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Answers != nil {
		return nil, engine.Unsupported(req)
	}
	switch req.Op {
	case access.Get:
		if req.List {
			return engine.For(req).Result(c.propfind(ctx, req))
		}
		return engine.For(req).Result(c.fetch(ctx, req, originRequest))
	case access.Stat:
		return engine.For(req).Result(c.statWith(ctx, req, originRequest))
	case access.Send:
		return engine.For(req).Result(c.sendWhole(ctx, req))
	case access.Put, access.Append, access.Delete, access.MakeDir:
		return engine.For(req).Result(engine.Done(c.change(ctx, req)))
	default:
		return nil, engine.Unsupported(req)
	}
}

// CloseIdleConnections closes the connections that no request uses.
func (c *Client) CloseIdleConnections() {
	c.transports.closeIdle()
}

// closeIdle closes the idle connections of all transports.
func (t *transports) closeIdle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.plain != nil {
		t.plain.CloseIdleConnections()
		t.recording.CloseIdleConnections()
	}
}

// A routeFunc returns the HTTP request for a URL: to its own server, or to a gateway.
type routeFunc func(u url.URL) (*http.Request, error)

// fetch sends a GET that route makes, and returns the opened Resource. Closing its Body cancels the request.
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

// statWith executes Stat with a request that route makes: HEAD, or GET if the server does not support HEAD.
func (c *Client) statWith(ctx context.Context, req *access.Request, route routeFunc) (*access.Resource, error) {
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

// statByGet returns the attributes that a GET for the first byte shows. If the server refuses the range, because the
// resource is empty, it sends a GET for the whole.
func (c *Client) statByGet(ctx context.Context, req access.Request, route routeFunc) (*access.Resource, error) {
	req.Length = 1
	r, err := c.fetch(ctx, &req, route)
	if errors.Is(err, access.ErrRange) { // the resource is empty
		req.Length = 0
		r, err = c.fetch(ctx, &req, route)
	}
	if err != nil {
		return nil, err
	}
	drain(r.Body, drainLimit, drainTime)
	return r, r.Body.Close()
}

// attributes returns r as Stat returns it: an Object at offset 0 without bytes, with the title that an
// HTTP URL gives. The caller closes r.Body.
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

// send sends a request. If the server asks for credentials, send sends the request again with
// credentials. If there are none, it returns the 401 response, whose Body is closed.
func (c *Client) send(ctx context.Context, method string, req *access.Request, route routeFunc) (*http.Response, error) {
	return c.sendWith(ctx, method, req, route, func(*http.Request) {})
}

// sendWith calls prepare to complete a request, and sends it. If the server asks for credentials, sendWith sends the
// request again with credentials; if there are none, it returns the 401 response, whose Body is closed. A body must
// have a GetBody, because the request may be sent twice.
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
	discard(ctx, resp) // now, because the user may answer after the server has closed the connection
	if out, err = c.withCredentials(ctx, out, resp, req); err != nil {
		return nil, err
	}
	if out == nil {
		return resp, nil
	}
	prepare(out)
	out.Header.Del("Cookie") // resp may have changed the cookies
	addCookies(req.Cookies, out)
	if resp, err = c.roundTrip(out); err != nil {
		return nil, err
	}
	keepCookies(req.Cookies, resp)
	return resp, nil
}

// newOutgoing returns the HTTP request for req, with its method, its header and its cookies.
func (c *Client) newOutgoing(ctx context.Context, method string, req *access.Request, route routeFunc) (*http.Request, error) {
	out, err := c.newRequestTo(ctx, req.URL, route)
	if err != nil {
		return nil, err
	}
	out.Method = method
	c.setHeader(ctx, out.Header, req)
	addCookies(req.Cookies, out)
	return out, nil
}

// newRequestTo returns the request that route makes for u, with ctx. Its header is empty. The error is wire.ErrNoTLS if
// Security requires TLS and the request would be unencrypted.
func (c *Client) newRequestTo(ctx context.Context, u url.URL, route routeFunc) (*http.Request, error) {
	if c.Dial == nil {
		return nil, access.ErrNoDial
	}
	out, err := route(u)
	if err != nil {
		return nil, err
	}
	if c.Security == access.RequireTLS && out.URL.Scheme == "http" {
		return nil, wire.ErrNoTLS
	}
	if c.Proxy != nil && out.URL.Scheme == "http" && out.URL.Opaque != "" && !strings.HasPrefix(out.URL.Opaque, "//") {
		if _, ok := c.Proxy(u); ok {
			makeAbsolute(out.URL)
		}
	}
	return out.WithContext(ctx), nil
}

// dial connects to an address. It restarts the watch of the request for which it is called. It gives up when that
// request has ended, because an unreachable host would otherwise use up PerHost. net/http itself would go on dialing,
// to keep the connection for later requests.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w, isWatched := ctx.Value(watchKey{}).(*watch)
	if isWatched {
		w.dequeue()
		var end context.CancelFunc
		ctx, end = w.bind(ctx)
		defer end()
	}
	conn, err := c.dialer().Connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if isWatched {
		w.restart("sent nothing")
	}
	return c.dialer().Sender(conn), nil
}

// dialTLS connects to an address and starts TLS, for requests without a Tap. It offers HTTP/2, unless the request asks
// for another protocol by a field Upgrade, which HTTP/2 does not have.
func (c *Client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	protocols := []string{"h2", "http/1.1"}
	if w, ok := ctx.Value(watchKey{}).(*watch); ok && w.upgrades {
		protocols = nil
	}
	secure, err := c.startTLS(ctx, network, address, protocols)
	if err != nil {
		return nil, err // a nil *tls.Conn would be a connection
	}
	return secure, nil
}

// startTLS connects to an address, starts TLS and offers protocols of the application. It gives up when the request for
// which it is called has ended.
func (c *Client) startTLS(ctx context.Context, network, address string, protocols []string) (*tls.Conn, error) {
	conn, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	config := c.TLS.Clone()
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	config.NextProtos = protocols
	if config.ServerName == "" {
		if config.ServerName, _, err = net.SplitHostPort(address); err != nil {
			conn.Close()
			return nil, err
		}
	}
	if w, ok := ctx.Value(watchKey{}).(*watch); ok {
		var end context.CancelFunc
		ctx, end = w.bind(ctx)
		defer end()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.handshakeLimit(), &wire.IdleError{Did: "sent nothing", Limit: c.dialer().IdleLimit()})
	defer cancel()
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	return secure, nil
}

// ensureTransports returns the transports of c. It makes them at the first call.
func (c *Client) ensureTransports() *transports {
	t := &c.transports
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.plain == nil {
		c.makeTransports(t)
	}
	return t
}

// maxIdle is how many idle connections each transport keeps to all servers together. A connection takes about 20 KB, and
// about 60 KB with TLS.
const maxIdle = 1024

// makeTransports sets the fields of t to transports with the settings of c.
func (c *Client) makeTransports(t *transports) {
	t.plain = &http.Transport{
		DialContext:            c.dial,
		DialTLSContext:         c.dialTLS,
		Proxy:                  c.proxy(),
		TLSClientConfig:        c.TLS.Clone(),
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    64, // enough in practice
		MaxConnsPerHost:        c.perHost(),
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    c.handshakeLimit(), // ends a handshake through a proxy whose request was cancelled
		ExpectContinueTimeout:  continueTimeout,
		MaxResponseHeaderBytes: 256 << 10,
	}
	t.recording = t.plain.Clone()
	t.recording.ForceAttemptHTTP2, t.recording.Proxy = false, c.proxyWithoutTunnel()
	t.recording.DialContext, t.recording.DialTLSContext = c.dialTapped, c.dialTLSTapped
	t.unshared = t.recording.Clone()
	t.unshared.MaxIdleConnsPerHost = -1 // unlike DisableKeepAlives, this adds no field to requests
}

// perHost returns PerHost, or 0 if c has a Proxy.
func (c *Client) perHost() int {
	if c.Proxy != nil {
		return 0
	}
	return c.PerHost
}

// handshakeLimit limits the time of a TLS handshake.
func (c *Client) handshakeLimit() time.Duration { return 2 * c.dialer().IdleLimit() }

// proxy returns a function for http.Transport.Proxy that calls c.Proxy; nil if c.Proxy is nil.
func (c *Client) proxy() func(*http.Request) (*neturl.URL, error) {
	if c.Proxy == nil {
		return nil
	}
	return func(r *http.Request) (*neturl.URL, error) {
		u, err := urlOf(r)
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
