package site_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"locus/access"
	"locus/access/engine"
	"locus/check/site"
	"locus/url"
)

// folderSite returns a site with files, which may have the form name=text. Its engine opens every URL and records it.
func folderSite(files ...string) (*site.Site, *[]string) {
	contents := fstest.MapFS{}
	for _, name := range files {
		name, text, _ := strings.Cut(name, "=")
		contents[name] = &fstest.MapFile{Data: []byte(text)}
	}
	opened := new([]string)
	e := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		*opened = append(*opened, req.URL.String())
		return engine.Done(req.URL, nil)
	})
	return &site.Site{Engine: e, Folder: url.MustParse("file:///s/"), Files: contents}, opened
}

// A site serves a path as hosts of static files do.
func TestSite(t *testing.T) {
	s, opened := folderSite("index.html", "a.html", "b/index.html", "b.html", "c/x", "d/index.html", "e.html", "CASE.html", "f g.html", "g;h.html", "n.htm",
		"_redirects=# comment\n/old /a 301\n/tmp/*  /b/:splat 302\n/year/:y/:n  /c/:n?y=:y 308\n/month/:m/:me  /c/:me-:m\n/many/:a /:a"+strings.Repeat(":a", 1000)+"\n/away https://other.example/\n/re/* /a.html 200\n/a.html /b 301!\n/e /b 301\n/gone /a 410\nhttp://x/ /y\n")
	for _, test := range []struct{ in, want string }{
		{"", "index.html"},
		{"?v=3", "index.html"},
		{"a", "a.html"},
		{"a/", "a.html"},
		{"b", "b.html"},
		{"b/", "b/index.html"},
		{"d", "d/index.html"},
		{"d/?x#y", "d/index.html"},
		{"c/x?v=3", "c/x"},
		{"f%20g", "f%20g.html"},
		{"g;h", "g%3Bh.html"},
		{"g;h.html", "g%3Bh.html"},
		{"c", "not found"},
		{"c/", "not found"},
		{"case", "not found"},
		{"B/", "not found"},
		{"n", "not found"},
		{"none", "not found"},
		{"../a", "not found"},
		{"%2e%2e/s/a", "not found"},
		{"b//index.html", "b/index.html"}, // as nginx and Apache merge slashes
		{"/a", "a.html"},
		{"/", "index.html"},
		{"c///x", "c/x"},
		{"d//", "d/index.html"},
		{"tmp//x", "to file:///s/b/x"},
		{"a%00b", "not found"},
		{"old", "for good to file:///s/a"},
		{"tmp/x y/z", "to file:///s/b/x%20y/z"},
		{"tmp", "to file:///s/b/"},
		{"year/1/x", "for good to file:///s/c/x?y=1"},
		{"year/1", "not found"},
		{"month/1/x", "for good to file:///s/c/x-1"},
		{"many/x", "not found"}, // it would take a lot of memory
		{"away", "for good to https://other.example/"},
		{"re/what/ever", "a.html"},
		{"a.html", "for good to file:///s/b"}, // forced
		{"e", "e.html"},                       // the file comes first
		{"gone", "not found"},
		{".netlify/functions/f?x", "open file:///s/.netlify/functions/f?x: the host runs a program for URLs below /.netlify/"},
		{".netlify", "not found"},
		{"x/.netlify/functions/f", "not found"},
	} {
		*opened = nil
		in := "file:///s/" + strings.ReplaceAll(test.in, " ", "%20")
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Do(t.Context(), &access.Request{URL: u})
		got := strings.TrimPrefix(strings.Join(*opened, " "), "file:///s/")
		moved, isMoved := errors.AsType[*access.Moved](err)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			got = "not found"
		case isMoved && moved.Permanent:
			got = "for good to " + moved.To.String()
		case isMoved:
			got = "to " + moved.To.String()
		case err != nil:
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("Do(%s) gives %q, want %q", in, got, test.want)
		}
	}
}

// Index and Extensions replace the usual names of pages.
func TestSiteNames(t *testing.T) {
	s, opened := folderSite("README.md", "a.htm")
	s.Index, s.Extensions = []string{"index.html", "README.md"}, []string{".htm", ".html"}
	if !s.HasIndex() {
		t.Error("HasIndex() = false")
	}
	for _, text := range []string{"", "a"} {
		if _, err := s.Do(t.Context(), &access.Request{URL: url.MustParse("file:///s/" + text)}); err != nil {
			t.Errorf("Do(file:///s/%s) = %v", text, err)
		}
	}
	if got := strings.Join(*opened, " "); got != "file:///s/README.md file:///s/a.htm" {
		t.Errorf("with Index %q and Extensions %q, the opened files are %s", s.Index, s.Extensions, got)
	}
}

// Links are resolved as a browser resolves them at the URL of the page. Links to the site become files.
func TestSiteLinks(t *testing.T) {
	for _, test := range []struct{ base, ref, want string }{
		{"", "/x/y.html#z", "file:///s/x/y.html#z"},
		{"", "y", "file:///s/d/y"},
		{"", "../../../y", "file:///s/y"},
		{"", "//cdn.example/y.js", "https://cdn.example/y.js"},
		{"", "?q", "file:///s/d/p.html?q"},
		{"https://www.example.org/docs/", "/x", "https://www.example.org/x"},
		{"https://www.example.org/docs/", "../x?q#f", "file:///s/x?q#f"},
		{"https://www.example.org/docs/", "https://www.example.org/docs/x", "file:///s/x"},
		{"https://www.example.org/docs/", "https://www.example.org/docs", "file:///s/"},
		{"https://www.example.org/", "https://www.example.org", "file:///s/"},
		{"https://www.example.org/", "https://www.example.org.evil/", "https://www.example.org.evil/"},
		{"", "/b/%2e%2e/x", "file:///s/x"}, // browsers read these as dots
		{"", "b/.%2E", "file:///s/d/"},
		{"", "/%2E%2e/%2e/x?q#%2e", "file:///s/x?q#%2e"},
		{"https://www.example.org/docs/", "%2e./%2e%2e/x", "https://www.example.org/x"},
		{"https://www.example.org/docs/", "/a/%2e%2e/docs/x", "file:///s/x"},
		{"", "b%2F%2e%2e/x", "file:///s/d/b%2F%2e%2e/x"}, // and these not
		{"", "b/%2e%2ex", "file:///s/d/b/%2e%2ex"},
		{"", "x?a=/%2e%2e/", "file:///s/d/x?a=/%2e%2e/"},
		{"", "//cdn.example/b/%2e%2e/y.js", "https://cdn.example/b/%2e%2e/y.js"},
	} {
		s, opened := folderSite("x", "y", "index.html")
		s.Base, _ = url.Parse(test.base)
		page := s.PageURL(url.MustParse("file:///s/d/p.html"))
		link, err := page.Resolve(test.ref)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Local(link.String()); got != test.want {
			t.Errorf("with the base %[2]q, the link %[1]s leads to %[3]q, want %[4]q", test.ref, test.base, got, test.want)
		}
		if strings.HasPrefix(test.want, "file:///s/x") { // a redirect may lead to the site, too
			if _, err := s.Do(t.Context(), &access.Request{URL: link}); err == nil && (*opened)[0] != "file:///s/x" {
				t.Errorf("Do(%v) opens %v, want file:///s/x", link, *opened)
			}
		}
	}
	s, _ := folderSite("x")
	if got := s.PageURL(url.MustParse("file:///other/p.html")).String(); got != "file:///other/p.html" {
		t.Errorf("PageURL of a file outside the folder = %s, want the file", got)
	}
}

// A Site without files only removes the queries of file URLs.
func TestZeroSite(t *testing.T) {
	s, opened := folderSite()
	s.Files = nil
	for _, text := range []string{"file:///a/main.css?v=3", "http://h/?q", "https://site.invalid/x"} {
		if _, err := s.Do(t.Context(), &access.Request{URL: url.MustParse(text)}); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(*opened, " "); got != "file:///a/main.css http://h/?q https://site.invalid/x" {
		t.Errorf("without files, the opened URLs are %s", got)
	}
	if _, err := new(site.Site).Do(t.Context(), &access.Request{URL: url.MustParse("file:///x")}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Do of the zero Site = %v, want %v", err, errors.ErrUnsupported)
	}
}

// Faults names each line of _redirects that is ignored because it is too large. The other lines are obeyed.
func TestSiteFaults(t *testing.T) {
	long := "/long " + strings.Repeat("x", 70<<10) + " 301"
	for _, test := range []struct {
		redirects string
		want      []string
	}{
		{"/old /a", nil},
		{long + "\n/old /a\n", []string{"1: the line has more than 64 KiB, and is ignored"}},
		{"/x /y\n\n" + long + "\r\n" + long + "\n/old /a", []string{
			"3: the line has more than 64 KiB, and is ignored", "4: the line has more than 64 KiB, and is ignored",
		}},
		{"/old /a\n" + long, []string{"2: the line has more than 64 KiB, and is ignored"}},
		{"/many/:a /" + strings.Repeat(":a", 101) + "\n/old /a", []string{"1: the target has more than 100 placeholders, and the line is ignored"}},
		{"/old /a\n" + strings.Repeat("/x"+strings.Repeat("y", 70<<10)+"\n", 200), append(slices.Collect(func(yield func(string) bool) {
			for n := range 100 {
				_ = yield(fmt.Sprintf("%d: the line has more than 64 KiB, and is ignored", n+2))
			}
		}), "102: too many lines are ignored, so the rest is, too")},
		{"/old /a\n" + strings.Repeat("/x /y\n", 100_000), []string{"100001: only the first 100000 rules are obeyed"}},
	} {
		s, _ := folderSite("a", "_redirects="+test.redirects)
		if _, err := s.Do(t.Context(), &access.Request{URL: url.MustParse("file:///s/a")}); err != nil {
			t.Errorf("with the rules %.20q…, Do(file:///s/a) = %v", test.redirects, err)
		}
		_, err := s.Do(t.Context(), &access.Request{URL: url.MustParse("file:///s/old")})
		if moved, ok := errors.AsType[*access.Moved](err); !ok || moved.To.String() != "file:///s/a" {
			t.Errorf("with the rules %.20q…, Do(file:///s/old) = %v, want a redirect to file:///s/a", test.redirects, err)
		}
		var got []string
		for _, fault := range s.Faults() {
			got = append(got, fmt.Sprintf("%d: %s", fault.Line, fault.Why))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("with the rules %.20q…, the faults are %q, want %q", test.redirects, got, test.want)
		}
	}
	s, _ := folderSite("a", "_redirects/b")
	if _, err := s.Do(t.Context(), &access.Request{URL: url.MustParse("file:///s/a")}); err != nil || len(s.Faults()) > 0 {
		t.Errorf("with a folder named _redirects, Do(file:///s/a) = %v, and the faults are %v", err, s.Faults())
	}
}

// A file is served through a symbolic link, but not if the link leads nowhere. A folder without a name of exactly this
// case is not served.
func TestSymlinks(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "d"), 0o755), os.WriteFile(filepath.Join(dir, "d", "a.html"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"file.html": "d/a.html", "folder": "d", "dangling.html": "none"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err) // the system may not allow symbolic links
		}
	}
	s, opened := folderSite()
	s.Files = os.DirFS(dir)
	for name, want := range map[string]bool{"file": true, "folder/a": true, "folder": false, "dangling": false, "D/a": false} {
		*opened = nil
		_, err := s.Do(t.Context(), &access.Request{URL: url.MustParse("file:///s/" + name)})
		if isFound := err == nil && len(*opened) == 1; isFound != want || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Do(file:///s/%s) = %v and opens %v, want success: %v", name, err, *opened, want)
		}
	}
}

// Canonical returns the address that the index page gives, if it is an address of a folder on the web.
func TestCanonical(t *testing.T) {
	for _, test := range []struct{ files, want string }{
		{"index.html=<link rel=canonical href=https://h.example/docs/>", "https://h.example/docs/"},
		{"index.html=<link rel='alternate canonical' href=http://h.example/>", "http://h.example/"},
		{"index.html=<meta property=og:url content=https://h.example/>", "https://h.example/"},
		{"index.html=<a href=https://other.example/>x</a><link rel=canonical href=https://h.example/>", "https://h.example/"},
		{"index.html=<link rel=canonical href=https://h.example/page.html>", ""},
		{"index.html=<link rel=canonical href=ftp://h.example/>", ""},
		{"index.html=<a href=https://h.example/>x</a>", ""},
		{"other.html=<link rel=canonical href=https://h.example/>", ""},
	} {
		s, _ := folderSite(test.files)
		address, ok := s.Canonical()
		if got := address.String(); ok != (test.want != "") || ok && got != test.want {
			t.Errorf("with the file %s, Canonical() = %q, %v, want %q", test.files, got, ok, test.want)
		}
	}
}
