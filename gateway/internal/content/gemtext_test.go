package content_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"locus/gateway/internal/content"
)

// Adjacent lines of the same kind are one block. Blank lines and headings separate blocks.
func TestGemtextBlocks(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string // the kind, the alt text and the lines of each block
	}{
		{"", nil},
		{"\r\n \n", nil},
		{"a\r\nb\n\nc", []string{"0 [a b]", "0 [c]"}},
		{"# a\n# b\ntext", []string{"2 [a]", "2 [b]", "0 [text]"}},
		{"=> /a A\n=> /b\n\n=> /c\n", []string{"1 [A ]", "1 []"}},
		{"* a\n* b\n> c\n> d\ne", []string{"3 [a b]", "4 [c d]", "0 [e]"}},
		{"```alt\n# a\n\nb\n```closing\n```\nc\n```\nd", []string{"6 alt[# a  b]", "6 [c]", "0 [d]"}},
		{"```alt\n```\ntext", []string{"0 [text]"}},
		{"```never ended\na", []string{"6 never ended[a]"}},
	} {
		var got []string
		for b := range (content.Gemtext{Text: test.text}).Blocks() {
			var lines []string
			for _, line := range b.Lines {
				lines = append(lines, line.Text)
			}
			got = append(got, fmt.Sprint(int(b.Kind), " ", b.Alt, lines))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("the blocks of %q are %q, want %q", test.text, got, test.want)
		}
	}
	for range (content.Gemtext{Text: "# a\n# b"}).Blocks() {
		break // ends the iteration
	}
}

func TestGemtextTitle(t *testing.T) {
	for _, test := range []struct{ text, title, rest string }{
		{"# Tea\ntext", "Tea", "text"},
		{"\ufeff\r\n\n# Tea \r\n", "Tea", ""},
		{"## Pots\n", "", "## Pots\n"},
		{"text\n# Tea", "", "text\n# Tea"},
		{"#", "", "#"},
		{"", "", ""},
	} {
		title, rest, ok := content.Gemtext{Text: test.text}.Title()
		if title != test.title || rest.Text != test.rest || ok != (test.title != "") {
			t.Errorf("the title of %q is %q, %t, before %q, want %q before %q", test.text, title, ok, rest.Text, test.title, test.rest)
		}
	}
}

func TestReadGemtext(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		mediaType string
		body      io.Reader
		want      content.Gemtext
		err       error
	}{
		{"text/gemini", strings.NewReader("té"), content.Gemtext{Text: "té"}, nil},
		{"text/gemini; lang=fr; charset=iso-8859-1", strings.NewReader("t\xe9"), content.Gemtext{Text: "té", Language: "fr"}, nil},
		{"text/gemini; lang=\"fr,en\"", strings.NewReader(""), content.Gemtext{}, nil},
		{"text/gemini; lang", strings.NewReader("a"), content.Gemtext{Text: "a"}, nil},
		{"text/gemini", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)), content.Gemtext{Text: "half"}, broken},
		{"text/gemini", strings.NewReader(strings.Repeat("x", content.MaxText+1)), content.Gemtext{Text: strings.Repeat("x", content.MaxText), Cut: true}, nil},
	} {
		got, err := content.ReadGemtext(test.mediaType, "", test.body)
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("ReadGemtext(%q) = %.60v, %v, want %.60v, %v", test.mediaType, got, err, test.want, test.err)
		}
	}
}
