package web

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/url"
)

// A proxy gets the whole URL, whatever its scheme. An origin server gets only the
// path.
//
// req: 1630-http-1
// req: 1738-4-2
func TestGateway(t *testing.T) {
	for _, test := range []struct{ url, line, host string }{
		{"http://h.example/a//b?c", "GET http://h.example/a//b?c HTTP/1.1", "h.example"},
		{"ftp://h.example:2121/%2Fetc/motd;type=a", "GET ftp://h.example:2121/%2Fetc/motd;type=a HTTP/1.1", "h.example:2121"},
		{"gopher://h.example/7/s%09a+b#x", "GET gopher://h.example/7/s%09a+b HTTP/1.1", "h.example"},
		{"wais://h.example/db?words", "GET wais://h.example/db?words HTTP/1.1", "h.example"},
		{"ftp://me@h.example/x", "GET ftp://me@h.example/x HTTP/1.1", "h.example"},
	} {
		s := accesstest.Serve(t, script(ok))
		c := &Client{Dial: s.Dial}
		g := Gateway{Client: c, At: url.MustParse("http://proxy.example:3128")}
		r, err := g.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if err != nil {
			t.Fatalf("Open(%q) = %v, want a resource", test.url, err)
		}
		r.Body.Close()
		c.CloseIdleConnections()
		s.Wait()
		if got := s.Received(0); !strings.HasPrefix(got, test.line+"\r\nHost: "+test.host+"\r\n") {
			t.Errorf("Open(%q) sends %q, want %q", test.url, got, test.line)
		}
		if got := s.Dialed(); got[0] != "proxy.example:3128" || r.URL.String() != test.url {
			t.Errorf("Open(%q) dials %q for %q", test.url, got, r.URL)
		}
	}
}

// An error of the connection names the proxy.
func TestGatewayNotReached(t *testing.T) {
	refused := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}
	}
	g := Gateway{Client: &Client{Dial: refused}, At: url.MustParse("http://me:sesame@proxy.example:3128")}
	for _, op := range []access.Op{access.Get, access.Stat} {
		_, err := g.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("wais://h/x")})
		if want := op.String() + " wais://h/x: through the gateway proxy.example:3128: "; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v = %v, want %s…", op, err, want)
		}
	}
}

func TestGatewayRefuses(t *testing.T) {
	at := url.MustParse("http://proxy.example")
	c := &Client{Dial: accesstest.Serve(t).Dial}
	for _, test := range []struct {
		gateway Gateway
		url     string
	}{
		{Gateway{Client: c, At: at}, "ftp://me:sesame@h/x"},
		{Gateway{Client: c, At: at}, "//h/x"},
		{Gateway{Client: c}, "ftp://h/x"},
		{Gateway{Client: c, At: url.MustParse("https://proxy.example")}, "ftp://h/x"},
		{Gateway{At: at}, "ftp://h/x"},
	} {
		_, err := test.gateway.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("Open(%q) = %v, want an error without the password", test.url, err)
		}
	}
}

func TestProxy(t *testing.T) {
	s := accesstest.Serve(t, script(ok))
	c := &Client{Dial: s.Dial, Proxy: func(u url.URL) (url.URL, bool) { return url.MustParse("http://proxy:3128"), true }}
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("http://me:pw@h.example//a")})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	c.CloseIdleConnections()
	s.Wait()
	if got, want := s.Received(0), "GET http://h.example//a HTTP/1.1\r\n"; !strings.HasPrefix(got, want) {
		t.Errorf("the proxy is sent %q, want %q", got, want)
	}
}
