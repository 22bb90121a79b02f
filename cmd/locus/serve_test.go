package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"locus/scheme"
	"locus/url"

	"golang.org/x/crypto/bcrypt"
)

// A served is `locus serve` while it runs in this process.
type served struct {
	at, admin string // "http://127.0.0.1:40123"
	stop      func() int
	printed   func() string // to stderr, so far
}

// startServe runs `locus serve` with more arguments until the test ends.
func startServe(t *testing.T, args ...string) *served {
	t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		args := append([]string{"locus", "serve", "--listen", "127.0.0.1:0", "--no-proxy"}, args...)
		status := program().Run(ctx, testEnv(nil, out, out), args)
		out.Close()
		ended <- status
	}()
	s := &served{}
	var mu sync.Mutex
	var text strings.Builder
	s.printed = func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
	ready, read := make(chan bool, 1), make(chan bool)
	wants := 1
	if strings.Contains(strings.Join(args, " "), "--admin") {
		wants = 2
	}
	go func() {
		defer close(read)
		defer close(ready)
		for lines := bufio.NewScanner(in); lines.Scan(); {
			mu.Lock()
			text.WriteString(lines.Text() + "\n")
			mu.Unlock()
			if at, ok := strings.CutPrefix(lines.Text(), "locus: the gateway is at "); ok {
				s.at = strings.TrimSuffix(at, "/")
				wants--
			}
			if at, ok := strings.CutPrefix(lines.Text(), "locus: its metrics are at "); ok {
				s.admin = strings.TrimSuffix(at, "/metrics")
				wants--
			}
			if wants == 0 {
				wants--
				ready <- true
			}
		}
	}()
	if !<-ready {
		t.Fatalf("serve ended with %d: %s", <-ended, s.printed())
	}
	s.stop = sync.OnceValue(func() int {
		cancel()
		status := <-ended
		<-read
		in.Close()
		return status
	})
	t.Cleanup(func() { s.stop() })
	return s
}

// ask sends a request that change may change, and returns the status and the
// body; through is the client, nil for the usual one.
func ask(t *testing.T, through *http.Client, target string, change func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://gateway.invalid/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.URL, err = neturl.Parse(target); err != nil {
		t.Fatal(err)
	}
	r.Host = r.URL.Host
	if change != nil {
		change(r)
	}
	if through == nil {
		through = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	}
	answer, err := through.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return answer.StatusCode, "broken off: " + err.Error()
	}
	return answer.StatusCode, string(body)
}

// proxyThrough returns a client that uses the gateway as its proxy.
func proxyThrough(t *testing.T, at, login string) *http.Client {
	t.Helper()
	u, err := neturl.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	if user, password, ok := strings.Cut(login, ":"); ok {
		u.User = neturl.UserPassword(user, password)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(u), DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // of a test
	return &http.Client{Transport: transport}
}

// writeUsers writes a file of users for --auth.
func writeUsers(t *testing.T, logins ...string) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("# who may come\n\n")
	for _, login := range logins {
		user, password, _ := strings.Cut(login, ":")
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s:%s\n", user, hash)
	}
	name := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A visitor says who they are; the password goes nowhere else.
func TestServeAuth(t *testing.T) {
	var got sync.Map // the header of the last request
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store("header", r.Header.Clone())
		io.WriteString(w, "from the origin")
	}))
	defer origin.Close()
	s := startServe(t, "--no-cache", "--auth", writeUsers(t, "ada:correct horse", "bob:x"))
	for _, tt := range []struct {
		login string
		want  int
	}{
		{"ada:correct horse", 200},
		{"ada:correct horse", 200},
		{"bob:x", 200},
		{"ada:x", 401},
		{"ada:", 401},
		{"eve:correct horse", 401},
		{":", 401},
		{"", 401},
	} {
		status, body := ask(t, nil, s.at+"/"+origin.URL+"/", func(r *http.Request) {
			if user, password, ok := strings.Cut(tt.login, ":"); ok {
				r.SetBasicAuth(user, password)
			}
		})
		if status != tt.want || (body == "from the origin") != (tt.want == 200) {
			t.Errorf("as %q: %d, %q, want %d", tt.login, status, body, tt.want)
		}
		want := tt.want
		if want == 401 {
			want = 407
		}
		if status, _ := ask(t, proxyThrough(t, s.at, tt.login), origin.URL+"/", nil); status != want {
			t.Errorf("through the proxy as %q: %d, want %d", tt.login, status, want)
		}
	}
	proxied := proxyThrough(t, s.at, "ada:correct horse")
	if status, _ := ask(t, proxied, origin.URL+"/", func(r *http.Request) { r.SetBasicAuth("me", "at the origin") }); status != 200 {
		t.Errorf("with a login at the origin: %d", status)
	}
	header, _ := got.Load("header")
	if h := header.(http.Header); h.Get("Proxy-Authorization") != "" || h.Get("Authorization") == "" {
		t.Errorf("the origin got %v", h)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d", status)
	}
	if log := s.printed(); strings.Contains(log, "correct") || !strings.Contains(log, "user=ada") {
		t.Errorf("the log has a password, or no user:\n%s", log)
	}
}

// Whoever listens on the way learns passwords: its user is told.
func TestServeAuthUnencrypted(t *testing.T) {
	users := writeUsers(t, "ada:sesame")
	for _, tt := range []struct {
		args []string
		want bool // a warning
	}{
		{[]string{"--auth", users}, false},
		{[]string{"--auth", users, "--policy", "public", "--listen", "0.0.0.0:0"}, true},
		{[]string{"--policy", "public", "--listen", "0.0.0.0:0"}, false},
	} {
		s := startServe(t, append(tt.args, "--no-cache")...)
		if warned := strings.Contains(s.printed(), "unencrypted: use --acme"); warned != tt.want {
			t.Errorf("%q prints %q", tt.args, s.printed())
		}
	}
}

// What a visitor says of themselves is no password for a server.
func TestServeAuthIsNotForwarded(t *testing.T) {
	var asked atomic.Int64
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); ok {
			t.Errorf("the origin got %q", r.Header.Get("Authorization"))
		}
		asked.Add(1)
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer origin.Close()
	s := startServe(t, "--no-cache", "--auth", writeUsers(t, "ada:secret"))
	status, _ := ask(t, nil, s.at+"/"+strings.Replace(origin.URL, "//", "//u@", 1)+"/", func(r *http.Request) { r.SetBasicAuth("ada", "secret") })
	if status != http.StatusForbidden {
		t.Errorf("%d, want 403: the browser would give its password for the gateway again", status)
	}
	if asked.Load() == 0 {
		t.Error("the origin was not asked")
	}
}

// With the policy "public" nothing of this machine or of its network is reached.
//
// req: 1738-6-1
func TestServePublic(t *testing.T) {
	origin := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("reached") }))
	defer origin.Close()
	host := strings.TrimPrefix(origin.URL, "https://")
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServe(t, "--policy", "public", "--no-cache", "--mail", root)
	for _, target := range []string{
		"http://" + host + "/", "https://" + host + "/", "ftp://" + host + "/", "gopher://" + host + "/", "wais://" + host + "/db",
		"prospero://" + host + "/x", "nntp://" + host + "/g", "http://localhost/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
		"http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://0.0.0.0/", "http://192.0.2.1:25/",
		"telnet://" + host + "/", "file:///etc/passwd", "mid:x@y", "javascript:1",
	} {
		if status, body := ask(t, nil, s.at+"/"+target, nil); status < 400 && !strings.HasPrefix(target, "telnet") || strings.Contains(body, "root:") {
			t.Errorf("%s: %d", target, status)
		}
	}
	refused, err := os.ReadFile("../../testdata/strangers.txt") // a public locus.Client refuses the same
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(refused)) {
		target := strings.TrimSpace(line)
		if strings.HasPrefix(target, "#") || opensNothing(target) {
			continue
		}
		if status, body := ask(t, nil, s.at+"/"+target, nil); status < 400 {
			t.Errorf("%s: %d, %q", target, status, body)
		}
	}
	proxied := proxyThrough(t, s.at, "")
	for _, target := range []string{"http://" + host + "/", "https://" + host + "/", "http://192.0.2.1:25/", "https://127.0.0.1:443/"} {
		if status, body := ask(t, proxied, target, nil); status < 400 && status != 0 {
			t.Errorf("by proxy, %s: %d, %q", target, status, body)
		}
	}
	rooted := startServe(t, "--policy", "public", "--no-cache", "--root", root, "--scheme", "file")
	if status, body := ask(t, nil, rooted.at+"/file:///a.txt", nil); status != 200 || body != "a file" {
		t.Errorf("a file in the root: %d, %q", status, body)
	}
	if status, _ := ask(t, nil, rooted.at+"/file:///etc/passwd", nil); status != 404 {
		t.Errorf("a file elsewhere: %d", status)
	}
	if status, _ := ask(t, nil, rooted.at+"/http://192.0.2.1/", nil); status < 400 {
		t.Errorf("a scheme that was not named: %d", status)
	}
	if status, body := say(t, strings.TrimPrefix(rooted.at, "http://"), "CONNECT 192.0.2.1:443 HTTP/1.1\nHost: 192.0.2.1:443"); status != 403 || !strings.Contains(body, "does not make tunnels") {
		t.Errorf("a tunnel, where https was not named: %d, %q", status, body)
	}
}

// opensNothing reports whether the gateway answers with a page and opens nothing: for
// an address, and for a session until it is opened on the page.
func opensNothing(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags&(scheme.Session|scheme.Address) != 0
}

// With "any" the user's own files and mail are not for others either.
func TestServeAny(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "inside") }))
	defer origin.Close()
	s := startServe(t, "--policy", "any", "--no-cache")
	if status, body := ask(t, nil, s.at+"/"+origin.URL+"/", nil); status != 200 || body != "inside" {
		t.Errorf("%d, %q", status, body)
	}
	for _, target := range []string{"file:///etc/passwd", "mid:x@y"} {
		if status, _ := ask(t, nil, s.at+"/"+target, nil); status < 400 {
			t.Errorf("%s: %d", target, status)
		}
	}
}

// Over TLS, and only for who has a certificate; with HTTP/2 where the gateway is no
// proxy for the web.
func TestServeTLS(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	pair := selfSigned(t, file("cert.pem"), file("key.pem"))
	roots := x509.NewCertPool()
	text, err := os.ReadFile(file("cert.pem"))
	if err != nil {
		t.Fatal(err)
	}
	roots.AppendCertsFromPEM(text)
	client := func(certificates ...tls.Certificate) *http.Client {
		return &http.Client{Transport: &http.Transport{
			ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: certificates, MinVersion: tls.VersionTLS12},
		}}
	}
	for _, tt := range []struct{ scheme, want string }{
		{"--scheme=ftp", "HTTP/2.0"},
		{"--scheme=http", "HTTP/1.1"},
		{"--scheme=https", "HTTP/1.1"},
		{"--no-cache", "HTTP/1.1"}, // every scheme
	} {
		s := startServe(t, "--no-cache", "--tls-cert", file("cert.pem"), "--tls-key", file("key.pem"), "--client-ca", file("cert.pem"), tt.scheme)
		if !strings.HasPrefix(s.at, "https://") {
			t.Fatalf("it is at %s", s.at)
		}
		answer, err := client(pair).Get(s.at + "/")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 200 || answer.Proto != tt.want {
			t.Errorf("%s: %s %s, want 200 by %s", tt.scheme, answer.Proto, answer.Status, tt.want)
		}
		if answer, err := client().Get(s.at + "/"); err == nil {
			answer.Body.Close()
			t.Errorf("%s, without a certificate: %s", tt.scheme, answer.Status)
		}
	}
}

// The admin has counts and a sign of life of their own.
func TestServeAdmin(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=100")
		io.WriteString(w, "thirteen byte")
	}))
	defer origin.Close()
	s := startServe(t, "--cache-dir", t.TempDir(), "--admin", "0", "--log", "json")
	for range 2 {
		ask(t, nil, s.at+"/"+origin.URL+"/", nil)
	}
	if status, body := ask(t, nil, s.admin+"/healthz", nil); status != 200 || body != "ok\n" {
		t.Errorf("/healthz: %d, %q", status, body)
	}
	// An answer is counted when all of it has gone, which its client may see first.
	_, body := ask(t, nil, s.admin+"/metrics", nil)
	for begin := time.Now(); !strings.Contains(body, `locus_request_seconds_bucket{way="gateway",le="+Inf"} 2`) && time.Since(begin) < time.Minute; {
		_, body = ask(t, nil, s.admin+"/metrics", nil)
	}
	for _, want := range []string{
		`locus_requests_total{way="gateway",status="200"} 2`, `locus_sent_bytes_total{way="gateway"} 26`,
		`locus_request_seconds_bucket{way="gateway",le="+Inf"} 2`, `locus_request_seconds_count{way="gateway"} 2`,
		"locus_cache_hits_total 1", "locus_cache_misses_total 1", "process_resident_memory_bytes ",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics has no %q", want)
		}
	}
	if status, _ := ask(t, nil, s.at+"/metrics", nil); status == 200 {
		t.Error("/metrics is where everybody comes")
	}
	s.stop()
	if log := s.printed(); !strings.Contains(log, `"target":"`+origin.URL+`/","status":200,"bytes":13`) {
		t.Errorf("the log: %s", log)
	}
}

// A page elsewhere that lets its name resolve to the admin's address reads nothing
// there; who watches the gateway asks by its address, by a name of --name, or, like
// HTTP/1.0, by none.
func TestServeAdminHost(t *testing.T) {
	s := startServe(t, "--no-cache", "--admin", "0", "--name", "gate.example")
	at := strings.TrimPrefix(s.admin, "http://")
	_, port, _ := strings.Cut(at, ":")
	for _, tt := range []struct {
		host string
		want int
	}{
		{"Host: " + at, 200},
		{"Host: localhost:" + port, 200},
		{"Host: gate.example", 200},
		{"", 200},
		{"Host: evil.example", 421},
		{"Host: evil.example:" + port, 421},
		{"Host: localhost.evil.example", 421},
	} {
		for _, path := range []string{"/metrics", "/healthz", "/"} {
			want := tt.want
			if path == "/" && want == 200 {
				want = 404
			}
			status, body := say(t, at, "GET "+path+" HTTP/1.0\n"+tt.host)
			if status != want || status == 421 && strings.Contains(body, "locus_") {
				t.Errorf("%s with %q: %d, %.40q, want %d", path, tt.host, status, body, want)
			}
		}
	}
}

// say sends the lines of a request, and returns the status and the body.
func say(t *testing.T, at, request string) (int, string) {
	t.Helper()
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, strings.ReplaceAll(strings.TrimSpace(request), "\n", "\r\n")+"\r\n\r\n")
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

// The log has no password, wherever it is in what was asked.
func TestServeLog(t *testing.T) {
	s := startServe(t, "--no-cache")
	for _, target := range []string{"/ftp://u:hunter2@127.0.0.1:1/", "/-/open?url=ftp://u:hunter2@127.0.0.1:1/", "/-/about?url=ftp%3A//u:hunter2@127.0.0.1:1/", "/ftp://u:hunter2@[/"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.at, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", target)
		io.Copy(io.Discard, conn)
		conn.Close()
	}
	s.stop()
	if log := s.printed(); strings.Contains(log, "hunter2") || strings.Count(log, "answered") != 4 {
		t.Errorf("the log: %s", log)
	}
}

// Answers that have begun are finished, if that does not take too long.
func TestServeDrain(t *testing.T) {
	for _, tt := range []struct {
		drain  string
		status int
		rest   string
		err    error
	}{
		{"30s", 0, "and half", nil},
		{"1ms", 1, "", io.ErrUnexpectedEOF},
	} {
		more := make(chan bool)
		origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "half ")
			w.(http.Flusher).Flush()
			<-more
			io.WriteString(w, "and half")
		}))
		s := startServe(t, "--no-cache", "--drain", tt.drain)
		ended := make(chan int, 1)
		answer, err := proxyThrough(t, s.at, "").Get(origin.URL)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(answer.Body, make([]byte, len("half "))); err != nil {
			t.Fatal(err)
		}
		go func() { ended <- s.stop() }()
		if tt.status == 0 {
			for refused := false; !refused; { // it lets nobody in any more
				c, err := net.Dial("tcp", strings.TrimPrefix(s.at, "http://"))
				if refused = err != nil; !refused {
					c.Close()
				}
			}
			close(more)
		}
		rest, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if !errors.Is(err, tt.err) || string(rest) != tt.rest {
			t.Errorf("--drain %s: the rest is %q, %v, want %q, %v", tt.drain, rest, err, tt.rest, tt.err)
		}
		if status := <-ended; status != tt.status {
			t.Errorf("--drain %s: it ended with %d, want %d", tt.drain, status, tt.status)
		}
		if tt.status != 0 {
			close(more)
		}
		origin.Close()
	}
}

// A client may have so many answers at once and no more.
func TestServePerClient(t *testing.T) {
	begun, more := make(chan bool), make(chan bool)
	origin := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun <- true
		<-more
	}))
	defer origin.Close()
	s := startServe(t, "--no-cache", "--per-client", "2")
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if status, body := ask(t, nil, s.at+"/"+origin.URL+"/", nil); status != 200 {
				t.Errorf("%d, %s", status, body)
			}
		})
		<-begun
	}
	if status, _ := ask(t, nil, s.at+"/", nil); status != http.StatusTooManyRequests {
		t.Errorf("the third: %d, want 429", status)
	}
	close(more)
	all.Wait()
	if status, _ := ask(t, nil, s.at+"/", nil); status != 200 {
		t.Errorf("later: %d", status)
	}
}

// selfSigned writes a certificate for 127.0.0.1, which is one for clients and an
// authority too, and its key.
func selfSigned(t *testing.T, certFile, keyFile string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		name, kind string
		content    []byte
	}{{certFile, "CERTIFICATE", cert}, {keyFile, "PRIVATE KEY", private}} {
		if err := os.WriteFile(f.name, pem.EncodeToMemory(&pem.Block{Type: f.kind, Bytes: f.content}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tls.Certificate{Certificate: [][]byte{cert}, PrivateKey: key}
}
