package locus

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/url"
)

// acceptTunnel is the step in which an HTTP proxy answers with a status, and opens a tunnel
// to a server that says greeting at once.
func acceptTunnel(status, greeting string) accesstest.Step {
	return func(c *accesstest.Conn) error {
		req, err := http.ReadRequest(bufio.NewReaderSize(c, 16)) // NewReaderSize returns c.Reader itself, because its buffer is larger
		if err != nil {
			return err
		}
		if req.Method != http.MethodConnect {
			return errors.New("want CONNECT, not " + req.Method)
		}
		_, err = c.Write([]byte("HTTP/1.1 " + status + "\r\n\r\n" + greeting))
		return err
	}
}

// Every 2xx opens a tunnel (RFC 9110 §9.3.6); every other status is an error.
func TestDialThroughHTTP(t *testing.T) {
	for status, opens := range map[string]bool{"200 OK": true, "204 No Content": true, "299 Fine": true, "302 Found": false, "407 Who?": false} {
		s := accesstest.ServeAll(t, accesstest.Script{acceptTunnel(status, "hello\r\n")})
		conn, err := DialThrough(s.Dial, url.MustParse("http://proxy.example"))(t.Context(), "tcp", "h.example:70")
		if (err == nil) != opens {
			t.Errorf("a proxy that answers %q: %v, want a tunnel %v", status, err, opens)
		}
		if strings.HasPrefix(status, "407") && access.RemedyFor(err) != access.NeedProxyLogin {
			t.Errorf("a proxy that answers %q: the remedy is %v, want %v", status, access.RemedyFor(err), access.NeedProxyLogin)
		}
		if err == nil {
			if text, err := io.ReadAll(conn); string(text) != "hello\r\n" || err != nil {
				t.Errorf("a proxy that answers %q: read %q, %v", status, text, err)
			}
			conn.Close()
		}
	}
}

// DialThrough without a Dial returns an error and does not panic.
func TestDialThroughNothing(t *testing.T) {
	for _, proxy := range []string{"http://p", "socks5://p", "socks5h://p"} {
		if _, err := DialThrough(nil, url.MustParse(proxy))(t.Context(), "tcp", "192.0.2.1:70"); !errors.Is(err, access.ErrNoDial) {
			t.Errorf("through %s = %v, want %v", proxy, err, access.ErrNoDial)
		}
	}
}

// A loopback address behind a proxy belongs to the proxy's machine, so a password is not
// sent there unencrypted.
func TestProxyIsNotThisMachine(t *testing.T) {
	answers := map[string]string{
		"CAPABILITIES": "101 these\r\nVERSION 2\r\nREADER\r\nPOST\r\n.\r\n", "POST": "480 who?\r\n",
		"AUTHINFO USER ada": "381 and?\r\n", "AUTHINFO PASS sesame": "481 no\r\n",
	}
	s := accesstest.ServeAll(t, accesstest.Script{
		acceptTunnel("200 OK", "200 welcome\r\n"),
		accesstest.Converse(func(line string) (string, bool) { return answers[line], answers[line] != "" }),
	})
	c := &Client{
		Dial:  s.Dial,
		Proxy: func(url.URL) (url.URL, bool) { return url.MustParse("http://proxy.example:3128"), true },
		Login: func(context.Context, access.Challenge) (access.Credentials, error) {
			return access.Credentials{User: "ada", Password: "sesame"}, nil
		},
	}
	t.Cleanup(func() { c.Close() })
	_, err := c.Do(t.Context(), &access.Request{ // a change, because the proxy gets the whole URL of other requests
		Op: access.Append, URL: url.MustParse("nntp://127.0.0.1/g"), Body: strings.NewReader("Newsgroups: g\n\nx\n"), Size: -1,
	})
	if _, refused := access.RemedyFor(err).(access.AllowCleartext); !refused || strings.Contains(s.Received(0), "AUTHINFO") {
		t.Errorf("Open = %v after %q, want no login", err, s.Received(0))
	}
}

// A request that is PublicOnly does not use an idle connection of another request, because
// that connection may lead to a private address.
func TestPublicOnlyAndIdleConnections(t *testing.T) {
	web := func(line string) (string, bool) {
		if line != "" {
			return "", true
		}
		return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true
	}
	files := func(line string) (string, bool) {
		verb, _, _ := strings.Cut(line, " ")
		answer := map[string]string{"USER": "230 hello\r\n", "MKD": "257 made\r\n", "QUIT": "221 bye\r\n"}[verb]
		return cmp.Or(answer, "502 what?\r\n"), verb != "QUIT"
	}
	for _, test := range []struct {
		url    string
		op     access.Op
		script accesstest.Script
	}{
		{"http://inside.example/", access.Get, accesstest.Script{accesstest.Converse(web)}},
		{"ftp://inside.example/new", access.MakeDir, accesstest.Script{accesstest.Send("220 hello\r\n"), accesstest.Converse(files)}},
	} {
		s := accesstest.ServeAll(t, test.script)
		c := &Client{Dial: s.Dial, Resolver: someNames}
		for i, publicOnly := range []bool{false, false, true} {
			r, err := c.Do(t.Context(), &access.Request{Op: test.op, URL: url.MustParse(test.url), PublicOnly: publicOnly})
			if err == nil {
				_, err = io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
			if publicOnly && !errors.Is(err, access.ErrNotPublic) || !publicOnly && err != nil {
				t.Errorf("request %d of %s, only if public %v = %v", i, test.url, publicOnly, err)
			}
		}
		if dialled := len(s.Dialed()); dialled != 1 {
			t.Errorf("%s: %d connections, want 1", test.url, dialled)
		}
		c.Close()
	}
}

// A request that is PublicOnly goes through a proxy only if the Client looks up the name.
// It is refused otherwise, and never goes around the proxy.
func TestProxyAndPublicOnly(t *testing.T) {
	const isRefused = ""
	for _, test := range []struct{ proxy, host, dials string }{
		{"http://93.184.216.34:3128", "public.example", isRefused},
		{"socks5h://127.0.0.1:9050", "public.example", isRefused},
		{"socks5://127.0.0.1:1080", "public.example", "127.0.0.1:1080"},
		{"socks5://127.0.0.1:1080", "inside.example", isRefused},
		{"socks5://127.0.0.1:1080", "10.0.0.1", isRefused},
	} {
		for _, scheme := range []string{"http", "https", "gopher", "news"} {
			log := &dialLog{}
			c := &Client{Dial: log.Dial, Resolver: someNames, Proxy: func(url.URL) (url.URL, bool) { return url.MustParse(test.proxy), true }}
			_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(scheme + "://" + test.host + "/g"), PublicOnly: true})
			dialled := strings.Join(log.since(), " ")
			if dialled != test.dials || errors.Is(err, access.ErrNotPublic) != (test.dials == isRefused) {
				t.Errorf("%s of %s through %s = %v after dialling %q, want %q", scheme, test.host, test.proxy, err, dialled, test.dials)
			}
			c.Close()
		}
	}
}

// An HTTP proxy gets the whole URL of every scheme that it can fetch. The other schemes, and changes, need a tunnel.
//
// req: 1738-4-2
func TestHTTPProxyRequests(t *testing.T) {
	for _, test := range []struct {
		op   access.Op
		url  string
		want string // the request line of each connection to the proxy, without the version
	}{
		{access.Get, "http://h/a", "GET http://h/a"},
		{access.Get, "ftp://h/a", "GET ftp://h/a"},
		{access.Get, "gopher://h/0a", "GET gopher://h/0a"},
		{access.Get, "wais://h/a?b", "GET wais://h/a?b"},
		{access.Get, "prospero://h/a;version=1", "GET prospero://h/a;version=1"},
		{access.Get, "news:a@b", "GET news:a@b"},
		{access.Get, "nntp://h/g/1", "GET nntp://h/g/1"},
		{access.Get, "nfs://h/a", "GET nfs://h/a"},
		{access.Get, "z39.50r://h/db?1", "GET z39.50r://h/db?1"},
		{access.Get, "x-foo:a%20b", "GET x-foo:a%20b"},
		{access.Get, "spartan://h/a", "GET spartan://h/a"},
		{access.Stat, "prospero://h/a", "HEAD prospero://h/a"},
		{access.Stat, "x-foo:a", "HEAD x-foo:a"},

		{access.Get, "https://h/a", "CONNECT h:443"},
		{access.Get, "ftps://h/a", "CONNECT h:990"},
		{access.Get, "nntps://h/g/1", "CONNECT h:563"},
		{access.Get, "telnet://h/", "CONNECT h:23"},
		{access.Get, "rlogin://u@h/", "CONNECT h:513"},
		{access.Append, "nntp://h/g", "CONNECT h:119"},
		{access.MakeDir, "nfs://h/g", "CONNECT h:2049"},

		{access.Get, "file:///a", ""},
		{access.Get, "mailto:a@b", ""},
		{access.Get, "mid:a@b", ""},
		{access.Put, "ftp://h/a", ""},   // as ever
		{access.Put, "x-foo://h/a", ""}, // there is no engine
		{access.Get, "nntp://u:p@h/g/1", ""},
		{access.Get, "x-foo://u:p@h/g/1", ""},
	} {
		s := accesstest.ServeAll(t, accesstest.Script{accesstest.Converse(func(line string) (string, bool) {
			if line != "" {
				return "", true
			}
			return "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", false
		})})
		c := &Client{Dial: s.Dial, Retries: -1, NewsServer: "h", Proxy: func(url.URL) (url.URL, bool) { return url.MustParse("http://proxy.example:3128"), true }}
		_, err := c.Do(t.Context(), &access.Request{Op: test.op, URL: url.MustParse(test.url), Body: strings.NewReader("Newsgroups: g\n\nx\n"), Size: -1})
		c.Close()
		var got string
		if len(s.Dialed()) > 0 {
			got, _, _ = strings.Cut(s.Received(0), " HTTP/1.1")
		}
		if err == nil || got != test.want || len(s.Dialed()) > 1 {
			t.Errorf("%v %s = %v after %d connections, the first with %q; want %q", test.op, test.url, err, len(s.Dialed()), got, test.want)
		}
	}
}

// If a proxy does not know a scheme, the Client opens the URL through a tunnel.
func TestProxyWithoutScheme(t *testing.T) {
	for _, status := range []string{"400 Bad Request", "501 Not Implemented"} {
		s := accesstest.Serve(t,
			accesstest.Script{accesstest.Converse(func(line string) (string, bool) {
				if line != "" {
					return "", true
				}
				return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", false
			})},
			accesstest.Script{acceptTunnel("200 OK", "502 go away\r\n")},
		)
		c := &Client{Dial: s.Dial, Retries: -1, Proxy: func(url.URL) (url.URL, bool) { return url.MustParse("http://proxy.example:3128"), true }}
		_, err := c.Open(t.Context(), "nntp://h/g/1")
		c.Close()
		if err == nil || len(s.Dialed()) != 2 || !strings.HasPrefix(s.Received(0), "GET nntp://h/g/1 ") || !strings.HasPrefix(s.Received(1), "CONNECT h:119 ") {
			t.Errorf("after %s: %v and %d connections, want a tunnel", status, err, len(s.Dialed()))
		}
	}
}
