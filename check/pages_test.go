package check_test

import (
	"strings"
	"testing"

	"locus/check"
	"locus/extract/document"
	"locus/url"
)

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

// The address that a file gives as its own may not be published yet. It is checked if it
// is that of a file.
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
			t.Errorf("%s with base %q has the links\n%s, want\n%s", test.file, test.base, got, test.want)
		}
	}
}
