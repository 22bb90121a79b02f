package url

import (
	"fmt"
	"slices"
	"strings"

	"locus/internal/ascii"
)

// A SyntaxError says where a text breaks a standard, and what was wanted there. Its offset
// is that of the first wrong byte; for a bad escape, of the "%".
//
// Its messages show a part of the text, without what may be a password. Do not print Text:
// it is the whole text with its password.
type SyntaxError struct {
	Text     string   `json:"-"` // the text that was parsed
	Offset   int      // of the offending byte; len(Text) if something is missing at the end
	Standard Standard // the standard that it was read by
	Rule     string   // the section that is broken, such as "RFC 1738 §2.2"
	Want     string   // what was wanted instead, such as "a digit of the port"

	fragment bool // Text is no URL but a piece of one, which may be its password
	password span // where the password stands, if that is known
}

// Error gives the message: what was found where, what was wanted, and why.
func (e *SyntaxError) Error() string {
	if e.fragment {
		return "unescape: " + e.Detail()
	}
	return fmt.Sprintf("parse %q: %s", e.excerpt(), e.Detail())
}

// Detail gives the message without the text: what was found at which offset,
// what was wanted, and the rule.
func (e *SyntaxError) Detail() string {
	return fmt.Sprintf("offset %d: found %s, want %s (%s)", e.Offset, e.found(), e.Want, e.Rule)
}

// Format prints the message for every verb, so that not even "%+v" of a
// SyntaxError shows a password.
func (e SyntaxError) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), e.Error())
}

func (e *SyntaxError) found() string {
	if e.Offset >= len(e.Text) {
		return "the end"
	}
	if within(e.secrets(), e.Offset) {
		return "a byte of what may be a password"
	}
	c := e.Text[e.Offset]
	switch {
	case ascii.HasEscape(e.Text, e.Offset):
		return "the escape " + e.Text[e.Offset:e.Offset+len("%00")]
	case c == '%':
		return "a bad escape"
	case c < ' ' || c >= 0x7f:
		return fmt.Sprintf("byte %#02x", c)
	}
	return fmt.Sprintf("%q", c)
}

// maxExcerpt is how many bytes of a text a message shows, at most.
const maxExcerpt = 120

// excerpt returns the text with its password left out, cut to what stands
// around the offset if it is long.
func (e *SyntaxError) excerpt() string {
	before, after := e.around()
	return before + after
}

// around returns what the excerpt shows before the offset, and from there on.
func (e *SyntaxError) around() (before, after string) {
	start, end := 0, len(e.Text)
	if len(e.Text) > maxExcerpt {
		start = max(0, min(e.Offset-maxExcerpt/2, len(e.Text)-maxExcerpt))
		end = start + maxExcerpt
	}
	places := e.secrets()
	before = hide(e.Text, start, e.Offset, places)
	after = hide(e.Text, e.Offset, end, places)
	if within(places, e.Offset-1) && within(places, e.Offset) {
		before = strings.TrimSuffix(before, hidden)
	}
	if start > 0 {
		before = "…" + before
	}
	if end < len(e.Text) {
		after += "…"
	}
	return before, after
}

// secrets returns where the password is, and all else that may be one.
func (e *SyntaxError) secrets() []span {
	places := secrets(e.Text)
	if e.password.end > 0 {
		places = merge(append(places, e.password))
	}
	return slices.DeleteFunc(places, func(p span) bool { return p.start == p.end })
}

// within reports whether byte i is in one of places.
func within(places []span, i int) bool {
	return slices.ContainsFunc(places, func(p span) bool { return p.start <= i && i < p.end })
}

// Mark draws the text around the wrong byte, with a "^" under it and what was wanted
// there. All that may be a password is left out.
//
//	http://h:8x/
//	          ^ want a digit of the port
//
// Bytes that do not print are drawn as escapes, and a long text is cut. An error of
// [Unescape] is not drawn, because its whole text may be a password.
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
