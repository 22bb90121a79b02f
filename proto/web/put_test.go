package web

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"golang.org/x/net/webdav"

	"locus/access"
	"locus/access/accesstest"
	"locus/url"
)

// A davStore is a WebDAV server of golang.org/x/net on a folder. It writes a PUT into the file
// itself.
type davStore struct {
	dir     string
	handler webdav.Handler
	before  davHook // may be nil

	mu    sync.Mutex
	asked []string
}

// A davHook handles a request of a davStore if it returns true.
type davHook func(s *davStore, w http.ResponseWriter, r *http.Request) bool

func (s *davStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	line := r.Method + " " + withoutDigits(r.URL.Path)
	for _, name := range []string{"Overwrite", "Depth", "If-Match"} {
		if value := r.Header.Get(name); value != "" {
			line += " " + name + ": " + value
		}
	}
	s.asked = append(s.asked, line)
	s.mu.Unlock()
	if s.before == nil || !s.before(s, w, r) {
		s.handler.ServeHTTP(w, r)
	}
}

// withoutDigits returns a path whose temporary name ends in "#" instead of random digits.
func withoutDigits(path string) string {
	name, digits, ok := strings.Cut(path, ".part-")
	if !ok || len(digits) != 8 {
		return path
	}
	return name + ".part-#"
}

// newDAV starts a davStore that has the file old and the folder dir with the file f.
func newDAV(t *testing.T) (s *davStore, c *Client, at func(string) url.URL) {
	t.Helper()
	s = &davStore{dir: t.TempDir()}
	s.handler = webdav.Handler{FileSystem: webdav.Dir(s.dir), LockSystem: webdav.NewMemLS()}
	for name, text := range map[string]string{"old": "old", "dir/f": "f"} {
		full := filepath.Join(s.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o777), os.WriteFile(full, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c = &Client{Dial: new(net.Dialer).DialContext}
	t.Cleanup(c.CloseIdleConnections)
	return s, c, func(path string) url.URL { return url.MustParse(server.URL + path) }
}

// files returns the files of the server by name.
func (s *davStore) files(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(s.dir, name)
		all[withoutDigits(filepath.ToSlash(rel))] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// isTemporary reports whether a request is for a temporary name.
func isTemporary(r *http.Request) bool { return strings.Contains(r.URL.Path, ".part-") }

// refuse answers with a status.
func refuse(status int) davHook {
	return func(_ *davStore, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		return true
	}
}

// on returns a hook for the requests of a method, for temporary names or for others.
func on(method string, isPart bool, do davHook) davHook {
	return func(s *davStore, w http.ResponseWriter, r *http.Request) bool {
		return r.Method == method && isTemporary(r) == isPart && do(s, w, r)
	}
}

// errAny stands for any error in tables.
var errAny = errors.New("any error")

// A Put stores a file under its name only when it is whole: it sends the file under a temporary name, and
// moves it. A server that refuses that gets a plain PUT.
func TestPutWhole(t *testing.T) {
	const propfind = "PROPFIND /new.part-# Depth: 0"
	for _, test := range []struct {
		name   string
		path   string
		body   io.Reader // nil: "hello"
		req    access.Request
		before davHook
		asked  string // "": not compared
		want   string // the content of path; "": it does not exist
		err    error
	}{
		{name: "new", path: "/new", asked: "OPTIONS /, PUT /new.part-#, " + propfind + ", MOVE /new.part-# Overwrite: F", want: "hello"},
		{
			name: "replaced", path: "/old",
			asked: "OPTIONS /, PUT /old.part-#, PROPFIND /old.part-# Depth: 0, MOVE /old.part-# Overwrite: F, PROPFIND /old Depth: 0, MOVE /old.part-# Overwrite: T",
			want:  "hello",
		},
		{name: "escapes", path: "/a%20%23%25b", want: "hello"},
		{name: "a long name", path: "/" + strings.Repeat("n", 250), want: "hello"},
		{
			name: "the name of the caller", path: "/new", req: access.Request{Part: ".part-0123456789abcdef"},
			asked: "OPTIONS /, PUT /new.part-0123456789abcdef, PROPFIND /new.part-0123456789abcdef Depth: 0, MOVE /new.part-0123456789abcdef Overwrite: F", want: "hello",
		},
		{
			name: "a stream", path: "/new", body: unseekable("hello"), req: access.Request{Size: -1},
			asked: "OPTIONS /, PUT /new.part-#, " + propfind + ", MOVE /new.part-# Overwrite: F, DELETE /new.part-#, PUT /new.part-#, " + propfind + ", MOVE /new.part-# Overwrite: F", want: "hello",
		},
		{name: "a stream, no MOVE", path: "/new", body: unseekable("hello"), req: access.Request{Size: -1}, before: on("MOVE", true, refuse(403)), want: "hello"},
		{name: "a folder is never replaced", path: "/dir", err: errAny},
		{name: "absent", path: "/new", req: access.Request{IfAbsent: true}, want: "hello"},
		{name: "not absent", path: "/old", req: access.Request{IfAbsent: true}, want: "old", err: fs.ErrExist},
		{
			name: "created meanwhile", path: "/new", req: access.Request{IfAbsent: true}, want: "other", err: fs.ErrExist,
			before: on("MOVE", true, func(s *davStore, _ http.ResponseWriter, _ *http.Request) bool {
				return os.WriteFile(filepath.Join(s.dir, "new"), []byte("other"), 0o666) != nil
			}),
		},
		{name: "this version", path: "/old", req: access.Request{IfMatch: access.Validator{ETag: "*"}}, asked: "HEAD /old, PUT /old If-Match: *", want: "hello"},
		{name: "a source that fails", path: "/old", body: io.MultiReader(strings.NewReader("hel"), iotest.ErrReader(fs.ErrClosed)), req: access.Request{Size: 5}, want: "old", err: fs.ErrClosed},
		{name: "a source that is short", path: "/old", body: unseekable("hel"), req: access.Request{Size: 5}, want: "old", err: io.ErrUnexpectedEOF},
		{name: "no WebDAV", path: "/new", before: on("OPTIONS", false, refuse(405)), asked: "OPTIONS /, PUT /new", want: "hello"},
		{
			name: "WebDAV without MOVE", path: "/new", asked: "OPTIONS /, PUT /new", want: "hello",
			before: on("OPTIONS", false, func(_ *davStore, w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("DAV", "1")
				w.Header().Set("Allow", "OPTIONS, PUT, GET, PROPFIND, REMOVE")
				return true
			}),
		},
		{name: "the temporary name is refused", path: "/old", before: on("PUT", true, refuse(403)), asked: "OPTIONS /, PUT /old.part-#, DELETE /old.part-#, PUT /old", want: "hello"},
		{name: "the temporary name is redirected", path: "/old", before: on("PUT", true, func(_ *davStore, w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			return true
		}), want: "hello"},
		{name: "MOVE is refused", path: "/new", before: on("MOVE", true, refuse(403)), asked: "OPTIONS /, PUT /new.part-#, " + propfind + ", MOVE /new.part-# Overwrite: F, DELETE /new.part-#, PUT /new", want: "hello"},
		{name: "another scheme before a proxy", path: "/old", before: on("MOVE", true, refuse(502)), want: "hello"},
		{name: "the folder is missing", path: "/none/new", err: errAny},
		{name: "the disk is full", path: "/old", before: on("PUT", true, refuse(507)), want: "old", err: access.ErrFull},
		{name: "the server is busy", path: "/old", before: on("MOVE", true, refuse(503)), want: "old", err: access.ErrTemporary},
		{name: "half of the file", path: "/old", before: on("PUT", true, func(_ *davStore, w http.ResponseWriter, r *http.Request) bool {
			r.Body = io.NopCloser(io.LimitReader(r.Body, 3))
			return false
		}), want: "old", err: access.ErrTemporary},
		{name: "golang.org/x/net/webdav on a full disk", path: "/old", before: on("PUT", true, func(s *davStore, w http.ResponseWriter, r *http.Request) bool {
			if err := os.WriteFile(filepath.Join(s.dir, filepath.Base(r.URL.Path)), []byte("he"), 0o666); err == nil {
				w.WriteHeader(http.StatusMethodNotAllowed)
			}
			return true
		}), asked: "OPTIONS /, PUT /old.part-#, DELETE /old.part-#", want: "old", err: errors.ErrUnsupported},
		{name: "no PROPFIND", path: "/new", before: on("PROPFIND", true, refuse(405)), want: "hello"},
		{name: "a target that the server does not describe", path: "/old", before: on("PROPFIND", false, refuse(405)), want: "hello"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, c, at := newDAV(t)
			s.before = test.before
			want := s.files(t)
			test.req.URL = at(test.path)
			if test.body == nil {
				test.body = strings.NewReader("hello")
			}
			err := accesstest.Change(t.Context(), c, access.Put, &test.req, test.body)
			if !errors.Is(err, test.err) && (err == nil || test.err != errAny) {
				t.Errorf("Put(%q) = %v, want %v", test.path, err, test.err)
			}
			if got := strings.Join(s.asked, ", "); got != test.asked && test.asked != "" {
				t.Errorf("Put(%q) asks %q, want %q", test.path, got, test.asked)
			}
			if name := test.req.URL.Segments()[0]; test.want != "" {
				want[name] = test.want
			}
			if got := s.files(t); !maps.Equal(got, want) {
				t.Errorf("Put(%q) leaves %q, want %q", test.path, got, want)
			}
		})
	}
}

// A folder is asked once whether it has MOVE, and a server that refuses MOVE is not asked again.
func TestPutWholeAsksOnce(t *testing.T) {
	for _, test := range []struct {
		name   string
		before davHook
		want   string // the requests for the second file
	}{
		{"MOVE", nil, "PUT /b.part-#, PROPFIND /b.part-# Depth: 0, MOVE /b.part-# Overwrite: F"},
		{"MOVE is refused", on("MOVE", true, refuse(403)), "PUT /b"},
		{"no WebDAV", on("OPTIONS", false, refuse(405)), "PUT /b"},
	} {
		s, c, at := newDAV(t)
		s.before = test.before
		for _, path := range []string{"/a", "/b"} {
			s.asked = nil
			if err := accesstest.Change(t.Context(), c, access.Put, &access.Request{URL: at(path)}, strings.NewReader("x")); err != nil {
				t.Errorf("%s: Put(%q) = %v", test.name, path, err)
			}
		}
		if got := strings.Join(s.asked, ", "); got != test.want {
			t.Errorf("%s: the second Put asks %q, want %q", test.name, got, test.want)
		}
	}
}

// A killed upload leaves the old file, and a file with a temporary name.
func TestPutWholeKilled(t *testing.T) {
	s, c, at := newDAV(t)
	var conns []net.Conn // of the client, which dies after the first bytes of the file
	killed := make(chan struct{})
	stored := make(chan struct{})
	dial := c.Dial
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		select {
		case <-killed:
			return nil, net.ErrClosed
		default:
		}
		conn, err := dial(ctx, network, address)
		conns = append(conns, conn)
		return conn, err
	}
	s.before = func(s *davStore, w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut {
			return false
		}
		s.handler.ServeHTTP(w, r)
		close(stored)
		return true
	}
	body, source := io.Pipe()
	go func() {
		_, _ = source.Write([]byte("half"))
		close(killed)
		for _, conn := range conns {
			conn.Close()
		}
		<-stored
		source.Close()
	}()
	err := accesstest.Change(t.Context(), c, access.Put, &access.Request{URL: at("/old"), Size: 8}, body)
	<-stored
	got := s.files(t)
	_, hasPart := got["old.part-#"]
	if delete(got, "old.part-#"); err == nil || !hasPart || !maps.Equal(got, map[string]string{"old": "old", "dir/f": "f"}) {
		t.Errorf("a killed Put = %v, leaves %q and part %t, want the old files and a part", err, got, hasPart)
	}
}
