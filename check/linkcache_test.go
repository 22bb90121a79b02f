package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"locus/check/site"
	"locus/extract"
	"locus/extract/document"
	"locus/url"
)

// A cachedReader returns the same links as linkOf and Site.Local.
func TestCachedReader(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	texts := []string{
		"a", "b.html", "../", "./", "..", ".", "/", "//", "#", "#c", "?", "q=1", ":", "%41", "é", " ", "\\", "[", "~", "C:", "mailto:", "https://h/", "\t", "site.invalid",
		"...", "..a", "&", "=", "@", "+", "docs", "file:", "HTTP", "x.y/z",
	}
	sites := []*site.Site{
		{},
		{Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{}},
		{Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{}, Base: url.MustParse("https://h.example/docs/")},
	}
	bases := []string{
		"", "docs/", "docs/deep/er/index.html", "docs//x/", "docs/./x", "docs/../x", "é/x", "%C3%A9/%2e/x", "docs/a?q=/b", "docs/a#f/b", "a:b/c",
	}
	roots := []string{new(site.Site).Address(), "https://h.example/docs/", "https://h.example/", "file:///s/", "https://H.example:443/docs/", "mailto:", "file:", "https://h.example", "https://other.example", "https://h.example?q", ""}
	cache := newLinkCache()
	for range 5_000 { // there are about 400 bases, so each is used often
		local := sites[random.IntN(len(sites))]
		base := roots[random.IntN(len(roots))] + bases[random.IntN(len(bases))]
		if _, err := url.Parse(base); err != nil {
			continue // not the base of a page
		}
		r := cachedReader{cache: cache, site: local}
		for range 3 {
			var text strings.Builder
			for range 1 + random.IntN(4) {
				text.WriteString(texts[random.IntN(len(texts))])
			}
			m := extract.Match{Text: text.String(), Kind: extract.Reference, Base: base, Line: 3, Column: 4}
			want, wantOK := linkOf(m)
			want.URL = local.Local(want.URL)
			got, ok := r.linkOf(m)
			got.known = nil
			if ok != wantOK || ok && got != want {
				t.Fatalf("%q in %q, site %v %v: %+v, %v, want %+v, %v", m.Text, base, local.Folder, local.Base, got, ok, want, wantOK)
			}
		}
	}
}

func TestLinkCacheFolders(t *testing.T) {
	cache := newLinkCache()
	r := cachedReader{cache: cache, site: &site.Site{}}
	for i := range 3 * maxCachedFolders {
		l, ok := r.linkOf(extract.Match{Text: "/", Kind: extract.Reference, Base: fmt.Sprintf("http://h.example/%d/", i)})
		if !ok || l.URL != "http://h.example/" {
			t.Fatalf("with the base %d: linkOf = %v, %v, want a link", i, l, ok)
		}
		if n := len(cache.folders); n > maxCachedFolders {
			t.Fatalf("after %d bases the cache keeps %d folders, want at most %d", i+1, n, maxCachedFolders)
		}
	}
}

// The links and anchors of a page are the same in the same order, whether its texts were read before or not.
func TestKnownReferences(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	words := []string{
		`<a href="`, `<a href='`, "<a href=", "<A HREF=", `<img src="`, `<link rel=canonical href="`, `<link rel=preconnect href="`, `<link href=`, `<base href="`, "<p id=x>",
		`<meta property=og:url content="`, `<iframe srcdoc="<a href='`, "<style>p{background:url(", "</style>", "<noscript>", "</noscript>", "<!--", "-->", "<script src=",
		`"`, "'", ">", "\n", " ", "b.html", "../", "/", "#c", "?d", "&amp;", "https://h/", "javascript:", "docs/", "é", "\x00", "<", "text", "[", "mailto:x",
	}
	local := &site.Site{Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{}, Base: url.MustParse("https://h/")}
	var pages Pages
	for i := range 2000 {
		var text strings.Builder
		for range random.IntN(30) {
			text.WriteString(words[random.IntN(len(words))])
		}
		at := url.MustParse(fmt.Sprintf("file:///s/d%d/p.html", i%7))
		var got, want []Link
		for l, err := range pages.Links(LinkReader{}, strings.NewReader(text.String()), document.HTML, at, local) {
			if err != nil {
				t.Fatal(err)
			}
			l.known = nil
			got = append(got, l)
		}
		slow := func(m extract.Match) (Link, bool) {
			l, ok := linkOf(m)
			l.URL = local.Local(l.URL)
			return l, ok
		}
		page := newPage(at, document.HTML, local)
		for l, err := range page.links(LinkReader{}, strings.NewReader(text.String()), 0, slow) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, l)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("the page %q has the links\n%+v, want\n%+v", text.String(), got, want)
		}
		anchors := page.content().anchors
		slices.Sort(anchors)
		if known, _ := pages.get(at.String()); i < 7 && !slices.Equal(known.anchors, anchors) {
			t.Fatalf("the page %q has the anchors %v, want %v", text.String(), known.anchors, anchors)
		}
	}
}

// A caller that stops reading links gets no further link.
func TestKnownReferencesStop(t *testing.T) {
	local := &site.Site{Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{}}
	var pages Pages
	n := 0
	for range pages.Links(LinkReader{}, strings.NewReader(strings.Repeat("<a href=a><a href='b&amp;c'>", 300)), document.HTML, url.MustParse("file:///s/p.html"), local) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d links were yielded, want 1", n)
	}
}

// Links with a long text or a long base are not kept, so that the memory of the cache is bounded.
func TestCachedTexts(t *testing.T) {
	cache := newLinkCache()
	r := cachedReader{cache: cache, site: &site.Site{}}
	long := strings.Repeat("x", 999)
	for _, m := range []extract.Match{{Text: long, Base: "http://h/"}, {Text: "y", Base: "http://h/" + long + "/"}} {
		m.Kind = extract.Reference
		if l, ok := r.linkOf(m); !ok || l.known != nil || len(l.URL) < len(long) {
			t.Errorf("linkOf(%.20q) with the base %.20q = %+v, %v", m.Text, m.Base, l, ok)
		}
	}
}
