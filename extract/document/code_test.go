package document

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"locus/internal/markup"
)

// With SkipCode, URLs in code and comments are not found, but links in them are.
func TestSkipCode(t *testing.T) {
	o := Options{SkipCode: true}
	hold(t, Markdown, o, []marked{
		{"⟦http://h/a⟧ `http://no/` ``x http://no/ ` y`` ⟦http://h/b⟧ `⟦http://h/c⟧", []string{"url http://h/a", "url http://h/b", "url http://h/c"}},
		{"```\nhttp://no/\n```\n⟦http://h/a⟧\n~~~ sh\ncurl http://no/\n\n~~~\n\n    http://no/\n\n\thttp://no/\n\n⟦http://h/b⟧\n", []string{"url http://h/a", "url http://h/b"}},
		{"> ```\n> http://no/\n> ```\n\n- ⟦http://h/a⟧\n\n      http://no/\n\n  ```\n  http://no/\n  ```\n", []string{"url http://h/a"}},
		{"a <!-- http://no/ --> ⟦http://h/a⟧\n\n<!--\nhttp://no/\n\nhttp://no/\n-->\n⟦http://h/b⟧\n", []string{"url http://h/a", "url http://h/b"}},
		{"<code>http://no/ <a href=⟦x⟧>y</a></code> ⟦http://h/a⟧ <b>⟦http://h/b⟧</b> <kbd>http://no/</kbd>\n", []string{"a href: x", "url http://h/a", "url http://h/b"}},
		{"<pre>\nhttp://no/ <a href=⟦x⟧>http://no/</a>\n\nhttp://no/</pre>\n\n<div>\n⟦http://h/a⟧ <code>http://no/</code>\n<!-- http://no/ -->\n</div>\n", []string{"a href: x", "url http://h/a"}},
		{"<p>\n<!-- http://no/", nil},
		{"[`http://no/`](⟦b⟧) <⟦http://h/⟧>\n", []string{"link: b", "autolink: http://h/"}},
	})
	hold(t, Markdown, Options{}, []marked{{"`⟦http://h/⟧` <!-- ⟦http://i/⟧ -->", []string{"url http://h/", "url http://i/"}}})
	hold(t, HTML, o, []marked{
		{"⟦http://h/a⟧ <code>http://no/</code> <pre>http://no/ <b>http://no/</b><a href=⟦x⟧>y</a></pre> ⟦http://h/b⟧ <xmp>http://no/</xmp>", []string{"url http://h/a", "a href: x", "url http://h/b"}},
		{"</code>⟦http://h/⟧<p><samp>http://no/</samp></pre>⟦http://h/b⟧", []string{"url http://h/", "url http://h/b"}},
	})
	hold(t, RST, o, []marked{
		{"See ⟦http://h/a⟧::\n\n   http://no/\n   .. _a: no\n\n   http://no/\n\n⟦http://h/b⟧\n", []string{"url http://h/a", "url http://h/b"}},
		{"x ``http://no/`` ⟦http://h/a⟧ ``y <no>`_`` `z <⟦b⟧>`_\n", []string{"url http://h/a", "target: b"}},
		{".. http://no/\n   http://no/\n\n   http://no/\n\n⟦http://h/a⟧\n", []string{"url http://h/a"}},
		{"..\n\n⟦http://h/a⟧\n\n..\n   http://no/\n", []string{"url http://h/a"}},
		{".. code-block:: sh\n   :caption: http://no/\n\n   curl http://no/\n\n.. note:: ⟦http://h/a⟧\n\n   ⟦http://h/b⟧::\n\n      http://no/\n\n   ⟦http://h/c⟧\n", []string{"url http://h/a", "url http://h/b", "url http://h/c"}},
		{".. image:: ⟦a.png⟧\n   :target: ⟦http://h/⟧\n\n.. _b: ⟦c⟧\n.. [1] ⟦http://h/d⟧\n.. |x| image:: ⟦y⟧\n", []string{"target: a.png", "target: http://h/", "target: c", "url http://h/d", "target: y"}},
		{">>> get('http://no/')\n'http://no/'\n\n⟦http://h/a⟧::\n\n> http://no/\n> http://no/\n\n⟦http://h/b⟧\n", []string{"url http://h/a", "url http://h/b"}},
	})
	hold(t, Asciidoc, o, []marked{
		{"⟦http://h/a⟧ `http://no/` +1+\n\n----\nhttp://no/\n\nlink:no[]\n----\n\n....\nhttp://no/\n....\n\n// http://no/\n////\nhttp://no/\n////\n⟦http://h/b⟧\n", []string{"url http://h/a", "url http://h/b"}},
		{"[source,sh]\nhttp://no/\nhttp://no/\n\n⟦http://h/a⟧\n\n http://no/\n\n * ⟦http://h/b⟧\n * ⟦http://h/c⟧\n\n.Title\n[source]\n----\nhttp://no/\n----\n```sh\nhttp://no/\n```\n⟦http://h/d⟧", []string{"url http://h/a", "url http://h/b", "url http://h/c", "url http://h/d"}},
	})
	hold(t, Asciidoc, o, []marked{
		{"+http://no/+ a+b ⟦http://h/a+b⟧ 1 + 2 + 3 ⟦http://h/c⟧ (+http://no/ x+)\n+\n⟦http://h/d⟧", []string{"url http://h/a+b", "url http://h/c", "url http://h/d"}},
	})
	hold(t, Markdown, o, []marked{
		{"export const a = 'http://no/'\nexport let b = 'http://no/'\n\n⟦http://h/a⟧\n\nexport data to ⟦http://h/b⟧\n\nimport a from 'http://no/a.js'\n\nimport it from ⟦http://h/c⟧\n", []string{"url http://h/a", "url http://h/b", "url http://h/c"}},
	})
	hold(t, TeX, o, []marked{
		{"\\verb|http://no/| ⟦http://h/a⟧ \\verb*+http://no/ + ⟦http://h/b⟧ \\lstinline!http://no/! \\verbatim ⟦http://h/c⟧ \\verb|⟦http://h/open⟧\n⟦http://h/d⟧", []string{"url http://h/a", "url http://h/b", "url http://h/c", "url http://h/open", "url http://h/d"}},
		{"⟦http://h/a⟧ % http://no/\n% http://no/\n\\begin{verbatim}\nhttp://no/\n\\end{verbatim}\n\\url{⟦http://h/a%20b⟧}\n", []string{"url http://h/a", "url http://h/a%20b"}},
	})
	hold(t, Notebook, o, []marked{{`{"cells":[{"cell_type":"code","source":["http://no/"]},{"cell_type":"markdown","source":"` + "`http://no/`" + ` [a](⟦b⟧)"}]}`, []string{"link: b"}}})
}

// Reading a document takes less than eight times its size, even if the document consists of tags or of escapes.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads 30 MB")
	}
	const size, constant = 2 << 20, 16 << 20 // the syntax tree of a piece takes several MB
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // which is changed below
	footprint := func() (heap, all int) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapSys - m.HeapReleased), int(m.Sys - m.HeapReleased)
	}
	for _, test := range []struct {
		mode        Mode
		start, unit string
	}{
		{HTML, "", "<a href=a>"},
		{HTML, "", "&amp;"},
		{HTML, "", "<p style='a:url(b)'>"},
		{HTML, `<a href="`, "&lt;"},
		{HTML, `<script type=application/ld+json>{"a":"`, `\"`},
		{Markdown, "", "["},
		{Markdown, "", "a\n\n"},
		{RST, "", ".. _a: b\n"},
		{TeX, "", `\_ `},
		{JSON, `"`, `\"`},
		{JSON, `"`, `a\"`},
		{Notebook, `{"cells":[{"cell_type":"code","source":"`, `\"`},
		{XML, `<a b="`, "&lt;"},
		{Mail, "Content-Transfer-Encoding: base64\n\n", "YWFh"},
	} {
		text := test.start + strings.Repeat(test.unit, size/len(test.unit))
		debug.FreeOSMemory()
		before, all := footprint()
		debug.SetMemoryLimit(int64(all + 8*size)) // because garbage is collected late on a busy machine
		for range test.mode.All(strings.NewReader(text), Options{SkipCode: true, Anchor: func(string) {}, Content: func(string) bool { return true }}) {
			_ = before // the matches are not kept
		}
		after, _ := footprint()
		if most := after - before; most > 8*size+constant {
			t.Errorf("%v of %q and many %q takes %d MB for %d MB", test.mode, test.start, test.unit, most>>20, size>>20)
		} else {
			t.Logf("%v of %q and many %q: %.1f times", test.mode, test.start, test.unit, float64(most)/size)
		}
	}
}

// The matches of a long document, which are yielded before its end, obey the laws.
func TestOrder(t *testing.T) {
	for mode, all := range wholes {
		text := strings.Repeat(strings.Join(all, "")+"\n", 40)
		if mode == Mail {
			text = strings.Repeat(strings.Join(all, ""), 40)
		}
		laws(t, mode, text, gather(t, mode, strings.NewReader(text), Options{}))
	}
}

// Markdown is read in pieces. A fence or a comment is not cut, because its second part would be read as text.
func TestSplitMarkdown(t *testing.T) {
	filler := strings.Repeat("word ", 20) + "\n\n"
	long := strings.Repeat(filler, 2000)
	code := strings.Repeat("code [a](no) http://no/\n\n", 20000)
	text := long + "[a](1)\n\n```\n" + code + "```\n\n" + long + "[a](2)\n\n<!--\n" + long + "-->\n\n[a](3) [b][c]\n\n~~~\n```\n" + code + "~~~\n[a](4)\n\n[c]: 5\n"
	var got []string
	for _, m := range gather(t, Markdown, strings.NewReader(text), Options{SkipCode: true}) {
		got = append(got, m.Text)
	}
	if want := []string{"1", "2", "3", "4", "5"}; !slices.Equal(got, want) {
		t.Errorf("the links of Markdown in pieces are %.200q, want %q", got, want)
	}
	for _, text := range []string{strings.Repeat("[a](b) ", 100_000), strings.Repeat("[a](b)\n", 100_000), strings.Repeat("[a](b)\n\n", 100_000)} {
		if got := len(gather(t, Markdown, strings.NewReader(text), Options{})); got != 100_000 {
			t.Errorf("%[2].20q… has %[1]d links, want 100000", got, text)
		}
	}
}

// All stops reading when the loop ends.
func TestStop(t *testing.T) {
	for _, mode := range []Mode{HTML, Markdown, JSON, CSS, Asciidoc, TeX} {
		text := strings.Repeat("<a href=b> [a](b) \"http://h/\" url(a) link:a[]\n\n", 10000)
		n := 0
		for range mode.All(strings.NewReader(text), Options{}) {
			if n++; n == 100 {
				break
			}
		}
		if n != 100 {
			t.Errorf("%v yields %d matches, want 100", mode, n)
		}
	}
}

// If a tag has very many attributes, only the first ones are read, in linear time.
func TestManyAttributes(t *testing.T) {
	var tag strings.Builder
	tag.WriteString("<a href=first")
	for i := range 300_000 {
		fmt.Fprintf(&tag, " a%d=b", i)
	}
	tag.WriteString(" href=no><a href=second>")
	if got, want := read(t, HTML, tag.String(), Options{}), []string{"a href: first", "a href: second"}; !slices.Equal(got, want) {
		t.Errorf("the links of a tag with many attributes are %q, want %q", got, want)
	}
	z := markup.Tokenizer{Text: []byte(tag.String())}
	if token, ok := z.Next(); !ok || len(token.Attributes) != markup.MaxAttributes {
		t.Errorf("%d attributes are kept, want %d", len(token.Attributes), markup.MaxAttributes)
	}
}

// Comments of MDX are omitted. A comment may have several lines, and may be in a line with links.
func TestMDXComments(t *testing.T) {
	hold(t, Markdown, Options{SkipCode: true}, []marked{
		{"{/* http://no/ [a](no) <a href=no> */} [a](⟦b⟧) {/**/} ⟦http://h/⟧\n", []string{"link: b", "url http://h/"}},
		{"{/*\n\n# [a](no)\n\n    http://no/\n*/}\n\n[a](⟦b⟧)\n", []string{"link: b"}},
		{"- {/* [a](no) */}\n- [a](⟦b⟧)\n  {/* x */}   [c](⟦d⟧)\n", []string{"link: b", "link: d"}},
		{"{/* [a](⟦b⟧)\n", []string{"link: b"}},
		{"{ /* [a](⟦b⟧) */ }\n", []string{"link: b"}},
		{"{/* é\r\n [a](no) */}[a](⟦b⟧)\n", []string{"link: b"}},
		{strings.Repeat("{/*", 100_000) + " [a](⟦b⟧)\n", []string{"link: b"}},
	})
	hold(t, Markdown, Options{}, []marked{{"{/* ⟦http://h/⟧ [a](⟦b⟧) */}\n", []string{"url http://h/", "link: b"}}})
}
