package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locus/extract/document/internal/emit"
)

// A block that is too long or too deep to be read in one piece loses no link.
func TestLongMarkdown(t *testing.T) {
	var table, line strings.Builder
	var want []string
	for i := range 1000 {
		link := fmt.Sprintf("page%d.md", i)
		want = append(want, "link: "+link)
		fmt.Fprintf(&table, "| [a](%s) | text |\n", link)
		fmt.Fprintf(&line, "[a](%s) text ", link)
	}
	for name, text := range map[string]string{
		"table":            table.String(),
		"line":             line.String(),
		"heading":          "# " + line.String(),
		"underlined table": table.String() + "=====\n",
		"item":             "- " + line.String(),
		"quotation":        strings.Repeat("> ", 20) + line.String(),
		"deep quotation":   strings.Repeat("> ", 2000) + line.String(),
		"deep list":        strings.Repeat("1. ", 2000) + line.String(),
		"word":             strings.Repeat("x", emit.MaxPiece/2) + line.String(),
	} {
		if got := read(t, Markdown, text, Options{}); !slices.Equal(got, want) {
			t.Errorf("%s has %d links, want %d", name, len(got), len(want))
		}
	}
}

// A reference may be defined before, after and between the pieces of a long block.
func TestLongDefinitions(t *testing.T) {
	var in strings.Builder
	var want []string
	for i := range 1000 {
		fmt.Fprintf(&in, "[a%d]: /page%d\n", i, i)
		want = append(want, fmt.Sprintf("reference: /page%d", i))
	}
	if got := read(t, Markdown, in.String(), Options{}); !slices.Equal(got, want) {
		t.Errorf("there are %d definitions, want %d", len(got), len(want))
	}
}

// The label of a footnote has the same maximum length as the label of a reference (CommonMark §4.7). A longer label is
// not a footnote.
func TestLongFootnote(t *testing.T) {
	name := strings.Repeat("a", emit.MaxLabel-len("^"))
	hold(t, Markdown, Options{}, []marked{
		{"[^" + name + "]: [b](⟦c⟧)\n\n    [d](⟦e⟧)\n", []string{"link: c", "link: e"}},
		{"[^" + name + "a]: [b](⟦c⟧)\n\n    [d](e)\n", []string{"link: c"}},
		{"> \t[", nil}, // two columns of the tab belong to the block quote
		{"> \t[^a]: [b](⟦c⟧)", []string{"link: c"}},
	})
}
