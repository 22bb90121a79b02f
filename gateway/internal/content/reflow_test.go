package content_test

import (
	"strings"
	"testing"

	"locus/gateway/internal/content"
)

func TestReflow(t *testing.T) {
	const first, second, end = "The quick brown fox jumps over the lazy dog, and then it does", "so again, because nobody has told it that one jump would have", "been enough."
	for _, test := range []struct{ name, text, want string }{
		{"a paragraph", first + "\n" + second + "\n" + end + "\n", first + " " + second + " " + end + "\n"},
		{"line ends of the network", first + "\r\n" + second + "\r\n" + end + "\r\n", first + " " + second + " " + end + "\n"},
		{"two paragraphs", first + "\n" + end + "\n\n" + first + "\n" + end, first + " " + end + "\n\n" + first + " " + end},
		{"a heading", "A HEADING\n" + first + "\n" + end, "A HEADING\n" + first + " " + end},
		{"an indented paragraph", "   " + first + "\n   " + end, "   " + first + " " + end},
		{"another indentation", first + "\n    " + second, first + "\n    " + second},
		{"quotations", "> " + first + "\n> " + end + "\nNo.", "> " + first + " " + end + "\nNo."},
		{"quotations of quotations", ">> " + first + "\n> " + second, ">> " + first + "\n> " + second},
		{"a list", "- " + first + "\n  " + end + "\n- " + second + "\n10. " + first + "\n    " + end, "- " + first + " " + end + "\n- " + second + "\n10. " + first + " " + end},
		{"a table", first + "\nname          size          date          owner          x\n" + second, first + "\nname          size          date          owner          x\n" + second},
		{"a drawing", first + "\n+------------------------------------------------------------+\n" + second, first + "\n+------------------------------------------------------------+\n" + second},
		{"a poem", "The quick brown fox\njumps over the lazy dog,\nand then it does so again.\n", "The quick brown fox\njumps over the lazy dog,\nand then it does so again.\n"},
		{"lines that were not broken", strings.Repeat(first+" ", 3) + "\n" + end, strings.Repeat(first+" ", 3) + "\n" + end},
		{"letters beyond ASCII", strings.Repeat("é", 60) + "\n" + strings.Repeat("à", 30), strings.Repeat("é", 60) + " " + strings.Repeat("à", 30)},
		{"nothing", "", ""},
	} {
		if got := content.Reflow(test.text); got != test.want {
			t.Errorf("%s: Reflow(%q) =\n%q, want\n%q", test.name, test.text, got, test.want)
		}
	}
}

// Reflow changes only blanks and line ends.
func FuzzReflow(f *testing.F) {
	f.Add("> The quick brown fox jumps over the lazy dog, and then\n> again.\r\n\n- a\n  b")
	f.Fuzz(func(t *testing.T, text string) {
		bare := strings.NewReplacer(" ", "", "\n", "", "\r", "", "\t", "", ">", "", "|", "")
		if got := content.Reflow(text); bare.Replace(got) != bare.Replace(text) {
			t.Errorf("Reflow(%q) = %q", text, got)
		}
	})
}
