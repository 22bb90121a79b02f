package server_test

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locus"
	"locus/demo"
	"locus/gateway"
	"locus/internal/certtest"
	"locus/internal/peers"
	"locus/server"
)

// proxies are the addresses from which the fronts of the tests connect to a server.
var proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// A front is a real reverse proxy with a sample configuration.
type front struct {
	name    string
	file    string
	isTCP   bool   // it passes connections on, with a PROXY header
	scheme  string // that it tells the server; "" means https
	start   func(t testing.TB, root string, site func(port uint16) string) *peers.Server
	replace func(port uint16, folder string) []string // in the file, old and new
}

var fronts = []front{
	{name: "nginx", file: "nginx.conf", start: peers.NginxFile, replace: func(port uint16, folder string) []string {
		return []string{"listen 443 ssl", fmt.Sprintf("listen 127.0.0.1:%d ssl", port), "/etc/ssl/gate.example.org", folder}
	}},
	{name: "Caddy", file: "Caddyfile", start: peers.CaddyFile, replace: func(port uint16, folder string) []string {
		return []string{"\ngate.example.org {", fmt.Sprintf("\nhttps://gate.example.org:%d {\n bind 127.0.0.1\n tls %s/cert.pem %[2]s/key.pem", port, folder)}
	}},
	{name: "HAProxy", file: "haproxy.cfg", start: peers.HAProxyFile, replace: haproxyAt},
	{name: "HAProxy with PROXY headers", file: "haproxy-tcp.cfg", isTCP: true, start: peers.HAProxyFile, replace: haproxyAt},
	{name: "HAProxy with PROXY headers of version 1", file: "haproxy-tcp.cfg", isTCP: true, scheme: "http", start: peers.HAProxyFile, replace: func(port uint16, folder string) []string {
		return append(haproxyAt(port, folder), "send-proxy-v2-ssl", "send-proxy") // it cannot tell the scheme
	}},
}

func haproxyAt(port uint16, folder string) []string {
	return []string{"bind :443", fmt.Sprintf("bind 127.0.0.1:%d", port), "/etc/haproxy/gate.pem", filepath.Join(folder, "both.pem")}
}

// before starts f before the server at an address. It replaces more texts of the sample, old and new.
func (f front) before(t *testing.T, at, folder string, more ...string) *peers.Server {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../release/files", f.file))
	if err != nil {
		t.Fatal(err)
	}
	return f.start(t, folder, func(port uint16) string {
		replaced := strings.NewReplacer(more...).Replace(string(text))
		return strings.NewReplacer(append(f.replace(port, folder), "127.0.0.1:1738", at)...).Replace(replaced)
	})
}

// certificates returns a folder with the certificate that the samples name.
func certificates(t *testing.T) string {
	t.Helper()
	pair, _ := certtest.New(t, "gate.example.org", "127.0.0.1")
	folder := t.TempDir()
	certtest.Write(t, folder, pair)
	return folder
}

// The sample configurations of reverse proxies pass requests on unchanged, including terminal sessions. They name the client
// and its scheme, whatever the client sends.
func TestFronts(t *testing.T) {
	folder := certificates(t)
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	var dialer net.Dialer
	client := &locus.Client{Dial: dialer.DialContext}
	t.Cleanup(func() { client.Close() })
	for _, test := range fronts {
		clients := new(clientLog)
		g := &gateway.Gateway{Engine: client, Names: []string{"gate.example.org"}}
		at := start(t, &server.Server{
			Handler: server.WithoutRobots(g), Names: g.Names, Proxies: proxies, ProxyProtocol: test.isTCP, Log: slog.New(clients),
		}).at
		s := test.before(t, at, folder)
		tools := cmp.Or(test.scheme, "https") + "://" + hostAt(s.Addr) + "/-/dav/" // in the page of tools
		for path, want := range map[string]string{
			d.Service("gopher").URL + "0/etc/motd":                      "read the manual",
			d.Service("ftp").URL + "awkward/semi%3Bcolon.txt":           "A semicolon",
			"ftp://demo:demo@" + d.Service("ftp").Addr + "/%2Fetc/motd": "read the manual",
			"-/": tools,
		} {
			status, body := throughFront(t, s.Addr, "/"+path, asked{})
			if !strings.HasPrefix(status, "200") || !strings.Contains(body, want) {
				t.Errorf("%s: /%s: %s %.300q, want %q", test.name, path, status, body, want)
			}
		}
		session := "/-/session?url=" + d.Service("telnet").URL
		if status, _ := throughFront(t, s.Addr, session, asked{origin: "https://" + hostAt(s.Addr)}); !strings.HasPrefix(status, "101") {
			t.Errorf("%s: a session from its own page: %s", test.name, status)
		}
		if status, _ := throughFront(t, s.Addr, session, asked{origin: "https://evil.example"}); !strings.HasPrefix(status, "403") {
			t.Errorf("%s: a session from a page of another site: %s", test.name, status)
		}
		for _, spoofed := range []string{
			"", "X-Forwarded-For: 127.0.0.1", "X-Forwarded-For: 192.0.2.1, 127.0.0.1", "X-Forwarded-For: garbage",
			"Forwarded: for=192.0.2.1;host=evil.example;proto=http", `Forwarded: for="`, "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http",
		} {
			clients.forget()
			status, body := throughFront(t, s.Addr, "/-/?x", asked{from: "127.0.0.7", more: spoofed})
			if !strings.HasPrefix(status, "200") || !strings.Contains(body, tools) {
				t.Errorf("%s: a client with %q gets %s, %.300q", test.name, spoofed, status, body)
			}
			if got := clients.of("/-/"); !slices.Equal(got, []string{"127.0.0.7"}) {
				t.Errorf("%s: the client with %q is %q in the log", test.name, spoofed, got)
			}
		}
	}
}

// A stranger with 11 wrong logins does not lock another client of the same proxy out, and cannot escape by a spoofed
// address.
func TestFrontsLogin(t *testing.T) {
	// attack: One client of a reverse proxy guesses passwords | `Proxies` delays this client only
	folder := certificates(t)
	for _, test := range fronts {
		users, err := server.ParseUsers("ada:$2a$04$8QAErsq5RIYQwTfS0THGoeEBfk.lfOse6mg6pdW.XK2aZaqaUV846\n")
		if err != nil {
			t.Fatal(err)
		}
		g := &gateway.Gateway{Names: []string{"gate.example.org"}}
		at := start(t, &server.Server{
			Handler: server.WithoutRobots(g), Names: g.Names, Users: users, Proxies: proxies, ProxyProtocol: test.isTCP,
		}).at
		s := test.before(t, at, folder)
		for i := range 11 {
			want := "401"
			if i == 10 { // server/guesses.go: 10 failures are free
				want = "429"
			}
			if status, _ := throughFront(t, s.Addr, "/", asked{from: "127.0.0.7", password: fmt.Sprint("guess ", i)}); !strings.HasPrefix(status, want) {
				t.Errorf("%s: wrong login %d gets %s, want %s", test.name, i, status, want)
			}
		}
		spoofed := asked{from: "127.0.0.7", password: "another guess", more: "X-Forwarded-For: 127.0.0.8"}
		if status, _ := throughFront(t, s.Addr, "/", spoofed); !strings.HasPrefix(status, "429") {
			t.Errorf("%s: a wrong login with a spoofed address gets %s, want 429", test.name, status)
		}
		if status, _ := throughFront(t, s.Addr, "/", asked{from: "127.0.0.8", password: "sesame"}); !strings.HasPrefix(status, "200") {
			t.Errorf("%s: the right login of another client gets %s, want 200", test.name, status)
		}
	}
}

// A clientLog is a slog.Handler that keeps the clients of requests.
type clientLog struct {
	mu      sync.Mutex
	clients map[string][]string // by target
}

func (l *clientLog) Enabled(context.Context, slog.Level) bool { return true }
func (l *clientLog) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *clientLog) WithGroup(string) slog.Handler            { return l }

// Handle keeps the address of the client.
func (l *clientLog) Handle(_ context.Context, r slog.Record) error {
	var client, target string
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "client":
			client, _, _ = strings.Cut(a.Value.String(), ":")
		case "target":
			target = strings.TrimSpace(a.Value.String())
		}
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clients == nil {
		l.clients = make(map[string][]string)
	}
	l.clients[target] = append(l.clients[target], client)
	return nil
}

func (l *clientLog) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.clients)
}

// of returns the clients of the requests for a target. It waits for the first, because the line is written after the
// response.
func (l *clientLog) of(target string) []string {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		l.mu.Lock()
		clients := slices.Clone(l.clients[target])
		l.mu.Unlock()
		if len(clients) > 0 || time.Now().After(deadline) {
			return clients
		}
	}
}

// hostAt returns the Host that a browser sends to a front.
func hostAt(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return "gate.example.org:" + port
}

// asked is the part of a request in which the requests of a test differ.
type asked struct {
	from     string // the address of the client; "" means 127.0.0.1
	origin   string // the page that opens a WebSocket; "" means no WebSocket
	password string // of the user ada; "" means no login
	more     string // header fields
	method   string // "" means GET
}

// throughFront asks a front for a path, without changing the path.
func throughFront(t *testing.T, addr, path string, as asked) (status, body string) {
	t.Helper()
	resp, body := answerOfFront(t, addr, path, as)
	return resp.Status, body
}

// answerOfFront is throughFront, and returns the whole response. Its body is read.
func answerOfFront(t *testing.T, addr, path string, as asked) (resp *http.Response, body string) {
	t.Helper()
	dialer := &tls.Dialer{
		NetDialer: &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(cmp.Or(as.from, "127.0.0.1"))}},
		Config:    &tls.Config{InsecureSkipVerify: true, ServerName: "gate.example.org"}, // the test is not about the certificate
	}
	conn, err := dialer.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	request := cmp.Or(as.method, http.MethodGet) + " " + path + " HTTP/1.1\r\nHost: " + hostAt(addr) + "\r\n"
	if as.origin != "" {
		request += "Origin: " + as.origin + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	}
	if as.password != "" {
		request += "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("ada:"+as.password)) + "\r\n"
	}
	if as.more != "" {
		request += as.more + "\r\n"
	}
	if _, err := io.WriteString(conn, request+"\r\n"); err != nil {
		t.Fatal(err)
	}
	resp, err = http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, ""
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}
