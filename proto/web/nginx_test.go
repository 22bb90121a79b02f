package web

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/peers"
	"locus/proto"
	"locus/url"
)

// The engine keeps its contract with a real server, with ranges, conditions and redirects.
//
// req: 1738-3.3-3
func TestNginx(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"object.txt": content, "sub/a b%": "odd", "sub/c+d": "plus"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	server := peers.Nginx(t, dir)
	at := func(path string) url.URL { return url.MustParse("http://" + server.Addr + path) }
	accesstest.Test(t, accesstest.Config{
		Ops:     []access.Op{access.Stat, access.Put, access.Append, access.Delete, access.MakeDir},
		New:     func(dial proto.Dial) access.Engine { return &Client{Dial: dial} },
		Dial:    dialTo(server.Addr),
		Object:  at("/object.txt"),
		Content: content,
		Missing: at("/missing"),
		Hostile: []url.URL{url.MustParse("http://h%0Ah/")},
		Secret:  url.MustParse("http://me:sesame@" + server.Addr + "/missing"),
	})

	c := &Client{Dial: dialTo(server.Addr)}
	defer c.CloseIdleConnections()
	server.Commands(t, "")
	for _, test := range []struct{ path, want, line string }{
		{"/sub/a%20b%25#x", "odd", "GET /sub/a%20b%25 HTTP/1.1"},
		{"//sub/./%2e/a%20b%25?q=%41&r", "odd", "GET //sub/./%2e/a%20b%25?q=%41&r HTTP/1.1"},
		{"/sub/c+d?", "plus", "GET /sub/c+d? HTTP/1.1"},
	} {
		r, err := c.Do(t.Context(), &access.Request{URL: at(test.path)})
		if err != nil {
			t.Fatalf("Get of %q: %v", test.path, err)
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if string(got) != test.want || err != nil {
			t.Errorf("Open(%q) = %q, %v, want %q", test.path, got, err, test.want)
		}
		if lines := server.Commands(t, test.line); lines[len(lines)-1] != test.line {
			t.Errorf("Open(%q) sends %q, want %q", test.path, lines, test.line)
		}
	}
	nginxVersions(t, c, at("/object.txt"))
	nginxDirectories(t, c, at)
}

// nginxVersions requests parts and versions of u.
func nginxVersions(t *testing.T, c *Client, u url.URL) {
	t.Helper()
	e, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: u})
	if err != nil {
		t.Fatalf("Stat(%q) = %v", u, err)
	}
	if e.Type != "text/plain; charset=utf-8" || e.Size != 26 || e.ModTime.IsZero() {
		t.Errorf("Stat(%q) = %+v, want a text of 26 bytes with a date", u, e)
	}
	r, err := c.Do(t.Context(), &access.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	_, err = c.Do(t.Context(), &access.Request{URL: u, IfChanged: r.Validator()})
	if !errors.Is(err, access.ErrNotModified) {
		t.Errorf("Open if changed = %v, want access.ErrNotModified", err)
	}
	part, err := c.Do(t.Context(), &access.Request{URL: u, Offset: 20, IfMatch: r.Validator()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(part.Body)
	part.Body.Close()
	if string(got) != content[20:] || err != nil || part.Size != 26 {
		t.Errorf("the rest of this version = %q of %d, %v, want %q of 26", got, part.Size, err, content[20:])
	}
	_, err = c.Do(t.Context(), &access.Request{URL: u, Offset: 20, IfMatch: access.Validator{ETag: `"another"`}})
	if !errors.Is(err, access.ErrChanged) {
		t.Errorf("the rest of another version = %v, want access.ErrChanged", err)
	}
}

// nginxDirectories requests directories. With a slash they are pages, without one they
// redirect.
func nginxDirectories(t *testing.T, c *Client, at func(string) url.URL) {
	t.Helper()
	_, err := c.Do(t.Context(), &access.Request{URL: at("/sub")})
	moved, ok := errors.AsType[*access.Moved](err)
	if !ok || moved.To != at("/sub/") || !moved.Permanent {
		t.Errorf("Open of a folder without its slash = %v, want a move to %q", err, at("/sub/"))
	}
	r, err := access.Follow{Engine: c}.Do(t.Context(), &access.Request{URL: at("/sub")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	page, err := io.ReadAll(r.Body)
	if err != nil || !strings.Contains(string(page), "a%20b%25") || r.URL != at("/sub/") {
		t.Errorf("the page of a folder is %q, %v", page, err)
	}
	if _, err := c.Do(t.Context(), &access.Request{URL: at("/../x")}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open above the root = %v, want the 400 of nginx", err)
	}
}

// The engine changes a real server: new and replaced files, conditions, refusals.
//
// req: 1738-2-1
func TestNginxWrites(t *testing.T) {
	dir := t.TempDir()
	dav := filepath.Join(dir, "dav")
	if err := os.Mkdir(dav, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dav, 0o777); err != nil { //nolint:gosec // the server's account writes there
		t.Fatal(err)
	}
	server := peers.Nginx(t, dir)
	c := &Client{Dial: dialTo(server.Addr)}
	defer c.CloseIdleConnections()
	at := func(path string) *access.Request {
		return &access.Request{URL: url.MustParse("http://" + server.Addr + path)}
	}
	accesstest.Test(t, accesstest.Config{
		Ops:      []access.Op{access.Stat, access.Put, access.Append, access.Delete, access.MakeDir},
		New:      func(dial proto.Dial) access.Engine { return &Client{Dial: dial} },
		Dial:     dialTo(server.Addr),
		Missing:  at("/dav/missing").URL,
		Changing: at("/dav/changing").URL,
		Hostile:  []url.URL{url.MustParse("http://h%0Ah/")},
	})
	large := strings.Repeat("0123456789", 50_000)
	for _, text := range []string{"new", "replaced", large, ""} {
		if err := accesstest.Change(t.Context(), c, access.Put, at("/dav/a%20b"), unseekable(text)); err != nil {
			t.Errorf("Put of %.9q = %v", text, err)
		}
		if got, err := os.ReadFile(filepath.Join(dav, "a b")); string(got) != text || err != nil {
			t.Errorf("Put of %.9q leaves %.9q, %v", text, got, err)
		}
	}
	absent, changed := at("/dav/a%20b"), at("/dav/a%20b")
	absent.IfAbsent = true
	changed.IfMatch.ETag = `"x"`
	posted := accesstest.Change(t.Context(), c, access.Append, at("/dav/a%20b"), strings.NewReader("x"))
	for _, test := range []struct {
		name string
		err  error
		want error // nil: any
	}{
		{"Put with IfAbsent", accesstest.Change(t.Context(), c, access.Put, absent, strings.NewReader("x")), fs.ErrExist},
		{"Put of another version", accesstest.Change(t.Context(), c, access.Put, changed, strings.NewReader("x")), access.ErrChanged},
		{"Delete of another version", accesstest.Change(t.Context(), c, access.Delete, changed, nil), access.ErrChanged},
		{"Put without a folder", accesstest.Change(t.Context(), c, access.Put, at("/dav/none/x"), strings.NewReader("x")), nil},
		{"Put where nothing is taken", accesstest.Change(t.Context(), c, access.Put, at("/x"), strings.NewReader("x")), errors.ErrUnsupported},
		{"Put of too much", accesstest.Change(t.Context(), c, access.Put, at("/dav/x"), strings.NewReader(large+large+large)), nil},
		{"POST", posted, errors.ErrUnsupported},
		{"Delete of nothing", accesstest.Change(t.Context(), c, access.Delete, at("/dav/none"), nil), fs.ErrNotExist},
	} {
		if test.err == nil || test.want != nil && !errors.Is(test.err, test.want) {
			t.Errorf("%s = %v, want %v", test.name, test.err, test.want)
		}
	}
	for _, err := range []error{
		accesstest.Change(t.Context(), c, access.Delete, at("/dav/a%20b"), nil), accesstest.Change(t.Context(), c, access.MakeDir, at("/dav/made/"), nil),
		accesstest.Change(t.Context(), c, access.Put, at("/dav/made/x"), strings.NewReader("x")),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if err := accesstest.Change(t.Context(), c, access.MakeDir, at("/dav/made/"), nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("MakeDir of an existing folder = %v, want fs.ErrExist", err)
	}
}
