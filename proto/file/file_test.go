package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/scheme"
	"locus/url"
)

const content = "hello, file\n"

// odd is a file name with characters that are special in URLs. Windows allows no "?".
var odd = map[bool]string{false: "d~#%?;e", true: "d~#%;e"}[runtime.GOOS == "windows"]

// tree returns a new directory of files, opened, and its path.
func tree(t testing.TB) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.txt":          content,
		"empty":          "",
		"sub/b c.html":   "<p>",
		"sub/" + odd:     "odd",
		"sub/deep/x.TXT": "x",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}

func TestContract(t *testing.T) {
	root, _ := tree(t)
	accesstest.Test(t, accesstest.Config{
		Ops:      []access.Op{access.Stat, access.Put, access.Append, access.Delete, access.MakeDir},
		New:      func(proto.Dial) access.Engine { return System{Root: root} },
		Object:   url.MustParse("file:///a.txt"),
		Content:  content,
		Missing:  url.MustParse("file:///sub/missing"),
		Listing:  url.MustParse("file:///sub/"),
		Titles:   []string{"b c.html", "deep", odd},
		Changing: url.MustParse("file:///changing.txt"),
		Hostile: []url.URL{
			url.MustParse("file:///a.txt%00"), url.MustParse("file:///sub%2Fdeep%2Fx.TXT"),
			url.MustParse("file:///../a.txt"), url.MustParse("file:///%2e%2e/a.txt"), url.MustParse("file:///sub/../../a.txt"),
		},
	})
}

// get opens and reads rawurl.
func get(t *testing.T, s System, req *access.Request) (string, *access.Resource, error) {
	t.Helper()
	r, err := s.Do(t.Context(), req)
	if err != nil {
		return "", nil, err
	}
	defer r.Body.Close()
	got, err := io.ReadAll(r.Body)
	return string(got), r, err
}

// A URL with another host is an error, and reads no local file.
//
// req: 1738-3.10-1
// req: 1738-3.10-2
// req: 1630-file-1
func TestHost(t *testing.T) {
	root, _ := tree(t)
	s := System{Root: root, Names: []string{"me.example"}}
	for _, test := range []struct {
		url   string
		local bool
	}{
		{"file:///a.txt", true},
		{"file://localhost/a.txt", true},
		{"file://LOCALHOST/a.txt", true},
		{"file://local%68ost/a.txt", true},
		{"file:/a.txt", true},
		{"file://Me.Example/a.txt", true},
		{"file://other.example/a.txt", false},
		{"file://localhost.example/a.txt", false},
		{"file://127.0.0.1/a.txt", false},
		{"file://me@localhost/a.txt", false},
		{"file://localhost:80/a.txt", false},
		{"file:a.txt", false},
		{"http://localhost/a.txt", false},
	} {
		u := url.MustParse(test.url)
		got, _, err := get(t, s, &access.Request{URL: u})
		if test.local && (got != content || err != nil) {
			t.Errorf("Open(%q) = %q, %v, want %q", test.url, got, err, content)
		}
		if !test.local && err == nil {
			t.Errorf("Open(%q) = %q, want an error", test.url, got)
		}
		if _, err := s.Do(t.Context(), &access.Request{Op: access.Stat, URL: u}); (err == nil) != test.local {
			t.Errorf("Stat(%q) = %v, want an error: %v", test.url, err, !test.local)
		}
	}
	_, _, err := get(t, s, &access.Request{URL: url.MustParse("file://other.example/a.txt")})
	if !errors.Is(err, scheme.ErrNotLocal) || !strings.Contains(err.Error(), `"other.example"`) || access.Hint(err) == "" {
		t.Errorf("another host gives %v (hint %q), want scheme.ErrNotLocal, its name and a hint", err, access.Hint(err))
	}
}

func TestPaths(t *testing.T) {
	root, _ := tree(t)
	for _, test := range []struct {
		url, want, mediaType string
		err                  error
	}{
		{url: "file:///a.txt", want: content, mediaType: "text/plain"},
		{url: "file:////a.txt", want: content, mediaType: "text/plain"},
		{url: "file:///sub//b%20c.html", want: "<p>", mediaType: "text/html"},
		{url: "file:///sub/" + strings.NewReplacer("~", "%7E", "#", "%23", "%", "%25", "?", "%3F", ";", "%3B").Replace(odd), want: "odd"},
		{url: "file:///sub/" + strings.NewReplacer("#", "%23", "%", "%25", ";", "%3B").Replace(odd), want: "odd"},
		{url: "file:///sub/deep/x.TXT#fragment", want: "x", mediaType: "text/plain"},
		{url: "file:///sub/../a.txt", want: content, mediaType: "text/plain"},
		{url: "file:///empty", want: ""},
		{url: "file:///a.txt/", err: fs.ErrNotExist},
		{url: "file:///a.txt/b", err: fs.ErrNotExist},
		{url: "file:///A.missing", err: fs.ErrNotExist},
		{url: "file:///..", err: fs.ErrPermission},
		{url: "file:///a.txt%00", err: fs.ErrInvalid},
		{url: "file:///sub%2Fdeep", err: fs.ErrInvalid},
	} {
		got, r, err := get(t, System{Root: root}, &access.Request{URL: url.MustParse(test.url)})
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("Open(%q) = %q, %v, want %q, %v", test.url, got, err, test.want, test.err)
		}
		if err == nil && (r.Type != test.mediaType || r.Size != int64(len(got))) {
			t.Errorf("Open(%q) has type %q, size %d, want %q, %d", test.url, r.Type, r.Size, test.mediaType, len(got))
		}
	}
}

func TestNoRoot(t *testing.T) {
	_, _, err := get(t, System{}, &access.Request{URL: url.MustParse("file:///a.txt")})
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Open without a root = %v, want fs.ErrPermission", err)
	}
}

func TestDrives(t *testing.T) {
	root, _ := tree(t)
	s := System{Drives: map[byte]*os.Root{'C': root}}
	for _, test := range []struct {
		url string
		ok  bool
	}{
		{"file:///C:/a.txt", true},
		{"file:///c:/a.txt", true},
		{"file:///c%3A/a.txt", true},
		{"file:///C%7C/a.txt", true},
		{"file:///D:/a.txt", false},
		{"file:///a.txt", false},
		{"file:///C:a.txt", false},
	} {
		if _, _, err := get(t, s, &access.Request{URL: url.MustParse(test.url)}); (err == nil) != test.ok {
			t.Errorf("Open(%q) = %v, want a resource: %v", test.url, err, test.ok)
		}
	}
}

// The bytes of a listing are a text/uri-list, whose URLs can be opened.
func TestListingBytes(t *testing.T) {
	root, _ := tree(t)
	s := System{Root: root}
	for _, base := range []string{"file:///sub", "file:///sub/", "file://localhost/sub/", "file:///%73ub//"} {
		got, r, err := get(t, s, &access.Request{URL: url.MustParse(base)})
		if err != nil || r.Type != "text/uri-list" || r.Size != -1 {
			t.Fatalf("Open(%q) = %v, want a listing", base, err)
		}
		lines := strings.Split(got, "\r\n")
		if len(lines) != 4 || lines[3] != "" {
			t.Fatalf("the listing of %q is %q, want three lines", base, got)
		}
		for _, line := range lines[:3] {
			if _, _, err := get(t, s, &access.Request{URL: url.MustParse(line)}); err != nil {
				t.Errorf("the entry %q of %q: %v", line, base, err)
			}
		}
		if !strings.HasSuffix(lines[1], "/sub/deep/") {
			t.Errorf("the second entry of %q is %q, want /sub/deep/", base, lines[1])
		}
	}
}

func TestEntries(t *testing.T) {
	root, dir := tree(t)
	if err := os.Symlink("a.txt", filepath.Join(dir, "link")); err != nil {
		t.Skipf("skipped: no symbolic links here: %v", err)
	}
	r, err := System{Root: root}.Do(t.Context(), &access.Request{URL: url.MustParse("file:///")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	l := r.List
	want := []access.Entry{
		{Title: "a.txt", URL: url.MustParse("file:///a.txt"), Kind: access.Object, Type: "text/plain", Size: int64(len(content))},
		{Title: "empty", URL: url.MustParse("file:///empty"), Kind: access.Object},
		{Title: "link", URL: url.MustParse("file:///link"), Kind: access.Link, Size: -1},
		{Title: "sub", URL: url.MustParse("file:///sub/"), Kind: access.Directory, Size: -1},
	}
	err = access.Entries(l, func(e access.Entry) error {
		if len(want) == 0 {
			t.Fatalf("one entry too many: %+v", e)
		}
		w := want[0]
		want = want[1:]
		if e.Title != w.Title || e.URL != w.URL || e.Kind != w.Kind || e.Type != w.Type || e.Size != w.Size || e.ModTime.IsZero() {
			t.Errorf("entry = %+v, want %+v", e, w)
		}
		return nil
	})
	if err != nil || len(want) > 0 {
		t.Errorf("listing: %v, missing %+v", err, want)
	}
}

// Links that stay below the root are followed. Links that lead out of it are errors.
func TestLinks(t *testing.T) {
	root, dir := tree(t)
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"out":    outside,
		"up":     "../" + filepath.Base(filepath.Dir(outside)) + "/secret",
		"in":     "sub/b c.html",
		"loop":   "loop",
		"sub/in": "../a.txt",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("skipped: no symbolic links here: %v", err)
		}
	}
	s := System{Root: root}
	for _, test := range []struct{ url, want string }{
		{"file:///in", "<p>"},
		{"file:///sub/in", content},
		{"file:///out", ""},
		{"file:///up", ""},
		{"file:///loop", ""},
	} {
		got, _, err := get(t, s, &access.Request{URL: url.MustParse(test.url)})
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("Open(%q) = %q, %v, want %q", test.url, got, err, test.want)
		}
	}
}

// Below "/" absolute links are followed, as the system does.
func TestLinksFromTop(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: there is no / on Windows")
	}
	_, dir := tree(t)
	top, err := os.OpenRoot("/")
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	for link, target := range map[string]string{
		"absolute": filepath.Join(dir, "a.txt"),
		"twice":    filepath.Join(dir, "absolute"),
		"round":    filepath.Join(dir, "round"),
		"folder":   filepath.Join(dir, "sub"),
		"nowhere":  filepath.Join(dir, "missing"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatalf("%q: %v", link, err)
		}
	}
	for _, test := range []struct{ name, want string }{
		{"a.txt", content},
		{"absolute", content},
		{"twice", content},
		{"folder/b%20c.html", "<p>"},
		{"folder/../a.txt", content},
		{"round", ""},
		{"nowhere", ""},
	} {
		u := url.MustParse("file://" + filepath.ToSlash(dir) + "/" + test.name)
		got, _, err := get(t, System{Root: top}, &access.Request{URL: u})
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("Open(%q) = %q, %v, want %q", u, got, err, test.want)
		}
	}
}

func TestValidators(t *testing.T) {
	root, dir := tree(t)
	s := System{Root: root}
	u := url.MustParse("file:///a.txt")
	_, r, err := get(t, s, &access.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	seconds := access.Validator{ModTime: r.ModTime.Truncate(time.Second)}
	for _, test := range []struct {
		req  access.Request
		want error
	}{
		{access.Request{IfChanged: r.Validator()}, access.ErrNotModified},
		{access.Request{IfChanged: seconds}, access.ErrNotModified},
		{access.Request{IfChanged: access.Validator{ETag: `"x"`}}, nil},
		{access.Request{Offset: 3, IfMatch: r.Validator()}, nil},
		{access.Request{Offset: 3, IfMatch: seconds}, nil},
		{access.Request{Offset: 3, IfMatch: access.Validator{ETag: `"x"`}}, access.ErrChanged},
	} {
		test.req.URL = u
		if _, _, err := get(t, s, &test.req); !errors.Is(err, test.want) {
			t.Errorf("Open(%+v) = %v, want %v", test.req, err, test.want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("another"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := get(t, s, &access.Request{URL: u, IfChanged: r.Validator()}); err != nil {
		t.Errorf("Open after a change = %v, want a resource", err)
	}
}

// A file that gets shorter while it is read is an error. Bytes added meanwhile
// are not read.
func TestSizeChanges(t *testing.T) {
	root, dir := tree(t)
	for _, test := range []struct {
		size int64
		want error
	}{
		{3, io.ErrUnexpectedEOF},
		{100, nil},
	} {
		r, err := System{Root: root}.Do(t.Context(), &access.Request{URL: url.MustParse("file:///a.txt")})
		if err != nil {
			t.Fatalf("%v: %v", test.size, err)
		}
		if err := os.Truncate(filepath.Join(dir, "a.txt"), test.size); err != nil {
			t.Fatalf("size %d: %v", test.size, err)
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if !errors.Is(err, test.want) || int64(len(got)) > r.Size {
			t.Errorf("a file of %d bytes that now has %d reads as %q, %v, want %v", r.Size, test.size, got, err, test.want)
		}
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(content), 0o666); err != nil {
			t.Fatalf("%v: %v", test.size, err)
		}
	}
}

func TestCancelListing(t *testing.T) {
	root, _ := tree(t)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := System{Root: root}.Do(ctx, &access.Request{URL: url.MustParse("file:///")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	cancel()
	l := r.List
	if _, err := l.Next(); !errors.Is(err, context.Canceled) {
		t.Errorf("Next after cancel = %v, want context.Canceled", err)
	}
}

// The tree passes the file system tests of testing/fstest.
func TestFS(t *testing.T) {
	root, dir := tree(t)
	_ = os.Symlink("a.txt", filepath.Join(dir, "link"))
	for _, base := range []string{"file:///", "file://localhost/sub/..", "file:///"} {
		fsys := access.FS(t.Context(), System{Root: root}, url.MustParse(base))
		if err := fstest.TestFS(fsys, "a.txt", "empty", "sub/b c.html", "sub/"+odd, "sub/deep/x.TXT"); err != nil {
			t.Errorf("FS(%q): %v", base, err)
		}
	}
}
