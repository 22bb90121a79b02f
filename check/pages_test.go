package check_test

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"locus/access"
	"locus/access/engine"
	"locus/check"
	"locus/check/report"
	"locus/check/site"
	"locus/extract/document"
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

// linksOf returns the links of a file of a site, as Pages.Links yields them.
func linksOf(t *testing.T, file, base, text string) string {
	t.Helper()
	s, _ := folderSite("d/p.html")
	if base != "" {
		s.Base = url.MustParse(base)
	}
	var got []string
	for l, err := range new(check.Pages).Links(check.LinkReader{}, strings.NewReader(text), document.HTML, url.MustParse(file), s) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, l.URL)
	}
	return strings.Join(got, " ")
}

// The URL that a page gives as its own may not be published yet. Therefore it is a link only if it leads to a file.
func TestOwnAddress(t *testing.T) {
	const text = "<link rel=canonical href=https://h/d/p.html><link rel='Me CANONICAL' href=/d/p><meta property=og:url content=https://h/d/q>" +
		"<link rel=alternate href=https://h/feed><meta property=og:image content=https://i/x.png>"
	for _, test := range []struct{ file, base, want string }{
		{"file:///s/d/p.html", "", "file:///s/d/p https://h/feed https://i/x.png"},
		{"file:///s/d/p.html", "https://h/", "file:///s/d/p.html file:///s/d/p file:///s/d/q file:///s/feed https://i/x.png"},
		{"file:///other/p.html", "", "file:///d/p https://h/feed https://i/x.png"},
		{"http://h/d/p.html", "", "https://h/d/p.html http://h/d/p https://h/d/q https://h/feed https://i/x.png"},
	} {
		if got := linksOf(t, test.file, test.base, text); got != test.want {
			t.Errorf("with the base %[2]q, the page %[1]s has the links\n%s, want\n%s", test.file, test.base, got, test.want)
		}
	}
}

// A link in the pages of two sites leads to a file of each site, even if its text is the same.
func TestPagesOfTwoSites(t *testing.T) {
	var pages check.Pages
	for _, folder := range []string{"file:///one/", "file:///two/"} {
		local := &site.Site{Folder: url.MustParse(folder), Files: fstest.MapFS{}}
		page := url.MustParse(folder + "docs/index.html")
		for l, err := range pages.Links(check.LinkReader{}, strings.NewReader(`<a href="a.html">`), document.HTML, page, local) {
			if want := folder + "docs/a.html"; err != nil || l.URL != want {
				t.Errorf("in the site %[4]s, the link is %[1]q, %[2]v, want %[3]q", l.URL, err, want, folder)
			}
		}
	}
}

// A page whose links were read is not opened again, inside and outside of a site.
func TestPagesAreReadOnce(t *testing.T) {
	for _, local := range []*site.Site{{}, {Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{"a.html": {}, "b.html": {}}}} {
		var pages check.Pages
		q := report.NewQueue(nil)
		for name, text := range map[string]string{"a.html": `<a href="b.html#x"><a href="b.html#y"><a href="a.html"><a href="c.txt">`, "b.html": `<p id=x>`} {
			s := check.Source{Document: name}
			for l, err := range pages.Links(check.LinkReader{}, strings.NewReader(text), document.HTML, url.MustParse("file:///s/"+name), local) {
				if err != nil {
					t.Fatal(err)
				}
				s.Links = append(s.Links, l)
			}
			if err := check.Seed(t.Context(), q, s); err != nil {
				t.Fatalf("Seed with the links of %s: %v", name, err)
			}
		}
		engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			if req.URL.Path() != "/s/c.txt" {
				t.Errorf("with the site in %q, %s is opened again", local.Folder, req.URL)
			}
			return nil, fs.ErrNotExist
		})
		c := &check.Checker{Engine: engine, Pages: &pages, Policy: check.Policy{Retries: -1}}
		if local.Files != nil {
			c.Sites = []*site.Site{local}
		}
		r := run(t, c, q)
		if want := [...]int{check.Good: 2, check.Dead: 2}; !slices.Equal(r.Counts[:len(want)], want[:]) {
			t.Errorf("with the site in %q, the counts of the report are %v, want %v", local.Folder, r.Counts, want)
		}
	}
}
