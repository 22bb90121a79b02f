package main

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

	"locus"
	"locus/url"
)

// proxies says what is reached through which proxy.
type proxies struct {
	direct locus.Dial
	getenv func(string) string
	flag   string // of --proxy: goes before the environment
	none   bool   // --no-proxy
}

// of returns the proxy for a scheme; the zero URL if there is none.
func (p proxies) of(scheme string) (url.URL, error) {
	text := p.named(scheme)
	if text == "" || p.none {
		return url.URL{}, nil
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if host, _ := u.Host(); err != nil || host == "" {
		return url.URL{}, misuse("%s is no URL such as socks5://host:port", p.place(scheme))
	}
	switch u.Scheme() {
	case "http", "socks5", "socks5h":
		return u, nil
	}
	return url.URL{}, misuse("a proxy is reached by http, socks5 or socks5h, not by %s", u.Scheme())
}

// place returns what to call where the proxy for a scheme is named.
func (p proxies) place(scheme string) string {
	if p.flag != "" {
		return "--proxy"
	}
	return "the proxy for " + scheme
}

// named returns what the flag or the environment has for a scheme. HTTP_PROXY is
// not believed where a web server may have set it from a request.
func (p proxies) named(scheme string) string {
	if p.flag != "" {
		return p.flag
	}
	for _, name := range []string{scheme + "_proxy", strings.ToUpper(scheme) + "_PROXY", "all_proxy", "ALL_PROXY"} {
		if name == "HTTP_PROXY" && p.getenv("REQUEST_METHOD") != "" {
			continue
		}
		if text := p.getenv(name); text != "" {
			return text
		}
	}
	return ""
}

// skips reports whether no_proxy names a host: itself, a domain that it is in,
// or a network; perhaps with a port. "*" names all.
func (p proxies) skips(host, port string) bool {
	list := p.getenv("no_proxy")
	if list == "" {
		list = p.getenv("NO_PROXY")
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, entry := range strings.FieldsFunc(strings.ToLower(list), func(r rune) bool { return r == ',' || r == ' ' }) {
		if h, only, err := net.SplitHostPort(entry); err == nil {
			if only != port {
				continue
			}
			entry = h
		}
		if entry == "*" || within(host, strings.Trim(entry, "[]")) {
			return true
		}
	}
	return false
}

// within reports whether a host is the one named, or in the domain or network.
func within(host, entry string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		if network, err := netip.ParsePrefix(entry); err == nil {
			return network.Contains(addr.Unmap())
		}
		other, err := netip.ParseAddr(entry)
		return err == nil && other == addr
	}
	domain := strings.TrimPrefix(strings.TrimPrefix(entry, "*"), ".")
	return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
}

// dialler returns what connects for a scheme: through the proxy at, or directly
// if that is the zero URL.
func (p proxies) dialler(at url.URL) locus.Dial {
	if at.IsZero() {
		return p.direct
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		switch {
		case err != nil:
			return nil, err
		case p.skips(host, port):
			return p.direct(ctx, network, address)
		case !strings.HasPrefix(network, "tcp"):
			return nil, &hinted{fmt.Errorf("%s does not go through the proxy", network), "--no-proxy connects directly"}
		}
		conn, err := p.dial(ctx, at, address)
		if _, ok := errors.AsType[*noProxy](err); ok {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("through the proxy %s: %w", hostOf(at), err)
		}
		return &proxied{conn, target(address)}, nil
	}
}

// reaching returns what connects to the proxy at, and says so where that fails.
// Other addresses it connects to as well.
func (p proxies) reaching(at url.URL) locus.Dial {
	proxy := proxyAddress(at)
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := p.direct(ctx, network, address)
		if err != nil && address == proxy && ctx.Err() == nil {
			err = &noProxy{proxy, err}
		}
		return conn, err
	}
}

// noProxy is why the proxy at an address cannot be reached.
type noProxy struct {
	address string
	err     error
}

func (e *noProxy) Unwrap() error { return e.err }
func (e *noProxy) Hint() string  { return "is the proxy right? --no-proxy connects directly" }

func (e *noProxy) Error() string {
	why := e.err.Error()
	if dns, ok := errors.AsType[*net.DNSError](e.err); ok && dns.IsNotFound {
		why = "no such host"
	}
	if errno, ok := errors.AsType[syscall.Errno](e.err); ok {
		why = errno.Error()
	}
	return "through the proxy " + e.address + ": " + why
}

func (p proxies) dial(ctx context.Context, at url.URL, address string) (net.Conn, error) {
	switch at.Scheme() {
	case "socks5":
		address, err := resolved(ctx, address)
		if err != nil {
			return nil, err
		}
		return p.socks(ctx, at, address)
	case "socks5h":
		return p.socks(ctx, at, address)
	}
	return p.tunnel(ctx, at, address)
}

// resolved returns an address whose host is an IP address.
func resolved(ctx context.Context, address string) (string, error) {
	host, port, _ := net.SplitHostPort(address)
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return "", err
	}
	return net.JoinHostPort(addrs[0].Unmap().String(), port), nil
}

// socks asks a SOCKS5 proxy (RFC 1928) to connect.
func (p proxies) socks(ctx context.Context, at url.URL, address string) (net.Conn, error) {
	var auth *proxy.Auth
	if user, password, ok := login(at); ok {
		auth = &proxy.Auth{User: user, Password: password}
	}
	d, err := proxy.SOCKS5("tcp", proxyAddress(at), auth, forward(p.reaching(at)))
	if err != nil {
		return nil, err
	}
	c, ok := d.(proxy.ContextDialer)
	if !ok {
		return nil, errors.New("SOCKS without a context")
	}
	conn, err := c.DialContext(ctx, "tcp", address)
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		err = op.Err // it names both addresses once more
	}
	return conn, err
}

// forward is a dialler as package proxy wants it.
type forward locus.Dial

func (f forward) Dial(network, address string) (net.Conn, error) {
	return f(context.Background(), network, address)
}

func (f forward) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f(ctx, network, address)
}

// tunnel asks an HTTP proxy to connect (RFC 9110 §9.3.6).
func (p proxies) tunnel(ctx context.Context, at url.URL, address string) (net.Conn, error) {
	conn, err := p.reaching(at)(ctx, "tcp", proxyAddress(at))
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	tunnelled, err := connect(conn, at, address)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return tunnelled, nil
}

func connect(conn net.Conn, at url.URL, address string) (net.Conn, error) {
	req, err := http.NewRequest(http.MethodConnect, "http://"+address, nil)
	if err != nil {
		return nil, err
	}
	req.URL.Opaque, req.Host = address, address
	req.Header.Set("User-Agent", "locus")
	if user, password, ok := login(at); ok {
		basic := http.Request{Header: make(http.Header)}
		basic.SetBasicAuth(user, password)
		req.Header.Set("Proxy-Authorization", basic.Header.Get("Authorization"))
	}
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	const most = 64 << 10
	head := bufio.NewReader(io.LimitReader(conn, most))
	resp, err := http.ReadResponse(head, req) //nolint:bodyclose // the connection is what goes on
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %q", resp.Status)
	}
	early, _ := head.Peek(head.Buffered()) // what the other side has said already
	return &resumed{conn, io.MultiReader(strings.NewReader(string(early)), conn)}, nil
}

// resumed is a connection of which something was read already.
type resumed struct {
	net.Conn
	r io.Reader
}

func (r *resumed) Read(p []byte) (int, error) { return r.r.Read(p) }

// proxied is a connection whose other end is behind the proxy: an engine that
// connects to the same host again is not to go to the proxy itself.
type proxied struct {
	net.Conn
	to net.Addr
}

func (p *proxied) RemoteAddr() net.Addr { return p.to }

type target string

func (t target) Network() string { return "tcp" }
func (t target) String() string  { return string(t) }

// login returns the user and the password of a proxy.
func login(at url.URL) (user, password string, ok bool) {
	rawUser, ok := at.User()
	rawPassword, _ := at.Password()
	user, err1 := url.Unescape(rawUser)
	password, err2 := url.Unescape(rawPassword)
	return user, password, ok && err1 == nil && err2 == nil
}

// hostOf returns the host of u without brackets; "" if it has none.
func hostOf(u url.URL) string {
	host, _ := u.Host()
	return strings.Trim(host, "[]")
}

// proxyAddress returns host and port of the proxy at, for diallers.
func proxyAddress(at url.URL) string {
	if at.Scheme() == "http" {
		return addressOf(at, "80")
	}
	return addressOf(at, "1080")
}

// addressOf returns the host of at and its port, or port if it names none.
func addressOf(at url.URL, port string) string {
	if p, ok := at.Port(); ok && p != "" {
		port = p
	}
	return net.JoinHostPort(hostOf(at), port)
}
