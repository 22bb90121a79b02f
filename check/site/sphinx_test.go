package site_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"locus/access"
	"locus/check/site"
	"locus/url"
)

// A label is found in every form in which a source may define it, and compared as Sphinx compares it.
func TestLabel(t *testing.T) {
	s, _ := folderSite("conf.py=project = 'x'",
		"a.rst=.. _one:\n.. _`Two  Words`:\n  .. _in-list:\n.. _a\\:b:\n.. _link: https://h/\n.. figure:: x\n   :name: fig 1\n.. _c:d:\n",
		"sub dir/b.md=(myst)=\n# Title\n:label: eq\n",
		"c.txt=.. _text:\n",
		"d.py=.. _code:\n",
		"_build/e.rst=.. _built:\n", ".tox/f.rst=.. _hidden:\n", "x/node_modules/g.rst=.. _module:\n")
	for _, test := range []struct {
		text, at, why string
		isLabel       bool
	}{
		{"one", "a.rst#one", "", true},
		{" ONE\t", "a.rst#one", "", true},
		{"two words", "a.rst#Two%20%20Words", "", true},
		{"in-list", "a.rst#in-list", "", true},
		{"a:b", "a.rst#a%3Ab", "", true},
		{"c:d", "a.rst#c%3Ad", "", true},
		{"fig 1", "a.rst#fig%201", "", true},
		{"myst", "sub%20dir/b.md#myst", "", true},
		{"eq", "sub%20dir/b.md#eq", "", true},
		{"text", "c.txt#text", "", true},
		{"link", "", site.NoLabel, true},
		{"code", "", site.NoLabel, true},
		{"built", "", site.NoLabel, true},
		{"hidden", "", site.NoLabel, true},
		{"module", "", site.NoLabel, true},
		{"genindex", "", "", false},
		{"Search", "", "", false},
	} {
		at, why, isLabel := s.Label(test.text)
		if got := strings.TrimPrefix(at, "file:///s/"); got != test.at || why != test.why || isLabel != test.isLabel {
			t.Errorf("Label(%q) = %q, %q, %v, want %q, %q, %v", test.text, got, why, isLabel, test.at, test.why, test.isLabel)
		}
	}
}

// MyST has more ways to define a label. A link to such a label leads to its file, because the label may not be an id there.
func TestMySTLabels(t *testing.T) {
	s, _ := folderSite("conf.py=extensions = ['myst_parser']",
		"a.md=(a1)=\n```{figure} x\n---\nwidth: 1\nname: fig  One\n---\n```\n```{figure-md} fig-2\n```\n```{math}\nlabel: eq\n```\n```{figure} x\nname: \"\"\n```\n",
		"b.md={.x #block}\nText [span]{#span} `code`{l=python #code .y} {ref}`x` #no {no}\n(fig-2)=\n# A\n", "c.rst=name: no\n{#no}\n")
	for _, test := range []struct{ text, at, why string }{
		{"a1", "a.md#a1", ""},
		{"fig one", "a.md", ""},
		{"fig-2", "b.md#fig-2", ""},
		{"eq", "a.md", ""},
		{"block", "b.md", ""},
		{"span", "b.md", ""},
		{"code", "b.md", ""},
		{"no", "", site.NoLabel},
		{"x", "", site.NoLabel},
	} {
		at, why, ok := s.Label(test.text)
		if got := strings.TrimPrefix(at, "file:///s/"); got != test.at || why != test.why || !ok {
			t.Errorf("Label(%q) = %q, %q, %v, want %q, %q", test.text, got, why, ok, test.at, test.why)
		}
	}
	for _, test := range []struct{ base, in, want string }{
		{"c.md", "#span", "b.md"},
		{"c.md", "span", "b.md"},
		{"c.md", "project:#span", "b.md"},
		{"b.md", "#span", "b.md"},
		{"b.md", "span", "b.md"},
		{"c.md", "#fig%20one", "a.md"},
		{"c.md", "fig-2", "b.md#fig-2"},
	} {
		target, why, ok := s.MySTLink("file:///s/"+test.base, test.in)
		if got := strings.TrimPrefix(target, "file:///s/"); got != test.want || why != "" || !ok {
			t.Errorf("in %s, MySTLink(%q) = %q, %q, %v, want %q", test.base, test.in, got, why, ok, test.want)
		}
	}
	if target, _, ok := s.MySTLink("file:///s/c.md", "#"); ok {
		t.Errorf("MySTLink(#) = %q, true, want false", target)
	}
}

// If not every label can be known, a label that is not found is not an error of the manual.
func TestUnknownLabels(t *testing.T) {
	long := strings.Repeat("x", 70<<10)
	tooMany := []string{"conf.py="}
	for n := range 50_001 {
		tooMany = append(tooMany, fmt.Sprintf("%d.rst=", n))
	}
	for _, test := range []struct {
		name  string
		files []string
		want  string
	}{
		{"no extension", []string{"conf.py=extensions = ['sphinx.ext.todo']", "a.rst="}, site.NoLabel},
		{"an extension with labels", []string{"conf.py=extensions = ['sphinx.ext.autosectionlabel']", "a.rst="}, site.MayBeLabel},
		{"no conf.py", []string{"a.rst="}, site.MayBeLabel},
		{"a notebook", []string{"conf.py=", "a.rst=", "sub/b.ipynb={}"}, site.MayBeLabel},
		{"a long line", []string{"conf.py=", "a.rst=" + long + "\n.. _x:\n"}, site.MayBeLabel},
		{"a large file", []string{"conf.py=", "a.rst=" + strings.Repeat("yyyyyyy\n", 1<<20) + ".. _x:\n"}, site.MayBeLabel},
		{"too many files", tooMany, site.MayBeLabel},
	} {
		s, _ := folderSite(test.files...)
		if at, why, ok := s.Label("x"); at != "" || why != test.want || !ok {
			t.Errorf("with %s, Label(%q) = %q, %q, %v, want %q", test.name, "x", at, why, ok, test.want)
		}
	}
}

// A document is the file with its name and an extension of a source. A name with a colon that no file has is a document
// of another manual.
func TestDocument(t *testing.T) {
	s, _ := folderSite("conf.py=", "a.rst=", "b.md=", "c d.ipynb=", "both.rst=", "both.md=")
	for _, test := range []struct{ file, name, source, why string }{
		{"file:///s/a", "a", "file:///s/a.rst", ""},
		{"file:///s/b", "b", "file:///s/b.md", ""},
		{"file:///s/c%20d", "c d", "file:///s/c%20d.ipynb", ""},
		{"file:///s/both", "both", "file:///s/both.rst", ""},
		{"file:///s/none", "none", "file:///s/none.rst", ""},
		{"file:///s/click%3Atesting", "click:testing", ":doc:`click:testing`", site.OtherManual},
		{"file:///s/a/b%3Ac", "a/b:c", "file:///s/a/b%3Ac.rst", ""},
		{"file:///s/%3Aa", ":a", "file:///s/%3Aa.rst", ""},
		{"file:///other/a", "../other/a", "file:///other/a", ""},
		{"file:///s/%zz", "%zz", "file:///s/%zz", ""},
	} {
		if source, why := s.Document(test.file, test.name); source != test.source || why != test.why {
			t.Errorf("Document(%q, %q) = %q, %q, want %q, %q", test.file, test.name, source, why, test.source, test.why)
		}
	}
}

// An extension may make a document without a source.
func TestMadeDocument(t *testing.T) {
	for _, test := range []struct{ conf, name, source, why string }{
		{"extensions = ['autoapi.extension']", "autoapi/index", ":doc:`autoapi/index`", site.MayBeDocument},
		{"extensions = ['myst_parser', 'autodoc2']", "apidocs/index", ":doc:`apidocs/index`", site.MayBeDocument},
		{"extensions = ['sphinx_gallery.gen_gallery']", "auto_examples/index", ":doc:`auto_examples/index`", site.MayBeDocument},
		{"extensions = ['autoapi.extension']", "a", "file:///s/a.rst", ""},
		{"extensions = ['autoapi.extension']", "click:testing", ":doc:`click:testing`", site.OtherManual},
		{"extensions = ['sphinx.ext.autodoc']", "none", "file:///s/none.rst", ""},
	} {
		s, _ := folderSite("conf.py="+test.conf, "a.rst=")
		if source, why := s.Document("file:///s/"+test.name, test.name); source != test.source || why != test.why {
			t.Errorf("with %s, Document(%q) = %q, %q, want %q, %q", test.conf, test.name, source, why, test.source, test.why)
		}
	}
}

// The name of a file begins at the file that contains the role or, after "/", at the folder.
func TestFile(t *testing.T) {
	s, _ := folderSite("conf.py=")
	s.Base = url.MustParse("https://h.example/docs/")
	for _, test := range []struct{ base, name, from, to string }{
		{"file:///s/d/a.rst", "b c.png", "file:///s/d/a.rst", "b%20c.png"},
		{"file:///s/d/a.rst", "/b/c?.png", "file:///s/", "b/c%3F.png"},
		{"https://h.example/docs/d/a.rst", "../b", "file:///s/d/a.rst", "../b"},
	} {
		if from, to := s.File(test.base, test.name); from != test.from || to != test.to {
			t.Errorf("File(%q, %q) = %q, %q, want %q, %q", test.base, test.name, from, to, test.from, test.to)
		}
	}
}

// In a manual, a page that Sphinx writes is its source. A page without a source may be written by an extension.
func TestManualPages(t *testing.T) {
	files := []string{"a.rst=", "d/b.md=", "page.html=", "d/pot.svg=", "d/pot.png=", "d/pots.gif="}
	for _, test := range []struct {
		name     string
		isManual bool
		want     string // the opened file, or the error
	}{
		{"a.html", true, "file:///s/a.rst"},
		{"d/b.html", true, "file:///s/d/b.md"},
		{"page.html", true, "file:///s/page.html"},
		{"none.html", true, "there is no such file, but the site of conf.py may have it"},
		{"none.png", true, "file does not exist"},
		{"a.html", false, "file does not exist"},
		{"d/pot.*", true, "file:///s/d/pot.png"}, // Sphinx chooses a format
		{"d/none.*", true, "file does not exist"},
		{"none/pot.*", true, "file does not exist"},
		{"d/pot.*", false, "file does not exist"},
	} {
		all := files
		if test.isManual {
			all = append([]string{"conf.py="}, files...)
		}
		s, opened := folderSite(all...)
		if s.IsManual() != test.isManual {
			t.Errorf("with the files %q, IsManual() = %v, want %v", all, s.IsManual(), test.isManual)
		}
		_, err := s.Do(t.Context(), &access.Request{URL: url.MustParse("file:///s/" + test.name)})
		got := strings.Join(*opened, " ")
		if e, ok := errors.AsType[*access.Error](err); ok {
			got = e.Err.Error()
		}
		if got != test.want {
			t.Errorf("with the files %q, %s opens %q, want %q", all, test.name, got, test.want)
		}
	}
	if (&site.Site{Files: fstest.MapFS{"conf.py/x": {}}}).IsManual() {
		t.Error("IsManual() = true for a folder named conf.py")
	}
}
