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
	repository := url.MustParse("file:///r/")
	for _, tt := range []struct {
		page    string
		sources check.Sources
		want    string
	}{
		{"a.md", check.Sources{}, "https://h/x\n/a#b: " + check.NoRoot + "\nfile:///c\nfile:///r/d\nfile:///e\nmailto:a@h"},
		{
			"a.md", check.Sources{Repository: repository},
			"https://h/x\nfile:///r/a#b\n../../c: it leads out of the repository\nfile:///r/d\nfile:///e\nmailto:a@h",
		},
		{
			"a.html", check.Sources{Repository: repository}, // a page of a server whose root is not known
			"https://h/x\n/a#b: " + check.NoRoot + "\n../../c: it leads out of the repository\nfile:///r/d\nfile:///e\nmailto:a@h",
		},
		{
			"a.md", check.Sources{Repository: repository, IsGenerated: true},
			"https://h/x\n/a#b: " + check.NoRoot + "\n../../c: it leads out of the repository\nfile:///r/d\nfile:///e\nmailto:a@h",
		},
	} {
		var pages check.Pages
		var got []string
		for l, err := range pages.Links(check.LinkReader{Sources: tt.sources}, strings.NewReader(text), document.HTML, url.MustParse("file:///r/docs/"+tt.page), &check.Site{}) {
			if err != nil {
				t.Fatal(err)
			}
			if l.Bad != "" {
				l.URL += ": " + l.Bad
			}
			got = append(got, l.URL)
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%s, %v: the links are %q, want %q", tt.page, tt.sources, got, tt.want)
		}
	}
}
