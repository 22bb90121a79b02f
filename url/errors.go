package url

import (
	"fmt"
	"strings"
)

// A SyntaxError says where a text breaks a standard, and what was wanted there.
// It names the first offending octet; for a bad escape that is its "%".
//
// The message shows the text around the offset with any password left out;
// Text is the whole of it, password included, so do not print Text itself.
type SyntaxError struct {
	Text     string   // the text that was parsed
	Offset   int      // of the offending octet; len(Text) if something is missing at the end
	Standard Standard // the standard that it was read by
	Rule     string   // the section that is broken, such as "RFC 1738 §2.2"
	Want     string   // what was wanted instead, such as "a digit of the port"
}

// Error gives the message: what was found where, what was wanted, and why.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("parse %q: %s", excerpt(e.Text, e.Offset), e.Detail())
}

// Detail gives the message without the text: what was found at which offset,
// what was wanted, and the rule.
func (e *SyntaxError) Detail() string {
	return fmt.Sprintf("offset %d: found %s, want %s (%s)", e.Offset, e.found(), e.Want, e.Rule)
}

func (e *SyntaxError) found() string {
	if e.Offset >= len(e.Text) {
		return "the end"
	}
	if start, end, ok := secret(e.Text); ok && start <= e.Offset && e.Offset < end {
		return "an octet of the password"
	}
	c := e.Text[e.Offset]
	switch {
	case c == '%':
		return "a bad escape"
	case c < ' ' || c >= 0x7f:
		return fmt.Sprintf("octet %#02x", c)
	}
	return fmt.Sprintf("%q", c)
}

// maxExcerpt is how many octets of a text a message shows, at most.
const maxExcerpt = 120

// excerpt returns the text with its password left out, cut to what stands
// around the offset if it is long.
func excerpt(text string, offset int) string {
	start, end := 0, len(text)
	if len(text) > maxExcerpt {
		start = max(0, min(offset-maxExcerpt/2, len(text)-maxExcerpt))
		end = start + maxExcerpt
	}
	return redact(text, start, end)
}

// redact returns text[start:end], with "…" where it is cut and "xxxxx" instead
// of what may be a password.
func redact(text string, start, end int) string {
	var b strings.Builder
	if start > 0 {
		b.WriteString("…")
	}
	if from, to, ok := secret(text); ok && from < end && start < to {
		b.WriteString(text[start:max(start, from)])
		b.WriteString("xxxxx")
		start = min(to, end)
	}
	b.WriteString(text[start:end])
	if end < len(text) {
		b.WriteString("…")
	}
	return b.String()
}

// secret finds what may be a password in a text that no standard accepts: all
// from the first colon after "//" to the last "@". It takes in more than a
// password rather than less.
func secret(text string) (start, end int, ok bool) {
	start = strings.Index(text, "//")
	if start < 0 {
		return 0, 0, false
	}
	start += 2
	colon := strings.IndexByte(text[start:], ':')
	end = strings.LastIndexByte(text, '@')
	if colon < 0 || end <= start+colon {
		return 0, 0, false
	}
	return start + colon + 1, end, true
}
