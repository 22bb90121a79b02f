package site_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"locus/check"
	"locus/check/site"
	"locus/extract/document"
	"locus/url"
)

// Where links begin in a file of no site.
func TestSources(t *testing.T) {
	const text = "<a href=//h/x><a href=/a#b><a href=../../c><a href=../d><a href=file:///e><a href=mailto:a@h>"
	repository := url.MustParse("file:///r/")
	for _, tt := range []struct {
		page    string
		sources site.Sources
		want    string
	}{
		{"a.md", site.Sources{}, "https://h/x\n/a#b: " + site.NoRoot + "\nfile:///c\nfile:///r/d\nfile:///e\nmailto:a@h"},
		{
			"a.md",
			site.Sources{Repository: repository},
			"https://h/x\nfile:///r/a#b\n../../c: it leads out of the repository\nfile:///r/d\nfile:///e\nmailto:a@h",
		},
		{
			"a.html", site.Sources{Repository: repository}, // a page of a server whose root is not known
			"https://h/x\n/a#b: " + site.NoRoot + "\n../../c: it leads out of the repository\nfile:///r/d\nfile:///e\nmailto:a@h",
		},
		{
			"a.md",
			site.Sources{Repository: repository, IsGenerated: true},
			"https://h/x\n/a#b: " + site.NoRoot + "\n../../c: it leads out of the repository\nfile:///r/d\nfile:///e\nmailto:a@h",
		},
	} {
		var pages check.Pages
		var got []string
		for l, err := range pages.Links(check.LinkReader{Sources: tt.sources}, strings.NewReader(text), document.HTML, url.MustParse("file:///r/docs/"+tt.page), &site.Site{}) {
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

// A template is no link in a source of pages. On a finished page it is a mistake.
func TestTemplates(t *testing.T) {
	const html = `<a href="{{ .Permalink }}">a</a><a href="{{ "a" | relURL }}"><a href="/x{% y %}"><a href="<?php x ?>"><a href=/{x}/y>`
	finished := &site.Site{Folder: url.MustParse("file:///r/"), Files: fstest.MapFS{"index.html": {}}}
	manual := &site.Site{Folder: url.MustParse("file:///r/"), Files: fstest.MapFS{"conf.py": {}}}
	for _, tt := range []struct {
		mode  document.Mode
		text  string
		local *site.Site
		want  string
	}{
		{document.HTML, html, &site.Site{}, "/{x}/y"},
		{document.HTML, html, manual, "file:///r/%7Bx%7D/y"},
		{document.Markdown, "[a]({filename}/a.md) [b]({{site.url}}/b) [c](c)", &site.Site{}, "file:///r/d/c"},
		{document.HTML, "<a href={{a}}><a href='{% b %}'>", finished, "file:///r/d/%7B%7Ba%7D%7D file:///r/d/%7B%25%20b%20%25%7D"},
	} {
		var pages check.Pages
		var got []string
		for l, err := range pages.Links(check.LinkReader{}, strings.NewReader(tt.text), tt.mode, url.MustParse("file:///r/d/a.x"), tt.local) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, l.URL)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("the links of %q are %q, want %q", tt.text, got, tt.want)
		}
	}
}
