package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"locus/extract"
	"locus/extract/document"
	"locus/url"
)

// A cachedReader returns the links that linkOf and Site.Local return.
func TestCachedReader(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	texts := []string{
		"a", "b.html", "../", "./", "..", ".", "/", "//", "#", "#c", "?", "q=1", ":", "%41", "é", " ", "\\", "[", "~", "C:", "mailto:", "https://h/", "\t", "site.invalid",
		"...", "..a", "&", "=", "@", "+", "docs", "file:", "HTTP", "x.y/z",
	}
	sites := []*Site{
		{},
		{Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{}},
		{Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{}, Base: url.MustParse("https://h.example/docs/")},
	}
	bases := []string{
		"", "docs/", "docs/deep/er/index.html", "docs//x/", "docs/./x", "docs/../x", "é/x", "%C3%A9/%2e/x", "docs/a?q=/b", "docs/a#f/b", "a:b/c",
	}
	roots := []string{unknownBase, "https://h.example/docs/", "https://h.example/", "file:///s/", "https://H.example:443/docs/", "mailto:", "file:", "https://h.example", "https://other.example", "https://h.example?q", ""}
	cache := newLinkCache()
	for range 200_000 {
		site := sites[random.IntN(len(sites))]
		base := roots[random.IntN(len(roots))] + bases[random.IntN(len(bases))]
		if _, err := url.Parse(base); err != nil {
			continue // a page has none
		}
		r := cachedReader{cache: cache, site: site}
		for range 3 {
			var text strings.Builder
			for range 1 + random.IntN(4) {
				text.WriteString(texts[random.IntN(len(texts))])
			}
			m := extract.Match{Text: text.String(), Kind: extract.Reference, Base: base, Line: 3, Column: 4}
			want, wantOK := linkOf(m)
			want.URL = site.Local(want.URL)
			got, ok := r.linkOf(m)
			got.known = nil
			if ok != wantOK || ok && got != want {
				t.Fatalf("%q in %q, site %v %v: %+v, %v, want %+v, %v", m.Text, base, site.Folder, site.Base, got, ok, want, wantOK)
			}
		}
	}
}

// The link that a page has often is resolved once, and its job is added once.
func TestKnownLinks(t *testing.T) {
	var pages Pages
	site := &Site{Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{}}
	q := NewMemory()
	for _, name := range []string{"a.html", "b.html"} {
		page := url.MustParse("file:///s/" + name)
		from := Source{Document: name}
		for l, err := range pages.Links(LinkReader{}, strings.NewReader(`<a href="c.html"><a href="c.html">`), document.HTML, page, site) {
			if err != nil {
				t.Fatal(err)
			}
			from.Links = append(from.Links, l)
		}
		if len(from.Links) != 2 || from.Links[0].known == nil || from.Links[0].known != from.Links[1].known {
			t.Fatalf("%s: %+v", name, from.Links)
		}
		if err := Seed(t.Context(), q, from); err != nil {
			t.Fatal(err)
		}
	}
	if q.others.size() != jobSize {
		t.Errorf("the jobs take %d bytes, want %d", q.others.size(), jobSize)
	}
}

func TestLinkCacheFolders(t *testing.T) {
	cache := newLinkCache()
	r := cachedReader{cache: cache, site: &Site{}}
	for i := range 3 * maxCachedFolders {
		l, ok := r.linkOf(extract.Match{Text: "/", Kind: extract.Reference, Base: fmt.Sprintf("http://h.example/%d/", i)})
		if !ok || l.URL != "http://h.example/" {
			t.Fatalf("linkOf = %v, %v", l, ok)
		}
		if n := len(cache.folders); n > maxCachedFolders {
			t.Fatalf("the cache has %d folders", n)
		}
	}
}
