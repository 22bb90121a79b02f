package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"locus/access"
	"locus/gateway"
	"locus/internal/faulty"
	"locus/proto/web"
	"locus/url"
)

// origin is a web server that keeps the requests that it gets.
type origin struct {
	*httptest.Server
	asked chan *http.Request // with the body in Form["body"]
}

func newOrigin(t *testing.T, answer http.HandlerFunc) *origin {
	t.Helper()
	o := &origin{asked: make(chan *http.Request, 16)}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Form = map[string][]string{"body": {string(body)}}
		o.asked <- r
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(o.Close)
	return o
}

func (o *origin) host() string { return strings.TrimPrefix(o.URL, "http://") }

// proxy is a gateway as the proxy of clients that send bytes.
type proxy struct {
	t    *testing.T
	addr string
}

func newProxy(t *testing.T, g *gateway.Gateway) *proxy {
	t.Helper()
	if g.Web == nil {
		g.Web = gateway.Transport(new(net.Dialer).DialContext)
	}
	return &proxy{t, gatewayFor(t, g).Listener.Addr().String()}
}

// ask sends bytes, in which $PROXY is the proxy's address, and reads the answer.
func (p *proxy) ask(request string) (*http.Response, string, error) {
	p.t.Helper()
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { conn.Close() })
	request = strings.ReplaceAll(strings.ReplaceAll(request, "$PROXY", p.addr), "\n", "\r\n")
	if _, err := io.WriteString(conn, request); err != nil {
		p.t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		p.t.Fatalf("no answer to %q: %v", request, err)
	}
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// The bytes of the target arrive unchanged.
//
// req: 1630-http-1
func TestProxyTarget(t *testing.T) {
	o := newOrigin(t, nil)
	p := newProxy(t, &gateway.Gateway{})
	for _, test := range []struct{ sent, want string }{
		{"", "/"},
		{"/", "/"},
		{"/a/b", "/a/b"},
		{"//a//b/", "//a//b/"},
		{"/a%2Fb%2fc", "/a%2Fb%2fc"},
		{"/%7Ea/~a/%41", "/%7Ea/~a/%41"},
		{"/../a/./b/%2e%2E/", "/../a/./b/%2e%2E/"},
		{"/a?", "/a?"},
		{"?a=b", "/?a=b"},
		{"/a?b;c=d&&e&=%zz", "/a?b;c=d&&e&=%zz"},
		{"/a?b?c/d?", "/a?b?c/d?"},
		{"/a|b{c}^\"", "/a|b{c}^\""},
		{"//|", "//|"},
		{"/a:b@c!$&'()*+,;=", "/a:b@c!$&'()*+,;="},
		{"/é", "/é"},
	} {
		resp, _, err := p.ask("GET " + o.URL + test.sent + " HTTP/1.1\nHost: other.example\n\n")
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("GET %s = %d, %v", test.sent, resp.StatusCode, err)
			continue
		}
		r := <-o.asked
		got := strings.TrimPrefix(r.RequestURI, o.URL)
		if got != test.want || r.Host != o.host() {
			t.Errorf("GET %s asks %s for %q, want %q", test.sent, r.Host, got, test.want)
		}
	}
}

// The gateway forwards every method, field and body, except the fields for the proxy.
//
// req: 1630-http-1
func TestProxyFields(t *testing.T) {
	o := newOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Answer", "yes")
		h.Set("Connection", "X-Hop")
		h.Set("X-Hop", "1")
		h.Set("Content-Security-Policy", "its own")
		h.Set("Proxy-Authenticate", "Basic")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, r.Method)
	})
	p := newProxy(t, &gateway.Gateway{Via: "us"})
	for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "MKCOL", "HEAD", "X-OWN"} {
		resp, body, err := p.ask(method + " " + o.URL + "/x HTTP/1.1\nHost: h\nContent-Length: 4\nX-Forwarded-For: 192.0.2.1\nForwarded: for=a\n" +
			"Accept-Encoding: br\nAuthorization: Basic b3JpZ2lu\nProxy-Authorization: Basic c2VjcmV0\nProxy-Connection: keep-alive\n" +
			"Connection: X-Mine\nX-Mine: 1\nKeep-Alive: 1\nVia: 1.0 before\nX-Two: a\nX-Two: b\nCookie: c=d\n\nbody")
		want := method
		if method == "HEAD" {
			want = ""
		}
		if err != nil || resp.StatusCode != http.StatusTeapot || body != want {
			t.Errorf("%s = %d, %q, %v", method, resp.StatusCode, body, err)
			continue
		}
		r := <-o.asked
		if r.Method != method || r.Form.Get("body") != "body" {
			t.Errorf("%s arrives as %s with %q", method, r.Method, r.Form.Get("body"))
		}
		for name, want := range map[string]string{
			"X-Forwarded-For": "192.0.2.1", "Forwarded": "for=a", "Accept-Encoding": "br", "Authorization": "Basic b3JpZ2lu", "Cookie": "c=d",
			"X-Two": "a b", "Via": "1.0 before 1.1 us", "Proxy-Authorization": "", "Proxy-Connection": "", "X-Mine": "", "Keep-Alive": "", "User-Agent": "", "X-Forwarded-Host": "",
		} {
			if got := strings.Join(r.Header.Values(name), " "); got != want {
				t.Errorf("%s: %s arrives as %q, want %q", method, name, got, want)
			}
		}
		for name, want := range map[string]string{"X-Answer": "yes", "X-Hop": "", "Via": "1.1 us", "Content-Security-Policy": "its own", "Proxy-Authenticate": "", "X-Content-Type-Options": ""} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s: the answer's %s is %q, want %q", method, name, got, want)
			}
		}
	}
}

func TestProxyCoding(t *testing.T) {
	o := newOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		fmt.Fprint(w, "not really")
	})
	resp, body, err := newProxy(t, &gateway.Gateway{}).ask("GET " + o.URL + " HTTP/1.1\nHost: h\n\n")
	if r := <-o.asked; err != nil || body != "not really" || resp.Header.Get("Content-Encoding") != "gzip" || r.Header.Get("Accept-Encoding") != "" {
		t.Errorf("= %q, %v, %v; the server is asked for %q", body, resp.Header, err, r.Header.Get("Accept-Encoding"))
	}
}

func TestProxyTrailers(t *testing.T) {
	o := newOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		fmt.Fprint(w, "text")
		w.Header().Set("X-Sum", "1")
		w.Header().Set(http.TrailerPrefix+"X-Late", "2")
	})
	resp, body, err := newProxy(t, &gateway.Gateway{}).ask("POST " + o.URL + " HTTP/1.1\nHost: h\nTrailer: X-Mine\nTransfer-Encoding: chunked\n\n4\nbody\n0\nX-Mine: 3\n\n")
	if err != nil || body != "text" || resp.Trailer.Get("X-Sum") != "1" || resp.Trailer.Get("X-Late") != "2" {
		t.Errorf("= %q, trailer %v, %v", body, resp.Trailer, err)
	}
	if r := <-o.asked; r.Form.Get("body") != "body" || r.Trailer.Get("X-Mine") != "3" {
		t.Errorf("%q arrives with the trailer %v", r.Form.Get("body"), r.Trailer)
	}
}

// A client that waits for 100 gets the server's 100 or its refusal. The clock stands
// still, because the transport stops waiting for 100 after a second.
func TestProxyExpect(t *testing.T) {
	synctest.Test(t, testProxyExpect)
}

func testProxyExpect(t *testing.T) {
	o := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.WriteHeader(http.StatusExpectationFailed)
			return
		}
		io.Copy(w, r.Body)
	}))
	defer o.Close()
	p := newProxy(t, &gateway.Gateway{})
	for path, want := range map[string]string{"/yes": "HTTP/1.1 100 Continue", "/no": "HTTP/1.1 417 Expectation Failed"} {
		conn, err := net.Dial("tcp", p.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "PUT %s%s HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n", o.URL, path)
		in := bufio.NewReader(conn)
		line, err := in.ReadString('\n')
		if err != nil || strings.TrimSpace(line) != want {
			t.Errorf("PUT %s = %q, %v, want %q", path, line, err, want)
		}
		if path == "/no" {
			continue
		}
		in.ReadString('\n')
		fmt.Fprint(conn, "body")
		resp, err := http.ReadResponse(in, nil)
		for err == nil && resp.StatusCode == http.StatusContinue { // there may be two: the server's and the proxy's
			resp, err = http.ReadResponse(in, nil)
		}
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("PUT %s: %v", path, err)
		}
		if body, err := io.ReadAll(resp.Body); string(body) != "body" {
			t.Errorf("PUT %s = %q, %v", path, body, err)
		}
	}
}

// A large body streams, in both directions at once.
func TestProxyLarge(t *testing.T) {
	const size = 8 << 20 // more than all buffers on the way
	o := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		w.Header().Set("X-Read", fmt.Sprint(n))
		io.CopyN(w, endless{}, size)
	}))
	defer o.Close()
	conn, err := net.Dial("tcp", newProxy(t, &gateway.Gateway{}).addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		fmt.Fprintf(conn, "PUT %s/ HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", o.URL, size)
		io.CopyN(conn, endless{}, size)
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, resp.Body); n != size || err != nil || resp.Header.Get("X-Read") != fmt.Sprint(size) {
		t.Errorf("%d bytes come back, %v, and %s went", n, err, resp.Header.Get("X-Read"))
	}
}

// If the server's response breaks off, the client's response breaks off too. If the server refuses
// the connection, the page says so.
func TestProxyBroken(t *testing.T) {
	o := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/length" {
			w.Header().Set("Content-Length", "100")
		}
		fmt.Fprint(w, "half of")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer o.Close()
	p := newProxy(t, &gateway.Gateway{})
	for _, path := range []string{"/length", "/chunked"} {
		if _, body, err := p.ask("GET " + o.URL + path + " HTTP/1.1\nHost: h\n\n"); err == nil {
			t.Errorf("GET %s = %q, want an answer that breaks off", path, body)
		}
	}
	resp, body, err := p.ask("GET http://" + faulty.Closed(t) + "/x HTTP/1.1\nHost: h\n\n")
	if err != nil || resp.StatusCode != http.StatusBadGateway || !strings.Contains(body, "refused") {
		t.Errorf("from no server = %d, %q, %v", resp.StatusCode, body, err)
	}
}

func TestProxyMaxSize(t *testing.T) {
	o := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/length" {
			w.Header().Set("Content-Length", "100")
		}
		io.CopyN(w, endless{}, 20)
		http.NewResponseController(w).Flush()
		io.CopyN(w, endless{}, 80)
	}))
	defer o.Close()
	p := newProxy(t, &gateway.Gateway{MaxSize: 50})
	if resp, _, _ := p.ask("GET " + o.URL + "/length HTTP/1.1\nHost: h\n\n"); resp.StatusCode != http.StatusBadGateway {
		t.Errorf("100 bytes = %d, want 502", resp.StatusCode)
	}
	if resp, _, err := p.ask("HEAD " + o.URL + "/length HTTP/1.1\nHost: h\n\n"); err != nil || resp.ContentLength != 100 {
		t.Errorf("HEAD = %v, %v", resp, err)
	}
	if _, body, err := newProxy(t, &gateway.Gateway{MaxSize: 50}).ask("GET " + o.URL + "/chunked HTTP/1.1\nHost: h\n\n"); len(body) > 51 || err == nil {
		t.Errorf("%d bytes, %v, want an answer that breaks off", len(body), err)
	}
}

// The gateway does not ask a server to change the protocol of a connection, because it could not check
// the bytes that follow. A client may use a tunnel for that (RFC 9110 §7.8).
func TestAttackUpgrade(t *testing.T) {
	// attack: A client asks a server to upgrade the connection | `Upgrade` is not passed on
	var heard http.Header
	o := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard = r.Header
		if r.Header.Get("Upgrade") == "" {
			w.WriteHeader(http.StatusUpgradeRequired)
			return
		}
		w.Header().Set("Upgrade", r.Header.Get("Upgrade"))
		w.Header().Set("Connection", "Upgrade")
		w.WriteHeader(http.StatusSwitchingProtocols)
	}))
	defer o.Close()
	p := newProxy(t, &gateway.Gateway{})
	for _, protocol := range []string{"echo", "h2c", "websocket"} {
		resp, _, err := p.ask("GET " + o.URL + "/ HTTP/1.1\nHost: h\nConnection: Upgrade, HTTP2-Settings\nUpgrade: " + protocol + "\nHTTP2-Settings: AA\n\n")
		if err != nil || resp.StatusCode != http.StatusUpgradeRequired || heard.Get("Upgrade") != "" || heard.Get("HTTP2-Settings") != "" {
			t.Errorf("Upgrade: %s = %d, %v; the server heard %q", protocol, resp.StatusCode, err, heard)
		}
	}
}

// URLs of other schemes than the web's go to the Engine. A proxy's client may also open
// the gateway's own pages, at its address.
//
// req: 1630-http-1
func TestProxySchemes(t *testing.T) {
	p := newProxy(t, &gateway.Gateway{Engine: resources{
		"ftp://h/a%2Fb":     content("text/plain", "a file"),
		"ftp://h/":          menu(io.EOF, entry(access.Object, "b", "ftp://h/b")),
		"gopher://h/0a%09b": content("text/plain", "found"),
		"wais://h/db?x+y":   content("text/plain", "ranked"),
		"news:a.b":          content("text/plain", "news"),
	}, Web: refuser{}, FrontLinks: []gateway.FrontLink{{Title: "Here", URL: url.MustParse("ftp://h/")}}})
	for _, test := range []struct {
		request string
		status  int
		want    string
	}{
		{"GET ftp://h/a%2Fb HTTP/1.1", 200, "a file"},
		{"GET ftp://h/a%2Fb HTTP/1.0", 200, "a file"},
		{"GET ftp://h/a%2Fb HTTP/1.1\nRange: bytes=2-", 206, "file"},
		{"HEAD ftp://h/a%2Fb HTTP/1.1", 200, ""},
		{"PUT ftp://h/a%2Fb HTTP/1.1\nContent-Length: 0", 405, ""},
		{"GET ftp://h/ HTTP/1.1", 200, `href="ftp://h/b"`},
		{"GET ftp://h/none HTTP/1.1", 404, "Look elsewhere"},
		{"GET gopher://h/0a%09b HTTP/1.1", 200, "found"},
		{"GET wais://h/db?x+y HTTP/1.1", 200, "ranked"},
		{"GET news:a.b HTTP/1.1", 200, "news"},
		{"GET http://h/ HTTP/1.1", 502, "no web today"},
		{"GET https://h/ HTTP/1.1", 502, "no web today"},
		{"GET http://$PROXY/ HTTP/1.1", 200, `href="/ftp://h/"`},
		{"GET http://$PROXY HTTP/1.1", 200, `href="/ftp://h/"`},
		{"GET http://$PROXY/-/style.css HTTP/1.1", 200, "color-scheme"},
		{"GET http://$PROXY/ftp://h/a%2Fb HTTP/1.1", 200, "a file"},
		{"GET http://$PROXY/-/open?url=ftp://h/ HTTP/1.1", 303, ""},
		{"GET http://$PROXY/ HTTP/1.1\nSec-Fetch-Site: cross-site", 403, "but may not load parts of it"},
		{"GET ftp://h/a%2Fb HTTP/1.1\nVia: 1.1 other, 1.1 locus (x)", 508, "passed the gateway before"},
		{"GET ftp://h/a%2Fb HTTP/1.1\nVia: 1.1 locus-2", 200, "a file"},
		{"GET /ftp://h/a%2Fb HTTP/1.1\nVia: 1.0 a\nVia: HTTP/1.1 locus", 508, "passed the gateway before"},
	} {
		line, _, _ := strings.Cut(test.request, "\n")
		resp, body, err := p.ask(test.request + "\nHost: $PROXY\n\n")
		if err != nil || resp.StatusCode != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s = %d, %v, %s\nwant %d, %q", line, resp.StatusCode, err, body, test.status, test.want)
		}
	}
	for _, name := range []string{"localhost", "127.0.0.1", "127.0.0.2", "LOCALHOST"} {
		_, port, _ := net.SplitHostPort(p.addr)
		if resp, _, err := p.ask("GET http://" + name + ":" + port + "/-/schemes HTTP/1.1\nHost: h\n\n"); err != nil || resp.StatusCode != 200 {
			t.Errorf("the gateway at %s = %d, %v", name, resp.StatusCode, err)
		}
	}
}

// refuser is a web that cannot be reached.
type refuser struct{}

func (refuser) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("no web today")
}

// A gateway that forwards to itself refuses the second request.
func TestProxyLoop(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	g := &gateway.Gateway{Names: nil}
	g.Web = roundTripper(func(r *http.Request) (*http.Response, error) {
		r.URL.Opaque = "http://h.example/x" // as a proxy is asked
		r.URL.Host = server.Listener.Addr().String()
		return http.DefaultTransport.RoundTrip(r)
	})
	server.Config.Handler = g
	server.Start()
	defer server.Close()
	p := &proxy{t, server.Listener.Addr().String()}
	if resp, body, err := p.ask("GET http://h.example/x HTTP/1.1\nHost: h.example\n\n"); err != nil || resp.StatusCode != http.StatusLoopDetected {
		t.Errorf("= %d, %s, %v, want 508", resp.StatusCode, body, err)
	}
}

// Two gateways that forward to each other refuse it, too.
func TestGatewayLoop(t *testing.T) {
	servers := [2]*httptest.Server{httptest.NewUnstartedServer(nil), httptest.NewUnstartedServer(nil)}
	var asked atomic.Int64
	for i, name := range []string{"one", "two"} {
		other := "http://" + servers[1-i].Listener.Addr().String() + "/"
		g := &gateway.Gateway{Via: name, Engine: access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
			ask, err := http.NewRequestWithContext(ctx, http.MethodGet, other+req.URL.String(), nil)
			if err != nil {
				return nil, err
			}
			ask.Header["Via"] = []string{web.Via(ctx), "1.1 " + name}
			resp, err := http.DefaultClient.Do(ask)
			if err != nil {
				return nil, err
			}
			defer resp.Body.Close()
			return nil, errors.New(resp.Status)
		})}
		servers[i].Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			g.ServeHTTP(w, r)
		})
	}
	for _, s := range servers {
		s.Start()
		defer s.Close()
	}
	resp, err := http.Get(servers[0].URL + "/wais://h.example/db")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadGateway || asked.Load() != 3 {
		t.Errorf("%s after %d requests, want 502 after 3", resp.Status, asked.Load())
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestProxyMaxForwards(t *testing.T) {
	o := newOrigin(t, nil)
	p := newProxy(t, &gateway.Gateway{})
	for _, test := range []struct {
		method, field string
		status        int
		want          string // that arrives; "-" for nothing
	}{
		{"OPTIONS", "0", 204, "-"},
		{"TRACE", "0", 405, "-"},
		{"OPTIONS", "2", 200, "1"},
		{"OPTIONS", "x", 200, "x"},
		{"GET", "0", 200, "0"},
	} {
		resp, _, err := p.ask(test.method + " " + o.URL + "/ HTTP/1.1\nHost: h\nMax-Forwards: " + test.field + "\n\n")
		got := "-"
		select {
		case r := <-o.asked:
			got = r.Header.Get("Max-Forwards")
		default:
		}
		if err != nil || resp.StatusCode != test.status || got != test.want {
			t.Errorf("%s, Max-Forwards %s = %d, %v, and %q arrives; want %d, %q", test.method, test.field, resp.StatusCode, err, got, test.status, test.want)
		}
	}
}
