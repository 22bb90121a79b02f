package markdown

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark/text"

	"locus/extract"
	"locus/extract/document/internal/emit"
)

// readme returns Markdown such as projects write.
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
	o := emit.Options{References: true, SkipCode: true, Anchor: func(string) {}}
	for b.Loop() {
		emit.Read(Read, bytes.NewReader(in), o, func(_ extract.Match, err error) bool {
			if err != nil {
				b.Fatal(err)
			}
			return true
		})
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
