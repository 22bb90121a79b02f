package url

import (
	"fmt"
	"strings"
)

// A SyntaxError says where a text breaks a standard, and what was wanted there.
// It names the first offending octet; for a bad escape that is its "%".
//
// However it is printed, it shows the text around the offset with all that may
// be a password left out. Text is the whole of it, password included, so do
// not print Text itself.
type SyntaxError struct {
	Text     string   `json:"-"` // the text that was parsed
	Offset   int      // of the offending octet; len(Text) if something is missing at the end
	Standard Standard // the standard that it was read by
	Rule     string   // the section that is broken, such as "RFC 1738 §2.2"
	Want     string   // what was wanted instead, such as "a digit of the port"

	fragment bool     // Text is no URL but a piece of one, which may be its password
	password [2]int32 // where the password stands, if that is known
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
	if start, end := e.secret(); start <= e.Offset && e.Offset < end {
		return "an octet of what may be a password"
	}
	c := e.Text[e.Offset]
	switch {
	case hasEscape(e.Text, e.Offset):
		return "the escape " + e.Text[e.Offset:e.Offset+len("%00")]
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
	from, to := e.secret()
	before = hide(e.Text, start, e.Offset, from, to)
	after = hide(e.Text, e.Offset, end, from, to)
	if from < e.Offset && e.Offset < to {
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

// hidden stands where a password stood.
const hidden = "xxxxx"

// hide returns text[start:end] with what of it lies in text[from:to] hidden.
func hide(text string, start, end, from, to int) string {
	if to <= start || end <= from || from >= to {
		return text[start:end]
	}
	return text[start:max(start, from)] + hidden + text[min(to, end):end]
}

// secret returns where the password is, or what may be one: nothing if the
// end is not after the start.
func (e *SyntaxError) secret() (start, end int) {
	if e.password[1] > 0 {
		return int(e.password[0]), int(e.password[1])
	}
	return guessPassword(e.Text)
}

// guessPassword finds what may be a password in a text that no standard
// accepts. That is what follows the colon that ends the user name, up to the
// last "@" before a slash, or up to the last "@" of all if that colon starts
// no port: it takes in more than a password rather than less.
func guessPassword(text string) (start, end int) {
	i := authorityStart(text)
	if literal := strings.IndexAny(text[i:], "]@/"); literal > 0 && text[i] == '[' && text[i+literal] == ']' {
		i += literal
	}
	colon := strings.IndexAny(text[i:], ":/")
	if colon < 0 || text[i+colon] == '/' {
		return 0, 0
	}
	start = i + colon + 1
	login, _, _ := strings.Cut(text[start:], "/")
	if at := strings.LastIndexByte(login, '@'); at >= 0 {
		return start, start + at
	}
	port, _, _ := strings.Cut(login, "?")
	if len(port) > 0 && len(port) <= len("65535") && strings.Trim(port, digit) == "" {
		return 0, 0
	}
	return start, strings.LastIndexByte(text, '@')
}

// authorityStart returns where the user name starts if there is one: past the
// scheme's colon, and past all slashes there, as many as were typed.
func authorityStart(text string) int {
	i := max(0, strings.IndexAny(text, ":/"))
	if i < len(text) && text[i] == ':' {
		i++
	}
	for i < len(text) && (text[i] == '/' || text[i] == '\\') {
		i++
	}
	return i
}
