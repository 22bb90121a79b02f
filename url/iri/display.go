package iri

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"locus/internal/ascii"
	"locus/url"
)

// ToIRI returns the IRI of u by RFC 3987 §3.2. It decodes the escapes and the "xn--" labels of u that [ToURI] would
// restore. It keeps escapes that are not UTF-8, and escapes of characters that are invisible or that an IRI must not
// contain. u is a URI of RFC 3986.
//
// ToURI(ToIRI(u)) == u if u is normalized. An IRI can look like another one; see [Display].
func ToIRI(u url.URL) string {
	parts := u.Parts()
	parts.Host.Text = hostToIRI(parts, func(string) bool { return true })
	for _, text := range texts(&parts) {
		*text = decode(*text, isVisible)
	}
	return parts.String()
}

// Display returns u in a form for people: an IRI that does not look like another one, with passwords hidden.
// ToURI(Display(u)) == u if u is normalized and contains no password.
//
//   - Text that [url.Redact] regards as a password is replaced by "xxxxx".
//   - A label of the host stays in its ASCII form unless all of the following is true: its
//     script is in wide use, or its mixture of scripts is usual (UTS 39, highly
//     restrictive); it consists of letters, marks and digits of one system; and at least
//     one of its letters does not look like an ASCII letter.
//   - The user name is not changed.
//   - Characters stay escaped if they are invisible, look like a delimiter, or change
//     the direction of writing.
//   - Text from right to left is decoded only if no part of the URL then appears in
//     another place: by RFC 3987 §4.2 each component has one direction, and a
//     letter from left to right stands between two components from right to left.
//
// Display recognizes only characters that look like ASCII letters or delimiters. It decodes "é" and "ë", and does not
// compare two similar names in one script.
func Display(u url.URL) string {
	parts := u.Standard().Split(u.Redacted())
	for _, rtlRest := range []bool{true, false} {
		if shown := display(parts, true, rtlRest); keepsOrder(shown) {
			return shown.String()
		}
	}
	return display(parts, false, false).String()
}

// display returns p decoded by the rules of [Display]. rtlHost and rtlRest allow text from right to left in the host
// and in the other parts. Without them such text stays encoded.
func display(p url.Parts, rtlHost, rtlRest bool) url.Parts {
	p.Host.Text = hostToIRI(p, func(label string) bool {
		return isHonest(label) && (rtlHost || !hasRTL(label))
	})
	for _, text := range texts(&p)[2:] {
		*text = escapeMixed(decode(*text, func(r rune) bool {
			return isVisible(r) && !imitates(r) && (rtlRest || !isRTL(r))
		}))
	}
	return p
}

// decode returns the text of a part with some escapes decoded: the escapes of unreserved ASCII, and of the other
// characters that an IRI may contain and that show accepts. It keeps the escape of a combining mark without a base
// character before it.
func decode(text string, show func(rune) bool) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var b strings.Builder
	onto := false // a combining mark here has a base character
	for rest := text; rest != ""; {
		r, size := escaped(rest)
		switch {
		case size == 0:
			c := rest[0]
			onto, size = unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)), 1
			b.WriteByte(c)
		case r < utf8.RuneSelf && url.RFC3986.Unreserved().Has(byte(r)):
			onto = unicode.IsLetter(r) || unicode.IsDigit(r)
			b.WriteRune(r)
		case r >= utf8.RuneSelf && isUcschar(r) && !isBidiControl(r) && show(r) && (onto || !unicode.IsMark(r)):
			onto = true
			b.WriteRune(r)
		default:
			onto = false
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return b.String()
}

// escaped decodes the character at the start of s that is written as escapes. size is the length of these escapes, or 0
// if s does not start with an escape. If the escaped bytes are not UTF-8, r is [utf8.RuneError] and size is the length
// of one escape.
func escaped(s string) (r rune, size int) {
	var decoded [utf8.UTFMax]byte
	n := 0
	for n < len(decoded) && ascii.HasEscape(s, 3*n) {
		decoded[n] = ascii.Escaped(s, 3*n)
		n++
	}
	if n == 0 {
		return 0, 0
	}
	r, size = utf8.DecodeRune(decoded[:n])
	return r, 3 * size
}

// escapeMixed returns s with the components escaped against which RFC 3987 §4.2 advises: components that mix
// directions, or that contain a character from right to left but do not start and end with one.
func escapeMixed(s string) string {
	if !hasRTL(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		end := strings.IndexAny(s, componentEnds)
		if end < 0 {
			end = len(s)
		}
		component := s[:end]
		if hasRTL(component) && !isRTLThroughout(component) {
			component = escapeUnicode(component)
		}
		b.WriteString(component)
		if end < len(s) {
			b.WriteByte(s[end])
			end++
		}
		s = s[end:]
	}
	return b.String()
}

// componentEnds are the delimiters of components (RFC 3987 §4.2).
const componentEnds = ":/?#[]@!$&'()*+,;=."

// hasRTL reports whether s contains a character from right to left.
func hasRTL(s string) bool { return strings.IndexFunc(s, isRTL) >= 0 }

// isRTLThroughout reports whether a component starts and ends with a character from right to left, and contains neither
// a letter from left to right nor an escape.
func isRTLThroughout(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	ltr := func(r rune) bool { return unicode.IsLetter(r) && !isRTL(r) || r == '%' }
	return isRTL(first) && isRTL(last) && strings.IndexFunc(s, ltr) < 0
}

// keepsOrder reports whether the parts appear in order in a line from left to right. They do unless, after a component
// from right to left, a digit or another such component comes before a letter from left to right. A host whose labels
// are all from right to left is one component.
func keepsOrder(p url.Parts) bool {
	ends := componentEnds
	if isRTLThroughout(p.Host.Text) {
		ends = strings.ReplaceAll(ends, ".", "")
	}
	const (
		fromLeft  = iota
		fromRight // in a component from right to left
		after     // such a component has ended
	)
	state := fromLeft
	for _, r := range p.String() {
		switch {
		case isRTL(r) && state == after, unicode.IsNumber(r) && state == after:
			return false
		case isRTL(r):
			state = fromRight
		case unicode.IsLetter(r):
			state = fromLeft
		case state == fromRight && strings.ContainsRune(ends, r):
			state = after
		}
	}
	return true
}
