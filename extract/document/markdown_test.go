package document

import "testing"

func TestMarkdownLinks(t *testing.T) {
	hold(t, Markdown, Options{}, []marked{
		// links
		{`[a](⟦b.md⟧) [a](⟦b.md⟧ "t") [a](⟦b.md⟧ 't') [a](⟦b⟧ (t)) [a]( ⟦b⟧ ) [a](<⟦b c⟧>) [a](<⟦b⟧> "t") [](⟦b⟧)`, []string{
			"link: b.md", "link: b.md", "link: b.md", "link: b", "link: b", "link: b c", "link: b", "link: b",
		}},
		{"[a](\n⟦b⟧\n\"t\nu\") [a\nb](⟦c⟧)", []string{"link: b", "link: c"}},
		{`[a [b] c](⟦d⟧) [a](⟦b(c)d⟧) [a](⟦b\)c⟧) [a\]](⟦b⟧) [*a*](⟦b⟧) **[a](⟦b⟧)** ~~[a](⟦b⟧)~~ [(a)](⟦b⟧).`, []string{
			"link: d", "link: b(c)d", "link: b)c", "link: b", "link: b", "link: b", "link: b", "link: b",
		}},
		{`[![i](⟦i.svg⟧)](⟦b⟧) [a ![i](⟦i.png⟧ "t") b](⟦c⟧) ![a [b](c)](⟦d⟧)`, []string{"image: i.svg", "link: b", "image: i.png", "link: c", "image: d"}},
		{`[a](⟦#f⟧) [a](⟦/b?c=d&amp;e⟧) [a](⟦b%20c⟧) [a](⟦ä⟧) [a](⟦&#x61;⟧) [a](⟦b&copy;⟧) [a](⟦b&c⟧) [a](⟦b\_c⟧)`, []string{
			"link: #f", "link: /b?c=d&e", "link: b%20c", "link: ä", "link: a", "link: b©", "link: b&c", "link: b_c",
		}},
		// a reference to a character is read once, and not after a backslash (CommonMark §2.4, §2.5)
		{`[a](⟦b\&amp;c⟧) [a](⟦&#38;copy;⟧) [a](⟦&amp;#65;⟧) [a](⟦b&#038;c⟧) [a](⟦&#0065;⟧) [a](⟦&#X5a;&#0;&#xd800;⟧) [a](⟦\&#65;⟧) [a](⟦&am\p;⟧)`, []string{
			"link: b&amp;c", "link: &copy;", "link: &#65;", "link: b&c", "link: A", "link: Z\ufffd\ufffd", "link: &#65;", `link: &am\p;`,
		}},
		{`[a](⟦&copy=1&#65⟧) [a](⟦&unheard;&;&#;&#x;⟧) [a](⟦&#12345678;⟧) [a](⟦&#1234567;⟧) [a](⟦&#x1234567;⟧) [a](⟦&CounterClockwiseContourIntegral;⟧) [a](⟦\é\(\\⟧)`, []string{
			"link: &copy=1&#65", "link: &unheard;&;&#;&#x;", "link: &#12345678;", "link: \ufffd", "link: &#x1234567;", "link: ∳", `link: \é(\`,
		}},
		{"[a]: ⟦b\\⟧\n[c]: ⟦d\\⟧", []string{`reference: b\`, `reference: d\`}},
		{"[r]: ⟦/x?a&#038;b&amp;lt;⟧\n", []string{"reference: /x?a&b&lt;"}},
		{`[a]() [a](<>) [a](b c) [a] (b) \[a](b) [a]\(b) [a](<b>c) [a](b "c) [a`, nil},
		{"[a](⟦http://h/a_(b)⟧) <⟦http://h/⟧> (⟦http://h/c⟧) ⟦http://h/d⟧. *⟦http://h/e⟧* [⟦http://h/f⟧](⟦http://h/g⟧)", []string{
			"link: http://h/a_(b)", "autolink: http://h/", "url http://h/c", "url http://h/d", "url http://h/e", "url http://h/f", "link: http://h/g",
		}},

		{"[b](⟦b⟧) [b.md](⟦b.md⟧ \"b.md\") ![i](⟦i⟧) [b](<⟦b⟧>)\n\n[a]: ⟦a⟧\n\n> [b\n> c](⟦b⟧)\n> [a]:\n> b\n", []string{"link: b", "link: b.md", "image: i", "link: b", "reference: a", "link: b"}},

		// autolinks
		{"<⟦ftp://h/⟧> <⟦mailto:a@b⟧> <⟦MAILTO:a@b⟧> <⟦a@b.example⟧> <⟦x-y:z⟧> <a:b> <⟦http://h/⟧ x> <> <a@b c>", []string{
			"autolink: ftp://h/", "autolink: mailto:a@b", "autolink: MAILTO:a@b", "autolink: mailto:a@b.example", "autolink: x-y:z", "url http://h/",
		}},

		// the offset of a reference is that of its definition
		{"[a][b] [b][] [b] ![c][b] [d][e]\n\n[b]: ⟦u⟧\n[B]: ⟦v⟧\n", []string{"reference: u", "reference: v"}},
		{"[a]: ⟦b⟧ \"t\"\n[c]: <⟦d e⟧>\n[f]:\n   ⟦g⟧\n   'h'\n[i j]: ⟦k⟧ (l)\n  [m]: ⟦n&amp;o⟧\n", []string{"reference: b", "reference: d e", "reference: g", "reference: k", "reference: n&o"}},
		{"> [a]: ⟦b⟧\n\n- [c]: ⟦d⟧\n\n1. x\n\n   [e]: ⟦f⟧\n", []string{"reference: b", "reference: d", "reference: f"}},
		{"x\n[a]: b\n\n    [c]: d\n\n[e]: f g\n\n[h] : i\n", nil},

		// code contains no links, but its text is searched
		{"`[a](b)` ``[a](b) ` `` [a`](b)` \\`[a](⟦b⟧)` `⟦http://h/⟧`", []string{"link: b", "url http://h/"}},
		{"```\n[a](b)\n⟦http://h/⟧\n```\n[a](⟦b⟧)\n~~~md\n[a](b)\n```\n[a](b)\n~~~\n\n    [a](b)\n\n- x\n\n      [a](b)\n\n  [a](⟦b⟧)\n", []string{"url http://h/", "link: b", "link: b"}},
		{"````\n```\n[a](b)\n````\n[a](⟦b⟧)\n```\n[a](b)", []string{"link: b"}},

		// blocks
		{"# [a](⟦b⟧) #\n[a](⟦b⟧)\n===\n- [a](⟦b⟧)\n  * [a](⟦b⟧)\n\n1) [a](⟦b⟧)\n\n> [a](⟦b⟧)\nlazy [a](⟦b⟧)\n***\n", []string{"link: b", "link: b", "link: b", "link: b", "link: b", "link: b", "link: b"}},
		{"| a | b |\n|---|---|\n| [a](⟦b⟧) | `[a](b)` |\n| ⟦http://h/⟧ | <⟦http://h/⟧> |\n", []string{"link: b", "url http://h/", "autolink: http://h/"}},
		{"---\nhome: ⟦http://h/⟧\n---\n\n- [ ] [a](⟦b⟧)\n", []string{"url http://h/", "link: b"}},
		{"a\r\n\r\n[a](⟦b⟧)\r\n\r\n[c]: ⟦d⟧\r\n", []string{"link: b", "reference: d"}},
		{"\t[a](b)\n\n-\t[a](⟦b⟧)\n>\t[a](⟦b⟧)\n", []string{"link: b", "link: b"}},
	})
}

// The description of an image is text, in which links and images are not shown (CommonMark §6.4, examples 520, 574 and
// 575 of version 0.31.2).
func TestMarkdownDescriptions(t *testing.T) {
	hold(t, Markdown, Options{}, []marked{
		{"![[[foo](uri1)](uri2)](⟦uri3⟧) ![foo ![bar](/url)](⟦/url2⟧) ![foo [bar](/url)](⟦/url3⟧)", []string{"image: uri3", "image: /url2", "image: /url3"}},
		{"![a <xx:b> <c@d.e> <a href=f> <!-- g --> h](⟦i⟧)", []string{"image: i"}},
		{"![a ![b [c](d)](e) [f](g)][h] [j](⟦k⟧)\n\n[h]: ⟦i⟧", []string{"link: k", "reference: i"}},
		{"[![a b](⟦d⟧)](⟦e⟧) [![a [b](c)](⟦d⟧)](e) [a ![b [c](d)](⟦e⟧) f](g)", []string{"image: d", "link: e", "image: d", "image: e"}}, // a link contains no link
		{"![a [b](⟦c⟧) <⟦dd:e⟧>\n\n![a ![b](⟦c⟧)\n\n![a [b](⟦c⟧)] ![d](⟦e⟧) (f)", []string{"link: c", "autolink: dd:e", "image: c", "link: c", "image: e"}},
		{"![a](⟦b⟧)![c [d](e)](⟦f⟧)[g](⟦h⟧)", []string{"image: b", "image: f", "link: h"}},
		{"![a `b](c)` d](⟦e⟧) \\![a](⟦b⟧)", []string{"image: e", "link: b"}},
		{"![⟦http://h/a⟧ [b](⟦http://h/c⟧)](⟦d⟧)", []string{"url http://h/a", "url http://h/c", "image: d"}},
	})
	hold(t, Markdown, Options{SkipLabels: true}, []marked{
		{"![http://h/a [b](http://h/c)](⟦d⟧ \"http://h/e\") ⟦http://h/f⟧", []string{"image: d", "url http://h/f"}},
	})
}

// A browser does not make links of the URLs in the text and the title of a link. Some definitions are comments.
func TestMarkdownTitles(t *testing.T) {
	hold(t, Markdown, Options{SkipCode: true, SkipLabels: true}, []marked{
		{"[http://h/a](⟦http://h/b⟧ 'http://h/c') [http://h/d][r] [http://h/e] ⟦http://h/f⟧\n\n[r]: ⟦g⟧ (see http://h/i)\n[http://h/e]: ⟦j⟧", []string{
			"link: http://h/b", "url http://h/f", "reference: g", "reference: j",
		}},
		{"[⟦http://h/a⟧] [⟦http://h/b⟧][none] [⟦http://h/c⟧] (d)", []string{"url http://h/a", "url http://h/b", "url http://h/c"}},
		{"[//]: # (see http://h/a)\n[//]: # \"http://h/b\"\n[//]:# 'http://h/c'\n[//]: <> (http://h/d)\n[comment]: # (http://h/e\nhttp://h/f)\n[Comment]: <> (http://h/g)\n\n⟦http://h/i⟧", []string{"url http://h/i"}},
		{"> [//]: # (http://h/a)\n\n- [//]: # (http://h/b)\n\n[top]: ⟦#⟧\n[//]: ⟦c⟧ (http://h/d)\n", []string{"reference: #", "reference: c"}},
		{"```http://h/info\n```\n~~~ http://h/info\n~~~\n⟦http://h/a⟧", []string{"url http://h/a"}},
		{"[//]: # (an open comment ⟦http://h/a⟧\n\n[//]: # (⟦http://h/b⟧) text ⟦http://h/c⟧", []string{"url http://h/a", "url http://h/b", "url http://h/c"}},
	})
}

// Each cell of a table is read separately (GFM §4.10).
func TestMarkdownTables(t *testing.T) {
	hold(t, Markdown, Options{}, []marked{
		{"| a ` | b |\n|---|:-:|\n| [x](⟦y⟧) | ` |\n", []string{"link: y"}},
		{"a | b\n--|--\n[x | y](no)\n[x](⟦y\\|z⟧) | [x](⟦z⟧) | [x](no)\n", []string{"link: y|z", "link: z"}},
		{"| [a](⟦b⟧) |\n|-|\n| `c | [a](no) |\n\n[a](⟦d⟧) `|` [a](⟦e⟧)\n", []string{"link: b", "link: d", "link: e"}},
		{"text ` [a](no)\n| b |\n|---|---|\n| ` | [a | b](⟦c⟧)\n", []string{"link: c"}}, // not a table, because its delimiter row has too few columns
		{"> [a]: ⟦b⟧\n> | c | d |\n> |---|---|\n> | [a](⟦e⟧) | [a](⟦f⟧) |\n", []string{"reference: b", "link: e", "link: f"}},
		// not tables, because the delimiter row is indented like code
		{"a ` | b\n    --|--\n` | [x](⟦y⟧) | [x](⟦z⟧)\n", []string{"link: y", "link: z"}},
		{"- [a]: ⟦b⟧\n  a ` | b\n\t  --|--\n  ` | [x](⟦y⟧) | [x](⟦z⟧)\n", []string{"reference: b", "link: y", "link: z"}},
	})
}

// The text of a footnote is text, and not the target of its reference.
func TestFootnotes(t *testing.T) {
	hold(t, Markdown, Options{}, []marked{
		{"x[^1] [^2]\n\n[^1]: [a](⟦b⟧)\n[^2]: Deprecated.\n[^long-name]: see <⟦http://h/⟧> and [a][r]\n\n[r]: ⟦c⟧\n", []string{"link: b", "autolink: http://h/", "reference: c"}},
		{"[^1]: ⟦http://h/⟧\n[^2]:\n    [a](⟦b⟧)\n\n    [a](⟦c⟧)\n\n        [a](no)\n\n  [a](⟦d⟧)\n", []string{"url http://h/", "link: b", "link: c", "link: d"}},
		{"> x\n> [^1]: [a](⟦b⟧)\n\n- y\n\n  [^n]: - [a](⟦c⟧)\n", []string{"link: b", "link: c"}},
		{"text\n[^1]: [a](⟦b⟧)\nlazy [a](⟦c⟧)\n\n[^]: ⟦d⟧\n[^a b]: [a](⟦e⟧)\n[^x] : [a](⟦f⟧)\n[^y: [a](⟦g⟧)\n", []string{"link: b", "link: c", "reference: d", "link: e", "link: f", "link: g"}},
		{"    [^1]: [a](no)\n\n```\n[^1]: [a](no)\n```\n[^1]:\n[^2]:", nil},
	})
}

func TestMarkdownHTML(t *testing.T) {
	hold(t, Markdown, Options{}, []marked{
		{"<a href=\"⟦x⟧\">[a](⟦b⟧)</a> <img\nsrc='⟦i⟧'> <br/> <b\n", []string{"a href: x", "link: b", "img src: i"}},
		{"<div>\n[a](no)\n<img src=⟦i⟧>\n\n[a](⟦b⟧)\n</div>\n", []string{"img src: i", "link: b"}},
		{"<details>\n<summary>x</summary>\n\n[a](⟦b⟧)\n\n</details>\n\n<p align=center><a href=⟦c⟧><img src=⟦d⟧></a></p>\n", []string{"link: b", "a href: c", "img src: d"}},
		{"<!-- [a](no) <a href=no> ⟦http://h/⟧ -->\n\n<!--\n[a](no)\n-->\n", []string{"url http://h/"}},
		{"> <a href=\n> '⟦c⟧'>\n\n- <div style='b:url(⟦d⟧)'>\n  <a href=⟦e⟧>\n", []string{"a href: c", "url(): d", "a href: e"}},
		{"| [a](⟦b⟧) | <a href='⟦?a&amp;b⟧'>x</a> | `<a href=no>` |\n\n    <a href=no>\n\n\\<a href=no>\n", []string{"link: b", "a href: ?a&b"}},
	})
}

// A URL in the text ends before the marks of emphasis (GFM §6.9).
func TestMarkdownEmphasis(t *testing.T) {
	hold(t, Markdown, Options{}, []marked{
		{"~~⟦http://h/a⟧~~ _⟦http://h/b⟧_ __⟦http://h/c⟧__, *⟦http://h/d⟧* **_⟦http://h/e⟧_**", []string{"url http://h/a", "url http://h/b", "url http://h/c", "url http://h/d", "url http://h/e"}},
		{"⟦http://h/~a/b_c_d/⟧ ⟦http://h/e—⟧ f `⟦http://h/g⟧_`", []string{"url http://h/~a/b_c_d/", "url http://h/e—", "url http://h/g"}},
		{"[a_](⟦http://h/a_⟧) <⟦http://h/b~⟧>", []string{"link: http://h/a_", "autolink: http://h/b~"}},
	})
}

// The cells of a notebook are read by different rules for the end of a URL.
func TestNotebookEmphasis(t *testing.T) {
	const in = `{"cells": [{"cell_type": "markdown", "source": "_⟦http://h/a⟧_"}, {"cell_type": "code", "source": "⟦http://h/b_⟧"}, {"cell_type": "markdown", "source": "_⟦http://h/c⟧_"}]}`
	hold(t, Notebook, Options{}, []marked{{in, []string{"url http://h/a", "url http://h/b_", "url http://h/c"}}})
}
