package document

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark/text"
)

// manualPage returns a page as generators of manuals make it.
func manualPage() []byte {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Manual</title><link rel=\"stylesheet\" href=\"/css/main.css?v=3\"></head><body class=\"theme\">\n<nav>")
	for i := range 60 {
		fmt.Fprintf(&b, "<li class=\"nav-item level-%d\"><a class=\"nav-link\" href=\"/docs/section-%d/page.html\">Section %d</a></li>\n", i%3, i, i)
	}
	b.WriteString("</nav>\n<main>")
	for i := range 60 {
		fmt.Fprintf(&b, "<h2 id=\"section-%d\">Section %d</h2>\n<p>%s See <a href=\"page-%d.html#section\">the other page</a> &amp; more.</p>\n<pre><code class=\"language-go\">if a &lt; b { return c }\n</code></pre>\n", i, i, strings.Repeat("The quick brown fox jumps over the lazy dog. ", 12), i)
	}
	b.WriteString("</main></body></html>\n")
	return []byte(b.String())
}

// BenchmarkHTML reads the references and anchors of a page, as a checker of links does.
func BenchmarkHTML(b *testing.B) {
	page := manualPage()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	anchors := 0
	o := Options{References: true, Anchor: func(string) { anchors++ }}
	for b.Loop() {
		for _, err := range HTML.All(bytes.NewReader(page), o) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// readme returns Markdown as projects write it.
func readme() []byte {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "## Section %d: `code` and *words*\n\n%s See [the other page](page-%d.md#section \"Page\"),\n[a reference][r%d] and <https://h.example/%d>.\n\n", i, strings.Repeat("The quick brown fox jumps over the lazy dog. ", 8), i, i, i)
		fmt.Fprintf(&b, "- ![badge](img/%d.svg) and `code`\n- an item\n  with [a link](x/%d.md)\n\n```go\nif a < b { return \"http://h/%d\" }\n```\n\n> A quotation with <a href=\"q%d.html\">HTML</a>\n> in two lines.\n\n", i, i, i, i)
		fmt.Fprintf(&b, "| a | b |\n|---|---|\n| [cell](c%d.md) | text |\n\n[r%d]: https://h.example/r/%d \"Title\"\n\n", i, i, i)
	}
	return []byte(b.String())
}

// BenchmarkMarkdown reads the references and anchors of a text, as a checker of links does.
func BenchmarkMarkdown(b *testing.B) {
	in := readme()
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	o := Options{References: true, SkipCode: true, Anchor: func(string) {}}
	for b.Loop() {
		for _, err := range Markdown.All(bytes.NewReader(in), o) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkGoldmark only parses the same text, without emphasis.
func BenchmarkGoldmark(b *testing.B) {
	in := readme()
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		goldmark().Parse(text.NewReader(in))
	}
}
