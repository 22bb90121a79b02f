package url

import (
	"fmt"
	"slices"
	"strings"

	"locus/internal/ascii"
)

// A SyntaxError describes the place where a text breaks a standard, and the text that the standard wants there. The
// offset is the offset of the first wrong byte; for a bad escape, of the "%".
//
// The messages show a part of the text, without anything that may be a password. Do not print Text, because it is the
// whole text with its password.
type SyntaxError struct {
	Text     string   `json:"-"` // the text that was parsed
	Offset   int      // of the wrong byte; len(Text) if something is missing at the end
	Standard Standard // the standard by which it was read
	Rule     string   // the section that is broken, such as "RFC 1738 §2.2"
	Want     string   // the text that is wanted there, such as "a digit of the port"

	fragment bool // Text is a piece of a URL and may be its password
	password span // the password in Text, if its place is known
}

// Error returns the message: an excerpt of the text, the byte that was found, the text that is wanted, and the rule. An
// error of [Unescape] omits the excerpt, because the whole text may be a password.
func (e *SyntaxError) Error() string {
	if e.fragment {
		return "unescape: " + e.Detail()
	}
	return fmt.Sprintf("parse %q: %s", e.excerpt(), e.Detail())
}

// Detail returns the message without the excerpt: the offset, the byte that was found there, the text that is wanted,
// and the rule.
func (e *SyntaxError) Detail() string {
	return fmt.Sprintf("offset %d: found %s, want %s (%s)", e.Offset, e.found(), e.Want, e.Rule)
}

// Format prints the message for every verb, so that even "%+v" of a SyntaxError does not show a password.
func (e SyntaxError) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), e.Error())
}

// found describes the byte at the offset. It does not show the byte if that may belong to a password.
func (e *SyntaxError) found() string {
	if e.Offset >= len(e.Text) {
		return "the end"
	}
	if inSpans(e.secrets(), e.Offset) {
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

// maxExcerpt is the largest number of bytes of a text that a message shows.
const maxExcerpt = 120

// excerpt returns the text without its password. It cuts a long text to maxExcerpt bytes around the offset.
func (e *SyntaxError) excerpt() string {
	before, after := e.around()
	return before + after
}

// around returns the two halves of the excerpt: the text before the offset, and the text from the offset on. It hides
// passwords, and writes "…" where it cuts the text.
func (e *SyntaxError) around() (before, after string) {
	start, end := 0, len(e.Text)
	if len(e.Text) > maxExcerpt {
		start = max(0, min(e.Offset-maxExcerpt/2, len(e.Text)-maxExcerpt))
		end = start + maxExcerpt
	}
	spans := e.secrets()
	before = hide(e.Text, start, e.Offset, spans)
	after = hide(e.Text, e.Offset, end, spans)
	if inSpans(spans, e.Offset-1) && inSpans(spans, e.Offset) {
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

// secrets returns the spans of the password and of every other text that may be one. The spans are in order and not
// empty.
func (e *SyntaxError) secrets() []span {
	spans := secrets(e.Text)
	if e.password.end > 0 {
		spans = merge(append(spans, e.password))
	}
	return slices.DeleteFunc(spans, func(p span) bool { return p.start == p.end })
}

// inSpans reports whether byte i is in one of the spans.
func inSpans(spans []span, i int) bool {
	return slices.ContainsFunc(spans, func(p span) bool { return p.start <= i && i < p.end })
}

// Mark draws the text around the wrong byte. A "^" under that byte is followed by the text that is wanted. Mark leaves
// out anything that may be a password.
//
//	http://h:8x/
//	          ^ want a digit of the port
//
// Mark draws unprintable bytes as escapes, and cuts a long text. It does not draw an error of [Unescape], because the
// whole text may be a password.
func (e *SyntaxError) Mark() string {
	if e.fragment {
		return e.Detail()
	}
	before, after := e.around()
	before, after = visible(before), visible(after)
	return before + after + "\n" + strings.Repeat(" ", columns(before)) + "^ want " + e.Want
}

// visible returns s with every byte that is not printable ASCII written as in a Go string, so that each character is
// one column wide. It keeps "…".
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

// columns returns the width of a text that visible has drawn.
func columns(s string) int { return len(s) - strings.Count(s, "…")*(len("…")-1) }
