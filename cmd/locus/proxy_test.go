package main

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// proxyHost is a host that only the proxies of these tests know: they take it
// for this machine. What reaches it has come through one.
const proxyHost = "behind.invalid"

// newSOCKS starts a SOCKS5 proxy (RFC 1928) for the user ada, whose password is
// sesame (RFC 1929), and returns its address.
func newSOCKS(t *testing.T) string { return listen(t, socks) }

// newHTTPProxy starts an HTTP proxy for the same user, which makes tunnels, and
// answers every other request with its first line.
func newHTTPProxy(t *testing.T) string { return listen(t, httpProxy) }

func listen(t *testing.T, serve func(net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	return l.Addr().String()
}

func socks(c net.Conn) {
	r := bufio.NewReader(c)
	take := func(n int) string {
		b := make([]byte, n)
		if _, err := io.ReadFull(r, b); err != nil {
			c.Close()
		}
		return string(b)
	}
	counted := func() string { return take(int(take(1)[0])) }
	if take(1) != "\x05" || !strings.Contains(counted(), "\x02") {
		io.WriteString(c, "\x05\xff")
		return
	}
	io.WriteString(c, "\x05\x02")
	take(1)
	if user, password := counted(), counted(); user+password != "adasesame" {
		io.WriteString(c, "\x01\x01")
		return
	}
	io.WriteString(c, "\x01\x00")
	var host string
	switch take(4) {
	case "\x05\x01\x00\x01":
		host = net.IP(take(4)).String()
	case "\x05\x01\x00\x03":
		host = counted()
	default:
		return
	}
	port := take(2)
	io.WriteString(c, "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
	relay(c, r, fmt.Sprintf("%s:%d", host, int(port[0])<<8|int(port[1])))
}

func httpProxy(c net.Conn) {
	r := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ada:sesame"))
		switch {
		case req.Header.Get("Proxy-Authorization") != want:
			io.WriteString(c, "HTTP/1.1 407 Who Are You\r\nContent-Length: 0\r\n\r\n")
		case req.Method == http.MethodConnect:
			io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			relay(c, r, req.Host)
			return
		default:
			text := req.Method + " " + req.RequestURI + "\n"
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		}
	}
}

// relay connects c, of which r has read some, with an address.
func relay(c net.Conn, r io.Reader, address string) {
	there, err := net.Dial("tcp", strings.Replace(address, proxyHost, "127.0.0.1", 1))
	if err != nil {
		return
	}
	go func() {
		io.Copy(there, r)
		there.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(c, there)
	there.Close()
}

func TestProxyNamed(t *testing.T) {
	for _, test := range []struct {
		scheme, env string
		flag        string
		want        string // "" for none; "error" for a refusal
	}{
		{scheme: "http"},
		{scheme: "http", env: "http_proxy=http://p:3128", want: "http://p:3128"},
		{scheme: "http", env: "http_proxy=p:3128", want: "http://p:3128"},
		{scheme: "http", env: "HTTP_PROXY=http://p", want: "http://p"},
		{scheme: "http", env: "HTTP_PROXY=http://p REQUEST_METHOD=GET"},
		{scheme: "https", env: "HTTPS_PROXY=http://p REQUEST_METHOD=GET", want: "http://p"},
		{scheme: "http", env: "http_proxy=http://p REQUEST_METHOD=GET", want: "http://p"},
		{scheme: "ftp", env: "http_proxy=http://p"},
		{scheme: "ftp", env: "ftp_proxy=http://f all_proxy=http://a", want: "http://f"},
		{scheme: "wais", env: "ftp_proxy=http://f ALL_PROXY=socks5h://a", want: "socks5h://a"},
		{scheme: "nntp", env: "all_proxy=http://a", flag: "socks5://b", want: "socks5://b"},
		{scheme: "nntp", env: "all_proxy=https://a", want: "error"},
		{scheme: "nntp", env: "all_proxy=socks4://a", want: "error"},
		{scheme: "nntp", env: "all_proxy=//", want: "error"},
	} {
		env := make(map[string]string)
		for _, pair := range strings.Fields(test.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		p := proxies{getenv: func(name string) string { return env[name] }, flag: test.flag}
		got, err := p.of(test.scheme)
		if (err != nil) != (test.want == "error") || err == nil && got.String() != test.want {
			t.Errorf("the proxy for %s with %q and --proxy %q = %q, %v, want %q", test.scheme, test.env, test.flag, got, err, test.want)
		}
		p.none = true
		if got, err := p.of(test.scheme); !got.IsZero() || err != nil {
			t.Errorf("the proxy for %s with --no-proxy = %q, %v, want none", test.scheme, got, err)
		}
	}
}

func TestNoProxy(t *testing.T) {
	for _, test := range []struct {
		list, host, port string
		want             bool
	}{
		{"", "h.example", "80", false},
		{"*", "h.example", "80", true},
		{"example", "h.example", "80", true},
		{".example", "h.example", "80", true},
		{"*.example", "h.example", "80", true},
		{"h.example", "H.Example.", "80", true},
		{"h.example", "gh.example", "80", false},
		{"ample", "h.example", "80", false},
		{"a, h.example", "h.example", "", true},
		{"h.example:80", "h.example", "80", true},
		{"h.example:80", "h.example", "81", false},
		{"10.0.0.0/8", "10.1.2.3", "80", true},
		{"10.0.0.0/8", "11.1.2.3", "80", false},
		{"10.0.0.0/8", "h.example", "80", false},
		{"127.0.0.1", "127.0.0.1", "80", true},
		{"0.1", "127.0.0.1", "80", false},
		{"::1", "::1", "80", true},
		{"[::1]:80", "::1", "80", true},
		{",,", "h.example", "80", false},
		{".", "h.example", "80", false},
	} {
		p := proxies{getenv: func(name string) string {
			if name == "NO_PROXY" {
				return test.list
			}
			return ""
		}}
		if got := p.skips(test.host, test.port); got != test.want {
			t.Errorf("no_proxy=%q skips %q:%s: %v, want %v", test.list, test.host, test.port, got, test.want)
		}
	}
}

// What the user wants to say to a server is what .netrc says of its host.
func TestLogin(t *testing.T) {
	const netrc = "machine h login ada password sesame\nmachine h login bob password other\nmachine empty password x\n"
	for _, test := range []struct {
		host, user     string
		optional       bool
		want, password string
		err            error
	}{
		{"h", "", true, "ada", "sesame", nil},
		{"H", "", true, "ada", "sesame", nil},
		{"h", "", false, "ada", "sesame", nil},
		{"h", "bob", false, "bob", "other", nil},
		{"h", "eve", false, "eve", "", access.ErrPassword},
		{"other", "", true, "", "", nil},
		{"other", "", false, "", "", access.ErrPassword},
		{"empty", "", true, "", "", nil},
	} {
		l := &logins{netrc: netrc}
		c := access.Challenge{URL: url.MustParse("ftp://h/x;type=a"), Host: test.host, User: test.user, Optional: test.optional}
		got, err := l.login(nil)(t.Context(), c)
		if got.User != test.want || got.Password != test.password || !errors.Is(err, test.err) {
			t.Errorf("login(%+v) = %+v, %v, want %q, %q, %v", c, got, err, test.want, test.password, test.err)
		}
	}
}
