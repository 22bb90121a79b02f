package markup

import (
	"bytes"
	"html"
	"strconv"
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

// Value returns the value of an HTML attribute with its character references resolved, and with U+FFFD for each NUL.
// raw is the value as written, without quotation marks.
func Value(raw []byte) string {
	return strings.ReplaceAll(resolveAll(raw, ResolveInAttribute), "\x00", "\ufffd")
}

// ValueInXML returns the value of an XML attribute with its character references resolved. raw is the value as written,
// without quotation marks.
func ValueInXML(raw []byte) string { return resolveAll(raw, ResolveInXML) }

// resolveAll returns raw with each character reference replaced by the result of resolve.
func resolveAll(raw []byte, resolve Resolver) string {
	if bytes.IndexByte(raw, '&') < 0 {
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
			size, text := ResolveAt(rest, resolve)
			b.WriteString(text)
			rest = rest[size:]
		}
	}
	return b.String()
}

// A Resolver returns the characters that a character reference, such as &amp;, stands for. It returns ref unchanged
// if it is not a reference. next is the byte after ref, or 0 at the end.
type Resolver func(ref string, next byte) string

// ResolveInText is the Resolver for the text of HTML (HTML §13.2.5.73).
func ResolveInText(ref string, _ byte) string { return html.UnescapeString(ref) }

// ResolveInAttribute is the Resolver for an attribute of HTML. There, a name without a semicolon is not a reference if
// a letter, a digit or "=" follows.
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

// ResolveInXML is the Resolver for XML and Markdown. There, a reference must end with a semicolon (XML §4.1), and the
// number of digits is limited (CommonMark §2.5).
func ResolveInXML(ref string, _ byte) string {
	name, ok := strings.CutSuffix(ref[1:], ";")
	if !ok {
		return ref
	}
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		text := html.UnescapeString(ref)
		if strings.HasSuffix(text, ";") && ref != "&semi;" {
			return ref // only a prefix of the name is known
		}
		return text
	}
	base, most := 10, 7
	if hex := strings.TrimLeft(digits, "xX"); len(hex) == len(digits)-1 {
		digits, base, most = hex, 16, 6
	}
	code, err := strconv.ParseUint(digits, base, 32)
	switch {
	case err != nil || len(digits) > most:
		return ref
	case code == 0:
		return string(utf8.RuneError)
	}
	return string(rune(code))
}

// ResolveAt returns the text that resolve returns for the possible character reference at the start of rest, and the
// number of bytes of rest that the text replaces. rest must begin with "&".
func ResolveAt(rest []byte, resolve Resolver) (size int, resolved string) {
	size, next := Reference(rest), byte(0)
	if size < len(rest) {
		next = rest[size]
	}
	return size, resolve(string(rest[:size]), next)
}

// Reference returns the length in bytes of the possible character reference at the start of text: "&", letters and
// digits, and perhaps ";". text must begin with "&". The length is at least 1.
func Reference(text []byte) int {
	n := 1
	for n < len(text) && n < 40 && (text[n] == '#' || ascii.IsLetterOrDigit(text[n])) {
		n++
	}
	if n < len(text) && text[n] == ';' {
		n++
	}
	return n
}
