package server_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	neturl "net/url"
	"strings"
	"testing"
	"time"

	"github.com/pires/go-proxyproto"

	"locus/access"
	"locus/gateway"
	"locus/server"
)

// requestOf returns a request of a peer with header fields in lines.
func requestOf(peer, host, fields string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr, r.Host = peer, host
	for line := range strings.Lines(fields) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		r.Header.Add(name, value)
	}
	return r
}

// A handler gets the client, the scheme and the host that a trusted proxy tells. Fields of others have no effect.
func TestForwarded(t *testing.T) {
	// attack: A client sends X-Forwarded-For or Forwarded with an address of its choice | only fields of `Proxies` count, from the right
	networks := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("2001:db8:f::1/128")}
	for _, test := range []struct {
		peer, host, fields string
		isTLS              bool // the connection of the peer
		want               string
		wantTLS            bool
		wantHost           string
	}{
		{"127.0.0.1:9", "localhost", "X-Forwarded-For: 192.0.2.1", false, "192.0.2.1:0", false, "localhost"},
		{"[2001:db8:f::1]:9", "localhost", "Forwarded: for=192.0.2.1;proto=https", false, "192.0.2.1:0", true, "localhost"},
		{"[::ffff:127.0.0.1]:9", "localhost", "X-Forwarded-For: 192.0.2.1", false, "192.0.2.1:0", false, "localhost"},
		{"127.0.0.1:9", "localhost", "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Proto: https\nX-Forwarded-Host: gate.example.org", false, "192.0.2.1:0", true, "gate.example.org"},
		{"127.0.0.1:9", "localhost", "X-Forwarded-Proto: http", true, "127.0.0.1:9", false, "localhost"},
		{"127.0.0.1:9", "localhost", "X-Forwarded-For: 192.0.2.1", true, "192.0.2.1:0", true, "localhost"},
		{"127.0.0.1:9", "localhost", "Accept: */*", false, "127.0.0.1:9", false, "localhost"},
		// The proxy passes a Host on that is not the gateway's. A field cannot hide it.
		{"127.0.0.1:9", "evil.example", "X-Forwarded-Host: gate.example.org", false, "127.0.0.1:9", false, "evil.example"},
		// Nobody else is believed: neither another address of loopback nor a client with the address of a proxy in a field.
		{"127.0.0.2:9", "localhost", "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Proto: https\nX-Forwarded-Host: gate.example.org", false, "127.0.0.2:9", false, "localhost"},
		{"[::1]:9", "localhost", "Forwarded: for=192.0.2.1;proto=https", false, "[::1]:9", false, "localhost"},
		{"192.0.2.9:9", "localhost", "X-Forwarded-For: 127.0.0.1", false, "192.0.2.9:9", false, "localhost"},
		{"192.0.2.9:9", "localhost", "X-Forwarded-For: garbage", false, "192.0.2.9:9", false, "localhost"},
		{"pipe", "localhost", "X-Forwarded-For: 192.0.2.1", false, "pipe", false, "localhost"},
	} {
		var got *http.Request
		s := &server.Server{Proxies: networks, Names: []string{"gate.example.org"}, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r })}
		r := requestOf(test.peer, test.host, test.fields)
		if test.isTLS {
			r.TLS = new(tls.ConnectionState)
		}
		before := len(r.Header)
		s.ServeHTTP(httptest.NewRecorder(), r)
		if got == nil || got.RemoteAddr != test.want || (got.TLS != nil) != test.wantTLS || got.Host != test.wantHost {
			t.Errorf("%s with %q: got %+v, want %s, TLS %v, %s", test.peer, test.fields, got, test.want, test.wantTLS, test.wantHost)
			continue
		}
		isBelieved := strings.HasPrefix(test.peer, "127.0.0.1:") || strings.Contains(test.peer, "2001:db8:f::1") || strings.Contains(test.peer, "ffff")
		if has := len(got.Header) == before; has == isBelieved && test.fields != "Accept: */*" {
			t.Errorf("%s with %q: the handler sees the fields: %v", test.peer, test.fields, got.Header)
		}
	}
}

// If the fields of a trusted proxy are malformed or contradict each other, the client is unknown and gets 400. The log has
// the address of the proxy, and no value of a field.
func TestForwardedRefused(t *testing.T) {
	for _, fields := range []string{
		"X-Forwarded-For: garbage-of-a-client",
		"Forwarded: for=\"garbage-of-a-client",
		"Forwarded: for=192.0.2.1\nX-Forwarded-For: 192.0.2.2",
	} {
		var log bytes.Buffer
		s := &server.Server{Proxies: proxies, Log: slog.New(slog.NewTextHandler(&log, nil)), Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			t.Errorf("%q reaches the handler", fields)
		})}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, requestOf("127.0.0.1:9", "localhost", fields))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "does not name the client") || strings.Contains(w.Body.String(), "garbage") {
			t.Errorf("%q: %d %q, want 400", fields, w.Code, w.Body)
		}
		if !strings.Contains(log.String(), "client=127.0.0.1:9") || strings.Contains(log.String(), "garbage") {
			t.Errorf("%q: the log is %q", fields, log.String())
		}
	}
}

// The pages of a gateway link to its https address if the client of a proxy uses https, and its cookies are for https only.
// Otherwise, a connection of the proxy with TLS does not matter.
func TestForwardedScheme(t *testing.T) {
	const target = "gopher://127.0.0.1/0motd"
	engine := access.Table{"gopher": access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: -1}, Body: io.NopCloser(strings.NewReader("text"))}, nil
	})}
	s := &server.Server{Proxies: proxies, Names: []string{"gate.example.org"}, Handler: &gateway.Gateway{Engine: engine, Names: []string{"gate.example.org"}}}
	for _, scheme := range []string{"http", "https"} {
		ask := func(method, target, fields string) *httptest.ResponseRecorder {
			r := requestOf("127.0.0.1:9", "gate.example.org", "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Proto: "+scheme+"\n"+fields)
			at, err := neturl.ParseRequestURI(target)
			if err != nil {
				t.Fatal(err)
			}
			r.Method, r.RequestURI, r.URL, r.TLS = method, target, at, new(tls.ConnectionState)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w
		}
		w := ask(http.MethodGet, "/-/", "")
		if want := scheme + "://gate.example.org/-/dav/"; w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("the page of tools by %s: %d, without %q", scheme, w.Code, want)
		}
		opens := "/-/open?url=" + target + "&ticket="
		w = ask(http.MethodGet, opens+ask(http.MethodPost, "/-/ticket?url="+target, "").Body.String(), "Accept: text/html")
		if at, want := w.Header().Get("Content-Location"), scheme+"://gate.example.org/"+target; w.Code != http.StatusOK || at != want {
			t.Errorf("a text browser by %s: %d, Content-Location %q, want %q", scheme, w.Code, at, want)
		}
		w = ask(http.MethodGet, opens+ask(http.MethodPost, "/-/ticket?url="+target, "").Body.String(), "Sec-Fetch-Site: none\nSec-Fetch-Mode: navigate\nAccept: text/html")
		cookies := w.Result().Cookies()
		if len(cookies) != 1 || cookies[0].Secure != (scheme == "https") {
			t.Errorf("a browser by %s: %d, cookies %v", scheme, w.Code, cookies)
		}
	}
}

// v2 returns a PROXY header of version 2.
func v2(t *testing.T, change func(h *proxyproto.Header)) string {
	t.Helper()
	h := &proxyproto.Header{
		Version: 2, Command: proxyproto.PROXY, TransportProtocol: proxyproto.TCPv4,
		SourceAddr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 4711}, DestinationAddr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 80), Port: 443},
	}
	change(h)
	text, err := h.Format()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withTLV adds a TLV to a header.
func withTLV(t *testing.T, kind proxyproto.PP2Type, value ...byte) func(h *proxyproto.Header) {
	return func(h *proxyproto.Header) {
		t.Helper()
		if err := h.SetTLVs([]proxyproto.TLV{{Type: kind, Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
}

// With ProxyProtocol, the PROXY header of a trusted proxy names the client. A connection of the proxy without a header is
// closed, and the header of anybody else is not HTTP. Fields count only if the client in the header is a trusted proxy.
func TestProxyProtocol(t *testing.T) {
	// attack: A client sends a PROXY header with an address of its choice | it is not HTTP, so it
	// gets 400, except from `Proxies`
	const get = "GET / HTTP/1.1\r\nHost: localhost\r\n"
	here := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}
	elsewhere := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, test := range []struct {
		name    string
		proxies []netip.Prefix
		sent    string
		want    string // "client scheme local", "400", or "" if the connection is closed
	}{
		{"version 1", here, "PROXY TCP4 192.0.2.7 192.0.2.80 4711 443\r\n" + get, "192.0.2.7:4711 http 192.0.2.80:443"},
		{"version 1 with IPv6", here, "PROXY TCP6 2001:db8::7 2001:db8::80 4711 443\r\n" + get, "[2001:db8::7]:4711 http [2001:db8::80]:443"},
		{"version 2", here, v2(t, func(*proxyproto.Header) {}) + get, "192.0.2.7:4711 http 192.0.2.80:443"},
		{"version 2 with TLS", here, v2(t, withTLV(t, proxyproto.PP2_TYPE_SSL, []byte("\x01\x00\x00\x00\x00\x21\x00\x07TLSv1.3")...)) + get, "192.0.2.7:4711 https 192.0.2.80:443"},
		{"version 2 without TLS", here, v2(t, withTLV(t, proxyproto.PP2_TYPE_SSL, 0, 0, 0, 0, 0)) + get, "192.0.2.7:4711 http 192.0.2.80:443"},
		{"a long header", here, v2(t, withTLV(t, proxyproto.PP2_TYPE_NOOP, make([]byte, 1500)...)) + get, "192.0.2.7:4711 http 192.0.2.80:443"},
		{"a check of the proxy", here, v2(t, func(h *proxyproto.Header) { h.Command = proxyproto.LOCAL }) + get, "127.0.0.1 http 127.0.0.1"},
		{"a check of the proxy, with fields", here, "PROXY UNKNOWN\r\n" + get + "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n", "127.0.0.1 http 127.0.0.1"},
		{"fields of a client", here, "PROXY TCP4 192.0.2.7 192.0.2.80 4711 443\r\n" + get + "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n", "192.0.2.7:4711 http 192.0.2.80:443"},
		{"fields of a proxy before the proxy", here, "PROXY TCP4 10.1.2.3 192.0.2.80 4711 443\r\n" + get + "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n", "192.0.2.1:0 https 192.0.2.80:443"},
		{"no header", here, get, ""},
		{"half a header", here, "PROXY TCP4 192.0.2.7\r\n" + get, ""},
		{"a header without an end", here, "PROXY TCP4 " + strings.Repeat("1", 200) + get, ""},
		{"a header of an unknown version", here, "PROXY TCP9 192.0.2.7 192.0.2.80 4711 443\r\n" + get, ""},
		{"fields instead of a header", here, get + "X-Forwarded-For: 192.0.2.1\r\n", ""},
		{"version 1 of a stranger", elsewhere, "PROXY TCP4 192.0.2.7 192.0.2.80 4711 443\r\n" + get, "400"},
		{"version 2 of a stranger", elsewhere, v2(t, func(*proxyproto.Header) {}) + get, "400"},
		{"no header of a stranger", elsewhere, get + "X-Forwarded-For: 192.0.2.1\r\n", "127.0.0.1 http 127.0.0.1"},
	} {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			scheme := "http"
			if r.TLS != nil {
				scheme = "https"
			}
			local := r.Context().Value(http.LocalAddrContextKey).(net.Addr).String()
			if host, _, _ := net.SplitHostPort(local); host == "127.0.0.1" {
				local = host
			}
			client := r.RemoteAddr
			if host, _, _ := net.SplitHostPort(client); host == "127.0.0.1" {
				client = host
			}
			io.WriteString(w, client+" "+scheme+" "+local)
		})
		s := start(t, &server.Server{Handler: h, Proxies: test.proxies, ProxyProtocol: true})
		got := sayBytes(t, s.at, test.sent+"Connection: close\r\n\r\n")
		switch status, body, _ := strings.Cut(got, "\r\n\r\n"); {
		case test.want == "" && got == "", test.want == "400" && strings.HasPrefix(status, "HTTP/1.1 400 "):
		case !strings.HasPrefix(status, "HTTP/1.1 200 ") || body != test.want || test.want == "":
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
		if err := s.stop(); err != nil {
			t.Errorf("%s: Serve = %v", test.name, err)
		}
	}
}

// sayBytes sends bytes, and returns everything that the server sends until it closes the connection.
func sayBytes(t *testing.T, at, sent string) string {
	t.Helper()
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, sent); err != nil {
		t.Fatal(err)
	}
	got, _ := io.ReadAll(conn) // a reset is an end, too
	return string(got)
}

// A proxy that does not send its PROXY header delays nobody, and Serve ends without waiting for it.
func TestProxyProtocolSilent(t *testing.T) {
	s := start(t, &server.Server{Handler: http.NotFoundHandler(), Proxies: proxies, ProxyProtocol: true})
	var silent []net.Conn
	for range 20 {
		conn, err := net.Dial("tcp", s.at)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		silent = append(silent, conn)
	}
	if status, _ := say(t, s.at, "PROXY TCP4 192.0.2.7 192.0.2.80 4711 443\nGET / HTTP/1.1\nHost: localhost"); status != http.StatusNotFound {
		t.Errorf("a request besides silent connections gets %d", status)
	}
	if err := s.stop(); err != nil {
		t.Errorf("Serve = %v", err)
	}
	for _, conn := range silent {
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("the silent connection from %s gets a byte, %v", conn.LocalAddr(), err)
		}
	}
}

// A request in a tunnel has the client of the tunnel. The browser writes the fields in it, so they have no effect, although
// the client has the address of a trusted proxy.
func TestForwardedInTunnel(t *testing.T) {
	authority, err := server.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	clients := make(chan string, 1)
	s := &server.Server{Proxies: proxies, Proxy: true}
	i := &server.Interceptor{Handler: s, Authority: authority}
	t.Cleanup(func() { i.Close() })
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			clients <- r.RemoteAddr
			return
		}
		end, err := i.Tunnel(r.Context(), "tcp", r.RequestURI)
		if err != nil {
			t.Error(err)
			return
		}
		defer end.Close()
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		go io.Copy(end, conn)
		io.Copy(conn, end)
	})
	at := start(t, s).at
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "CONNECT h.example:443 HTTP/1.1\r\nHost: h.example:443\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 200 OK\r\n\r\n"))); err != nil {
		t.Fatal(err)
	}
	secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, ServerName: "h.example"})
	if _, err := io.WriteString(secure, "GET / HTTP/1.1\r\nHost: h.example\r\nX-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case client := <-clients:
		if client != conn.LocalAddr().String() {
			t.Errorf("the client in the tunnel is %s, want %s", client, conn.LocalAddr())
		}
	case <-ctx.Done():
		t.Error(errors.Join(errors.New("no request in the tunnel"), context.Cause(ctx)))
	}
}
