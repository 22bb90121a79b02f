package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"locus/scheme"
	"locus/url"
)

// A served is `locus serve` while it runs in this process.
type served struct {
	at, admin string // such as "http://127.0.0.1:40123"
	stop      func() int
	printed   func() string // returns the stderr so far
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

// ask sends a request, and returns the status and the body. change may change the request. through
// is the client; nil means the default client.
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

// With the policy "public", the gateway opens no resource of this machine or of its network.
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
	s := startServe(t, "--policy", "public", "--no-cache")
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
	refused, err := os.ReadFile("../../testdata/strangers.txt") // the same URLs that a locus.Client with Public refuses
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
			t.Errorf("%s through the proxy = %d, %q", target, status, body)
		}
	}
	rooted := startServe(t, "--policy", "public", "--no-cache", "--root", root, "--scheme", "file")
	if status, body := ask(t, nil, rooted.at+"/file:///a.txt", nil); status != 200 || body != "a file" {
		t.Errorf("file:///a.txt in --root = %d, %q", status, body)
	}
	if status, _ := ask(t, nil, rooted.at+"/file:///etc/passwd", nil); status != 404 {
		t.Errorf("a file outside of --root = %d", status)
	}
	if status, _ := ask(t, nil, rooted.at+"/http://192.0.2.1/", nil); status < 400 {
		t.Errorf("a URL of a scheme that --scheme does not name = %d", status)
	}
	if status, body := say(t, strings.TrimPrefix(rooted.at, "http://"), "CONNECT 192.0.2.1:443 HTTP/1.1\nHost: 192.0.2.1:443"); status != 403 || !strings.Contains(body, "does not allow tunnels") {
		t.Errorf("a tunnel without --scheme https = %d, %q", status, body)
	}
}

// opensNothing reports whether the gateway answers with a page and connects nowhere: for a refused
// address, and for a session until the page opens it.
func opensNothing(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags&(scheme.Session|scheme.Address) != 0
}

// With the policy "any", others still cannot open the user's own files and mail.
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

// At the end, serve finishes responses that have begun, for at most the time of --drain.
func TestServeDrain(t *testing.T) {
	for _, test := range []struct {
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
		s := startServe(t, "--no-cache", "--drain", test.drain)
		ended := make(chan int, 1)
		answer, err := proxyThrough(t, s.at, "").Get(origin.URL)
		if err != nil {
			t.Fatalf("drain %v: %v", test.drain, err)
		}
		if _, err := io.ReadFull(answer.Body, make([]byte, len("half "))); err != nil {
			t.Fatalf("drain %v: %v", test.drain, err)
		}
		go func() { ended <- s.stop() }()
		if test.status == 0 {
			for refused := false; !refused; { // until it accepts no more connections
				c, err := net.Dial("tcp", strings.TrimPrefix(s.at, "http://"))
				if refused = err != nil; !refused {
					c.Close()
				}
			}
			close(more)
		}
		rest, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if !errors.Is(err, test.err) || string(rest) != test.rest {
			t.Errorf("--drain %s: the rest of the response is %q, %v, want %q, %v", test.drain, rest, err, test.rest, test.err)
		}
		if status := <-ended; status != test.status {
			t.Errorf("--drain %s: serve ended with %d, want %d", test.drain, status, test.status)
		}
		if test.status != 0 {
			close(more)
		}
		origin.Close()
	}
}

// A client may have only --per-client simultaneous responses.
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
		t.Errorf("the third request at once = %d, want 429", status)
	}
	close(more)
	all.Wait()
	if status, _ := ask(t, nil, s.at+"/", nil); status != 200 {
		t.Errorf("a request after the others have ended = %d, want 200", status)
	}
}
