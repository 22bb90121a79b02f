package locus

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"

	"golang.org/x/net/proxy"

	"locus/access"
	"locus/access/engine"
	"locus/guard"
	"locus/internal/sentinel"
	"locus/proto/web"
	"locus/url"
)

// proxied is an Engine that uses the proxy for a URL. It sends the whole URL to an HTTP proxy
// (RFC 1630, "http": "the entire URI, whether HTTP or some other scheme, is passed"), except
// where only a tunnel works: see isPassedWhole. For socks5 proxies it opens a tunnel.
//
// A request that is PublicOnly is sent only through a socks5 proxy. Other proxies look up
// names themselves, so the Client cannot check the address.
type proxied struct {
	engine   access.Engine
	schemes  access.Schemes
	proxyFor func(u url.URL) (proxy url.URL, ok bool)
	web      *web.Client // sends whole URLs to HTTP proxies
}

// Do executes req through the proxy for its URL, or without a proxy if there is none. An HTTP proxy
// gets http, ftp, gopher and wais URLs themselves. It also gets other URLs for which isPassedWhole
// returns true, unless it does not know their scheme. For all other URLs, and through SOCKS, Do
// opens a tunnel. A PublicOnly request is refused if the proxy would look up the host.
func (p *proxied) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	at, ok := p.proxyFor(req.URL)
	if !ok {
		return p.engine.Do(ctx, req)
	}
	if at.Scheme() != "socks5" && req.PublicOnly {
		return nil, engine.Fail(req.Op.String(), req.URL, errProxied)
	}
	switch req.URL.Scheme() {
	case "http":
		if at.Scheme() == "http" { // web.Client sends it to the proxy; see httpProxy
			return p.engine.Do(withRoute(ctx, route{at, false}), req)
		}
	case "ftp", "gopher", "wais":
		if at.Scheme() == "http" {
			return p.sendWhole(ctx, at, req)
		}
	default:
		if at.Scheme() == "http" && p.isPassedWhole(req) {
			r, err := p.sendWhole(ctx, at, req)
			if !isUnknownScheme(err) || p.schemes.Of(req.URL.Scheme()).Engine == nil {
				return r, err
			}
		}
	}
	return p.engine.Do(withRoute(ctx, route{at, true}), req)
}

// sendWhole sends req with its whole URL to the HTTP proxy at, and returns the answer of the proxy.
func (p *proxied) sendWhole(ctx context.Context, at url.URL, req *access.Request) (*access.Resource, error) {
	return web.Gateway{Client: p.web, At: at}.Do(withRoute(ctx, route{at, false}), req)
}

// isPassedWhole reports whether an HTTP proxy gets the whole URL of the request, instead of a
// tunnel. This is false if the URL names a session, a local file, an address or a message of the
// user, if TLS protects the connection from the proxy, and for changes, because a proxy only
// fetches. It may be true for a scheme for which the Client lacks an engine, because the proxy may
// know the scheme.
func (p *proxied) isPassedWhole(req *access.Request) bool {
	s := p.schemes.Of(req.URL.Scheme())
	switch {
	case s.Engine == nil:
		return !s.Local && !s.Address
	case req.Op != access.Get && req.Op != access.Stat, req.Answers != nil:
		return false
	}
	return s.Fetches() && !s.Encrypted
}

// isUnknownScheme reports whether err is the answer of an HTTP proxy that does not know the
// scheme of a URL. The Client then opens the URL through a tunnel.
//
// QUIRK: squid answers 501 for nntp, and tinyproxy 400.
func isUnknownScheme(err error) bool {
	refused, ok := errors.AsType[*access.Error](err)
	return ok && (refused.HTTPStatus == http.StatusBadRequest || refused.HTTPStatus == http.StatusNotImplemented)
}

var errProxied = sentinel.New("its address is not known to be public: a proxy looks it up", access.ErrNotPublic)

// httpProxy is the Proxy of a web.Client: the HTTP proxy for http URLs. For other URLs
// and proxies, routed opens a tunnel when the client connects.
func (c *Client) httpProxy(u url.URL) (url.URL, bool) {
	at, ok := c.Proxy(u)
	return at, ok && at.Scheme() == "http" && u.Scheme() == "http"
}

// A route says how a request reaches its server.
type route struct {
	proxy  url.URL
	tunnel bool // connect through the proxy; otherwise, to the proxy itself
}

type routeKey struct{}

// withRoute returns a context in which routed connects by r.
func withRoute(ctx context.Context, r route) context.Context {
	return context.WithValue(ctx, routeKey{}, r)
}

// routed connects by the route in the context; without one, directly.
type routed struct {
	direct   Dial
	resolver guard.Resolver
}

// DialContext connects to address by the route in the context: directly, through a tunnel to
// address, or to the proxy itself, which then fetches the URL.
func (d routed) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	r, ok := ctx.Value(routeKey{}).(route)
	switch {
	case !ok:
		return d.direct(ctx, network, address)
	case r.tunnel:
		return tunneller{d.direct, d.resolver, r.proxy}.DialContext(ctx, network, address)
	}
	return tunneller{d.direct, d.resolver, r.proxy}.dialProxy(ctx, network, address)
}

// DialThrough returns a Dial that connects through proxy, an http, socks5 or socks5h URL.
// It connects to the proxy with dial; a nil dial is an error. Its errors are
// [*ProxyError]s. It supports only TCP.
func DialThrough(dial Dial, proxy url.URL) Dial {
	return tunneller{dial, new(net.Resolver), proxy}.DialContext
}

// A tunneller connects through the proxy at.
type tunneller struct {
	direct   Dial
	resolver guard.Resolver // for socks5, because the proxy gets addresses, not names
	at       url.URL
}

// DialContext opens a tunnel through the proxy to address, which may only be a TCP address. Its
// errors are *ProxyError.
func (t tunneller) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil, &ProxyError{Address: proxyAddress(t.at), Err: engine.Reason("it does not support "+network, errors.ErrUnsupported)}
	}
	conn, err := t.tunnel(ctx, address)
	if _, ok := errors.AsType[*ProxyError](err); ok {
		return nil, err
	}
	if err != nil {
		return nil, &ProxyError{Address: proxyAddress(t.at), Err: err}
	}
	return &proxiedConn{conn, proxiedAddr(address)}, nil
}

// dialProxy connects to address without a tunnel. If address is the proxy's address, a failure is a
// *ProxyError. If t has no Dial, the error is access.ErrNoDial.
func (t tunneller) dialProxy(ctx context.Context, network, address string) (net.Conn, error) {
	if t.direct == nil {
		return nil, access.ErrNoDial
	}
	conn, err := t.direct(ctx, network, address)
	if err != nil && address == proxyAddress(t.at) && ctx.Err() == nil {
		err = &ProxyError{Address: address, Err: err}
	}
	return conn, err
}

// A ProxyError says that a proxy could not be reached, or refused to open a tunnel.
type ProxyError struct {
	Address string // of the proxy, host:port
	Err     error
}

// Error returns "through the proxy host:port: " and the reason.
func (e *ProxyError) Error() string {
	why := e.Err.Error()
	if dns, ok := errors.AsType[*net.DNSError](e.Err); ok && dns.IsNotFound {
		why = "no such host"
	}
	if errno, ok := errors.AsType[syscall.Errno](e.Err); ok {
		why = errno.Error()
	}
	return "through the proxy " + e.Address + ": " + why
}

// Unwrap returns the reason.
func (e *ProxyError) Unwrap() error { return e.Err }

// tunnel returns a connection to address through a new tunnel. For socks5 it looks up the name
// itself; other proxies get the name.
func (t tunneller) tunnel(ctx context.Context, address string) (net.Conn, error) {
	switch t.at.Scheme() {
	case "http":
		return t.connect(ctx, address)
	case "socks5":
		address, err := t.resolve(ctx, address)
		if err != nil {
			return nil, err
		}
		return t.socks(ctx, address)
	case "socks5h":
		return t.socks(ctx, address)
	}
	return nil, fmt.Errorf("a proxy URL has the scheme http, socks5 or socks5h, not %q", t.at.Scheme())
}

// resolve returns address, a host:port, with the first IP address of its host. It returns address
// unchanged if the host is an IP address.
func (t tunneller) resolve(ctx context.Context, address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return address, nil
	}
	addrs, err := t.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return "", err
	}
	if len(addrs) == 0 {
		return "", fmt.Errorf("%q has no address", host)
	}
	return net.JoinHostPort(addrs[0].Unmap().String(), port), nil
}

// socks returns a connection to address through a SOCKS5 proxy (RFC 1928), with the login in the
// URL of the proxy, if it has one.
func (t tunneller) socks(ctx context.Context, address string) (net.Conn, error) {
	var auth *proxy.Auth
	if user, password, ok := userinfo(t.at); ok {
		auth = &proxy.Auth{User: user, Password: password}
	}
	s, err := proxy.SOCKS5("tcp", proxyAddress(t.at), auth, forward{t})
	if err != nil {
		return nil, err
	}
	c, ok := s.(proxy.ContextDialer)
	if !ok {
		return nil, errors.New("SOCKS without a context")
	}
	conn, err := c.DialContext(ctx, "tcp", address)
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		err = op.Err // the text of op repeats both addresses
	}
	return conn, err
}

// forward is a dialler with which package proxy connects to the proxy.
type forward struct{ t tunneller }

func (f forward) Dial(network, address string) (net.Conn, error) {
	return f.DialContext(context.Background(), network, address)
}

func (f forward) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f.t.dialProxy(ctx, network, address)
}

// connect returns a connection to address through an HTTP proxy (RFC 9110 §9.3.6). It fails if ctx
// ends before the proxy has answered.
func (t tunneller) connect(ctx context.Context, address string) (net.Conn, error) {
	conn, err := t.dialProxy(ctx, "tcp", proxyAddress(t.at))
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	tunnelled, err := sendConnect(conn, t.at, address)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return tunnelled, nil
}

// sendConnect sends a CONNECT request for address to the proxy at, and reads the response. It
// returns a connection to address. A status other than 2xx is an error. The caller closes conn
// after an error.
func sendConnect(conn net.Conn, at url.URL, address string) (net.Conn, error) {
	req, err := http.NewRequest(http.MethodConnect, "http://"+address, nil)
	if err != nil {
		return nil, err
	}
	req.URL.Opaque, req.Host = address, address
	req.Header.Set("User-Agent", "locus")
	if user, password, ok := userinfo(at); ok {
		basic := http.Request{Header: make(http.Header)}
		basic.SetBasicAuth(user, password)
		req.Header.Set("Proxy-Authorization", basic.Header.Get("Authorization"))
	}
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	const most = 64 << 10
	head := bufio.NewReader(io.LimitReader(conn, most))
	resp, err := http.ReadResponse(head, req) //nolint:bodyclose // the connection stays open
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode == http.StatusProxyAuthRequired:
		return nil, access.WithRemedy(fmt.Errorf("it answers %q", resp.Status), access.NeedProxyLogin)
	case resp.StatusCode/100 != 2:
		return nil, fmt.Errorf("it answers %q", resp.Status)
	}
	early, _ := head.Peek(head.Buffered()) // bytes that the server sent already
	return &resumedConn{conn, io.MultiReader(strings.NewReader(string(early)), conn)}, nil
}

// A resumedConn is a connection that reads from r, which begins with buffered bytes.
type resumedConn struct {
	net.Conn
	r io.Reader
}

func (c *resumedConn) Read(p []byte) (int, error) { return c.r.Read(p) }

// A proxiedConn is a connection through a proxy. Its RemoteAddr is the server, because an
// engine that connects again must not dial the proxy.
type proxiedConn struct {
	net.Conn
	to net.Addr
}

func (c *proxiedConn) RemoteAddr() net.Addr { return c.to }

// A proxiedAddr is the host:port of a server behind a proxy. Its Network is not "tcp",
// because a loopback address there is not this machine.
type proxiedAddr string

func (a proxiedAddr) Network() string { return "proxy" }
func (a proxiedAddr) String() string  { return string(a) }

// userinfo returns the unescaped user and password in the URL of a proxy. A URL may have a user
// without a password. ok is false if the URL has no user, or if an escape is malformed.
func userinfo(at url.URL) (user, password string, ok bool) {
	rawUser, ok := at.User()
	rawPassword, _ := at.Password()
	user, err1 := url.Unescape(rawUser)
	password, err2 := url.Unescape(rawPassword)
	return user, password, ok && err1 == nil && err2 == nil
}

// proxyAddress returns the host:port of the proxy at. The default port is 80 for http, and 1080 for
// SOCKS.
func proxyAddress(at url.URL) string {
	host, _ := at.Host()
	port, ok := at.Port()
	switch {
	case ok && port != "":
	case at.Scheme() == "http":
		port = "80"
	default:
		port = "1080"
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}
