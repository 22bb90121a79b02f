package linkstest

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Links in the sources of sites get the verdict that the generator gives them. The files are in the form of txtar, and
// want has the ends of URLs by their statuses, as in the public cases.
func TestGenerators(t *testing.T) {
	for _, test := range []struct {
		name, files string
		want        map[string]string
	}{
		{"zola", `
-- config.toml --
base_url = "/"
-- content/a.md --
[b](@/b.md#the-heat) [c](@/b.md#heat) [d](@/d.md) [e](@/sub/_index.md#x) [f](/pic.png) [g](/gone/)
-- content/b.md --
## The "Heat"
-- content/sub/_index.md --
# X
-- static/pic.png --
`, map[string]string{"good": "b.md#the-heat _index.md#x pic.png", "dead": "b.md#heat d.md", "unchecked": "/gone/"}},
		{"hugo with config.toml is not Zola", `
-- config.toml --
baseURL = "/"
-- content/a.md --
[b](@/b.md) [c](c.md) [d](d/) [e](/pic.png) [f](#teatmd) [h](#tea)

# [Tea](t.md)
-- content/t.md --
-- static/pic.png --
`, map[string]string{"dead": "@/b.md c.md #tea", "unchecked": "d/", "good": "pic.png #teatmd"}},
		{"mdbook", `
-- book.toml --
-- src/SUMMARY.md --
- [A](a.md)
- [B](b.md)
- [C](c.md)
-- src/a.md --
[x](b.html#b) [y](b.html#c) [z](sub/index.html) [w](gone.html) [u](gone.md)
-- src/b.md --
# B
-- src/sub/README.md --
-- README.md --
[r](src/gone.md) [s](#readme)
`, map[string]string{"good": "b.html#b sub/index.html a.md", "dead": "b.html#c gone.md c.md", "unchecked": "gone.html", "not-dead": "#readme"}},
		{"docusaurus", `
-- docusaurus.config.js --
-- docs/a.mdx --
[b](@site/docs/b.md) [c](./b) [d](/docs/b#b) [e](/docs/b#no) [f](/docs/1.0/b) [g](c.md) [h](/img/x.png) [i](/docs/gone) [j](@site/docs/gone.md)
-- docs/b.md --
# B
-- versioned_docs/version-1.0/b.md --
-- static/img/x.png --
-- README.md --
[r](gone.png)
`, map[string]string{
			"good": "docs/b.md docs/b docs/b#b version-1.0/b static/img/x.png", "dead": "docs/b#no c.md docs/gone.md", "unchecked": "/docs/gone",
		}},
		{"vitepress", `
-- docs/.vitepress/config.mts --
export default {}
-- docs/a.md --
# 1. A

[b](/guide/b) [c](/guide/b.html#_2-b) [d](/guide/b#2-b) [e](./guide/) [f](/guide/#x) [g](/guide/gone) [h](gone.html) [i](/logo.svg) [j](#_1-a)
-- docs/guide/b.md --
# 2. B
-- docs/guide/index.md --
# X
-- docs/public/logo.svg --
`, map[string]string{
			"good": "guide/b b.html#_2-b guide/b#2-b guide/ guide/#x public/logo.svg #_1-a", "dead": "guide/gone gone.html",
		}},
		{"mkdocs", `
-- mkdocs.yml --
docs_dir: manual
-- manual/a.md --
# A
# A

[x](#a_1) [y](#a-1) [z](b.md) [w](sub/) [v](../b/)
-- manual/sub/index.md --
-- README.md --
# A
# A

[x](#a-1) [y](#a_1) [z](/manual/a.md)
`, map[string]string{"good": "manual/a.md#a_1 README.md#a-1 sub/ ", "dead": "manual/a.md#a-1 README.md#a_1 b.md", "unchecked": "/b/"}},
		{"myst", `
-- conf.py --
extensions = ["myst_parser"]
-- index.md --
[a](a) [b](sub/b) [c](c) [d](a.md#what-s-new) [e](a#whats-new) [f](#there) [g](project:a.md) [h](project:c.md) [i](#nowhere) [j](/a.md)
-- a.md --
# What's new?

(there)=
## T
-- sub/b.rst --
B
=
`, map[string]string{"good": "/a.md sub/b.rst a.md#what-s-new a.md#whats-new a.md#there", "dead": "/c c.md #nowhere"}},
		{"roles of myst", `
-- conf.py --
extensions = ["myst_parser"]
-- index.md --
{doc}` + "`sub/b` {doc}`gone` {doc}`/sub/c` {download}`x.zip` {download}`gone.zip` {ref}`unknown` {ref}`the milk <milk>` {numref}`pot` {doc}`click:testing`" + `

` + "```{toctree}" + `
:hidden:
sub/b.rst
Milk <milk>
self
` + "```" + `
-- sub/b.rst --
B
=
-- sub/c.md --
(milk)=
# C

{doc}` + "`../index` {doc}`none`" + ` [x]{#pot}
-- x.zip --
`, map[string]string{"good": "sub/b.rst sub/c.md sub/c.md#milk x.zip index.md", "dead": "/gone.md gone.zip milk.md sub/none.md :ref:`unknown`", "unchecked": "click:testing`"}},
		{"roles of a jupyter book", `
-- _config.yml --
-- _toc.yml --
-- intro.md --
{doc}` + "`sub/b` {doc}`gone` {doc}`/sub/c` {doc}`sub/c.ipynb` {download}`x.zip` {ref}`unknown` {doc}`click:testing`" + `

` + "```{toctree}" + `
sub/b
Milk <milk>
` + "```" + `
-- sub/b.md --
{doc}` + "`../intro` {doc}`none`" + `
-- sub/c.ipynb --
{"cells": [{"cell_type": "markdown", "source": "{doc}` + "`b` {doc}`cold`" + `"}]}
-- x.zip --
`, map[string]string{"good": "sub/b.md sub/c.ipynb x.zip intro.md", "dead": "/gone.md milk.md sub/none.md sub/cold.md", "unchecked": "click:testing`"}},
		{"sphinx without myst", `
-- conf.py --
extensions = []
-- index.rst --
Tea
===

.. image:: pic.*

.. image:: gone.*

:rfc:` + "`2324` :pep:`8`" + `
-- pic.svg --
<svg xmlns="http://www.w3.org/2000/svg"/>
`, map[string]string{"dead": "gone.*", "good": "pic.*"}},
		{"antora", `
-- antora.yml --
name: tea
-- modules/ROOT/pages/sub/a.adoc --
= A

xref:b.adoc[] xref:./c.adoc#_c[] xref:pots:d.adoc#_no[] xref:pots:e[] xref:milk::f.adoc[] xref:1.0@b.adoc[] xref:b.adoc#_b[]
image:p.png[] image:pots:q.png[] image:gone.png[] xref:pots:attachment$x.pdf[]
-- modules/ROOT/pages/b.adoc --
= B

== B
-- modules/ROOT/pages/sub/c.adoc --
= C

== C
-- modules/pots/pages/d.adoc --
= D
-- modules/ROOT/images/p.png --
-- modules/pots/images/q.png --
-- modules/pots/attachments/x.pdf --
`, map[string]string{
			"good": "pages/b.adoc sub/c.adoc#_c b.adoc#_b images/p.png pots/images/q.png x.pdf", "dead": "d.adoc#_no pots/pages/e.adoc gone.png",
			"unchecked": "milk::f.adoc 1.0@b.adoc",
		}},
		{"astro", `
-- astro.config.mjs --
-- src/pages/a.md --
[b](/b) [c](/c) [d](d.md) [e](./e)
-- src/pages/b.astro --
`, map[string]string{"good": "src/pages/b", "unchecked": "/c pages/e", "dead": "d.md"}},
		{"jekyll", `
-- _config.yml --
-- a.md --
[b](b.html#b) [c](c.html) [d](c.md) [e](/b.html)
-- b.md --
# B
-- index.html --
---
---
{% for p in site.pages %}<a href="{{ p.url }}">x</a>{% endfor %}
`, map[string]string{"good": "b.html#b b.html", "unchecked": "c.html", "dead": "c.md"}},
		{"gitlab", `
-- .gitlab-ci.yml --
-- a.md --
# A & B

[x](#a-b) [y](#a--b)
`, map[string]string{"good": "#a-b", "dead": "#a--b"}},
		{"bitbucket", `
-- bitbucket-pipelines.yml --
-- a.md --
# A & B

[x](#markdown-header-a-b) [y](#a--b)
`, map[string]string{"good": "#markdown-header-a-b", "dead": "#a--b"}},
		{"quarto", `
-- _quarto.yml --
-- a.qmd --
# 1. Tea 2.0

[x](#tea-2.0) [y](#tea-20) [z](b.html#b) [w](b.qmd) [v](c.qmd) [u](/b.qmd)
-- b.qmd --
# B
`, map[string]string{"good": "#tea-2.0 b.html#b b.qmd", "dead": "#tea-20 c.qmd"}},
		{"pandoc by the extension", `
-- a.Rmd --
# 1. Tea 2.0

[x](#tea-2.0) [y](#1-tea-20)
`, map[string]string{"good": "#tea-2.0", "dead": "#1-tea-20"}},
		{"a wiki", `
-- .obsidian/app.json --
-- a.md --
[[b]] [[Sub Page#x|text]] [[gone]] [[pic.png]] [[#a]] %% [[hidden]] %%
-- b.md --
-- deep/Sub-Page.md --
-- pic.png --
`, map[string]string{"good": "b.md Sub-Page.md pic.png", "dead": "[[gone]]", "absent": "hidden"}},
		{"a wiki with links by name", `
-- .obsidian/app.json --
-- deep/a.md --
[b](b) [c](b.md) [d](c.md#x) [e](gone) [f](gone.md) [g](no/c.md) ![h](pic.png)
-- b.md --
-- notes/c.md --
# X
-- files/pic.png --
`, map[string]string{"good": "b.md c.md#x files/pic.png", "dead": "deep/gone deep/gone.md no/c.md"}},
		{"a wiki of github", `
-- _Sidebar.md --
-- Home.md --
[a](Big-Pots) [b](Big-Pots#clay) [c](Big-Pots#gone) [[the text|Big Pots]] [[the text|Gone]] [[images/a.png|alt=a pot]] [e](Gone-Page) [f](./Big-Pots#clay)
-- Big-Pots.md --
# Clay
-- images/a.png --
`, map[string]string{"good": "Big-Pots.md Big-Pots.md#clay images/a.png", "dead": "Big-Pots.md#gone [[Gone]] Gone-Page", "absent": "text /Big-Pots#clay"}},
		{"no wiki", `
-- a.md --
[[b]] [[_TOC_]]
`, map[string]string{"unchecked": "[[b]]", "absent": "TOC"}},
		{"vuepress", `
-- docs/.vuepress/config.js --
-- docs/a.md --
# 1. A

[a](#_1-a) [b](#a) [c](b.html#b) [d](/b.html) [e](/logo.png) [f](gone.html) [g](gone.md)
-- docs/b.md --
# B
-- docs/.vuepress/public/logo.png --
`, map[string]string{"good": "#_1-a b.html#b b.html public/logo.png", "dead": "a.md#a gone.md", "unchecked": "gone.html"}},
		{"mkdocs, pages as folders", `
-- mkdocs.yml --
-- docs/a.md --
[b](b/#x) [c](b/#y) [d](b.html#x) [e](snippets.md#any) [f](snippets.md#own)
-- docs/b.md --
# X
-- docs/snippets.md --
# Own

--8<-- "more.md"
`, map[string]string{"good": "b/#x b.html#x #own", "dead": "b/#y", "unchecked": "#any"}},
		{"mkdocs with slugify", `
-- mkdocs.yml --
markdown_extensions:
  - toc:
      slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}
-- docs/a.md --
# A & B

[x](#a--b) [y](#a-b)
`, map[string]string{"unchecked": "#a--b", "good": "#a-b"}},
		{"hugo with languages", `
-- hugo.toml --
[languages.en]
contentDir = "content/en"
[languages.de]
contentDir = "content/de"
-- content/en/a.md --
[b](/b/) [c](b.md#water) [d](b.md#milk) [e]({{< ref "b.md" >}}) [f](c.md#any)
-- content/en/b.md --
{{< ref "a.md" >}}

# Water
-- content/en/c.md --
{{% tabs %}}
-- content/de/a.md --
[b](/weg/)
`, map[string]string{"good": "content/en/b/ b.md#water", "dead": "b.md#milk", "unchecked": "/weg/ c.md#any"}},
		{"github", `
-- README.md --
<h1 align="center">
  <img src="logo.svg" alt="Logo"><br>
  My Project
</h1>

## Tips <!-- omit in toc -->

[a](#my-project) [b](#MY-PROJECT) [c](#logo-my-project) [d](#user-content-tips) [e](docs#usage) [f](#readme) [g](docs/a.md#readme)
-- logo.svg --
<svg xmlns="http://www.w3.org/2000/svg"/>
-- docs/README.md --
# Usage
-- docs/a.md --
`, map[string]string{"good": "#my-project #MY-PROJECT #user-content-tips docs#usage README.md#readme", "dead": "#logo-my-project docs/a.md#readme"}},
		{"asciidoc with include", `
-- a.adoc --
xref:b.adoc#any[] xref:c.adoc#any[]
-- b.adoc --
include::more.txt[]
-- more.txt --
-- c.adoc --
= C
`, map[string]string{"unchecked": "b.adoc#any", "dead": "c.adoc#any"}},
		{"folders", `
-- a.md --
[a](pots#clay) [b](pots/#iron) [c](none/#x) [d](none/) [e](page/#p) [f](page/#q) [g](gone/#x) [h](other/#x)
[i](org/#water) [j](org#milk)
-- pots/README.rst --
Clay
====
-- other/README.textile --
-- org/README.org --
* Water
-- none/x.txt --
-- page/index.html --
<p id=p>
`, map[string]string{"good": "pots#clay none/ page/#p org/#water", "unchecked": "other/#x", "dead": "org#milk pots/#iron none/#x page/#q gone/"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := linkCase{Files: map[string]string{}}
			for _, f := range txtar.Parse([]byte(test.files)).Files {
				c.Files[f.Name] = string(f.Data)
			}
			for status, ends := range test.want {
				for end := range strings.FieldsSeq(ends) {
					c.Expect = append(c.Expect, struct{ URL, Status string }{end, status})
				}
			}
			if differences := c.differences(t); len(differences) > 0 {
				t.Error(strings.Join(differences, "\n"))
			}
		})
	}
}
