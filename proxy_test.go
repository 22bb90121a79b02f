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
		"CAPABILITIES": "101 these\r\nVERSION 2\r\nREADER\r\n.\r\n", "GROUP g": "480 who?\r\n",
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
	_, err := c.Open(t.Context(), "nntp://127.0.0.1/g/1")
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
