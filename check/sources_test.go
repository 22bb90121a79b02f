package check_test

import (
	"strings"
	"testing"

	"locus/check"
	"locus/extract/document"
	"locus/url"
)

// Where links begin in a file of no site.
func TestSources(t *testing.T) {
	const text = "<a href=//h/x><a href=/a#b><a href=../../c><a href=../d><a href=file:///e><a href=mailto:a@h>"
	page := url.MustParse("file:///r/docs/a.html")
	for _, tt := range []struct {
		sources check.Sources
		want    string
	}{
		{check.Sources{}, "https://h/x\n/a#b: " + check.NoRoot + "\nfile:///c\nfile:///r/d\nfile:///e\nmailto:a@h"},
		{
			check.Sources{Repository: url.MustParse("file:///r/")},
			"https://h/x\nfile:///r/a#b\n../../c: it leads out of the repository\nfile:///r/d\nfile:///e\nmailto:a@h",
		},
		{
			check.Sources{Repository: url.MustParse("file:///r/"), IsGenerated: true},
			"https://h/x\n/a#b: " + check.NoRoot + "\n../../c: it leads out of the repository\nfile:///r/d\nfile:///e\nmailto:a@h",
		},
	} {
		var pages check.Pages
		var got []string
		for l, err := range pages.Links(check.LinkReader{Sources: tt.sources}, strings.NewReader(text), document.HTML, page, &check.Site{}) {
			if err != nil {
				t.Fatal(err)
			}
			if l.Bad != "" {
				l.URL += ": " + l.Bad
			}
			got = append(got, l.URL)
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%v: the links are %q, want %q", tt.sources, got, tt.want)
		}
	}
}
