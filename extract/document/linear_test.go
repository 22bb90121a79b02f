package document

import (
	"errors"
	"strings"
	"testing"
	"time"

	"locus/extract"
)

// hostile are texts whose repetition takes quadratic time in a careless reader.
var hostile = map[string]string{
	"brackets": "[", "images": "![", "closed brackets": "[a]", "closing": "]", "link starts": "[a](", "nested links": "[a](b", "angles": "<", "destinations": "[a](<b",
	"titles": "[a](b \"", "titles of two kinds": "[a](b \"[a](b '", "parentheses": "](((", "labels": "[a][", "definitions": "[a]: b\n", "definition starts": "[a]:\n",
	"open titles": "[a]: b \"c\n", "backticks": "`", "runs of backticks": "` `` ``` ", "code": "`a`", "tags": "<a ", "attributes": "<a b=\"", "attributes of two kinds": "<a b=\"<a b='",
	"comments": "<!--", "short comments": "<!--->", "instructions": "<?", "declarations": "<!A", "cdata": "<![CDATA[", "cdata ends": "]]", "autolinks": "<a:b", "mail": "<a@b", "mail hosts": "a.b@c.",
	"quotations": "> ", "quotations in lines": "> > > > > > > > a\n", "lists": "- ", "numbers": "1. ", "lists in lines": "- - - - - - - - - -\n", "deep lists": "                                - a\n",
	"blank lines": "\n", "blanks": " ", "tabs": "\t", "headings": "# ", "underlines": "a\n=\n", "rules": "* ", "fences": "```\n", "tildes": "~", "footnotes": "[^a]: ", "backslashes": "\\", "entities": "&", "carriage returns": "\r", "both line breaks": "\r\n", "mixed line breaks": "a\rb\r\n",
	"words": "a", "html": "<div>\n", "verbatim": "<pre>\n", "tables": "| a | [b](c) |\n",
	"dollars": "$", "math": "$a", "double math": "$$a", "math in brackets": "[$a", "escaped math": "$\\$", "blocks of math": "$$\n", "open blocks of math": "$$\na\n\n",
	"descriptions": "![a](b)", "nested descriptions": "![a [b](c) ", "links in an open description": "[a](b)![",
	"wiki links": "[[a]]", "open wiki links": "[[a", "nested wiki links": "[[", "wiki bars": "[[|",
	"tags of Liquid": "{% comment %}", "open tags of Liquid": "{%", "ends of Liquid": "{% endcomment %}", "raw Liquid": "{% raw %}", "comments of Liquid": "{%#%}", "highlights": "{% highlight %}a",
	"shortcodes": "{{< highlight >}}", "ends of shortcodes": "{{< /highlight >}}", "open shortcodes": "{{<", "comments of Hugo": "{{% comment %}}",
	"comments of kramdown": "{::comment}", "open extensions": "{::", "ends of extensions": "{:/", "extensions in lines": "{::comment}\n", "nomarkdown": "{::nomarkdown}[{:/}",
	"admonitions": "!!! a\n    ", "tabs of MkDocs": "=== \"a\"\n\n    ", "folded blocks": "??? \"[a](b)\n", "directives": "```{note}\n", "options": "```{note}\n:name: a\n", "colons": ":::{note}\n", "comments of MyST": "% a\n",
	"switches": "<!-- markdown-link-check-disable-line -->", "switches of lines": "<!-- markdown-link-check-disable-next-line -->", "switches off": "<!-- markdown-link-check-disable --><!-- markdown-link-check-enable -->",
	"ignored lines": "<!-- lychee-ignore -->", "ignored blanks": " <!-- lychee-ignore -->", "comments as definitions": "[//]: # (a)\n",
}

// hostileSources are texts in other formats whose repetition takes quadratic time in a careless reader.
var hostileSources = map[Mode][]string{
	Asciidoc: {
		"\n", "a\n\n", "a ", "<<a", "<<a,b\n", "link:a[", "link:", "xref:a", "xref:a[b", "image:a[", "image:a[link=\"", "http://h/{", "{a", "++", "+a ", "$$a ", "+++a ", "pass:[", "pass:a,", "`a", "``",
		"[", "[[a", "[#a", "]", "\\", "\\http://h/", "== a\n", "a\n-\n", "ab\n--\n", "----\n", "++++\n", "[source]\n", ":a: b\n", ":a: b \\\n", ":a: {a}{a}\n", "ifdef::a[]\n", "ifndef::a[:b: {b}c]\n", "* a\n", "a:: b\n", "|a\n", "{nbsp}",
		"link:++a", "link:pass:[", "stem:[", "a;;", "<", "anchor:a[", "mailto:a",
	},
	RST: {
		"\n", "a\n=\n", "=\n", "`a <b", "`a <b>`_", "<", ">`_", ".. _a: b\n", ".. _a:\n", ".. _`a", "__ a\n", ".. a\n", "::\n", "a::\n\n", " a\n", "``", "\\", "a:\\", ":doc:`", ":doc:`a`", "_`", "- ", "1. ", ".. raw:: html\n",
		".. toctree::\n", ".. toctree::\n   a\n", ".. csv-table::\n   :file: a\n", ".. image:: a\n   b\n", ".. class:: a\n   ", ">>> a\n", ".. |a| image:: b\n",
	},
	Org:      {"\n", "[[", "[[a", "[[a][", "[[a]]", "]]", "<<", "<<a>>", "* a\n", "~a ", "=a", "@@html:", "#+LINK: a b\n", "#+begin_src\n", "#+begin_export html\n", ": a\n", "* [[a", "* a :b:\n", "\\["},
	Calendar: {"\n", " \n", " a", "A:b\n", "A;B=\"", "URL:a\n b\n", "A:\\", "A:\\n\n", ":", ";", "X;FMTTYPE=text/html:<a \n"},
	Manifest: {"{", "}", "\"", "{\"icons\":", "[", "\"\\", "{\"src\":\"a\",", "\\u"},
	HTML:     {"<script type=importmap>{", "<script type=application/ld+json>{\"url\":\"a.b\"}</script>", "<form method=post action=a>", "<script type=importmap>\""},
	Man:      {".UR a\n", ".UR ", "\\", "\\[", "\\s'", "\n"},
	XML:      {"<a ", "<a id=b>", "<?xml ", "</a>", "<!--", "&"},
}

// The other formats are read in linear time, too.
func TestSourcesAreLinear(t *testing.T) {
	const size, limit = 128 << 10, 20 * time.Second
	for mode, units := range hostileSources {
		for _, unit := range units {
			in := strings.Repeat(unit, size/len(unit))
			start := time.Now()
			for _, err := range mode.All(strings.NewReader(in), Options{Anchor: func(string) {}, SkipCode: true, Roles: true}) {
				if err != nil && !errors.Is(err, extract.ErrTooLong) {
					t.Errorf("%v: %q gives the error %v", mode, unit, err)
				}
			}
			if d := time.Since(start); d > limit {
				t.Errorf("%v: %q takes %v for %d bytes", mode, unit, d, size)
			}
		}
	}
}

// Markdown is read in linear time whatever it repeats. In quadratic time, this test would take minutes.
func TestMarkdownIsLinear(t *testing.T) {
	const size, limit = 128 << 10, 20 * time.Second
	for name, unit := range hostile {
		for _, before := range []string{"", "> ", "[a]: b\n\n"} {
			in := before + strings.Repeat(unit, size/len(unit))
			start := time.Now()
			for _, err := range Markdown.All(strings.NewReader(in), Options{Anchor: func(string) {}, SkipCode: true, SkipLabels: true, Dialect: allTraits}) {
				if err != nil {
					t.Errorf("%s after %q gives the error %v", name, before, err)
				}
			}
			if d := time.Since(start); d > limit {
				t.Errorf("%s after %q takes %v for %d bytes", name, before, d, size)
			}
		}
	}
}
