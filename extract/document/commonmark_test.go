package document

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// What is too long or too deep to be read as one loses no link in it.
func TestLongMarkdown(t *testing.T) {
	var table, line strings.Builder
	var want []string
	for i := range 1000 {
		link := fmt.Sprintf("page%d.md", i)
		want = append(want, "link: "+link)
		fmt.Fprintf(&table, "| [a](%s) | text |\n", link)
		fmt.Fprintf(&line, "[a](%s) text ", link)
	}
	for name, in := range map[string]string{
		"table":            table.String(),
		"line":             line.String(),
		"heading":          "# " + line.String(),
		"underlined table": table.String() + "=====\n",
		"item":             "- " + line.String(),
		"quotation":        strings.Repeat("> ", 20) + line.String(),
		"deep quotation":   strings.Repeat("> ", 2000) + line.String(),
		"deep list":        strings.Repeat("1. ", 2000) + line.String(),
		"word":             strings.Repeat("x", 3*maxParagraph) + line.String(),
	} {
		if got := read(t, Markdown, in, Options{}); !slices.Equal(got, want) {
			t.Errorf("%s: %d links, want %d", name, len(got), len(want))
		}
	}
}

// A reference may be defined before, after and between what is cut.
func TestLongDefinitions(t *testing.T) {
	var in strings.Builder
	var want []string
	for i := range 1000 {
		fmt.Fprintf(&in, "[a%d]: /page%d\n", i, i)
		want = append(want, fmt.Sprintf("reference: /page%d", i))
	}
	if got := read(t, Markdown, in.String(), Options{}); !slices.Equal(got, want) {
		t.Errorf("%d definitions, want %d", len(got), len(want))
	}
}

// What names a footnote is as long as what names a reference (CommonMark §4.7);
// what is longer is no footnote.
func TestLongFootnote(t *testing.T) {
	name := strings.Repeat("a", maxLabel-len("^"))
	hold(t, Markdown, Options{}, []marked{
		{"[^" + name + "]: [b](⟦c⟧)\n\n    [d](⟦e⟧)\n", []string{"link: c", "link: e"}},
		{"[^" + name + "a]: ⟦[b](c)⟧\n\n    [d](e)\n", []string{"reference: [b](c)"}},
		{"> \t[", nil}, // a tab of which two columns belong to the quotation
		{"> \t[^a]: [b](⟦c⟧)", []string{"link: c"}},
	})
}

// However deep blocks are in one another and however long lines are, the tree
// is limitedDepth and its pieces are short, so that the time is linear.
func TestMarkdownBounds(t *testing.T) {
	for _, open := range []string{"> ", "- ", "1. ", "> - ", "[^a]: ", ">[^a]:"} {
		root := commonMark().Parse(text.NewReader([]byte(strings.Repeat(open, 500) + "x")))
		deepest, depth := 0, 0
		if err := ast.Walk(root, func(_ ast.Node, entering bool) (ast.WalkStatus, error) {
			if depth--; entering {
				depth += 2
			}
			deepest = max(deepest, depth)
			return ast.WalkContinue, nil
		}); err != nil {
			t.Fatal(err)
		}
		if deepest < maxNesting || deepest > maxNesting+6 {
			t.Errorf("%q many times: %d nodes in one another, want some %d", open, deepest, maxNesting)
		}
	}
	for _, test := range []struct {
		length int
		kind   ast.NodeKind
	}{{maxParagraph - 3, ast.KindHeading}, {maxParagraph - 2, ast.KindParagraph}} {
		root := commonMark().Parse(text.NewReader([]byte("# " + strings.Repeat("x", test.length) + "\n")))
		if got := root.FirstChild().Kind(); got != test.kind {
			t.Errorf("a heading of %d bytes is a %v, want a %v", test.length, got, test.kind)
		}
	}
}

// Pieces are as long as may be, and are cut where a line or a word ends.
func TestPieces(t *testing.T) {
	const n = maxParagraph
	for _, test := range []struct {
		lines []string
		want  []int // the length of each piece
	}{
		{[]string{""}, []int{0}},
		{[]string{"ab\n", "cd\n"}, []int{6}},
		{[]string{strings.Repeat("x", n)}, []int{n}},
		{[]string{strings.Repeat("x", n+1)}, []int{n, 1}},
		{[]string{strings.Repeat("x", n-1) + "\n", "y"}, []int{n, 1}},
		{[]string{strings.Repeat("x", n-2) + "\n", "y", "z"}, []int{n, 1}},
		{[]string{"a\n", strings.Repeat("x", n)}, []int{2, n}},
		{[]string{strings.Repeat("x", n-1) + " y"}, []int{n - 1, 2}},
		{[]string{strings.Repeat("x", n) + " y"}, []int{n, 2}},
		{[]string{" " + strings.Repeat("x", n) + "y"}, []int{n, 2}},
		{[]string{"x " + strings.Repeat("y", n-2)}, []int{n}},
		{[]string{"x " + strings.Repeat("y", n-1)}, []int{1, n}},
		{[]string{"a\n", "x " + strings.Repeat("y", n-1)}, []int{3, n}},
	} {
		var source []byte
		lines := text.NewSegments()
		for _, line := range test.lines {
			lines.Append(text.NewSegment(len(source), len(source)+len(line)))
			source = append(source, line...)
		}
		var got []int
		var whole []byte
		for _, piece := range pieces(lines, source) {
			value := piece.Value(source)
			whole = append(whole, value...)
			got = append(got, len(value))
		}
		if !slices.Equal(got, test.want) || !bytes.Equal(whole, source) {
			t.Errorf("pieces of %d lines, %.20q…: %d, want %d", len(test.lines), source, got, test.want)
		}
	}
}
