package url

import (
	"fmt"
	"strings"
)

// Mark draws the text around the offending byte, all that may be a password
// left out, with a "^" under the byte and what was wanted there:
//
//	http://h:8x/
//	          ^ want a digit of the port
//
// Bytes that do not print are drawn as escapes, and a long text is cut. Of an error
// of [Unescape] there is no drawing, as its text may be all password.
func (e *SyntaxError) Mark() string {
	if e.fragment {
		return e.Detail()
	}
	before, after := e.around()
	before, after = visible(before), visible(after)
	return before + after + "\n" + strings.Repeat(" ", columns(before)) + "^ want " + e.Want
}

// visible returns s with every byte that is not printable ASCII written as
// in a Go string, so that each character is one column wide.
func visible(s string) string {
	var b strings.Builder
	for _, piece := range strings.SplitAfter(s, "…") {
		text, cut := strings.CutSuffix(piece, "…")
		for i := range len(text) {
			if c := text[i]; ' ' <= c && c < 0x7f {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		}
		if cut {
			b.WriteString("…")
		}
	}
	return b.String()
}

// columns returns how wide a text drawn by visible is.
func columns(s string) int { return len(s) - strings.Count(s, "…")*(len("…")-1) }
