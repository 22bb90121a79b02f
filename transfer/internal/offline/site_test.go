package offline

import (
	"strings"
	"testing"

	"locus/transfer/internal/tree"
	"locus/url"
)

// siteAt returns the site of a mirror of root.
func siteAt(t *testing.T, root string, convert bool) Site {
	t.Helper()
	at, err := tree.At(url.MustParse(root))
	if err != nil {
		t.Fatal(err)
	}
	return Site{Tree: at, Naming: tree.Naming{Portable: convert, Escape: "?", Reserved: OutsideDir}, WithParts: convert, Convert: convert}
}

func TestSiteName(t *testing.T) {
	for _, test := range []struct {
		convert         bool
		url, mime, want string
		isBelow         bool
	}{
		{false, "http://h/r/a", "text/plain", "a", true},
		{false, "http://h/r/a", "text/html", "a.html", true},
		{false, "http://h/r/a.htm", "text/html", "a.htm", true},
		{false, "http://h/r/a.png", "text/html", "a.png.html", true},
		{false, "http://h/r/d/", "text/html", "d/index.html", true},
		{false, "http://h/r/a?q=1", "text/html", "a?q=1", true},
		{false, "http://h/r/a%2Fb", "text/plain", "a%2Fb", true},
		{true, "http://h/r/a", "text/plain", "a.txt", true},
		{true, "http://h/r/a.php", "text/html; charset=utf-8", "a.php.html", true},
		{true, "http://h/r/style?v=1", "text/css", "style%@v=1.css", true},
		{true, "http://h/r/s.css?v=1", "text/css", "s.css%@v=1.css", true},
		{true, "http://h/r/_outside/a.css", "text/css", "%5Foutside/a.css", true},
		{true, "http://h/x/a.css", "text/css", "_outside/http_h/x/a.css", false},
		{true, "http://OTHER:8080/a.css", "text/css", "_outside/http_other_8080/a.css", false},
		{true, "https://other/", "text/html", "_outside/https_other/index.html", false},
	} {
		got, isBelow, err := siteAt(t, "http://h/r/", test.convert).Name(tree.Normalize(url.MustParse(test.url)), test.mime)
		if got != test.want || isBelow != test.isBelow || err != nil {
			t.Errorf("Name(%q, %q) = %q, %v, %v, want %q, %v", test.url, test.mime, got, isBelow, err, test.want, test.isBelow)
		}
	}
}

// A server cannot make a copy deeper than tree.MaxDepth.
func TestSiteNameDepth(t *testing.T) {
	s := siteAt(t, "http://h/r/", false)
	for _, test := range []struct {
		depth int
		ok    bool
	}{{tree.MaxDepth, true}, {tree.MaxDepth + 1, false}} {
		u := url.MustParse("http://h/r/" + strings.Repeat("d/", test.depth) + "f")
		if _, isBelow, err := s.Name(u, "text/plain"); !isBelow || (err == nil) != test.ok {
			t.Errorf("Name below %d directories: %v, %v", test.depth, isBelow, err)
		}
	}
}

func TestStoredName(t *testing.T) {
	for _, test := range []struct {
		convert    bool
		mime, want string
	}{
		{false, "text/html", "d/a.html"},
		{true, "text/html", PagesDir + "/d/a.html"},
		{true, "image/svg+xml", PagesDir + "/d/a.html"},
		{true, "image/png", "d/a.html"},
	} {
		s := Site{WithParts: test.convert, Convert: test.convert}
		got := s.StoredName("d/a.html", test.mime)
		if got != test.want {
			t.Errorf("StoredName of %q = %q, want %q", test.mime, got, test.want)
		}
		if shown := ShownName(got); shown != "d/a.html" {
			t.Errorf("ShownName(%q) = %q, want %q", got, shown, "d/a.html")
		}
	}
}

func TestPageID(t *testing.T) {
	for in, want := range map[string]string{
		"http://h/":                "http://h/",
		"http://h/index.html":      "http://h/",
		"http://h/d/index.html":    "http://h/d/",
		"http://h/d/index.html?q":  "http://h/d/index.html?q",
		"http://h/d/myindex.html":  "http://h/d/myindex.html",
		"http://u:p@h/d/index.htm": "http://h/d/index.htm",
		"http://u:p@h/d/":          "http://h/d/",
	} {
		if got := PageID(url.MustParse(in)); got != want {
			t.Errorf("PageID(%q) = %q, want %q", in, got, want)
		}
	}
}

// Every URL of a page has one name by its hash, and other pages have other names.
func TestNameByHash(t *testing.T) {
	name := NameByHash(url.MustParse("http://h/d/"), "text/html")
	if same := NameByHash(url.MustParse("http://u@h/d/index.html"), "text/html"); same != name {
		t.Errorf("two names of one page: %q and %q", name, same)
	}
	if other := NameByHash(url.MustParse("http://h/e/"), "text/html"); other == name {
		t.Errorf("two pages have the name %q", name)
	}
	if !strings.HasPrefix(name, OutsideDir+"/named/") || !strings.HasSuffix(name, ".html") {
		t.Errorf("the name is %q", name)
	}
}
