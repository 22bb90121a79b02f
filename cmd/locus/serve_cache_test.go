package main

import (
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// brittle is an origin whose responses are cut while breaks is set.
func brittle(t *testing.T, text string) (server *httptest.Server, breaks *atomic.Bool, asked *atomic.Int64) {
	t.Helper()
	breaks, asked = new(atomic.Bool), new(atomic.Int64)
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Cache-Control", "max-age=1000")
		w.Header().Set("Content-Type", "text/plain")
		if strings.HasSuffix(r.URL.Path, "/chunked") {
			w.(http.Flusher).Flush()
		}
		if breaks.Load() {
			io.WriteString(w, text[:len(text)/2])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	return server, breaks, asked
}

// A response that is cut at its server is also cut for the client, and is not cached. A whole
// response is cached.
func TestServeBrokenOff(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 10_000)
	origin, breaks, asked := brittle(t, text)
	s := startServe(t, "--cache-dir", t.TempDir())
	for _, path := range []string{"/known", "/chunked"} {
		asked.Store(0)
		for _, test := range []struct {
			breaks bool
			asked  int64
		}{{true, 1}, {true, 2}, {false, 3}, {true, 3}} {
			breaks.Store(test.breaks)
			status, body := ask(t, nil, s.at+"/"+origin.URL+path, nil)
			if wantWhole := test.asked == 3; wantWhole != (status == 200 && body == text) || !wantWhole && !strings.HasPrefix(body, "broken off: ") {
				t.Errorf("%s, while the origin breaks %v = %d, %d bytes, %.40q", path, test.breaks, status, len(body), body)
			}
			if asked.Load() != test.asked {
				t.Errorf("%s: the origin got %d requests, want %d", path, asked.Load(), test.asked)
			}
		}
	}
}

// Responses for a proxy's client are cached as responses for a visitor are: only if they are whole.
func TestServeProxyRemembers(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 10_000)
	origin, breaks, asked := brittle(t, text)
	s := startServe(t, "--cache-dir", t.TempDir())
	through := proxyThrough(t, s.at, "")
	for _, test := range []struct {
		breaks, whole bool
		asked         int64
		field         string
	}{
		{true, false, 1, ""},
		{false, true, 2, ""},
		{true, true, 2, ""},
		{true, true, 2, "Range: bytes=-160000"},
		{false, true, 3, "Cache-Control: no-cache"},
		{false, true, 4, "Cookie: a=b"},
		{true, true, 4, ""},
	} {
		breaks.Store(test.breaks)
		status, body := ask(t, through, origin.URL+"/x", func(r *http.Request) {
			if name, value, ok := strings.Cut(test.field, ": "); ok {
				r.Header.Set(name, value)
			}
		})
		if isWhole := status/100 == 2 && body == text; isWhole != test.whole || asked.Load() != test.asked {
			t.Errorf("request %+v = %d, %d bytes, after %d requests to the origin", test, status, len(body), asked.Load())
		}
	}
}

// If a gateway is killed while it writes to its cache, the next gateway does not serve partial
// files.
func TestServeKilled(t *testing.T) {
	half, more := make(chan bool), make(chan bool)
	text := strings.Repeat("0123456789abcdef", 50_000)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=1000")
		io.WriteString(w, text[:len(text)/2])
		if r.URL.Path == "/slow" {
			w.(http.Flusher).Flush()
			half <- true
			<-more
		}
		io.WriteString(w, text[len(text)/2:])
	}))
	defer origin.Close()
	dir := t.TempDir()
	cmd := clitest.Process(t.Context(), t, "serve", "--listen", "127.0.0.1:0", "--no-proxy", "--log", "off", "--cache-dir", dir)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	clitest.Start(t, cmd)
	line, _ := bufio.NewReader(errs).ReadString('\n')
	_, at, ok := strings.Cut(strings.TrimSpace(line), "the gateway is at ")
	if !ok {
		t.Fatalf("the gateway says %q, want its address", line)
	}
	ask(t, nil, at+origin.URL+"/whole", nil)
	got := make(chan string)
	go func() {
		_, body := ask(t, nil, at+origin.URL+"/slow", nil)
		got <- body
	}()
	<-half
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the test has killed it
	if body := <-got; len(body) >= len(text) {
		t.Errorf("the client got the %d bytes of a whole response from a killed gateway", len(body))
	}
	close(more)
	if kept := keptIn(t, dir); kept != 1 {
		t.Errorf("the cache has %d files, want only the one that was whole", kept)
	}

	breakable, breaks, asked := brittle(t, text)
	breaks.Store(true)
	s := startServe(t, "--cache-dir", dir)
	go func() { // of the second gateway
		select {
		case <-half:
		case <-t.Context().Done():
		}
	}()
	for _, path := range []string{"/whole", "/slow"} {
		if status, body := ask(t, nil, s.at+"/"+origin.URL+path, nil); status != 200 || body != text {
			t.Errorf("%s from the next gateway = %d, %d bytes", path, status, len(body))
		}
	}
	ask(t, nil, s.at+"/"+breakable.URL+"/x", nil)
	if asked.Load() != 1 || keptIn(t, dir) != 2 {
		t.Errorf("the cache has %d files, want 2", keptIn(t, dir))
	}
}

// keptIn counts the complete files of a cache.
func keptIn(t *testing.T, dir string) int {
	t.Helper()
	kept := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "tmp-") {
			return err
		}
		kept++
		b, err := os.ReadFile(path)
		if err == nil && !bytes.Contains(b, []byte("locus.c1")) {
			t.Errorf("the cached file %s is not complete", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// Without a folder for caches, serve names the flags that help.
func TestServeWithoutCacheFolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the test sets the variables of Linux")
	}
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	status, _, stderr := runHere(t, "", "serve", "--listen", "127.0.0.1:0")
	if want := "locus: hint: name a folder with --cache-dir DIR, or use --no-cache\n"; status != 1 || !strings.HasSuffix(stderr, want) {
		t.Errorf("serve exits with %d: %s, want %s", status, stderr, want)
	}
}
