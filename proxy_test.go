package locus

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/url"
)

// acceptTunnel is the step in which an HTTP proxy opens a tunnel to a server that says
// greeting at once.
func acceptTunnel(greeting string) accesstest.Step {
	return func(c *accesstest.Conn) error {
		req, err := http.ReadRequest(bufio.NewReaderSize(c, 16)) // it is c.Reader, which is larger
		if err != nil {
			return err
		}
		if req.Method != http.MethodConnect {
			return errors.New("want CONNECT, not " + req.Method)
		}
		_, err = c.Write([]byte("HTTP/1.1 200 OK\r\n\r\n" + greeting))
		return err
	}
}

// A loopback address behind a proxy is that of the proxy's machine, so a password is not
// sent there unencrypted.
func TestProxyIsNotThisMachine(t *testing.T) {
	answers := map[string]string{
		"CAPABILITIES": "101 these\r\nVERSION 2\r\nREADER\r\n.\r\n", "GROUP g": "480 who?\r\n",
		"AUTHINFO USER ada": "381 and?\r\n", "AUTHINFO PASS sesame": "481 no\r\n",
	}
	s := accesstest.ServeAll(t, accesstest.Script{
		acceptTunnel("200 welcome\r\n"),
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

// What must be at a public address is not opened through a proxy, which may reach other
// addresses, and not without the proxy either.
func TestProxyIsNotPublic(t *testing.T) {
	for _, proxy := range []string{"http://93.184.216.34:3128", "socks5://93.184.216.34:1080", "socks5h://127.0.0.1:9050"} {
		for _, u := range []string{"http://public.example/", "https://public.example/", "gopher://public.example/", "news://public.example/g"} {
			log := &dialLog{}
			c := &Client{Dial: log.Dial, Resolver: someNames, Proxy: func(url.URL) (url.URL, bool) { return url.MustParse(proxy), true }}
			_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(u), PublicOnly: true})
			if dialled := log.since(); !errors.Is(err, access.ErrNotPublic) || len(dialled) > 0 {
				t.Errorf("Open(%q) through %s, only if public = %v after dialling %q, want it refused", u, proxy, err, dialled)
			}
			c.Close()
		}
	}
}
