package transfer

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/webdav"

	"locus/url"
)

// A davServer is a WebDAV server of golang.org/x/net on a folder. It refuses GET of folders, and it
// writes a PUT into the file itself. It records its requests.
type davServer struct {
	*httptest.Server
	handler webdav.Handler
	before  func(http.ResponseWriter, *http.Request) bool // handles the request if it returns true; may be nil

	mu    sync.Mutex
	asked []string // "PROPFIND /dav/"
}

func startDAV(t *testing.T, dir string) *davServer {
	t.Helper()
	s := &davServer{handler: webdav.Handler{Prefix: "/dav", FileSystem: webdav.Dir(dir), LockSystem: webdav.NewMemLS()}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *davServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	if s.before == nil || !s.before(w, r) {
		s.handler.ServeHTTP(w, r)
	}
}

// requests returns the requests since the last call that begin with start.
func (s *davServer) requests(start string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var some []string
	for _, line := range s.asked {
		if strings.HasPrefix(line, start) {
			some = append(some, line)
		}
	}
	s.asked = nil
	return some
}

// at returns the URL of a path below the folder.
func (s *davServer) at(path string) url.URL { return url.MustParse(s.URL + "/dav/" + path) }

// A mirror of a WebDAV server that refuses GET of folders copies the listings of PROPFIND. It asks
// for a page of the first folder only.
func TestMirrorWebDAV(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"a": "1", "empty": "", "sub/": "", "sub/b c": "2", "sub/d?e#f": "3", "sub/index.html": `<a href="/dav/a">`, "sub/g/": "",
		"sub/g/%41": "4", "sub/ü;x": "5", "none/": "",
	}
	fill(t, dir, files)
	s := startDAV(t, dir)
	for _, path := range []string{"", "sub/", "sub"} {
		client := overNetwork(0)
		root, name := folder(t)
		opts := MirrorOptions{TreeOptions: TreeOptions{Retry: hasty, DryRun: true}}
		want := make(map[string]string)
		regular := 0
		below := strings.TrimSuffix(path, "/") + "/"
		for file, text := range files {
			if rest, ok := strings.CutPrefix("/"+file, "/"+strings.TrimPrefix(below, "/")); ok && rest != "" {
				want[rest] = text
				if !strings.HasSuffix(rest, "/") {
					regular++
				}
			}
		}
		if report, err := Mirror(t.Context(), client, s.at(path), root, opts); err != nil || report.Failed != 0 || report.Files != regular {
			t.Errorf("Mirror(%q) in a dry run = %+v, %v, want %d files", path, report, err, regular)
		}
		opts.DryRun = false
		s.requests("")
		report, err := Mirror(t.Context(), client, s.at(path), root, opts)
		if err != nil || report.Failed != 0 || report.Files != regular {
			t.Errorf("Mirror(%q) = %+v, %v, want %d files", path, report, err, regular)
		}
		pages := 0
		for _, line := range s.requests("GET ") {
			if info, err := os.Stat(dir + strings.TrimPrefix(line, "GET /dav")); err == nil && info.IsDir() {
				pages++
			}
		}
		if pages > 2 {
			t.Errorf("Mirror(%q) sends GET for %d folders, want at most 2", path, pages)
		}
		compareTrees(t, contents(t, name), want)
		if report, err = Mirror(t.Context(), client, s.at(path), root, opts); err != nil || report.Failed != 0 || report.Files != 0 || report.Skipped != regular {
			t.Errorf("the second Mirror(%q) = %+v, %v, want %d skipped", path, report, err, regular)
		}
		fill(t, name, map[string]string{"old": "old"})
		opts.Delete = true
		if report, err = Mirror(t.Context(), client, s.at(path), root, opts); err != nil || report.Deleted != 1 {
			t.Errorf("Mirror(%q) with Delete = %+v, %v, want 1 deleted", path, report, err)
		}
		compareTrees(t, contents(t, name), want)
	}
}

// The first folder decides the kind of the tree. A server that has a page for it stays a web site, and
// so does a server without WebDAV.
func TestMirrorKindOfTree(t *testing.T) {
	for _, test := range []struct {
		name    string
		status  int    // of GET of the first folder; 0: a page
		class   string // the field DAV of that response
		noFind  bool   // PROPFIND is refused
		offline bool
		want    map[string]string
		failed  int
	}{
		{name: "a page", want: map[string]string{"index.html": `<a href="sub/x">`, "sub/": "", "sub/x": "x"}},
		{name: "refused", status: 405, want: map[string]string{"sub/": "", "sub/x": "x", "unlinked": "u"}},
		{name: "not implemented", status: 501, want: map[string]string{"sub/": "", "sub/x": "x", "unlinked": "u"}},
		{name: "forbidden", status: 403, want: map[string]string{"sub/": "", "sub/x": "x", "unlinked": "u"}},
		{name: "not found by WebDAV", status: 404, class: "1,2", want: map[string]string{"sub/": "", "sub/x": "x", "unlinked": "u"}},
		{name: "not found", status: 404, want: map[string]string{}, failed: 1},
		{name: "refused without WebDAV", status: 405, noFind: true, want: map[string]string{}, failed: 1},
		{name: "no pages to convert", status: 405, offline: true, want: map[string]string{}, failed: 1},
	} {
		dir := t.TempDir()
		fill(t, dir, map[string]string{"sub/x": "x", "unlinked": "u"})
		s := startDAV(t, dir)
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			switch {
			case r.Method == "PROPFIND" && test.noFind:
				w.WriteHeader(http.StatusMethodNotAllowed)
			case r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/"):
				return false
			case test.status == 0:
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte(`<a href="sub/x">`))
			default:
				if test.class != "" {
					w.Header().Set("DAV", test.class)
				}
				w.WriteHeader(test.status)
			}
			return true
		}
		root, name := folder(t)
		report, err := Mirror(t.Context(), overNetwork(0), s.at(""), root, MirrorOptions{TreeOptions: TreeOptions{Retry: never}, Convert: test.offline})
		if err != nil || report.Failed != test.failed {
			t.Errorf("%s: Mirror = %+v, %v, want %d failed", test.name, report, err, test.failed)
		}
		got := contents(t, name)
		for file := range got {
			if strings.HasPrefix(file, stateDir) {
				delete(got, file)
			}
		}
		compareTrees(t, got, test.want)
	}
}

// A Send to WebDAV that is killed leaves the old file and a part. The same Send completes the copy and removes
// the part.
func TestSendWebDAVKilled(t *testing.T) {
	for _, size := range []int{10, 3 << 20} {
		d := deployFiles(t, map[string]string{"big": noise(size), "sub/a b": "a"})
		target := t.TempDir()
		fill(t, target, map[string]string{"big": "the old file"})
		s := startDAV(t, target)
		d.to = Endpoint{Engine: overNetwork(0), URL: s.at("")}
		ctx, kill := context.WithCancel(t.Context())
		var isRepaired atomic.Bool
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			switch isPart := strings.Contains(r.URL.Path, "/big.part-"); {
			case isRepaired.Load():
				return false
			case r.Method == http.MethodPut && isPart:
				check(t, os.WriteFile(filepath.Join(target, filepath.Base(r.URL.Path)), []byte("half"), 0o666))
				kill()
			case r.Method != http.MethodDelete || !isPart:
				return false
			}
			panic(http.ErrAbortHandler)
		}
		opts := SendOptions{TreeOptions: TreeOptions{Retry: never}, Replace: true, Manifest: Manifest{Dir: d.state}}
		if report, err := Send(ctx, d.from, d.to, opts); !errors.Is(err, context.Canceled) {
			t.Errorf("a killed Send of %d bytes = %+v, %v", size, report, err)
		}
		got := contents(t, target)
		parts := 0
		for name := range got {
			if strings.HasPrefix(name, "big.part-") {
				parts++
			}
		}
		if got["big"] != "the old file" || parts != 1 {
			t.Errorf("a killed Send of %d bytes leaves %d bytes in the file and %d parts, want the old file and a part", size, len(got["big"]), parts)
		}
		isRepaired.Store(true)
		if report, err := Send(t.Context(), d.from, d.to, opts); err != nil || report.Failed != 0 {
			t.Errorf("the Send of %d bytes after a killed one = %+v, %v", size, report, err)
		}
		compareTrees(t, contents(t, target), map[string]string{"big": noise(size), "sub/": "", "sub/a b": "a"})
	}
}
