package gemtext_test

import (
	"slices"
	"strings"
	"testing"

	"locus/internal/gemtext"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		document string
		want     []gemtext.Line
	}{
		{"", nil},
		{"words", []gemtext.Line{{Text: "words"}}},
		{" => no link\r\n", []gemtext.Line{{Text: " => no link"}}},
		{"=> gemini://h/a A page\r\n", []gemtext.Line{{Kind: gemtext.Link, URL: "gemini://h/a", Text: "A page"}}},
		{"=>\t/a\t \tA  page ", []gemtext.Line{{Kind: gemtext.Link, URL: "/a", Text: "A  page"}}},
		{"=>a", []gemtext.Line{{Kind: gemtext.Link, URL: "a"}}},
		{"=> \n=>", []gemtext.Line{{Kind: gemtext.Link}, {Kind: gemtext.Link}}},
		{"# Tea\n##Pots\n###\n#### Lids", []gemtext.Line{
			{Kind: gemtext.Heading, Level: 1, Text: "Tea"},
			{Kind: gemtext.Heading, Level: 2, Text: "Pots"},
			{Kind: gemtext.Heading, Level: 3},
			{Kind: gemtext.Heading, Level: 3, Text: "# Lids"},
		}},
		{"* green\n*black*\n> said\n>>x", []gemtext.Line{
			{Kind: gemtext.Item, Text: "green"}, {Text: "*black*"}, {Kind: gemtext.Quote, Text: "said"}, {Kind: gemtext.Quote, Text: ">x"},
		}},
		{"``` a pot \n# no\n  =>no\n```ignored\n# yes", []gemtext.Line{
			{Kind: gemtext.Toggle, Text: "a pot"},
			{Kind: gemtext.Preformatted, Text: "# no"},
			{Kind: gemtext.Preformatted, Text: "  =>no"},
			{Kind: gemtext.Toggle, Text: "ignored"},
			{Kind: gemtext.Heading, Level: 1, Text: "yes"},
		}},
	} {
		var p gemtext.Parser
		var got []gemtext.Line
		for line := range strings.Lines(test.document) {
			got = append(got, p.Parse(line))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("Parse of the lines of %q = %+v, want %+v", test.document, got, test.want)
		}
	}
}

// The parts of a line are parts of its text.
func FuzzParse(f *testing.F) {
	for _, document := range []string{"=> /a b\n# c\n* d\n> e\n```f\ng\n```\n", "=>", "####", "\r\n"} {
		f.Add(document)
	}
	f.Fuzz(func(t *testing.T, document string) {
		var p gemtext.Parser
		for line := range strings.Lines(document) {
			got := p.Parse(line)
			if !strings.Contains(line, got.URL) || !strings.Contains(line, got.Text) || (got.Kind == gemtext.Heading) != (got.Level > 0) {
				t.Errorf("Parse(%q) = %+v", line, got)
			}
		}
	})
}
