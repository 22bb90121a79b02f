package markup

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"

	"locus/internal/ascii"
)

// Value returns the value of the named attribute with its character references resolved. ok is false if the tag does
// not have the attribute. text is the text that the token's offsets refer to.
func (t Token) Value(text []byte, name string) (value string, ok bool) {
	for _, a := range t.Attributes {
		if a.Name == name {
			return Value(text[a.From:a.To]), true
		}
	}
	return "", false
}

// Value resolves the character references in the value of an HTML attribute, and replaces NUL by U+FFFD.
func Value(raw []byte) string {
	if bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, 0) < 0 {
		return string(raw)
	}
	var b strings.Builder
	for rest := raw; len(rest) > 0; {
		n := bytes.IndexByte(rest, '&')
		if n < 0 {
			n = len(rest)
		}
		b.Write(rest[:n])
		if rest = rest[n:]; len(rest) > 0 {
			size, text := ResolveAt(rest, ResolveInAttribute)
			b.WriteString(text)
			rest = rest[size:]
		}
	}
	return strings.ReplaceAll(b.String(), "\x00", "\ufffd")
}

// A Resolver returns the characters that a character reference, such as &amp;, stands for. It returns ref unchanged
// if it is not a reference. next is the byte after ref, or 0 at the end.
type Resolver func(ref string, next byte) string

// ResolveInText resolves a reference in the text of HTML (HTML §13.2.5.73).
func ResolveInText(ref string, _ byte) string { return html.UnescapeString(ref) }

// ResolveInAttribute resolves a reference in an attribute of HTML. There, a name without a semicolon is not a
// reference if a letter, a digit or "=" follows.
func ResolveInAttribute(ref string, next byte) string {
	text := html.UnescapeString(ref)
	switch {
	case strings.HasPrefix(ref, "&#"):
	case strings.HasSuffix(ref, ";"):
		if strings.HasSuffix(text, ";") && ref != "&semi;" {
			return ref
		}
	case next == '=' || utf8.RuneCountInString(text) > 1:
		return ref
	}
	return text
}

// ResolveAt returns the size of the possible character reference at the start of rest, and the text that resolve
// returns for it.
func ResolveAt(rest []byte, resolve Resolver) (size int, resolved string) {
	size, next := Reference(rest), byte(0)
	if size < len(rest) {
		next = rest[size]
	}
	return size, resolve(string(rest[:size]), next)
}

// Reference returns the length of the possible character reference at the start of text, which begins with "&".
func Reference(text []byte) int {
	n := 1
	for n < len(text) && n < 40 && (text[n] == '#' || ascii.IsLetter(text[n]) || ascii.IsDigit(text[n])) {
		n++
	}
	if n < len(text) && text[n] == ';' {
		n++
	}
	return n
}
