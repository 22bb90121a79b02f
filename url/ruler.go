package url

import (
	"fmt"
	"strings"
)

// Mark draws the text around the offending octet, all that may be a password
// left out, with a "^" under the octet and what was wanted there:
//
//	http://h:8x/
//	          ^ want a digit of the port
//
// Octets that do not print are drawn as escapes, and a long text is cut. Of an error
// of [Unescape] there is no drawing, as its text may be all password.
func (e *SyntaxError) Mark() string {
	if e.fragment {
		return e.Detail()
	}
	before, after := e.around()
	before, after = visible(before), visible(after)
	return before + after + "\n" + strings.Repeat(" ", columns(before)) + "^ want " + e.Want
}

// visible returns s with every octet that is not printable ASCII written as
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

// Ruler draws the text, redacted, with a line under each part and the names of
// the parts below:
//
//	ftp://u@h/a
//	\_/   | |\/
//	|     | |path
//	|     | host
//	|     user
//	scheme
//
// A part that is there but empty is marked under its delimiter. A part of more
// than 48 octets is cut in the middle.
func (u URL) Ruler() string {
	u = u.std.divide(u.Redacted())
	var text, rule strings.Builder
	type label struct {
		column int
		name   string
	}
	var labels []label
	column, at := 0, 0
	for n := range PartName(partCount) {
		start, end, ok := u.Span(n)
		if !ok || n == Path && start == end {
			continue
		}
		text.WriteString(u.text[at:start])
		column += start - at
		at = end
		shown := shorten(u.text[start:end])
		text.WriteString(shown)
		width, name := columns(shown), n.String()
		if width == 0 {
			name += " (empty)"
			column--
			width = 1
		}
		rule.WriteString(strings.Repeat(" ", column-rule.Len()))
		rule.WriteString(bracket(width))
		labels = append(labels, label{column, name})
		column = rule.Len()
	}
	text.WriteString(u.text[at:])
	text.WriteByte('\n')
	text.WriteString(rule.String())
	for i := len(labels) - 1; i >= 0; i-- {
		line := ""
		for _, l := range labels[:i] {
			line += strings.Repeat(" ", l.column-len(line)) + "|"
		}
		line += strings.Repeat(" ", labels[i].column-len(line)) + labels[i].name
		text.WriteByte('\n')
		text.WriteString(line)
	}
	return text.String()
}

func bracket(width int) string {
	if width == 1 {
		return "|"
	}
	return `\` + strings.Repeat("_", width-2) + "/"
}

// shorten returns a part cut in the middle if it is long.
func shorten(s string) string {
	if len(s) <= 48 {
		return s
	}
	return s[:32] + "…" + s[len(s)-15:]
}
