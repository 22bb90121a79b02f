package document

import (
	"slices"
	"strings"
	"testing"

	"locus/extract/document/dialect"
)

// anchorsOf returns the anchors of a document.
func anchorsOf(t *testing.T, mode Mode, text string) (all []string) {
	t.Helper()
	return anchorsIn(t, mode, text, dialect.Dialect{})
}

// anchorsIn is anchorsOf for a dialect.
func anchorsIn(t *testing.T, mode Mode, text string, d dialect.Dialect) (all []string) {
	t.Helper()
	gather(t, mode, strings.NewReader(text), Options{SkipCode: true, Dialect: d, Anchor: func(name string) { all = append(all, name) }})
	return all
}

// The anchors that generators give to headings. The names after "!" are not anchors.
func TestHeadingNames(t *testing.T) {
	for _, test := range []struct {
		mode     Mode
		in, want string
	}{
		{Markdown, "# What's new_in 2.0?\n", "whats-new_in-20 !what's-new_in-2.0? !what-s-new-in-2-0"},
		{Markdown, "# A\n## A\nA\n===\n", "a a-1 a-2 !a_1 !a-3"},
		{Markdown, "# `code()` & [link](x) **bold** *it* _em_ ![img](i)\n", "code--link-bold-it-em- !code--link-bold-it-em"},
		{Markdown, "# `__init__` _two words_ a_b_ **_x_**~~y~~\n", "__init__-two-words-a_b_-xy"},
		{Markdown, "# [![State](state.svg)](https://ci.h/) Serve\n## Pour ![Kettle](k.svg)\n", "-serve pour- !pour !serve"},
		{Markdown, "# Überschrift 日本 №1\n", "überschrift-日本-1"},
		{Markdown, "# Install &amp; run \\*x\\*\n", "install--run-x !install-run-x"},
		{Markdown, "# Title <!-- omit in toc -->\n# A {x}\n", "title a-x !a"},
		{Markdown, "# Title {#own .class}\n## Other { #two }\nText\n{: #three}\n\n(four)=\n# Five\n[x]{#six}\n", "own two three four five six title"},
		{Markdown, "---\ntitle: x\n---\n# A\n<a id=one></a><h2 id='two'>x</h2>\n\n<a name=three></a>\n", "a one two three !title-x"},
		{Markdown, "```\n# no\n```\n    # no\n\n#no\n", "!no"},
		{Markdown, "# Title {/* #own */}\n## Other {/* note */}\n{/* #three\n*/}\n{/*#*/}\n", "own title other three !title-"},
		{Markdown, "Two\nlines\n---\n> # Quoted\n", "two-lines quoted"},
		{RST, "Title One\n=========\n\n.. _my target:\n\nSub `x`\n-------\n\ntext _`in line` x\n\n   no\n   ==\n\n.. figure:: a\n   :name: Fig 1\n", "title-one my-target sub-x in-line fig-1 !no"},
		{RST, "====\nOver\n====\n\n.. _`a: b`: c\n", "over a-b"},
		{RST, "Über uns: Straße, Łódź\n======\n\n日本\n====\n", "uber-uns-strasze-lodz !ber-uns-stra-e"},
		{RST, ":mod:`!pickle` --- ``dump`` of :class:`~a.b.Frame` and :ref:`the text <target>`, *it*\n====\n", "pickle-dump-of-frame-and-the-text-it"},
		{RST, "Use `this page <http://h/>`_ and |x|_\n====\n", "use-this-page-and-x"},
		{
			RST, strings.Repeat("\n", 3) + ".. module:: os.path\n\n.. function:: join(a, *b)\n              split(path) -> tuple\n\n   Text ``x``.\n\n" +
				".. class:: Path(x)\n           Pure\n\n   .. method:: open()\n   .. attribute:: Pure.name\n\n   .. class:: Inner\n\n      .. py:method:: f(x)\n\n.. method:: Path.read()\n" +
				".. currentmodule:: None\n.. py:data:: __debug__\n.. decorator:: @cached\n.. comment:: no\n",
			"module-os.path os.path.join os.path.split os.path.Path os.path.Pure os.path.Pure.open os.path.Pure.name os.path.Pure.Inner os.path.Pure.Inner.f " +
				"os.path.Path.read __debug__ cached !no !comment !os.path.Text !Text",
		},
		{RST, ".. c:function:: int *PyList_New(Py_ssize_t n)\n.. c:type:: PyConfig\n\n   .. c:member:: int home\n\n.. c:macro:: MAX\n", "c.PyList_New c.PyConfig c.PyConfig.home c.MAX"},
		{RST, ".. option:: -o FILE, --out=FILE\n.. program:: tool --build\n.. option:: --dry-run[=x]\n            -n\n.. cmdoption:: sub\n.. envvar:: HOME\n", "cmdoption-o cmdoption-out cmdoption-tool-build-dry-run cmdoption-tool-build-n cmdoption-tool-build-arg-sub envvar-HOME"},
		{RST, "::\n\n   .. function:: no\n\n.. code-block:: rst\n\n   .. class:: no2\n", "!no !no2"},
		{Asciidoc, "= Doc\n\n== Section One. Two\n\n[[own]]\n=== A\n\n[#two]\nx [[three]]y anchor:four[]\n\n[id=five]\n== A\n\n[#six.role]#text#\n", "_section_one_two section-one-two own _a a two three four five _a_2 a-2 six"},
		{Asciidoc, ":idprefix: id-\n:idseparator: -\n== A b\n", "id-a-b _a_b a-b"},
		{HTML, "<p id=a><a name=b>", "a b"},
	} {
		got := anchorsOf(t, test.mode, test.in)
		for _, name := range strings.Fields(test.want) {
			unwanted, isUnwanted := strings.CutPrefix(name, "!")
			if slices.Contains(got, unwanted) == isUnwanted {
				t.Errorf("%v of %q has the anchors %q, want %s", test.mode, test.in, got, name)
			}
		}
	}
}

func TestFrontMatter(t *testing.T) {
	hold(t, Markdown, Options{}, []marked{
		{"---\na: ⟦http://h/⟧\nb: [a](no)\n---\n[a](⟦b⟧)\n", []string{"url http://h/", "link: b"}},
		{"+++\na = \"⟦http://h/⟧\"\n+++\n[a](⟦b⟧)\n", []string{"url http://h/", "link: b"}},
		{"\ufeff---\na: b\n...\n[a](⟦b⟧)\n", []string{"link: b"}},
		{"---\n\n[a](⟦b⟧)\n\n---\n", []string{"link: b"}},
		{"---\na: b\n[a](⟦b⟧)\n", []string{"link: b"}},
		{"x\n---\na: [a](⟦b⟧)\n---\n", []string{"link: b"}},
	})
	hold(t, Asciidoc, Options{}, []marked{{"---\na: ⟦http://h/⟧\n---\nlink:⟦b⟧[]\n", []string{"url http://h/", "link: b"}}})
}

func TestAsciiDoc(t *testing.T) {
	hold(t, Asciidoc, Options{}, []marked{
		{"link:⟦a.html⟧[text] ⟦http://h/b⟧[text] ⟦https://h/c⟧ <⟦http://h/d⟧> ⟦mailto:x@h.example⟧[me] link:++⟦a_b⟧++[x]", []string{
			"link: a.html", "link: http://h/b", "url https://h/c", "url http://h/d", "mailto: mailto:x@h.example", "link: a_b",
		}},
		{"xref:⟦other.adoc#id⟧[x] xref:⟦here⟧[] <<⟦sec⟧>> <<⟦sec⟧,text>> <<⟦o.adoc#s⟧,x>> xref:⟦o.adoc⟧[] xref:mod:page.adoc[]", []string{
			"xref: other.adoc#id", "xref: #here", "xref: #sec", "xref: #sec", "xref: o.adoc#s", "xref: o.adoc",
		}},
		{"image::⟦a.png⟧[alt]\nimage:⟦b.png⟧[] include::⟦c.adoc⟧[]\nvideo::12345[youtube]\nimage::mod:x.png[] include::partial$x.adoc[]", []string{"image: a.png", "image: b.png", "include: c.adoc"}},
		{":imagesdir: img\n:home: ⟦http://h⟧\n\nimage::⟦a.png⟧[]\n⟦{home}/x⟧[text] link:⟦{home}/y⟧[] ⟦http://h/{nbsp}⟧ http://h/{unknown}/x http://{unknown}/[x] image::{unknown}/a[]", []string{
			"url http://h", "image: img/a.png", "link: http://h/x", "link: http://h/y", "link: http://h/\u00a0",
		}},
		{"\\link:no[] \\<<no>> link:no no ⟦http://h⟧", []string{"url http://h"}},
	})
}

func TestNotebook(t *testing.T) {
	hold(t, Notebook, Options{}, []marked{
		{`{"cells": [{"cell_type": "markdown", "source": ["[a](⟦b⟧)\n", "![x](⟦c.png⟧) \"⟦http://h/⟧\""]},
			{"cell_type": "code", "outputs": [{"text": ["http://no/"]}], "source": "get('⟦http://h/code⟧')"},
			{"source": ["[d](⟦e⟧)"], "metadata": {"x": "http://no/"}, "cell_type": "markdown"}], "metadata": {"y": "http://no/"}}`, []string{
			"link: b", "image: c.png", "url http://h/", "url http://h/code", "link: e",
		}},
		{`{"cells": [{"cell_type": "markdown", "source": "broken`, nil},
		{`[[[{"cells":[{"source":"http://no/"}]}]]]`, nil},
		{`{"x": [[{"source": "http://no/"}]], "cells": 1}`, nil},
	})
}

func TestTeX(t *testing.T) {
	got := read(t, TeX, "\\url{http://h/a\\_b} http://h/c\\& http://h/d%20e\\n", Options{})
	if want := []string{`http://h/a_b from "http://h/a\\_b"`, `http://h/c& from "http://h/c\\&"`, "http://h/d%20e"}; !slices.Equal(got, want) {
		t.Errorf("the anchors are %q, want %q", got, want)
	}
}

// The ids of headings by the rules of generators. The names after "!" are not ids.
func TestHeadingNamesOfGenerators(t *testing.T) {
	for _, test := range []struct {
		dialect  dialect.Dialect
		in, want string
	}{
		{dialect.Dialect{Naming: dialect.MkDocs}, "# What's `new_in` 2.0?\n# A\n# A\n", "whats-new_in-20 a a_1 !a-1"},
		{dialect.Dialect{Naming: dialect.GitLab}, "# A & *B*\n# A & B\n# 12\n", "a-b a-b-1 anchor-12 !a--b !12"},
		{dialect.Dialect{Naming: dialect.Bitbucket}, "# A & B\n", "markdown-header-a-b !a-b"},
		{dialect.Dialect{Naming: dialect.Pandoc}, "# 1. Tea 2.0 ![pot](p.png)\n", "tea-2.0-pot !1-tea-20"},
		{dialect.Dialect{Naming: dialect.VitePress}, "# 3. Pour **slowly**\n## A/B\n", "_3-pour-slowly a-b !ab"},
		{dialect.Dialect{Naming: dialect.Hugo}, "# [Tea](t.md) **now**\n", "teatmd-now"},
		{dialect.Dialect{Naming: dialect.Kramdown}, "# Tea ![pot](p.png)\n", "tea- !tea"},
		{dialect.Dialect{Naming: dialect.Kramdown}, "# Use --delete and `--all`...\n# More >>\n", "use-delete-and---all more"},
		{dialect.Dialect{Naming: dialect.Kramdown}, "# Title <!-- omit in toc -->\n", "title title-"},
		{dialect.Dialect{Naming: dialect.Pandoc}, "# Use --delete and `--all`...\n", "use-delete-and---all"},
		{dialect.Dialect{Naming: dialect.MyST}, "# What's new?\n", "whats-new what-s-new"},
		{dialect.Dialect{OnlyOwnID: true}, "# Brewing tips {#tips}\n# Other { .x #two }\n# Third {.x}\n# Fourth {: #four}\n", "tips two third four !brewing-tips !other !fourth"},
		{dialect.Dialect{}, "# Brewing tips {#tips}\n", "tips brewing-tips brewing-tips-tips"},
		{dialect.Dialect{}, "<h1 align=center>My &amp; Project</h1>\n\n<h2><a href=x>Sub</a>\n  title\n</h2>\n\n# My & Project\n", "my--project sub-title my--project-1"},
		{dialect.Dialect{}, "<div><h3>\n\nIn *Markdown*\n\n</h3></div>\n\n<p>no</p>\n", "in-markdown !no"},
		{dialect.Dialect{}, "<!-- <h1>no</h1> -->\n<h1></h1>\n\n<pre><h2>two</h2></pre>\n", "two !no"},
		{dialect.Dialect{IsMDX: true}, "<div id=\"a.b\"\n>\n  <h2>Sub\n  *title*</h2>\n</div>\n\n<h3>\n\nIn *Markdown*\n\n</h3>\n\nText <h4>no</h4>\n", "a.b sub-title in-markdown"},
		{dialect.Dialect{IsMDX: true, Naming: dialect.Slugger}, "<h2>Sub</h2>\n\n<A.B id=\"c\"\n/>\n", "c !sub"},
		{dialect.Dialect{Naming: dialect.GitLab}, "<h1>My Project</h1>\n", "my-project"},
		{dialect.Dialect{Naming: dialect.MkDocs}, "<h1>My Project</h1>\n", "!my-project"},
	} {
		got := anchorsIn(t, Markdown, test.in, test.dialect)
		for _, name := range strings.Fields(test.want) {
			unwanted, isUnwanted := strings.CutPrefix(name, "!")
			if slices.Contains(got, unwanted) == isUnwanted {
				t.Errorf("%q with %+v has the anchors %q, want %s", test.in, test.dialect, got, name)
			}
		}
	}
}

// A document is incomplete if a program inserts text, or if the id of a heading needs the tables of the generator.
func TestIncomplete(t *testing.T) {
	for _, test := range []struct {
		mode    Mode
		dialect dialect.Dialect
		in      string
		want    bool
	}{
		{Markdown, dialect.Dialect{}, "{{#include a.md}}\n", false},
		{Markdown, dialect.Dialect{Inserts: "--8<--|{{#"}, "{{#include a.md}}\n", true},
		{Markdown, dialect.Dialect{Inserts: "{{<|!{{< ref "}, "{{< ref \"a\" >}} {{< ref \"b\" >}}\n", false},
		{Markdown, dialect.Dialect{Inserts: "{{<|!{{< ref "}, "{{< ref \"a\" >}} {{< tabs >}}\n", true},
		{Markdown, dialect.Dialect{OtherIDs: true}, "# A\n", true},
		{Markdown, dialect.Dialect{OtherIDs: true}, "No heading.\n", false},
		{Markdown, dialect.Dialect{Naming: dialect.Zola}, "# Été\n", false},
		{Markdown, dialect.Dialect{Naming: dialect.Zola}, "# 日本\n", true},
		{Markdown, dialect.Dialect{Naming: dialect.Hugo}, "# 日本\n", false},
		{Asciidoc, dialect.Dialect{}, "include::a.adoc[]\n", true},
		{Asciidoc, dialect.Dialect{}, "== A\n", false},
		{RST, dialect.Dialect{}, ".. include:: a.rst\n", true},
		{RST, dialect.Dialect{}, ".. image:: a.png\n", false},
	} {
		got := false
		gather(t, test.mode, strings.NewReader(test.in), Options{Dialect: test.dialect, Anchor: func(string) {}, Incomplete: func() { got = true }})
		if got != test.want {
			t.Errorf("%v %q with %+v is incomplete: %v, want %v", test.mode, test.in, test.dialect, got, test.want)
		}
	}
}
