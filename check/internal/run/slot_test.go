package run

import (
	"strings"
	"testing"
	"testing/fstest"

	"locus/check"
	"locus/check/site"
	"locus/extract/document"
	"locus/url"
)

// A link that pages repeat is resolved once, and its job is added once.
func TestKnownLinks(t *testing.T) {
	var pages check.Pages
	local := &site.Site{Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{}}
	q := NewQueue(nil)
	for _, name := range []string{"a.html", "b.html"} {
		page := url.MustParse("file:///s/" + name)
		from := check.Source{Document: name}
		for l, err := range pages.Links(check.LinkReader{}, strings.NewReader(`<a href="c.html"><a href="c.html">`), document.HTML, page, local) {
			if err != nil {
				t.Fatal(err)
			}
			from.Links = append(from.Links, l)
		}
		if len(from.Links) != 2 || from.Links[0].Slot() == nil || from.Links[0].Slot() != from.Links[1].Slot() {
			t.Fatalf("the links of %s are %+v, want 2 with one slot", name, from.Links)
		}
		if err := check.Seed(t.Context(), q, from); err != nil {
			t.Fatal(err)
		}
	}
	if q.others.Size() != jobSize {
		t.Errorf("the jobs of two pages with one link take %d bytes, want %d", q.others.Size(), jobSize)
	}
}
