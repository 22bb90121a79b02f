package document

import (
	"slices"
	"strings"
	"testing"

	"locus/extract"
	"locus/extract/document/dialect"
)

// A dialectTest is a Markdown text that is read by a dialect without code. See marked for its fields.
type dialectTest struct {
	in   string
	want []string
}

// admonitions is a text with all kinds of the indented blocks of MkDocs.
const admonitions = "!!! note\n\n    [a](⟦b⟧)\n\n    ```\n    [a](no)\n    ```\n\n        [a](no)\n\n??? tip \"[c](⟦d⟧)\"\n    [e](⟦f⟧)\n\n???+ warning\n\n    === \"A\"\n\n        [g](⟦h⟧)\n\n    === \"B\"\n\n        [i](⟦j⟧)\n\n    [k](⟦l⟧)\n\ntext\n\n    [a](no)\n"

// dialectTables are texts that are read in a dialect: math (GitHub; Pandoc, tex_math_dollars), admonitions
// (Python-Markdown, Admonition; PyMdown Extensions, Details and Tabbed), directives and comments of MyST, and wiki links.
var dialectTables = []dialectTable{
	{"math", dialect.Dialect{}, []dialectTest{
		{"$h[n](t)$ and $$G[g](\\tau)$$ [a](⟦b⟧) ($f[i](j)$), $x$.", []string{"link: b"}},
		{"$$\nH(t) = [h](t)\n- [i](j)\n$$\n[a](⟦b⟧)\n$$ [c](d)\n[e](f) $$ [g](⟦h⟧)", []string{"link: b", "link: h"}},
		{"> $$\n> [a](b)\n> $$\n> [c](⟦d⟧)\n\n- $$\n  [a](b)\n  $$\n  [c](⟦d⟧)", []string{"link: d", "link: d"}},
		{"$`[a](b)`$ `$` [a](⟦b⟧) `$`\n\n```math\n[a](b)\n```\n", []string{"link: b"}},
		{"$a\\$[b](c)$ \\$[a](⟦b⟧)\\$ $\\href{http://h/}{x}$", []string{"link: b"}},
		// prices and variables
		{"It costs $3 in [a](⟦b⟧) and $4 in [c](⟦d⟧).", []string{"link: b", "link: d"}},
		{"US$3 [a](⟦b⟧) 4US$ [c](⟦d⟧) $HOME/[e](⟦f⟧)$PATH $ [g](⟦h⟧) $", []string{"link: b", "link: d", "link: f", "link: h"}},
		{"the $n$th [a](⟦b⟧) and $m$ [$](⟦c⟧) [$](⟦d⟧)", []string{"link: b", "link: c", "link: d"}},
		{"$[a](⟦b⟧)\n\n[c](⟦d⟧)$ $$ [e](⟦f⟧)\n\n$$\n[g](⟦h⟧)\n\n[i](⟦j⟧)\n$$", []string{"link: b", "link: d", "link: f", "link: h", "link: j"}},
		{"[a](⟦b$c⟧) [d](⟦e$f⟧) ⟦http://h/$x⟧ ⟦http://h/$y⟧", []string{"link: b$c", "link: e$f", "url http://h/$x", "url http://h/$y"}},
	}},
	{"math", dialect.Dialect{Math: dialect.DoubleMath}, []dialectTest{
		{"$h[n](⟦t⟧)$ $$G[g](u)$$", []string{"link: t"}},
		{"$$\n[a](b)\n$$", nil},
	}},
	{"math", dialect.Dialect{Math: dialect.NoMath}, []dialectTest{
		{"$h[n](⟦t⟧)$ $$G[g](⟦u⟧)$$\n\n$$\n[a](⟦b⟧)\n$$", []string{"link: t", "link: u", "link: b"}},
	}},
	{"admonitions", dialect.Dialect{IndentedText: true}, []dialectTest{
		{admonitions, []string{"link: b", "link: d", "link: f", "link: h", "link: j", "link: l"}},
		{"- !!! note\n\n      [a](⟦b⟧)\n\n  [c](⟦d⟧)\n\n===! \"x\"\n    [e](⟦f⟧)\n", []string{"link: b", "link: d", "link: f"}},
		{"!!! danger highlight \"x\"\n    > [a](⟦b⟧)\n\n    | [c](⟦d⟧) |\n    |---|\n    | [e](⟦f⟧) |\n", []string{"link: b", "link: d", "link: f"}},
		// other texts
		{"!!!\n\n    [a](no)\n\n=== x\n\n    [a](no)\n\n!!!! note\n\n    [a](no)\n\nWow!!! note\n\n    [a](no)\n", nil},
		{"[a](⟦b⟧)\n===\n\n    [a](no)\n", []string{"link: b"}},
		{"```\n!!! note\n    [a](no)\n```\n", nil},
	}},
	{"admonitions", dialect.Dialect{}, []dialectTest{
		{"!!! note\n\n    [a](no)\n\n=== \"A\"\n\n    [a](no)\n", nil},
	}},
	{"MDX", dialect.Dialect{IsMDX: true}, []dialectTest{
		{"<Tabs>\n  <Tab>\n\n    [a](⟦b⟧)\n\n    <Card href=\"⟦c⟧\" />\n\n  </Tab>\n</Tabs>\n", []string{"link: b", "card href: c"}},
		{"    [a](⟦b⟧)\n\n\t\t## [c](⟦d⟧)\n\n        > [e](⟦f⟧)\n", []string{"link: b", "link: d", "link: f"}},
		{"<Tab>\n\n    ```sh\n    [a](no)\n    ```\n\n    [b](⟦c⟧)\n\n        ~~~\n[a](no)\n        ~~~\n    [d](⟦e⟧)\n</Tab>\n", []string{"link: c", "link: e"}},
		{"text\n    - [a](⟦b⟧)\n\n          [c](⟦d⟧)\n", []string{"link: b", "link: d"}},
		{"        > [a](⟦b⟧)\n        > [c](⟦d⟧)\n        > > [e](⟦f⟧)\n", []string{"link: b", "link: d", "link: f"}},
		{"- x\n\n      [a](⟦b⟧)\n\n  `[a](no)`\n", []string{"link: b"}},
		// text between tags
		{"<Note>\n[a](⟦b⟧)\n</Note>\n\n<div>[c](⟦d⟧)</div>\n\n<Card title=\"x\" href=\"⟦e⟧\">\n  - [f](⟦g⟧)\n</Card>\n", []string{"link: b", "link: d", "card href: e", "link: g"}},
		{"<details>\n<summary>[a](⟦b⟧)</summary>\n## [c](⟦d⟧)\n```\n[a](no)\n```\n> [e](⟦f⟧)\n</details>\n", []string{"link: b", "link: d", "link: f"}},
		{"<p\n  id=\"x\"\n>\n`[a](no)` {/* [a](no) */} <!-- [a](no) --> <code>http://h/</code>\n</p>\n\n<pre>\n[a](no)\n</pre>\n", nil},
		// attributes in braces
		{"<div style={{width: 10}}><img style={{width: '10px'}} src=\"⟦a.png⟧\" /> [b](⟦c⟧)</div>\n", []string{"img src: a.png", "link: c"}},
		{"<Tab\n  values={[{a: 'b'}, {c: '[a](no)'}]}\n  {...x} href=\"⟦d⟧\">\n[e](⟦f⟧)\n</Tab>\n", []string{"tab href: d", "link: f"}},
		{"<a b={c [d](⟦e⟧)\n", []string{"link: e"}},
		{"<a title='{' onClick={() => c > 1} href=\"⟦d⟧\">e</a> <B icon={<img src=\"⟦f⟧\" />} href='⟦g⟧' />\n", []string{"a href: d", "b src: f", "b href: g"}},
		// a tag that ends at the start of a line, a name with dots, and an element without content
		{"<iframe\n  src=\"⟦a⟧\"\n></iframe>\n\n- <Card\n    href='⟦b⟧'\n  >\n  [c](⟦d⟧)\n  </Card>\n\n<p\n> [e](⟦f⟧)\n\n<b> c\n> [g](⟦h⟧)\n", []string{"iframe src: a", "card href: b", "link: d", "link: f", "link: h"}},
		{"<Tabs.Tab href=\"⟦a⟧\">[b](⟦c⟧)</Tabs.Tab>\n\n- <A$.b_1 href='⟦d⟧'/> <.a href='no'/>\n", []string{"tabs.tab href: a", "link: c", "a$.b_1 href: d"}},
		{"<Code code={a} /> ⟦http://h/a⟧ <code>http://h/b</code> ⟦http://h/c⟧\n\n<code/>\n⟦http://h/d⟧ </code>\n", []string{"url http://h/a", "url http://h/c", "url http://h/d"}},
		// expressions
		{"{\"[a](no)\"} {`[a](no)`} {f('[a](no)', x)} {a[\"b\"](no)} [c](⟦d⟧)\n", []string{"link: d"}},
		{"{'a`b'} [c](⟦d⟧) `e` {'[`'} [f](⟦g⟧) {\"](no)\"}\n", []string{"link: d", "link: g"}},
		{"{\"}\"} {'\\'}'} {`}`} {x /* [a](no) } */} [a](⟦b⟧) {{c: '[a](no)'}}\n", []string{"link: b"}},
		{"{\n  // it's [a](no) }\n  x\n} [b](⟦c⟧)\n", []string{"link: c"}},
		{"{cond && <a href=\"⟦b⟧\">don't [a](no)</a>} {x.map(y => <B href='⟦c⟧' f={() => y}>⟦http://d/⟧</B>)} [e](⟦f⟧)\n", []string{"a href: b", "b href: c", "url http://d/", "link: f"}},
		{"{\"<a href='no'>\"} {`<a href='no'>`} {/* <a href='no'> */ <a href='⟦b⟧'/>} <C d={'>'} href='⟦e⟧'>[f](⟦g⟧)</C>\n", []string{"a href: b", "c href: e", "link: g"}},
		{"<A b={`c}`} href='⟦d⟧'>{`[a](no)`} [e](⟦f⟧)</A> [{`]`}](⟦g⟧)\n", []string{"a href: d", "link: f", "link: g"}},
		{"{`a\n\n# [a](no)\n\n- [a](no)\n\n~~~\n`} [b](⟦c⟧)\n\n- [d](⟦e⟧)\n  {x(\n\n  <a href='⟦f⟧'/>\n\n  [b][c](no))}\n- [g](⟦h⟧)\n", []string{"link: c", "link: e", "a href: f", "link: h"}},
		{"<Block>\n{`a\n\n[a](no)\n\n`}\n</Block>\n\n<Block lang=\"x\">{`a\n\n[a](no)\n\n> `}</Block> [b](⟦c⟧)\n", []string{"link: c"}},
		{"`{` [a](⟦b⟧) `}` \\{ [c](⟦d⟧) \\}\n\n## [e](⟦f⟧) {#g}\n\n{ [h](⟦i⟧) {\"\n\n} [j](⟦k⟧)\n\n{'\n\n[l](⟦m⟧)\n", []string{"link: b", "link: d", "link: f", "link: i", "link: k", "link: m"}},
		// quotations in the text of an element, and strings
		{"{c && <p>See \"<a href=\"⟦a.md⟧\">the guide</a>\", \"the <a href=\"⟦/b⟧\">list</a>\": \"<a href=\"⟦#c⟧\">d</a>\".</p>}\n", []string{"a href: a.md", "a href: /b", "a href: #c"}},
		{"{c && <p>'<a href=\"⟦a⟧\">b</a>' and '<a href=\"⟦c⟧\">d</a>'. '<a href=\"⟦e⟧\">f</a>'</p>}\n", []string{"a href: a", "a href: c", "a href: e"}},
		{"{\"<a href='no'>\"} {f(\"<a href=\" + x, \"<a href=\"+x)} {() => '<a href=\"no\">'} {() => { return \"<a href='no'>\" }} [a](⟦b⟧)\n", []string{"link: b"}},
		// regular expressions, and slashes in the text of an element
		{"{s.replace(/`/g, \"\")} {s.split(/[/'\"]\\/{/)} {x => /[`]/.test(x)} {\"[a](no)\"} {`[a](no)`} [b](⟦c⟧)\n", []string{"link: c"}},
		{"{s.replace( /`/g, \"\")}\n\n{`a\n\n[a](no)\n`} [b](⟦c⟧)\n", []string{"link: c"}},
		{"{x ` y} {\"[a](no)\"} [b](⟦c⟧)\n", []string{"link: c"}},
		{"{x ` y}\n\n{f(\n\n\"[a](no)\"\n)} [b](⟦c⟧)\n", []string{"link: c"}},
		{"{c && <p>(/a) <a href='⟦b⟧'>c</a> (/d), /e <code>http://no/</code> {s.replace(/</g, '')}</p>} ⟦http://f/⟧\n", []string{"a href: b", "url http://f/"}},
		// attributes without a space before them
		{"<a href=\"⟦b⟧\"id=\"c\">[d](⟦e⟧)</a> <A {...x} href='⟦f⟧'cite='⟦g⟧'/>\n", []string{"a href: b", "link: e", "a href: f", "a cite: g"}},
		// front matter of Docusaurus that makes the file CommonMark, and front matter that does not
		{"---\ntitle: x\nmdx:\n  format: md\n---\n\n    [a](no)\n\n{\"[b](⟦c⟧)\"}\n", []string{"link: c"}},
		{"---\nmdx: { format: 'md' }\n---\n\n    [a](no)\n", nil},
		{"---\r\nmdx: # not JSX\r\n    format: \"md\"\r\n---\r\n\r\n    [a](no)\r\n", nil},
		{"---\nmdx: {\"format\": \"md\"}\n---\n\n    [a](no)\n", nil},
		{"---\n'mdx': {x: y, format: md} # not JSX\n---\n\n    [a](no)\n", nil},
		{"---\nmdx:\n  # not JSX\n\n  x:\n    format: mdx\n  \"format\": md # CommonMark\ntitle: x\n---\n\n    [a](no)\n", nil},
		{"---\nmdx:\n  x:\n    format: md\ny:\n  format: md\n---\n\n    [a](⟦b⟧)\n", []string{"link: b"}},
		{"---\nmdx: # {format: md}\n  x: {format: md}\n---\n\n    [a](⟦b⟧)\n", []string{"link: b"}},
		{"---\nmdx:\n  format: mdx\n---\n\n    [a](⟦b⟧)\n", []string{"link: b"}},
		{"---\nmdx:\nformat: md\n---\n\n    [a](⟦b⟧)\n", []string{"link: b"}},
		{"---\nx:\n  mdx:\n    format: md\n---\n\n    [a](⟦b⟧)\n", []string{"link: b"}},
		{"mdx:\n  format: md\n\n    [a](⟦b⟧)\n", []string{"link: b"}},
	}},
	{"MDX", dialect.Dialect{}, []dialectTest{
		{"<Tab>\n\n    [a](no)\n</Tab>\n", nil},
		{"<Note>\n[a](no)\n</Note>\n\n<div>[a](no)</div>\n", nil},
		{"a <b c={d e}>[f](⟦g⟧)", []string{"link: g"}},
		{"<iframe\n  src=\"⟦a⟧\"\n></iframe>\n\n<Card\n  href='no'\n>\n", []string{"iframe src: a"}},
		{"<code/> http://h/a </code>\n", nil},
		{"{\"[a](⟦b⟧)\"} <a href=\"no\"id=\"c\">\n", []string{"link: b"}},
	}},
	{"Markdown in elements of kramdown", dialect.Dialect{Kramdown: true}, markdownInElements},
	{"Markdown in elements of MkDocs", dialect.Dialect{IndentedText: true}, markdownInElements},
	{"Markdown in elements", dialect.Dialect{}, []dialectTest{
		{"<div markdown=\"1\">\n[a](no)\n</div>\n\n<div markdown>[a](no)</div>\n", nil},
	}},
	{"MyST", dialect.Dialect{Directives: true}, []dialectTest{
		{"% [a](no) http://h/\n\nx\n% [a](no)\n[b](⟦c⟧)\n\n> % [a](no)\n\n100 % [d](⟦e⟧)\n", []string{"link: c", "link: e"}},
		{"```{note}\n[a](⟦b⟧)\n```\n```{code-block} md\n:caption: [a](no)\n[a](no)\n```\n```\n% [a](no)\n```\n[c](⟦d⟧)\n", []string{"link: b", "link: d"}},
		{"````{admonition} [a](⟦b⟧)\n:class: x\n[c](⟦d⟧)\n```md\n[a](no)\n```\n```{tip}\n[e](⟦f⟧)\n```\n[g](⟦h⟧)\n````\n    [a](no)\n", []string{"link: b", "link: d", "link: f", "link: h"}},
		{":::{figure} ⟦pot.svg⟧\n:target: ⟦a.md⟧\n:name: x\n[c](⟦d⟧)\n:::\n[e](⟦f⟧)\n", []string{"image: pot.svg", "link: a.md", "link: d", "link: f"}},
		{"- ```{note}\n  [a](⟦b⟧)\n  ```\n\n  [c](⟦d⟧)\n", []string{"link: b", "link: d"}},
		{"```{note}\n[a](⟦b⟧)\n\n    [a](no)\n", []string{"link: b"}},
	}},
	{"MyST", dialect.Dialect{}, []dialectTest{
		{"% [a](⟦b⟧)\n\n```{note}\n[a](no)\n```\n", []string{"link: b"}},
	}},
	{"wiki links", dialect.Dialect{WikiLinks: true}, []dialectTest{
		{"[[⟦a⟧]] [[⟦b c⟧|d]] [[ ⟦e⟧ ]] ![[⟦f.png⟧]] [[⟦g#h⟧]] [[⟦#i⟧]]", []string{"wiki: a", "wiki: b c", "wiki: e", "wiki: f.png", "wiki: g#h", "wiki: #i"}},
		{"| [[⟦a⟧\\|b]] |\n|---|\n| [[⟦c⟧]] |\n", []string{"wiki: a", "wiki: c"}},
		{"`[[a]]` \\[[a]] [[]] [[|a]] [[a\nb]] [[a] ] [[[⟦b⟧]]] [[a]](⟦c⟧) [[d [e](⟦f⟧)]]", []string{"wiki: b", "link: c", "link: f"}},
		{"# [[⟦a⟧]]\n\n- [[⟦b⟧]]\n\n```\n[[a]]\n```\n![x [[a]]](⟦c⟧) [x [[⟦d⟧]]](⟦e⟧)", []string{"wiki: a", "wiki: b", "image: c", "wiki: d", "link: e"}},
	}},
	{"wiki links of Gollum", dialect.Dialect{WikiLinks: true, TextFirst: true}, []dialectTest{
		{"[[⟦a⟧]] [[x|⟦b c⟧]] [[x | ⟦d⟧ ]] [[⟦p.png⟧|alt=a pot]] [[⟦p.PNG⟧|frame]] [[x|⟦http://h/⟧]]", []string{"wiki: a", "wiki: b c", "wiki: d", "wiki: p.png", "wiki: p.PNG", "link: http://h/"}},
	}},
	{"comments of Obsidian", dialect.Dialect{WikiLinks: true, PercentComments: true}, []dialectTest{
		{"a %%[[b]] http://h/%% [[⟦c⟧]] 100%% [d](⟦e⟧)\n\n# f %%[[g]]%% [[⟦h⟧]]\n", []string{"wiki: c", "link: e", "wiki: h"}},
		{"%%\n[[a]]\n\n- [b](no)\n\n    http://h/\n%% [[⟦c⟧]]\n\n%% [[d]] %%\n[[⟦e⟧]]\n", []string{"wiki: c", "wiki: e"}},
		{"a\n%% [[b]]\n\n[[c]]\n%%\n[[⟦d⟧]]\n", []string{"wiki: d"}},
		{"> %%\n> [[a]]\n> %%\n> [[⟦b⟧]]\n\n- x\n  %%\n  [[c]]\n\n  [[d]]\n  %%\n  [[⟦e⟧]]\n", []string{"wiki: b", "wiki: e"}},
		// other texts
		{"`%%` [[⟦a⟧]] `%%`\n\n```\n%%\n```\n[[⟦b⟧]]\n\n%%\n[[⟦c⟧]]\n", []string{"wiki: a", "wiki: b", "wiki: c"}},
		{"% [[⟦a⟧]] % %%[[b]]%%%[[⟦c⟧]]", []string{"wiki: a", "wiki: c"}},
	}},
	{"wiki links", dialect.Dialect{}, []dialectTest{
		{"[[a]] ![[b]] [[c|d]]", nil},
	}},
	{"comments of Obsidian", dialect.Dialect{}, []dialectTest{
		{"%%[a](⟦b⟧)%%\n\n%%\n[c](⟦d⟧)\n%%\n", []string{"link: b", "link: d"}},
	}},
}

// markdownInElements has texts of kramdown and of the extension md_in_html of Python-Markdown.
var markdownInElements = []dialectTest{
	{"<div class=\"x\" markdown=\"1\">\n[a](⟦b⟧)\n- [c](⟦d⟧)\n</div>\n\n<div markdown>[e](⟦f⟧)</div>\n\n<p markdown = 'span' id=y>[g](⟦h⟧)\n", []string{"link: b", "link: d", "link: f", "link: h"}},
	{"<blockquote markdown=\"1\"\n  cite='⟦a⟧'\n>\n[b](⟦c⟧)\n</blockquote>\n", []string{"blockquote cite: a", "link: c"}},
	{"<div markdown=1>\n`[a](no)`\n~~~\n[a](no)\n~~~\n</div>\n\n[b](⟦c⟧)\n", []string{"link: c"}},
	{"<div markdown=\"0\">\n[a](no)\n</div>\n\n<div data-markdown title=\" markdown\">\n[a](no)\n</div>\n\n<pre markdown=\"1\">\n[a](no)\n</pre>\n", nil},
}

// A dialectTable has texts that are read in one dialect.
type dialectTable struct {
	name    string
	dialect dialect.Dialect
	tests   []dialectTest
}

func TestDialects(t *testing.T) {
	for _, table := range dialectTables {
		t.Run(table.name, func(t *testing.T) {
			for _, test := range table.tests {
				hold(t, Markdown, Options{Dialect: table.dialect, SkipCode: true}, []marked{{test.in, test.want}})
			}
		})
	}
}

// allTraits is a dialect with all traits of Markdown.
var allTraits = dialect.Dialect{Liquid: true, Kramdown: true, Shortcodes: true, Directives: true, IndentedText: true, IsMDX: true, WikiLinks: true, PercentComments: true}

// The laws of matches hold for Markdown in every dialect. The bits of traits choose the dialect.
func FuzzDialects(f *testing.F) {
	for _, table := range dialectTables {
		for _, test := range table.tests {
			f.Add(uint16(0xffff), test.in)
			f.Add(uint16(0), test.in)
		}
	}
	for _, unit := range hostile {
		f.Add(uint16(0xffff), unit+" [a](b) "+unit)
	}
	f.Fuzz(func(t *testing.T, traits uint16, text string) {
		has := func(bit int) bool { return traits>>bit&1 == 1 }
		o := Options{SkipCode: has(0), SkipLabels: has(1), Anchor: func(string) {}, Dialect: dialect.Dialect{
			Liquid: has(2), Kramdown: has(3), Shortcodes: has(4), Directives: has(5), IndentedText: has(6), WikiLinks: has(7), IsMDX: has(15), PercentComments: has(14), Math: dialect.Math(traits >> 8 % 3),
		}}
		var all []extract.Match
		for found, err := range Markdown.All(strings.NewReader(text), o) {
			if err == nil {
				all = append(all, found)
			}
		}
		laws(t, Markdown, text, all)
	})
}

// Comments and code in the tags of a generator are no links. Without the generator they are text.
func TestMarkdownTags(t *testing.T) {
	for _, test := range []struct {
		d       dialect.Dialect
		in      string
		want    []string
		without []string // without the generator
	}{
		{dialect.Dialect{Liquid: true}, "{% comment %}\n[a](b) http://h/a\n{% endcomment %}\n[c](d)\n", []string{"link: d"}, []string{"link: b", "http://h/a", "link: d"}},
		{dialect.Dialect{Liquid: true}, "{% highlight md %}\n[a](b)\n{% endhighlight %}\n{% raw %}[c](d){% endraw %}", []string{"link: d"}, []string{"link: b", "link: d"}},
		{dialect.Dialect{Liquid: true}, "[a]: b\n{% comment %}\n[c]: d\n{% endcomment %}\n[e][c]", []string{"reference: b"}, []string{"reference: b"}},
		{dialect.Dialect{Shortcodes: true}, "{{< highlight md >}}\n[a](b)\n{{< /highlight >}}\n[c](d) {{< figure src=\"http://h/e\" >}}", []string{"link: d", "http://h/e"}, []string{"link: b", "link: d", "http://h/e"}},
		{dialect.Dialect{Shortcodes: true}, "{{% comment %}} [a](b) {{% /comment %}}\n\n# [c](d)", []string{"link: d"}, []string{"link: b", "link: d"}},
		{dialect.Dialect{Kramdown: true}, "{::comment}\n[a](b)\n{:/comment}\n\nx {::comment}[c](d){:/} [e](f)\n\n{::nomarkdown}\n[g](h) <a href=i>\n{:/nomarkdown}", []string{"link: f", "a href: i"}, []string{"link: b", "link: d", "link: f", "link: h", "a href: i"}},
	} {
		for d, want := range map[dialect.Dialect][]string{test.d: test.want, {}: test.without} {
			if got := read(t, Markdown, test.in, Options{Dialect: d, SkipCode: true}); !slices.Equal(got, want) {
				t.Errorf("with %+v, %q has %q, want %q", d, test.in, got, want)
			}
		}
	}
	// Without SkipCode the text of comments and code is searched.
	hold(t, Markdown, Options{Dialect: dialect.Dialect{Liquid: true}}, []marked{
		{"{% highlight md %}\n[a](b) ⟦http://h/⟧\n{% endhighlight %}\n", []string{"url http://h/"}},
	})
}

// The documents and files that roles and tables of contents of MyST name are found as in reStructuredText.
func TestRolesOfMyST(t *testing.T) {
	myst := Options{Roles: true, SkipCode: true, Dialect: dialect.Dialect{Directives: true}}
	hold(t, Markdown, myst, []marked{
		{"{doc}`⟦a⟧`, {doc}`the guide <⟦../b c⟧>` and {download}`⟦d.zip⟧`\n\n# {doc}``⟦/e⟧``\n\n| {doc}`⟦f⟧` |\n|---|\n", []string{
			"role doc: a", "role doc: ../b c", "role download: d.zip", "role doc: /e", "role doc: f",
		}},
		{"> {doc}`the\n> guide <⟦a⟧>` {rfc}`⟦2324⟧` {download}`x <⟦https://h/y⟧>`\n", []string{"role doc: a", "rfc: https://datatracker.ietf.org/doc/html/rfc2324.html", "download: https://h/y"}},
		{"{ref}`⟦a-b⟧` {numref}`Fig. %s <⟦The  pot⟧>` {ref}`!no` {eq}`no`\n", []string{"role ref: a-b", "role numref: The pot"}},
		{"{doc}`!no` \\{doc}`no` {doc} `no` {code}`no` doc}`no` {doc}$no$ ![{doc}`no`](⟦a⟧)\n\n`{doc}`no\n\n``{doc}`no` ``\n\n```\n{doc}`no`\n```\n{doc}`no\n", []string{"image: a"}},
		{"```{toctree}\n:maxdepth: 1\n\n⟦a⟧\nThe stem <⟦b/c⟧>\n⟦/d.md⟧\n⟦http://h/x⟧\nShop <⟦http://h/y⟧>\nself\ngenindex\nPages <search>\nsub/*\n```\n{doc}`⟦e⟧`\n", []string{
			"role doc: a", "role doc: b/c", "role doc: /d", "url http://h/x", "url http://h/y", "role doc: e",
		}},
		{":::{toctree}\n---\nmaxdepth: 1\n---\n⟦a⟧\n:::\n- ~~~{toctree}\n  ⟦b⟧\n  ~~~\n\n````{note}\n```{toctree}\n⟦c⟧\n```\n[d](⟦e⟧)\n````\n> ```{toctree}\n> ⟦f⟧\n\ng\n", []string{
			"role doc: a", "role doc: b", "role doc: c", "link: e", "role doc: f",
		}},
	})
	hold(t, Notebook, myst, []marked{{`{"cells":[{"cell_type":"markdown","source":["{doc}` + "`⟦a⟧`" + `"]}]}`, []string{"role doc: a"}}})
	const text = "{doc}`no`\n\n```{toctree}\nno\n```\n"
	hold(t, Markdown, Options{SkipCode: true, Dialect: dialect.Dialect{Directives: true}}, []marked{{text, nil}})
	hold(t, Markdown, Options{SkipCode: true, Roles: true}, []marked{{text, nil}})
}

// The names that the directives of MyST give themselves are anchors.
func TestDirectiveNames(t *testing.T) {
	const named = "```{figure} a.svg\n:name: the-pot\n```\n\n```{code-block} md\n:name: the-code\n```\n\n```\n:name: no\n```\n\n````{note}\n:name: the-note\nx\n:name: no\n````\n"
	var got []string
	read(t, Markdown, named, Options{Dialect: dialect.Dialect{Directives: true}, Anchor: func(name string) { got = append(got, name) }})
	if want := []string{"the-pot", "the-code", "the-note"}; !slices.Equal(got, want) {
		t.Errorf("the names in %q are %q, want %q", named, got, want)
	}
}

// Comments switch the check off and on, as those of markdown-link-check do. lychee's have its name.
func TestSwitches(t *testing.T) {
	hold(t, Markdown, Options{SkipCode: true}, []marked{
		{"<!-- markdown-link-check-disable -->\n[a](b) http://h/ <http://h/> <a href=c>\n\n[d]: e\n<!-- markdown-link-check-enable -->\n[f](⟦g⟧)\n", []string{"link: g"}},
		{"[a](⟦b⟧)\n<!--markdown-link-check-disable-->\n\n[c](d)\n\n# [e](f)\n", []string{"link: b"}},
		{"[a](b) <!-- markdown-link-check-disable-line --> [c](d)\n[e](⟦f⟧)\n", []string{"link: f"}},
		{"<!-- markdown-link-check-disable-next-line -->\n[a](b)\n[c](⟦d⟧)\n\nx <!-- markdown-link-check-disable-next-line -->\n[e](f)\n[g](⟦h⟧)", []string{"link: d", "link: h"}},
		{"| [a](b) <!-- markdown-link-check-disable-line --> |\n|---|\n| [c](⟦d⟧) |\n\n- [a](b) <!-- markdown-link-check-disable-line -->\n- [e](⟦f⟧)\n", []string{"link: d", "link: f"}},
		{"<div>\n<a href=a> <!-- markdown-link-check-disable-line -->\n<a href=⟦b⟧>\n<!-- markdown-link-check-disable --><a href=c><!-- markdown-link-check-enable --><a href=⟦d⟧>\n</div>", []string{"a href: b", "a href: d"}},
		{"<!-- lychee-ignore-start -->\n[a](b)\n<!-- lychee-ignore-end -->\n[c](⟦d⟧)\n[e](f) <!-- lychee-ignore -->\n[g](⟦h⟧)\n\n<!-- lychee-ignore -->\n[i](j)\n[k](⟦l⟧)\n", []string{"link: d", "link: h", "link: l"}},
		{"<!-- lychee: ignore -->\n[a](b)\n\n<!-- lychee-disable -->\n[c](d)\n<!-- lychee-enable -->\n[e](⟦f⟧) [g](⟦h⟧)\n[i](j) <!-- lychee skip -->\n", []string{"link: f", "link: h"}},
		// other comments
		{"<!-- markdown-link-check -->\n[a](⟦b⟧)\n<!-- not markdown-link-check-disable -->\n[c](⟦d⟧)\n\n`<!-- markdown-link-check-disable -->`\n\n```\n<!-- markdown-link-check-disable -->\n```\n[e](⟦f⟧)", []string{"link: b", "link: d", "link: f"}},
		{"<!-- markdown-link-check-enable -->\n[a](⟦b⟧)", []string{"link: b"}},
	})
	hold(t, Markdown, Options{}, []marked{
		{"<!-- markdown-link-check-disable -->\n[a](⟦b⟧)\n", []string{"link: b"}},
	})
	var got []string
	read(t, Markdown, "<!-- markdown-link-check-disable -->\n\n# A\n", Options{SkipCode: true, Anchor: func(name string) { got = append(got, name) }})
	if want := []string{"a"}; !slices.Equal(got, want) {
		t.Errorf("the names in muted text are %q, want %q", got, want)
	}
}

// A notebook's link to an attachment is no URL, unless the cell does not have the attachment.
func TestAttachments(t *testing.T) {
	hold(t, Notebook, Options{}, []marked{
		{`{"cells": [{"cell_type": "markdown", "attachments": {"a b.png": {"image/png": "x"}}, "source": ["![x](attachment:a%20b.png) ![x](<attachment:a b.png>) ", "![x](⟦attachment:c.png⟧) [x](⟦d⟧)"]}]}`, []string{"attachment: attachment:c.png", "link: d"}},
		{`{"cells": [{"cell_type": "markdown", "source": "![x](⟦attachment:a⟧)"}, {"cell_type": "markdown", "source": "![x](attachment:a)", "attachments": {"a": {}}}]}`, []string{"attachment: attachment:a"}},
	})
	hold(t, Markdown, Options{}, []marked{{"![x](⟦attachment:a⟧)", []string{"image: attachment:a"}}})
}
