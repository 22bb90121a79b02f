package document

import (
	"bytes"
	"strings"
	"testing"
)

// BenchmarkSources reads the links and anchors of sources, as a checker of links does. Each text repeats a unit: prose as
// people write it, or a short unit of which a reader might remember too much.
func BenchmarkSources(b *testing.B) {
	for _, test := range []struct {
		name string
		mode Mode
		unit string
	}{
		{"asciidoc/prose", Asciidoc, "== Water and tea\n\nThe water of the tea is in <<water,its own section>>, and `code` of\nhttps://tea.example/pot[the pot] is *there*. " + strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 8) + "\n----\ncode\n----\n\n"},
		{"asciidoc/empty lines", Asciidoc, "\n"},
		{"asciidoc/short lines", Asciidoc, "a\n\n"},
		{"rst/prose", RST, "Water and tea\n=============\n\nThe water of the tea is in `its page <water.html>`_, and ``code`` of\nthe pot_ is *there*. " + strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 8) + "\n.. _pot: https://tea.example/pot\n\n.. code-block:: sh\n\n   code\n\n"},
		{"rst/empty lines", RST, "\n"},
		{"rst/titles", RST, "a\n=\n"},
		{"man/prose", Man, ".SH WATER\nThe water of the tea is in\n.UR https://tea.example/pot\nthe pot\n.UE .\n" + strings.Repeat("The quick \\fIbrown\\fP fox jumps over the lazy dog.\n", 8)},
		{"xml/prose", XML, "<item><title>Tea</title><link>https://tea.example/pot</link><description>The quick brown fox jumps over the lazy dog.</description></item>\n"},
		{"json/prose", JSON, "{\"title\": \"Tea\", \"url\": \"https://tea.example/pot\", \"text\": \"The quick brown fox jumps over the lazy dog.\"}\n"},
	} {
		b.Run(test.name, func(b *testing.B) {
			text := []byte(strings.Repeat(test.unit, 256<<10/len(test.unit)))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			anchors := 0
			o := Options{SkipCode: true, Anchor: func(string) { anchors++ }}
			for b.Loop() {
				for _, err := range test.mode.All(bytes.NewBuffer(text), o) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
