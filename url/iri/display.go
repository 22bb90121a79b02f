package iri

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"locus/url"
)

// ToIRI returns the IRI of u by RFC 3987 §3.2: what its escapes and its "xn--"
// labels stand for is written in Unicode wherever [ToURI] leads back. Escapes
// stay where they are of octets that are not UTF-8, of characters that an IRI
// may not hold, and of those that no one would see. u is a URI of RFC 3986.
//
// ToURI(ToIRI(u)) == u if u is normalized. An IRI may deceive the eye; see
// [Display].
func ToIRI(u url.URL) string {
	parts := u.Parts()
	parts.Host.Text = hostToIRI(parts, func(string) bool { return true })
	for _, n := range []url.PartName{url.User, url.Password, url.Path, url.Query, url.Fragment} {
		parts = decode(parts, n, isVisible)
	}
	return parts.String()
}

// Display returns u as it may be shown to people: as an IRI that does not look
// like another one, with passwords hidden. ToURI(Display(u)) == u if u is
// normalized and nothing was hidden.
//
//   - All that [url.Redact] takes for a password is "xxxxx".
//   - A label of the host stays in its ASCII form unless it is of one script in
//     wide use, or of a mixture that is usual (UTS 39, highly restrictive), is
//     written with letters, marks and the digits of one system, and is more
//     than look-alikes of ASCII letters.
//   - The user name stays as it is.
//   - Characters that are invisible, that could be taken for a delimiter, or that
//     turn the direction of writing stay escaped.
//   - Text from right to left is shown only where no part of the URL changes its
//     place: by RFC 3987 §4.2, each component from end to end and not mixed, and
//     between two of them a letter from left to right.
//
// It knows look-alikes of ASCII letters and of delimiters alone: "é" beside
// "ë", or two names in one script that resemble each other, it shows.
func Display(u url.URL) string {
	parts := u.Standard().Split(u.Redacted())
	for _, rtlRest := range []bool{true, false} {
		if shown := display(parts, true, rtlRest); keepsOrder(shown) {
			return shown.String()
		}
	}
	return display(parts, false, false).String()
}

// display shows what of p looks like nothing else, and text from right to left
// in the host and in the rest only if it is asked to.
func display(p url.Parts, rtlHost, rtlRest bool) url.Parts {
	p.Host.Text = hostToIRI(p, func(label string) bool {
		return isHonest(label) && (rtlHost || !hasRTL(label))
	})
	for _, n := range []url.PartName{url.Path, url.Query, url.Fragment} {
		shown := decode(p, n, func(r rune) bool {
			return isVisible(r) && !imitates(r) && (rtlRest || !isRTL(r))
		})
		p = p.With(n, url.Part{Text: escapeMixed(shown.Part(n).Text), Present: p.Part(n).Present})
	}
	return p
}

// decode writes the escapes of a part as the characters they stand for, if an
// IRI may hold them there and show lets them.
func decode(p url.Parts, n url.PartName, show func(rune) bool) url.Parts {
	part := p.Part(n)
	if !strings.Contains(part.Text, "%") {
		return p
	}
	var b strings.Builder
	onto := false // whether a mark would have something to stand on
	for rest := part.Text; rest != ""; {
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
	part.Text = b.String()
	return p.With(n, part)
}

// escaped returns the character that s starts with the escapes of, and the
// length of those; 0 if it starts with none, and [utf8.RuneError] for an octet
// that begins no character.
func escaped(s string) (r rune, size int) {
	var octets [utf8.UTFMax]byte
	n := 0
	for n < len(octets) && strings.HasPrefix(s[3*n:], "%") {
		octet, err := url.Unescape(s[3*n : min(3*n+3, len(s))])
		if err != nil {
			break
		}
		octets[n] = octet[0]
		n++
	}
	if n == 0 {
		return 0, 0
	}
	r, size = utf8.DecodeRune(octets[:n])
	return r, 3 * size
}

// escapeMixed escapes the components of a part that RFC 3987 §4.2 advises
// against: of both directions, or not of one direction to both ends.
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

func hasRTL(s string) bool { return strings.IndexFunc(s, isRTL) >= 0 }

// isRTLThroughout reports whether a component starts and ends with a character
// from right to left, and holds none from left to right.
func isRTLThroughout(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	ltr := func(r rune) bool { return unicode.IsLetter(r) && !isRTL(r) || r == '%' }
	return isRTL(first) && isRTL(last) && strings.IndexFunc(s, ltr) < 0
}

// keepsOrder reports whether the parts are seen in the order in which they
// stand, shown from left to right: after a component from right to left, a
// letter from left to right comes before a digit or another such component. A
// host that is from right to left in all its labels is one component.
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
