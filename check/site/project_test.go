package site_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"locus/check/site"
	"locus/url"
)

// projectOf returns the project of a folder with files of the given texts.
func projectOf(t *testing.T, texts map[string]string) *site.Project {
	t.Helper()
	files := folderOf(texts)
	generator, host := site.GeneratorIn(files)
	if generator.Config == "" {
		generator = host
	}
	if generator.Config == "" {
		t.Errorf("no generator is found in %q", slices.Sorted(maps.Keys(texts)))
	}
	return &site.Project{Generator: generator, Folder: url.MustParse("file:///r/"), Files: files}
}

// named returns empty files with the given names.
func named(names string) map[string]string {
	files := map[string]string{}
	for name := range strings.FieldsSeq(names) {
		files[name] = ""
	}
	return files
}

// Links that generators read in their own way. "-" is a link that is resolved as everywhere.
func TestProjectLink(t *testing.T) {
	for _, test := range []struct {
		files, config string // the text of the first file is config
		in, want      string
	}{
		{"config.toml content/a.md", "base_url", "@/a.md#x", "file:///r/content/a.md#x"},
		{"config.toml content/a.md", "base_url", "@/sub/../b.md", "file:///r/content/b.md"},
		{"config.toml content/a.md static/p.png", "base_url", "/p.png", "file:///r/static/p.png"},
		{"config.toml content/a.md", "base_url", "/a/", "file:///r/content/a/"},
		{"config.toml content/a.md", "base_url", "/b/", "/b/: " + site.NoRoot},
		{"config.toml content/a.md", "base_url", "b.md", "-"},
		{"docusaurus.config.js docs/a.md", "", "@site/docs/a.md", "file:///r/docs/a.md"},
		{"docusaurus.config.js docs/a.mdx", "", "/docs/a#x", "file:///r/docs/a#x"},
		{"docusaurus.config.js docs/a.mdx", "", "/a", "file:///r/docs/a"},
		{"docusaurus.config.js docs/a.mdx", "", "/docs/next/a", "file:///r/docs/a"},
		{"docusaurus.config.js versioned_docs/version-1.2/a.md", "", "/docs/1.2/a", "file:///r/versioned_docs/version-1.2/a"},
		{"docusaurus.config.js versioned_docs/version-1.2/a.md", "", "/docs/1.3/a", "/docs/1.3/a: " + site.NoRoot},
		{"docusaurus.config.js static/img/a.svg", "", "/img/a.svg", "file:///r/static/img/a.svg"},
		{".vitepress/config.js public/a.svg guide/b.md", "", "/a.svg", "file:///r/public/a.svg"},
		{".vitepress/config.js guide/b.md", "", "/guide/b", "file:///r/guide/b"},
		{".vitepress/config.js guide/index.md", "", "/guide/", "file:///r/guide/"},
		{".vitepress/config.js guide/b.md", "", "/guide/b.html?x#y", "file:///r/guide/b.html?x#y"},
		{".vitepress/config.js guide/b.md", "", "/guide/c", "file:///r/guide/c"}, // the build fails
		{".vitepress/config.js guide/b.md", "ignoreDeadLinks: true", "/guide/c", "/guide/c: " + site.NoRoot},
		{".vitepress/config.js guide/[x].md", "", "/guide/c", "/guide/c: " + site.NoRoot},
		{".vitepress/config.js guide/b.md", "", "/c.zip", "/c.zip: " + site.NoRoot},
		{".vitepress/config.js src/b.md", "export default {\n  srcDir: './src',\n}", "/b", "file:///r/src/b"},
		{"hugo.toml static/a.png content/b.md", "", "/a.png", "file:///r/static/a.png"},
		{"hugo.toml content/b.md", "", "/b/", "file:///r/content/b/"},
		{"mkdocs.yml docs/b.md", "", "/b/", "file:///r/docs/b/"},
		{"mkdocs.yml manual/b.md", "docs_dir: manual # the pages", "/b.md", "file:///r/manual/b.md"},
		{"astro.config.mjs src/pages/a.astro public/p.png", "", "/a", "file:///r/src/pages/a"},
		{"astro.config.mjs src/pages/a.astro public/p.png", "", "/p.png", "file:///r/public/p.png"},
		{"astro.config.mjs src/pages/a.astro", "", "/b", "/b: " + site.NoRoot},
		{"next.config.js app/a/page.tsx", "", "/a", "file:///r/app/a"},
		{"nuxt.config.ts pages/a.vue content/b.md", "", "/b", "file:///r/content/b"},
		{"_config.yml a.md", "", "/a.html", "file:///r/a.html"},
		{"_config.yml a.md", "", "/b.html", "/b.html: " + site.NoRoot},
	} {
		files := named(test.files)
		files[strings.Fields(test.files)[0]] = test.config
		target, why, ok := projectOf(t, files).Link(url.MustParse("file:///r/a.md"), "link", test.in)
		switch {
		case !ok:
			target = "-"
		case why != "":
			target += ": " + why
		}
		if target != test.want {
			t.Errorf("with %s %q, Link(%q) = %q, want %q", test.files, test.config, test.in, target, test.want)
		}
	}
}

// The roles of MyST in a Jupyter Book lead to sources and files. "-" is a link that is resolved as everywhere.
func TestProjectRoles(t *testing.T) {
	p := projectOf(t, named("myst.yml a.md sub/b.md sub/c.ipynb sub/x.zip"))
	for _, test := range []struct{ file, place, in, want string }{
		{"a.md", "role doc", "sub/b", "file:///r/sub/b.md"},
		{"sub/b.md", "role doc", "c", "file:///r/sub/c.ipynb"},
		{"sub/b.md", "role doc", "c.ipynb", "file:///r/sub/c.ipynb"},
		{"sub/b.md", "role doc", "/a", "file:///r/a.md"},
		{"sub/b.md", "role doc", "a b", "file:///r/sub/a%20b.md"},
		{"sub/b.md", "role doc", "gone.md", "file:///r/sub/gone.md"},
		{"sub/b.md", "role doc", "click:testing", ":doc:`click:testing`: " + site.OtherManual},
		{"sub/b.md", "role doc", "../../a", "-"},
		{"sub/b.md", "role download", "x.zip", "file:///r/sub/x.zip"},
		{"sub/b.md", "role download", "/sub/gone", "file:///r/sub/gone"},
	} {
		target, why, ok := p.Link(url.MustParse("file:///r/"+test.file), test.place, test.in)
		switch {
		case !ok:
			target = "-"
		case why != "":
			target += ": " + why
		}
		if target != test.want {
			t.Errorf("in %s, Link(%q, %q) = %q, want %q", test.file, test.place, test.in, target, test.want)
		}
	}

	p = projectOf(t, map[string]string{"conf.py": "extensions = ['myst_parser', 'autodoc2']", "a.md": ""})
	if target, why, ok := p.Link(url.MustParse("file:///r/a.md"), "role doc", "apidocs/index"); target != ":doc:`apidocs/index`" || why != site.MayBeDocument || !ok {
		t.Errorf("with autodoc2, Link(%q) = %q, %q, %v, want %q", "apidocs/index", target, why, ok, site.MayBeDocument)
	}
}

// The source of a page. "dead" is a page that the generator needs, and "made" is one that it may make.
func TestProjectSource(t *testing.T) {
	for _, test := range []struct{ files, page, want string }{
		{"book.toml src/pot.md", "src/pot.html", "src/pot.md"},
		{"book.toml src/README.md", "src/index.html", "src/README.md"},
		{"book.toml src/pot.md", "src/cup.html", "made"},
		{"book.toml src/pot.md", "src/cup.md", "dead"},
		{"_quarto.yml a.qmd", "a.html", "a.qmd"},
		{"hugo.toml content/a/_index.md", "content/a/", "content/a/_index.md"},
		{"docusaurus.config.js docs/a/index.mdx", "docs/a", "docs/a/index.mdx"},
		{"docusaurus.config.js docs/a.md docs/a/b.md", "docs/a", "docs/a.md"},
		{".vitepress/a a.md", "a", "a.md"},
		{".vitepress/a a.md", "b", "dead"},
		{".vitepress/a a.md", "b.html", "dead"},
		{".vitepress/a a.md", "b.png", "made"},
		{".vuepress/a a.md", "b", "made"},
		{"mkdocs.yml docs/a.md", "docs/b/", "made"},
		{"mkdocs.yml docs/a.md", "/b", "made"}, // a link to ..//b in docs
		{"mkdocs.yml docs/a.md", "/", "made"},
		{".vitepress/a a.md", "a?x=1", "a.md"},
		{".vitepress/a a.md", "a.html?x=1#y", "a.md"},
		{".vitepress/a a.md", "b?x=1", "dead"},
		{"mkdocs.yml docs/a.md", "docs/a/?x", "docs/a.md"},
		{".vitepress/a a.md", "/b", "dead"},
		{".vitepress/a a.md", "//b/c.html", "dead"},
	} {
		p := projectOf(t, named(test.files))
		page := url.MustParse("file:///r/" + test.page)
		source, ok := p.Source(page)
		got := strings.TrimPrefix(source.String(), "file:///r/")
		switch {
		case !ok && p.IsMissing(page):
			got = "dead"
		case !ok:
			got = "made"
		}
		if got != test.want {
			t.Errorf("with %s, the source of %s is %q, want %q", test.files, test.page, got, test.want)
		}
	}
}

// A generator reads the files in its folders with pages, and the host shows the others.
func TestProjectReads(t *testing.T) {
	for _, test := range []struct {
		files, file string
		want        bool
	}{
		{"mkdocs.yml", "docs/a.md", true},
		{"mkdocs.yml", "README.md", false},
		{"book.toml", "src/a.md", true},
		{"book.toml", "CHANGELOG.md", false},
		{"docusaurus.config.js", "handbook/a.md", true},
		{"docusaurus.config.js", "README.md", false},
		{"_config.yml", "README.md", true},
		{".vitepress/a", "a.md", true},
		{"antora.yml", "modules/ROOT/pages/a.adoc", true},
		{"antora.yml", "README.adoc", false},
	} {
		if got := projectOf(t, named(test.files)).Reads(url.MustParse("file:///r/" + test.file)); got != test.want {
			t.Errorf("with %s, Reads(%s) = %v, want %v", test.files, test.file, got, test.want)
		}
	}
	p := &site.Project{Folder: url.MustParse("file:///r/"), Files: fstest.MapFS{}}
	if p.Reads(url.MustParse("file:///other/a.md")) {
		t.Error("a project reads a file of another folder")
	}
}

// Resource ids of Antora, in the page modules/ROOT/pages/sub/a.adoc. "-" is a name that is resolved as everywhere.
func TestAntoraResources(t *testing.T) {
	p := projectOf(t, map[string]string{"antora.yml": ""})
	for _, test := range []struct{ file, place, in, want string }{
		{"modules/ROOT/pages/sub/a.adoc", "xref", "b.adoc", "modules/ROOT/pages/b.adoc"},
		{"modules/ROOT/pages/sub/a.adoc", "xref", "b.adoc#x", "modules/ROOT/pages/b.adoc#x"},
		{"modules/ROOT/pages/sub/a.adoc", "xref", "./b.adoc", "modules/ROOT/pages/sub/b.adoc"},
		{"modules/ROOT/pages/sub/a.adoc", "xref", "../b.adoc", "modules/ROOT/pages/b.adoc"},
		{"modules/ROOT/pages/sub/a.adoc", "xref", "#x", "-"},
		{"modules/ROOT/pages/sub/a.adoc", "xref", "pots:b.adoc", "modules/pots/pages/b.adoc"},
		{"modules/ROOT/pages/sub/a.adoc", "xref", "pots:b#x", "modules/pots/pages/b.adoc#x"},
		{"modules/pots/nav.adoc", "xref", "b.adoc", "modules/pots/pages/b.adoc"},
		{"modules/pots/pages/a.adoc", "xref", "ROOT:b.adoc", "modules/ROOT/pages/b.adoc"},
		{"modules/ROOT/pages/a.adoc", "xref", "milk::b.adoc", "milk::b.adoc: " + site.OtherComponent},
		{"modules/ROOT/pages/a.adoc", "xref", "milk:pots:b.adoc", "milk:pots:b.adoc: " + site.OtherComponent},
		{"modules/ROOT/pages/a.adoc", "xref", "2.0@b.adoc", "2.0@b.adoc: " + site.OtherComponent},
		{"modules/ROOT/pages/a.adoc", "xref", "attachment$x.pdf", "modules/ROOT/attachments/x.pdf"},
		{"modules/ROOT/pages/a.adoc", "image", "x.png", "modules/ROOT/images/x.png"},
		{"modules/ROOT/pages/a.adoc", "image", "pots:x.png", "modules/pots/images/x.png"},
		{"modules/ROOT/pages/a.adoc", "image", "https://h/x.png", "-"},
		{"modules/ROOT/pages/a.adoc", "include", "partial$x.adoc", "modules/ROOT/partials/x.adoc"},
		{"modules/ROOT/pages/a.adoc", "include", "pots:example$x.rb", "modules/pots/examples/x.rb"},
		{"modules/ROOT/pages/a.adoc", "include", "x.adoc", "-"},
		{"modules/ROOT/pages/a.adoc", "link", "b.html", "-"},
		{"README.adoc", "xref", "b.adoc", "-"},
	} {
		target, why, ok := p.Link(url.MustParse("file:///r/"+test.file), test.place, test.in)
		got := strings.TrimPrefix(target, "file:///r/")
		switch {
		case !ok:
			got = "-"
		case why != "":
			got += ": " + why
		}
		if got != test.want {
			t.Errorf("in %s, the %s %q is %q, want %q", test.file, test.place, test.in, got, test.want)
		}
	}
}

// Links in double brackets.
func TestNote(t *testing.T) {
	wiki := projectOf(t, named(".obsidian/app.json a.md deep/Sub-Page.md pic.png deep/a.md .trash/old.md"))
	gitHub := projectOf(t, named(".github/a a.md"))
	twice := projectOf(t, named(".obsidian/app.json deep/x.md x.md deep/y.md z/y.md"))
	for _, test := range []struct {
		wiki     *site.Project
		in, want string
	}{
		{wiki, "a", "a.md"},
		{wiki, "A", "a.md"},
		{wiki, "a#X|the text", "a.md"},
		{wiki, "deep/a", "deep/a.md"},
		{wiki, "Sub Page", "deep/Sub-Page.md"},
		{wiki, "pic.png", "pic.png"},
		{wiki, "pic", site.NoNote},
		{wiki, "old", site.NoNote},
		{wiki, "#X", "-"},
		{wiki, "toc", "-"},
		{twice, "x", "x.md"}, // the name with its folder comes first
		{twice, "deep/x", "deep/x.md"},
		{twice, "y", "deep/y.md"},
		{gitHub, "a", site.NoWiki},
		{nil, "a", site.NoWiki},
		{nil, "_TOC_", "-"},
	} {
		file, why, ok := test.wiki.Note(test.in)
		got := strings.TrimPrefix(file, "file:///r/") + why
		if !ok {
			got = "-"
		}
		if got != test.want {
			t.Errorf("Note(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// A link in Markdown may be the name of a page of the wiki, in any folder. "-" is a link that is resolved as everywhere.
func TestNoteLink(t *testing.T) {
	wiki := projectOf(t, named(".obsidian/app.json a.md b.md deep/Sub-Page.md deep/b.md deep/c.md"))
	for _, test := range []struct{ in, want string }{
		{"a", "file:///r/a.md"},
		{"a.md#X", "file:///r/a.md#X"},
		{"./a.md?q", "file:///r/a.md?q"},
		{"Sub-Page", "file:///r/deep/Sub-Page.md"},
		{"sub%20page", "file:///r/deep/Sub-Page.md"},
		{"b.md", "-"}, // beside the file
		{"none", "-"},
		{"x/a", "-"},
		{"http://h/", "-"},
		{"#X", "-"},
		{"", "-"},
		{"%zz", "-"},
	} {
		got, why, ok := wiki.Link(url.MustParse("file:///r/deep/c.md"), "link", test.in)
		if !ok {
			got = "-"
		}
		if got != test.want || why != "" {
			t.Errorf("Link(%q) = %q, %q, want %q", test.in, got, why, test.want)
		}
	}
}

// Links in documents that MyST reads. "-" is a link that is resolved as everywhere.
func TestMySTLink(t *testing.T) {
	files := folderOf(map[string]string{
		"conf.py": "extensions = ['myst_parser']", "index.md": "(here)=\n# A\n", "sub/a.md": "```{figure} x\n:name: the pot\n```\n", "b.rst": "", "c": "",
	})
	s := &site.Site{Folder: url.MustParse("file:///m/"), Files: files}
	if !s.ReadsMyST() {
		t.Error("ReadsMyST = false, want true")
	}
	for _, test := range []struct{ base, in, want string }{
		{"index.md", "b", "b.rst"},
		{"index.md", "b#x", "b.rst#x"},
		{"index.md", "sub/a", "sub/a.md"},
		{"sub/a.md", "../index", "index.md"},
		{"sub/a.md", "/index", "index.md"},
		{"index.md", "c", "-"},
		{"index.md", "sub/a.md", "-"},
		{"index.md", "none", "-"},
		{"index.md", "the%20pot", "sub/a.md#the%20pot"},
		{"index.md", "here", "index.md#here"},
		{"index.md", "project:#here", "index.md#here"},
		{"sub/a.md", "project:#here", "index.md#here"},
		{"index.md", "project:none.md", "none.md"},
		{"index.md", "project:sub/a.md#x", "sub/a.md#x"},
		{"index.md", "#the%20pot", "sub/a.md#the%20pot"},
		{"index.md", "#here", "-"},
		{"sub/a.md", "#here", "index.md#here"},
		{"sub/a.md", "#none", "-"},
		{"index.md", "https://h/b", "-"},
		{"index.md", "mailto:b@h", "-"},
		{"index.md", "../../b", "-"},
	} {
		target, why, ok := s.MySTLink(s.Address()+test.base, test.in)
		got := strings.TrimPrefix(target, "file:///m/") + why
		if !ok {
			got = "-"
		}
		if got != test.want {
			t.Errorf("in %s, MySTLink(%q) = %q, want %q", test.base, test.in, got, test.want)
		}
	}
	files["conf.py"] = &fstest.MapFile{Data: []byte("extensions = ['myst_parser', 'sphinx.ext.autodoc']")}
	s = &site.Site{Folder: url.MustParse("file:///m/"), Files: files}
	for _, test := range []struct{ in, want string }{
		{"pots.Kettle", site.MayBeLabel},
		{"none.md", ""},
		{"sub/none", ""},
		{"here", ""},
	} {
		if _, why, _ := s.MySTLink(s.Address()+"index.md", test.in); why != test.want {
			t.Errorf("with autodoc, MySTLink(%q) = %q, want %q", test.in, why, test.want)
		}
	}
	delete(files, "conf.py")
	if (&site.Site{Files: files}).ReadsMyST() {
		t.Error("ReadsMyST without conf.py = true, want false")
	}
}
