package site_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"locus/access"
	"locus/access/engine"
	"locus/check"
	"locus/check/site"
	"locus/extract/document"
	"locus/url"
)

// In a file that is in no site, a link that begins with "/" is resolved only if its root is known.
func TestSources(t *testing.T) {
	const text = "<a href=//h/x><a href=/a#b><a href=../../c><a href=../d><a href=file:///e><a href=mailto:a@h>"
	repository := url.MustParse("file:///r/")
	for _, test := range []struct {
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
			"a.html", site.Sources{Repository: repository}, // a page on a server whose root is not known
			"https://h/x\n/a#b: " + site.NoRoot + "\n../../c: it leads out of the repository\nfile:///r/d\nfile:///e\nmailto:a@h",
		},
		{
			"a.md",
			site.Sources{Repository: repository, Project: &site.Project{Generator: site.Generator{Config: "mkdocs.yml"}, Folder: repository, Files: fstest.MapFS{}}},
			"https://h/x\n/a#b: " + site.NoRoot + "\n../../c: it leads out of the repository\nfile:///r/d\nfile:///e\nmailto:a@h",
		},
	} {
		var pages check.Pages
		var got []string
		for l, err := range pages.Links(check.LinkReader{Sources: test.sources}, strings.NewReader(text), document.HTML, url.MustParse("file:///r/docs/"+test.page), &site.Site{}) {
			if err != nil {
				t.Fatal(err)
			}
			if l.Bad != "" {
				l.URL += ": " + l.Bad
			}
			got = append(got, l.URL)
		}
		if strings.Join(got, "\n") != test.want {
			t.Errorf("with %+v, the links of %s are %q, want %q", test.sources, test.page, got, test.want)
		}
	}
}

// In a source of pages, a template is not a link. On a finished page it is a mistake, so it is a link.
func TestTemplates(t *testing.T) {
	const html = `<a href="{{ .Permalink }}">a</a><a href="{{ "a" | relURL }}"><a href="/x{% y %}"><a href="<?php x ?>"><a href=/{x}/y>`
	finished := &site.Site{Folder: url.MustParse("file:///r/"), Files: fstest.MapFS{"index.html": {}}}
	manual := &site.Site{Folder: url.MustParse("file:///r/"), Files: fstest.MapFS{"conf.py": {}}}
	for _, test := range []struct {
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
		for l, err := range pages.Links(check.LinkReader{}, strings.NewReader(test.text), test.mode, url.MustParse("file:///r/d/a.x"), test.local) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, l.URL)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("the links of %q are %q, want %q", test.text, got, test.want)
		}
	}
}

// The host of a repository shows the readme of a folder, or else its index. A generator shows its own source.
func TestIndex(t *testing.T) {
	folder := url.MustParse("file:///r/d/")
	mkdocs := &site.Project{Generator: site.Generator{Config: "mkdocs.yml"}, Folder: url.MustParse("file:///r/"), Files: fstest.MapFS{"d/index.md": {}, "d/README.md": {}}}
	for _, test := range []struct {
		project *site.Project
		names   string
		want    string // "": none
	}{
		{nil, "a.md README.md index.html", "README.md"},
		{nil, "readme.rst Readme.adoc", "Readme.adoc"},
		{nil, "index.html a.md", "index.html"},
		{nil, "Index.md index.html", "Index.md"},
		{nil, "readme.html readme.txt", ""}, // no host shows them
		{nil, "a.md", ""},
		{nil, "", ""},
		{mkdocs, "README.md", "index.md"},
	} {
		want := url.URL{}
		if test.want != "" {
			want = url.MustParse(folder.String() + test.want)
		}
		file, ok := site.Sources{Project: test.project}.Index(folder, strings.Fields(test.names))
		if ok != (test.want != "") || ok && file != want {
			t.Errorf("Index of a folder with %q = %s, %v, want %q", test.names, file, ok, test.want)
		}
	}
}

// Root is known for the sources of pages in a repository that no generator makes a site of.
func TestRoot(t *testing.T) {
	repository := url.MustParse("file:///r/")
	for _, test := range []struct {
		base    string
		sources site.Sources
		want    bool
	}{
		{"file:///r/a.md", site.Sources{Repository: repository}, true},
		{"file:///r/a.md.gz", site.Sources{Repository: repository}, true},
		{"file:///r/a.rst", site.Sources{Repository: repository}, true},
		{"file:///r/a.adoc", site.Sources{Repository: repository}, true},
		{"file:///r/a.ipynb", site.Sources{Repository: repository}, true},
		{"file:///r/a.html", site.Sources{Repository: repository}, false},
		{"file:///r/a.go", site.Sources{Repository: repository}, false},
		{"file:///r/a.md", site.Sources{Repository: repository, Project: &site.Project{Generator: site.Generator{Config: "mkdocs.yml"}, Folder: repository, Files: fstest.MapFS{}}}, false},
		{"file:///r/a.md", site.Sources{}, false},
	} {
		root, ok := test.sources.Root(test.base)
		if ok != test.want || ok && root != repository {
			t.Errorf("with %+v, Root(%q) = %v, %v, want %v", test.sources, test.base, root, ok, test.want)
		}
	}
	for u, want := range map[string]bool{"file:///r/a": false, "file:///r/": false, "file:///rest/a": true, "file:///": true, "http://h/": true} {
		if got := (site.Sources{Repository: repository}).IsOutside(u); got != want {
			t.Errorf("IsOutside(%q) = %v, want %v", u, got, want)
		}
	}
}

// A Generated says that a missing page is uncertain only if the generator of a site may make it.
func TestGenerated(t *testing.T) {
	const uncertain = "there is no such file, but the site of hugo.toml may have it"
	project := &site.Project{Generator: site.Generator{Config: "hugo.toml"}, Folder: url.MustParse("file:///r/site/"), Files: fstest.MapFS{}}
	g := &site.Generated{
		Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			switch {
			case strings.HasSuffix(req.URL.Path(), "/here.html"):
				return engine.Done(req.URL, nil)
			case strings.HasSuffix(req.URL.Path(), "/secret"):
				return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrPermission}
			}
			return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist}
		}),
		Project: func(file url.URL) *site.Project {
			if strings.HasPrefix(file.Path(), "/r/site/") {
				return project
			}
			return nil
		},
	}
	for _, test := range []struct{ in, want string }{
		{"file:///r/site/here.html", ""},
		{"file:///r/site/page/", uncertain},
		{"file:///r/site/a.png", uncertain},
		{"file:///r/site/a.md", fs.ErrNotExist.Error()}, // a source must exist
		{"file:///r/site/llms.txt", uncertain},
		{"file:///r/site/secret", fs.ErrPermission.Error()},
		{"file:///r/other/page/", fs.ErrNotExist.Error()},
		{"http://h/r/site/page/", fs.ErrNotExist.Error()},
	} {
		_, err := g.Do(t.Context(), &access.Request{URL: url.MustParse(test.in)})
		got := ""
		if e, ok := errors.AsType[*access.Error](err); ok {
			got = e.Err.Error()
		}
		if got != test.want {
			t.Errorf("Do(%s) = %v, want the error %q", test.in, err, test.want)
		}
		if u, ok := errors.AsType[*site.UncertainError](err); ok != (test.want == uncertain) || ok && u.IsRedirect {
			t.Errorf("Do(%s) = %v, want an UncertainError: %v", test.in, err, test.want == uncertain)
		}
	}
}

// Indented text of MDX is not code. Docusaurus reads all Markdown as MDX, unless its configuration sets a format.
func TestIndentedText(t *testing.T) {
	for _, test := range []struct {
		configuration, text, file string // without a configuration there is no generator
		want                      bool
	}{
		{"", "", "a.mdx", true},
		{"", "", "a.MDX", true},
		{"", "", "a.md", false},
		{"docusaurus.config.js", "", "docs/a.md", true},
		{"docusaurus.config.js", "markdown: {\n    format: 'detect',\n  },\n", "docs/a.md", false},
		{"docusaurus.config.ts", "markdown: {mermaid: true, format: \"detect\"},\n", "docs/a.md", false},
		{"docusaurus.config.js", "markdown: {format: 'detect'},\n", "docs/a.mdx", true},
		{"docusaurus.config.js", "markdown: {format: 'md'},\n", "docs/a.md", false},
		{"docusaurus.config.js", "markdown: {format: 'mdx'},\n", "docs/a.md", true},
		{"docusaurus.config.js", "// format: 'detect'\nformats: 'detect',\n", "docs/a.md", true},
		{"next.config.js", "", "pages/a.md", false},
		{"next.config.js", "", "pages/a.mdx", true},
	} {
		s := site.Sources{}
		if test.configuration != "" {
			s.Project = projectOf(t, map[string]string{test.configuration: test.text, test.file: ""})
		}
		if got := s.Dialect(url.MustParse("file:///r/" + test.file)).IsMDX; got != test.want {
			t.Errorf("with %s %q, IsMDX of %s = %v, want %v", test.configuration, test.text, test.file, got, test.want)
		}
	}
}
