package webd

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"locus/demo/internal/library"
	"locus/demo/internal/serve"
)

func newServer(t *testing.T) *Server {
	t.Helper()
	index, err := library.NewIndex(library.Files())
	if err != nil {
		t.Fatal(err)
	}
	return &Server{Files: library.Files(), Index: index, Links: []serve.Link{{Title: "FTP", Scheme: "ftp", Port: 2121}}}
}

// start returns the address of a server.
func start(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	s := newServer(t)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve = %v, want nil once its context is done", err)
		}
	})
	return l.Addr().String()
}

// raw sends a request as it is written and gives the answer.
func raw(t *testing.T, addr, request string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	return resp, string(body)
}

func TestOnTheWire(t *testing.T) {
	addr := start(t)
	const end = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
	for _, test := range []struct {
		request string
		status  int
		body    string // a part of it
	}{
		{"GET /" + end + "\r\n", 200, "Hello from locus demo"},
		{"GET /" + end + "\r\n", 200, `<a href="ftp://127.0.0.1:2121/">`},
		{"GET /" + end + "\r\n", 200, `<a href="./README.txt">README.txt</a> The little library of locus`},
		{"GET / HTTP/1.0\r\n\r\n", 200, "Hello"},
		{"GET http://x/etc/motd" + end + "\r\n", 200, "read the manual"},
		{"GET /awkward/" + end + "\r\n", 200, `<a href="./number%23sign.txt">number#sign.txt</a>`},
		{"GET /awkward/" + end + "\r\n", 200, `<a href="./+=&amp;@,:%27.txt">`},
		{"GET /awkward/" + end + "\r\n", 200, `<a href="./a%252Fb.txt">a%2Fb.txt</a>`},
		{"GET /awkward/" + end + "\r\n", 200, `<a href="../">`},
		{"GET /awkward/two%20words.txt" + end + "\r\n", 200, "Two words"},
		{"GET /awkward/a%252Fb.txt" + end + "\r\n", 200, "Not a slash"},
		{"GET /awkward/d%C3%A9j%C3%A0%20vu.txt" + end + "\r\n", 200, "Accents"},
		{"GET /awkward/empty.txt" + end + "\r\n", 200, ""},
		{"GET /awkward%2Fempty.txt" + end + "\r\n", 404, ""},
		{"GET /awkward" + end + "\r\n", 301, ""},
		{"GET //etc/motd" + end + "\r\n", 404, ""},
		{"GET /etc//motd" + end + "\r\n", 404, ""},
		{"GET /etc/motd/" + end + "\r\n", 404, ""},
		{"GET /./etc/motd" + end + "\r\n", 404, ""},
		{"GET /../etc/motd" + end + "\r\n", 404, ""},
		{"GET /%2e" + end + "\r\n", 404, ""},
		{"GET /nothing" + end + "\r\n", 404, "no such page"},
		{"GET /%zz" + end + "\r\n", 400, ""},
		{"GET /search?words=wais+score" + end + "\r\n", 200, `<a href="/texts/wais.txt">`},
		{"GET /search?words=%3Cscript%3E" + end + "\r\n", 200, "Nothing here"},
		{"GET /search" + end + "\r\n", 200, "<form"},
		{"HEAD /etc/motd" + end + "\r\n", 200, ""},
		{"POST /etc/motd" + end + "Content-Length: 0\r\n\r\n", 405, "read only"},
		{"GET /etc/motd" + end + "Range: bytes=4-6\r\n\r\n", 206, "mes"},
		{"GET /etc/motd" + end + "Range: bytes=9999-\r\n\r\n", 416, ""},
		{"GET /etc/motd" + end + "If-Modified-Since: Tue, 20 Dec 1994 09:30:15 GMT\r\n\r\n", 304, ""},
		{"GET /etc/motd" + end + "X: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", 431, ""},
	} {
		resp, body := raw(t, addr, test.request)
		if resp.StatusCode != test.status || !strings.Contains(body, test.body) {
			t.Errorf("%.60q: %d %q, want %d and %q", test.request, resp.StatusCode, body, test.status, test.body)
		}
		if strings.Contains(body, "<script>") {
			t.Errorf("%q: the page has a script: %q", test.request, body)
		}
	}
}

func TestHeaders(t *testing.T) {
	s := newServer(t)
	get := func(path string, header ...string) *http.Response {
		r := httptest.NewRequest("GET", path, nil)
		if len(header) == 2 {
			r.Header.Set(header[0], header[1])
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Result()
	}
	for _, test := range []struct{ path, name, want string }{
		{"/etc/motd", "Content-Type", "text/plain; charset=utf-8"},
		{"/etc/motd", "Last-Modified", "Tue, 20 Dec 1994 09:30:15 GMT"},
		{"/etc/motd", "Etag", `"3f-2ef6a427"`},
		{"/etc/motd", "Content-Length", "63"},
		{"/etc/motd", "X-Content-Type-Options", "nosniff"},
		{"/pictures/lens.gif", "Content-Type", "image/gif"},
		{"/texts/", "Content-Type", "text/html; charset=utf-8"},
		{"/awkward", "Location", "/awkward/"},
	} {
		if got := get(test.path).Header.Get(test.name); got != test.want {
			t.Errorf("%s: %s: %q, want %q", test.path, test.name, got, test.want)
		}
	}
	tag := get("/etc/motd").Header.Get("Etag")
	if got := get("/etc/motd", "If-None-Match", tag).StatusCode; got != http.StatusNotModified {
		t.Errorf("with its own tag: %d, want 304", got)
	}
}

// Every file of the library is found under its escaped name, and is whole.
func TestEveryFile(t *testing.T) {
	s := newServer(t)
	err := fs.WalkDir(s.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		want, err := fs.ReadFile(s.Files, name)
		if err != nil {
			return err
		}
		path := strings.TrimPrefix(string(relative(name)), ".")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 || w.Body.String() != string(want) {
			t.Errorf("GET %s: %d and %d bytes, want 200 and %d", path, w.Code, w.Body.Len(), len(want))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestServeFailsWithItsListener(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := newServer(t).Serve(t.Context(), l); err == nil {
		t.Error("Serve = nil on a closed listener, want an error")
	}
}

func TestLogHasTheRequestLine(t *testing.T) {
	s := newServer(t)
	var logged []string
	s.Log = func(line string) { logged = append(logged, line) }
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/a%20b?c", nil))
	if got, want := strings.Join(logged, "\n"), "GET /a%20b?c"; got != want {
		t.Errorf("log %q, want %q", got, want)
	}
}
