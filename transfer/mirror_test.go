package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus"
	"locus/access"
	"locus/url"
)

// A dir is the Body of a listing of ftp entries.
type dir struct {
	entries []access.Entry
	err     error
}

// listed returns a listing as the answer to req.
func listed(req *access.Request, l interface {
	io.ReadCloser
	access.Lister
},
) *access.Resource {
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: l, List: l}
}

func (d *dir) Read([]byte) (int, error) { return 0, io.EOF }
func (d *dir) Close() error             { return nil }
func (d *dir) Next() (access.Entry, error) {
	if len(d.entries) == 0 {
		if d.err != nil {
			return access.Entry{}, d.err
		}
		return access.Entry{}, io.EOF
	}
	e := d.entries[0]
	d.entries = d.entries[1:]
	return e, nil
}

// hostile is a server whose listing has hostile names, and whose files are all "evil".
func hostile(names ...string) access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if !strings.HasSuffix(req.URL.Path(), "/") {
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: 4}, Body: io.NopCloser(strings.NewReader("evil"))}, nil
		}
		var entries []access.Entry
		for _, name := range names {
			u := url.MustParse("ftp://h/" + url.Escape(name, url.RFC3986.Unreserved()))
			entries = append(entries, access.Entry{Title: name, URL: u, Kind: access.Object, Size: -1})
		}
		return listed(req, &dir{entries: entries}), nil
	})
}

// No name that a server gives leads out of the root or through a link.
func TestMirrorHostileNames(t *testing.T) {
	// attack: A listing names files such as `../../.ssh/authorized_keys` | names are escaped, and `os.Root` keeps
	// every file in the folder
	// attack: A symbolic link takes the place of a file or folder in the target of a mirror, before or during the
	// download
	outside := t.TempDir()
	fill(t, outside, map[string]string{"secret": "secret"})
	root, name := folder(t)
	for link, to := range map[string]string{"link": outside + "/secret", "inner": "target", "up": "../secret"} {
		if err := os.Symlink(to, name+"/"+link); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	fill(t, name, map[string]string{"target": "target", "directory/": ""})
	var log eventLog
	report, err := Mirror(t.Context(), hostile(
		"../escape", "/etc/passwd", "..", "a\x00b", "link", "inner", "up", "directory", stateDir, "good", "good", "a\\b", "x\r\nDELE y",
	), url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Event: log.add, Retry: hasty}})
	if err != nil || report.Failed != 4 {
		t.Errorf("Mirror = %+v, %v, want 4 failed: %q", report, err, log.names(Failed))
	}
	got := contents(t, name)
	delete(got, stateDir+"/")
	compareTrees(t, got, map[string]string{
		"link": "-> " + outside + "/secret", "inner": "-> target", "up": "-> ../secret", "target": "target", "directory/": "",
		"..%2Fescape": "evil", "%2Fetc%2Fpasswd": "evil", "%2E%2E": "evil", "a%00b": "evil", "%2Elocus-mirror": "evil",
		"good": "evil", "a\\b": "evil", "x%0D%0ADELE y": "evil",
	})
	compareTrees(t, contents(t, outside), map[string]string{"secret": "secret"})
}

// A name with a backslash stays on Unix, so a copy that is sent back does not leave a second name on
// the server.
func TestMirrorBackslash(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip(`"\\" separates names here`)
	}
	for _, portable := range []bool{false, true} {
		files := map[string]string{`b\c`: "1", `d\e/`: "", `d\e/f`: "2"}
		d := deployFiles(t, nil)
		fill(t, d.target, files)
		root, err := os.OpenRoot(d.source)
		if err != nil {
			t.Fatal(err)
		}
		report, err := Mirror(t.Context(), d.to.Engine, d.to.URL, root, MirrorOptions{Portable: portable})
		root.Close()
		if err != nil || report.Failed > 0 {
			t.Errorf("Mirror with Portable %t = %+v, %v", portable, report, err)
		}
		if portable {
			compareTrees(t, contents(t, d.source), map[string]string{"b%5Cc": "1", "d%5Ce/": "", "d%5Ce/f": "2"})
			continue
		}
		compareTrees(t, contents(t, d.source), files)
		d.send(t, SendOptions{}, 0, 2, 0)
		compareTrees(t, contents(t, d.target), files)
	}
}

// Names that differ only in case are refused where they must be.
func TestMirrorFold(t *testing.T) {
	root, name := folder(t)
	report, err := Mirror(t.Context(), hostile("README", "readme", "CON"), url.MustParse("ftp://h/"), root, MirrorOptions{Portable: true})
	got := contents(t, name)
	if err != nil || report.Failed != 1 || got["README"] != "evil" || got["readme"] != "" || got["%43ON"] != "evil" {
		t.Errorf("Mirror = %+v, %v: %q", report, err, got)
	}
}

// linked lists a link as "ls -l" does: with the size of the target's name and the time
// of the link. The file has others.
type linked struct{ opened, asked int }

func (l *linked) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	target := access.Entry{URL: req.URL, Size: 4, ModTime: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)}
	switch req.Op {
	case access.Stat:
		l.asked++
		return &access.Resource{Entry: target, Body: http.NoBody}, nil
	case access.Get:
	default:
		return nil, errors.ErrUnsupported
	}
	if strings.HasSuffix(req.URL.Path(), "/") {
		e := access.Entry{URL: url.MustParse("ftp://h/link"), Kind: access.Link, Size: 6, ModTime: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
		return listed(req, &dir{entries: []access.Entry{e}}), nil
	}
	l.opened++
	return &access.Resource{Entry: target, Body: io.NopCloser(strings.NewReader("a file"[:target.Size]))}, nil
}

// The target of a link is fetched once, whatever the listing says of the link.
func TestMirrorLink(t *testing.T) {
	root, _ := folder(t)
	var l linked
	for range 2 {
		if report, err := Mirror(t.Context(), &l, url.MustParse("ftp://h/"), root, MirrorOptions{}); err != nil || report.Failed > 0 {
			t.Fatalf("Mirror = %+v, %v", report, err)
		}
	}
	if l.opened != 1 {
		t.Errorf("the file was fetched %d times, want once", l.opened)
	}
}

// If a listing has changed when it is read again, all local files stay. Nor does an empty one.
func TestMirrorDeleteConfirms(t *testing.T) {
	for _, test := range []struct {
		name          string
		first, second []string
		deleted       int
	}{
		{"gone", []string{"a"}, []string{"a"}, 1},
		{"cut between two lines", []string{"a"}, []string{"a", "old"}, 0},
		{"empty", nil, nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, name := folder(t)
			fill(t, name, map[string]string{"old": "old"})
			listed := 0
			o := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				names := test.first
				if strings.HasSuffix(req.URL.Path(), "/") {
					if listed++; listed > 1 {
						names = test.second
					}
				}
				return hostile(names...).Do(ctx, req)
			})
			report, err := Mirror(t.Context(), o, url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Delete: true}})
			if err != nil || report.Deleted != test.deleted || (report.NotDeleted == nil) != (test.deleted > 0) {
				t.Errorf("Mirror = %+v, %v; want %d deleted", report, err, test.deleted)
			}
		})
	}
}

// Delete removes local files and folders whose names are not UTF-8, unless the server has them.
func TestMirrorDeleteNotUTF8(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems refuse such names")
	}
	root, name := folder(t)
	fill(t, name, map[string]string{"a": "a", "gone\xff": "old", "d\xe9/x\xff": "old", "d\xe9/y": "old"})
	report, err := Mirror(t.Context(), hostile("a", "kept\xe9"), url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Delete: true}})
	if err != nil || report.NotDeleted != nil || report.Deleted != 4 {
		t.Errorf("Mirror = %+v, %v; want 4 deleted", report, err)
	}
	compareTrees(t, contents(t, name), map[string]string{"a": "evil", "kept\xe9": "evil"})
}

// A mirror fetches each page in the directory of a site once, and the next time only
// changed ones.
func TestMirrorWeb(t *testing.T) {
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	const style = `p { background: url(t.png) } /* url(none) */`
	var changed, got atomic.Int64
	pages := map[string]string{
		"/s/":          `<title>Site</title><a href="a">a</a><a href="a/b">b</a><a href="/outside">o</a><a href="moved">m</a><img src="i.png"><a href="q?x=/1">q</a><link rel=stylesheet href=s.css>`,
		"/s/a":         `<p>page a</p><a href="./">up</a><a href="away">away</a><a href="none">none</a><a href="index.html">i</a>`,
		"/s/a/b":       `<p>page b</p><a href="../tagged"><img srcset="2x.png 2x">`,
		"/s/q?x=/1":    `<p>query</p>`,
		"/s/list/":     `<title>Index of /s/list</title><a href="?C=N">N</a><a href="f.txt">f</a>`,
		"/s/list/?C=N": `<title>Index of /s/list</title>`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			got.Add(1)
		}
		if text, ok := pages[r.URL.RequestURI()]; ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			http.ServeContent(w, r, "", old, strings.NewReader(text))
			return
		}
		switch r.URL.Path {
		case "/s/moved":
			http.Redirect(w, r, "list/", http.StatusFound)
		case "/s/away":
			http.Redirect(w, r, "/outside", http.StatusFound)
		case "/s/i.png":
			w.Header().Set("Content-Type", "image/png")
			http.ServeContent(w, r, "", old.Add(time.Duration(changed.Load())*time.Hour), strings.NewReader("image"))
		case "/s/tagged":
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("ETag", `"v1"`)
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader("tagged"))
		case "/s/s.css":
			http.ServeContent(w, r, "s.css", old, strings.NewReader(style))
		case "/s/a/2x.png", "/s/t.png":
			http.ServeContent(w, r, "x.png", old, strings.NewReader("image"))
		case "/s/list/f.txt":
			http.ServeContent(w, r, "f.txt", old, strings.NewReader("f"))
		case "/outside":
			io.WriteString(w, "outside")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	root, name := folder(t)
	mirror := func(opts MirrorOptions) (Report, *eventLog) {
		t.Helper()
		var log eventLog
		opts.Event, opts.Retry, opts.Jobs = log.add, hasty, 3
		report, err := Mirror(t.Context(), overNetwork(0), url.MustParse(server.URL+"/s/"), root, opts)
		if err != nil || report.Failed > 0 {
			t.Errorf("Mirror = %+v, %v: %v", report, err, log.of(Failed))
		}
		return report, &log
	}
	planned, log := mirror(MirrorOptions{TreeOptions: TreeOptions{DryRun: true}})
	if names := contents(t, name); len(names) > 0 || planned.Files != 10 {
		t.Errorf("a dry run made %q, and planned %q", names, log.names(WouldFetch))
	}
	query := map[bool]string{false: "q?x=%2F1", true: "q%@x=%2F1"}[runtime.GOOS == "windows"] // which allows no "?"
	want := map[string]string{
		"index.html": pages["/s/"], "a.html": pages["/s/a"], "a/": "", "a/b.html": pages["/s/a/b"], query: pages["/s/q?x=/1"],
		"s.css": style, "t.png": "image", "a/2x.png": "image", "i.png": "image", "tagged": "tagged", "list/": "", "list/f.txt": "f",
	}
	check := func() {
		t.Helper()
		files := contents(t, name)
		delete(files, stateDir+"/")
		delete(files, stateDir+"/"+etagsFile)
		compareTrees(t, files, want)
	}
	if report, _ := mirror(MirrorOptions{}); report.Files != 10 {
		t.Errorf("the first Mirror = %+v, want 10 files", report)
	}
	check()
	info, err := root.Stat("a.html")
	if err != nil || !info.ModTime().Equal(old) {
		t.Errorf("a.html was changed at %v, want %v (%v)", info.ModTime(), old, err)
	}
	changed.Store(1)
	fill(t, name, map[string]string{"gone/old": "old"})
	report, log := mirror(MirrorOptions{TreeOptions: TreeOptions{Delete: true}})
	if names := log.names(Done); !slices.Equal(names, []string{"i.png"}) || report.Deleted != 2 {
		t.Errorf("fetched again: %q, %+v; want i.png alone", names, report)
	}
	check()
}

// A mirror ends with its context and can be resumed.
func TestMirrorCancelled(t *testing.T) {
	source := t.TempDir()
	fill(t, source, map[string]string{"a": "a", "b/c": "c"})
	from, err := os.OpenRoot(source)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	root, name := folder(t)
	o := &locus.Client{Retries: -1, Root: from}
	ctx, cancel := context.WithCancel(t.Context())
	opts := MirrorOptions{TreeOptions: TreeOptions{Event: func(e Event) {
		if e.Kind == Done {
			cancel()
		}
	}}}
	if _, err := Mirror(ctx, o, url.MustParse("file:///"), root, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("Mirror = %v, want %v", err, context.Canceled)
	}
	if report, err := Mirror(t.Context(), o, url.MustParse("file:///"), root, MirrorOptions{}); err != nil || report.Failed > 0 {
		t.Errorf("Mirror = %+v, %v", report, err)
	}
	compareTrees(t, contents(t, name), contents(t, source))
	if _, err := root.Lstat(stateDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want it to be gone", stateDir, err)
	}
}

// If a listing breaks off, all local files stay, whether it is read for the first or the second
// time.
func TestMirrorDeleteBroken(t *testing.T) {
	for _, u := range []string{"ftp://h/", "file:///", "gopher://h/", "http://h/"} {
		for _, breaks := range []int{1, 2} {
			t.Run(fmt.Sprint(url.MustParse(u).Scheme(), " ", breaks), func(t *testing.T) {
				t.Parallel()
				root, name := folder(t)
				fill(t, name, map[string]string{"old": "old", "sub/old": "old"})
				var listed atomic.Int64
				o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
					return breakingOff(req, u, func() bool { return listed.Add(1) >= int64(breaks) }), nil
				})
				report, err := Mirror(t.Context(), o, url.MustParse(u), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty, Delete: true}})
				got := contents(t, name)
				if err != nil || report.Deleted > 0 || report.NotDeleted == nil || got["old"] != "old" || got["sub/old"] != "old" {
					t.Errorf("Mirror = %+v, %v: %q", report, err, got)
				}
			})
		}
	}
}

// breakingOff is a server whose root is a listing or a page with "a". It breaks off if
// told to. Everything else is a file.
func breakingOff(req *access.Request, root string, breaks func() bool) *access.Resource {
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, Type: "text/plain"}, Body: io.NopCloser(strings.NewReader("a"))}
	if req.URL.String() != root && strings.TrimSuffix(req.URL.String(), "1") != root {
		return r
	}
	var err error
	if breaks() {
		err = io.ErrUnexpectedEOF
	}
	if strings.HasPrefix(root, "http") {
		r.Type = "text/html"
		r.Body = io.NopCloser(&brokenPage{strings.NewReader(`<title>Index of /</title><a href="a">a</a>`), err})
		return r
	}
	at := root + "a"
	if strings.HasPrefix(root, "gopher") {
		at = root + "0a"
	}
	l := listed(req, &dir{entries: []access.Entry{{Title: "a", URL: url.MustParse(at), Kind: access.Object, Size: -1}}, err: err})
	l.Type = r.Type
	return l
}

type brokenPage struct {
	text *strings.Reader
	err  error
}

func (b *brokenPage) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	if err == io.EOF && b.err != nil {
		err = b.err
	}
	return n, err
}

// The zero MirrorOptions fetch four files at once.
func TestMirrorJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := &shelf{files: make(map[string]string)}
		for i := range 20 {
			files.files[strconv.Itoa(i)] = "x"
		}
		var running, most atomic.Int64
		o := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
			n := running.Add(1)
			defer running.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Second)
			return files.Do(ctx, req)
		})
		root, _ := folder(t)
		if report, err := Mirror(t.Context(), o, url.MustParse("ftp://h/"), root, MirrorOptions{}); err != nil || report.Files != 20 {
			t.Errorf("Mirror = %+v, %v; want 20 files", report, err)
		}
		if most.Load() != 4 {
			t.Errorf("%d requests at once, want 4", most.Load())
		}
	})
}
