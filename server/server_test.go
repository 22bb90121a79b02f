package server_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"locus/internal/certtest"
	"locus/server"
)

// A running is a server that serves until stop or the end of the test.
type running struct {
	at, admin string // HOST:PORT
	stop      func() error
}

func start(t *testing.T, s *server.Server) running {
	t.Helper()
	l, admin := listen(t), listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, admin) }()
	stop := sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = stop() })
	return running{l.Addr().String(), admin.Addr().String(), stop}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// say sends the lines of a request, and returns the status and the body of the response.
func say(t *testing.T, at, request string) (int, string) {
	t.Helper()
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, strings.ReplaceAll(strings.TrimSpace(request), "\n", "\r\n")+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer to %q: %v", request, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Errorf("%q is broken off: %v", request, err)
	}
	return answer.StatusCode, string(body)
}

// Requests that have begun may finish within Drain. Serve aborts the others.
func TestDrain(t *testing.T) {
	for _, test := range []struct {
		drain time.Duration
		rest  string
		err   error // of Serve
	}{
		{30 * time.Second, "and half", nil},
		{time.Millisecond, "", server.ErrAborted},
		{0, "", server.ErrAborted},
	} {
		stopping := make(chan bool)
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "half ")
			http.NewResponseController(w).Flush()
			select {
			case <-stopping:
				io.WriteString(w, "and half")
			case <-r.Context().Done():
				panic(http.ErrAbortHandler)
			}
		})
		s := start(t, &server.Server{Handler: h, Drain: test.drain})
		answer, err := http.Get("http://" + s.at + "/")
		if err != nil {
			t.Fatalf("drain %v: %v", test.drain, err)
		}
		if _, err := io.ReadFull(answer.Body, make([]byte, len("half "))); err != nil {
			t.Fatalf("drain %v: %v", test.drain, err)
		}
		ended := make(chan error, 1)
		go func() { ended <- s.stop() }()
		if test.err == nil {
			for refused := false; !refused; { // until it accepts no more connections
				c, err := net.Dial("tcp", s.at)
				if refused = err != nil; !refused {
					c.Close()
				}
			}
			if status, body := say(t, s.admin, "GET /healthz HTTP/1.0"); status != 503 || body != "stopping\n" {
				t.Errorf("drain %v: /healthz of a server that stops: %d, %q", test.drain, status, body)
			}
			close(stopping)
		}
		rest, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if (err != nil) != (test.err != nil) || string(rest) != test.rest {
			t.Errorf("Drain %v: the rest is %q, %v, want %q", test.drain, rest, err, test.rest)
		}
		if err := <-ended; !errors.Is(err, test.err) {
			t.Errorf("Drain %v: Serve = %v, want %v", test.drain, err, test.err)
		}
		if c, err := net.Dial("tcp", s.admin); err == nil {
			c.Close()
			t.Errorf("Drain %v: the admin's listener is open", test.drain)
		}
	}
}

// If a listener fails, Serve ends and closes the other listener.
func TestServeFails(t *testing.T) {
	for _, first := range []bool{true, false} {
		all := []net.Listener{listen(t), listen(t)}
		broken, other := all[0], all[1]
		if !first {
			broken, other = other, broken
		}
		broken.Close()
		if err := new(server.Server).Serve(t.Context(), all[0], all[1]); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Serve = %v if the first listener fails %v, want %v", err, first, net.ErrClosed)
		}
		if err := other.Close(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("the first listener fails %v: the other listener was left open: %v", first, err)
		}
	}
}

// Serve without a certificate fails and closes the listener.
func TestServeWithoutCertificate(t *testing.T) {
	l := listen(t)
	if err := (&server.Server{TLS: &tls.Config{MinVersion: tls.VersionTLS12}}).Serve(t.Context(), l, nil); err == nil {
		t.Error("Serve without a certificate: no error")
	}
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener was left open: %v", err)
	}
}

// The metrics count responses. Requests for them must have an IP address, localhost or one of Names as host.
func TestMetrics(t *testing.T) {
	var log bytes.Buffer
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "twelve bytes") })
	s := start(t, &server.Server{Handler: h, Names: []string{"gate.example"}, Log: slog.New(slog.NewJSONHandler(&log, nil))})
	for range 2 {
		say(t, s.at, "GET /ftp://u:secret@h/ HTTP/1.0")
	}
	if status, body := say(t, s.admin, "GET /healthz HTTP/1.0"); status != 200 || body != "ok\n" {
		t.Errorf("/healthz: %d, %q", status, body)
	}
	want := []string{
		`locus_requests_total{way="gateway",status="200"} 2`, `locus_sent_bytes_total{way="gateway"} 24`, `locus_broken_total{way="gateway"} 0`,
		`locus_request_seconds_bucket{way="gateway",le="+Inf"} 2`, `locus_request_seconds_count{way="gateway"} 2`,
		"locus_connections ", "process_resident_memory_bytes ",
	}
	// The server counts a response after the client has received it, so the test waits for the count.
	var body string
	for begin := time.Now(); !strings.Contains(body, want[3]) && time.Since(begin) < time.Minute; {
		_, body = say(t, s.admin, "GET /metrics HTTP/1.0")
	}
	for _, want := range want {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics has no %q", want)
		}
	}
	for host, want := range map[string]int{"": 200, "127.0.0.1": 200, "localhost:1": 200, "GATE.example": 200, "evil.example": 421, "localhost.evil.example": 421} {
		if status, body := say(t, s.admin, "GET /metrics HTTP/1.1\nConnection: close\nHost: "+host); status != want || status != 200 && strings.Contains(body, "locus_") {
			t.Errorf("/metrics of %q: %d, %.40q, want %d", host, status, body, want)
		}
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); strings.Count(text, `"target":"ftp://u:xxxxx@h/","status":200,"bytes":12,`) != 2 || strings.Contains(text, "secret") {
		t.Errorf("the log: %s", text)
	}
}

// A proxy does not speak HTTP/2 over TLS. Clients need a certificate if the configuration has an authority.
func TestTLS(t *testing.T) {
	pair, roots := certtest.New(t, "127.0.0.1")
	text, _ := certtest.PEM(t, pair)
	get := func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }
	for _, test := range []struct {
		clientCA []byte
		proxy    bool
		proto    string
	}{
		{nil, false, "HTTP/2.0"},
		{nil, true, "HTTP/1.1"},
		{text, true, "HTTP/1.1"},
		{text, false, "HTTP/2.0"},
	} {
		config, err := server.TLSConfig(get, test.clientCA)
		if err != nil {
			t.Fatalf("with a client CA %v: %v", test.clientCA != nil, err)
		}
		s := start(t, &server.Server{TLS: config, Proxy: test.proxy, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) })})
		for _, certificates := range [][]tls.Certificate{{pair}, nil} {
			client := &http.Client{Transport: &http.Transport{
				DisableKeepAlives: true, ForceAttemptHTTP2: true,
				TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: certificates, MinVersion: tls.VersionTLS12},
			}}
			answer, err := client.Get("https://" + s.at + "/")
			if isRefused := test.clientCA != nil && certificates == nil; (err != nil) != isRefused {
				t.Errorf("client CA %v, %d certificates: %v", test.clientCA != nil, len(certificates), err)
			}
			if err != nil {
				continue
			}
			body, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || string(body) != test.proto {
				t.Errorf("proxy %v: %s, %v, want %s", test.proxy, body, err, test.proto)
			}
		}
	}
	for _, text := range []string{"", "no PEM"} {
		if _, err := server.TLSConfig(get, []byte(text)); err == nil {
			t.Errorf("TLSConfig with %q for certificates: no error", text)
		}
	}
}

// hashed returns a line of ParseUsers.
func hashed(t *testing.T, user, password string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s:%s\n", user, hash)
}

func TestParseUsers(t *testing.T) {
	ada := hashed(t, "ada", "x")
	for _, test := range []struct {
		text string
		want string // the error
	}{
		{ada, ""},
		{"# who may come\n\n " + strings.ReplaceAll(ada, "\n", "\r\n"), ""},
		{"", "there are no users"},
		{"# ada\n", "there are no users"},
		{ada + "bob:secret\n", "line 2 is not user:hash with a bcrypt hash"},
		{"bob\n", "line 1 is not user:hash with a bcrypt hash"},
		{strings.TrimPrefix(ada, "ada"), "line 1 is not user:hash with a bcrypt hash"},
	} {
		_, err := server.ParseUsers(test.text)
		if got := fmt.Sprint(err); err == nil && test.want != "" || err != nil && got != test.want {
			t.Errorf("ParseUsers(%q): %v, want %q", test.text, err, test.want)
		}
		if _, ok := errors.AsType[*server.UsersError](err); ok != strings.HasPrefix(test.want, "line") {
			t.Errorf("ParseUsers(%q): a UsersError: %v", test.text, ok)
		}
	}
}

// A user logs in at the gateway by Authorization, and at the proxy by Proxy-Authorization. The password
// is not passed on.
func TestUsers(t *testing.T) {
	users, err := server.ParseUsers(hashed(t, "ada", "correct horse") + hashed(t, "bob", "x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		users *server.Users
		login string // "" sends no field
		want  bool
	}{
		{users, "ada:correct horse", true},
		{users, "ada:correct horse", true}, // accepted without another comparison
		{users, "bob:x", true},
		{users, "ada:x", false},
		{users, "ada:", false},
		{users, "eve:correct horse", false},
		{users, ":", false},
		{users, "", false},
		{new(server.Users), "ada:correct horse", false},
		{nil, "", true},
	} {
		for field, target := range map[string]string{"Authorization": "/ftp://h/", "Proxy-Authorization": "ftp://h/"} {
			isAdmitted := false
			s := &server.Server{Users: test.users, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				isAdmitted = true
				if r.Header.Get(field) != "" {
					t.Errorf("%s is passed on", field)
				}
			})}
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RequestURI = target
			if user, password, ok := strings.Cut(test.login, ":"); ok {
				r.SetBasicAuth(user, password)
				value := r.Header.Get("Authorization")
				r.Header.Del("Authorization")
				r.Header.Set(field, value)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			want := map[bool]int{true: 200, false: 401}[test.want]
			if want == 401 && field != "Authorization" {
				want = 407
			}
			if w.Code != want || isAdmitted != test.want {
				t.Errorf("%s %q: %d, admitted %v, want %d", field, test.login, w.Code, isAdmitted, want)
			}
		}
	}
}

// A browser that has logged in here is not asked for a password by another server, because it would send its
// password of the gateway.
func TestUsersOfServers(t *testing.T) {
	users, err := server.ParseUsers(hashed(t, "ada", "x"))
	if err != nil {
		t.Fatal(err)
	}
	s := &server.Server{Users: users, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="elsewhere"`)
		w.WriteHeader(http.StatusUnauthorized)
	})}
	r := httptest.NewRequest(http.MethodGet, "/http://h/", nil)
	r.SetBasicAuth("ada", "x")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if got := w.Header().Get("WWW-Authenticate"); w.Code != http.StatusForbidden || got != "" {
		t.Errorf("GET /http://h/ as ada = %d, WWW-Authenticate %q, want 403 without it", w.Code, got)
	}
}

// The zero Server answers with 404.
func TestZero(t *testing.T) {
	w := httptest.NewRecorder()
	new(server.Server).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("GET / of the zero Server = %d, want 404", w.Code)
	}
}
