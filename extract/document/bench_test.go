package document

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// manualPage returns a page such as generators of manuals write.
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
