// Package iri reads internationalized resource identifiers (RFC 3987), and
// writes URIs as IRIs and as what may be shown to people.
//
//	ToURI    http://bücher.example/käse   →  http://xn--bcher-kva.example/k%C3%A4se
//	ToIRI    http://xn--bcher-kva.example/k%C3%A4se%0A   →  http://bücher.example/käse%0A
//	Display  http://xn--80ak6aa92e.com/   →  http://xn--80ak6aa92e.com/ (it would look like another name)
//
// An IRI is not normalized: its text is Unicode already (§3.1, step 1c). If the
// scheme names hosts by domain names (http, ftp, gopher …), the host is converted
// by IDNA, as browsers do it: UTS 46 without transitional processing. Any other
// host is escaped.
//
// Notable divergences:
//   - RFC 3987 §3.1 does ToASCII by RFC 3490 (IDNA 2003); here it is UTS 46, by
//     which "ß" and "ς" stay what they are.
//   - RFC 3987 §4.1 forbids the bidirectional formatting characters of 2005. The
//     later ones are forbidden too.
//   - RFC 3987 §3.2: spaces, invisible, private and unassigned characters stay
//     escaped, and so do combining marks without a base character.
package iri

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/url"
	"locus/url/whatwg"
)

// inASCII are the bytes below 0x80. The others are escaped.
var inASCII = func() (set url.Set) {
	for c := range utf8.RuneSelf {
		set = set.With(string(rune(c)))
	}
	return set
}()

// ToURI reads an IRI, or a relative reference, and returns the URI that it
// maps to by RFC 3987 §3.1. A URI is an IRI, and is returned as it is.
//
// The error is a [*url.SyntaxError] at the first offending byte of text.
func ToURI(text string) (url.URL, error) {
	if ascii.IsASCII(text) {
		return url.Parse(text)
	}
	parts, err := read(text)
	if err != nil {
		return url.URL{}, err
	}
	host, ok := hostToURI(parts)
	if !ok {
		return url.URL{}, &url.SyntaxError{
			Text: text, Offset: hostOffset(text, parts), Rule: "RFC 3987 §3.1", Want: "a host that IDNA writes in ASCII",
		}
	}
	parts.Host.Text = host
	for _, text := range texts(&parts) {
		*text = escapeUnicode(*text)
	}
	return url.RFC3986.Build(parts)
}

// texts returns the parts, but for the host, in which a character beyond ASCII may
// stand: the login, and then the path, the query and the fragment.
func texts(p *url.Parts) []*string {
	return []*string{&p.User.Text, &p.Password.Text, &p.Path, &p.Query.Text, &p.Fragment.Text}
}

// read divides an IRI and checks every byte of it.
func read(text string) (url.Parts, error) {
	parts := url.RFC3986.Split(text)
	query := len(text)
	if parts.Query.Present {
		query = strings.IndexByte(text, '?')
	}
	fragment := len(text)
	if parts.Fragment.Present {
		fragment = strings.IndexByte(text, '#')
	}
	// "!" is allowed exactly where a character of an IRI is.
	const standIn = '!'
	shadow, bad := []byte(text), len(text)
	for i, r := range text {
		if r < utf8.RuneSelf {
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		if !isUcschar(r) && (!isPrivate(r) || i < query || i > fragment) || size == 1 || isBidiControl(r) {
			bad = i
			break
		}
		for j := range size {
			shadow[i+j] = standIn
		}
	}
	_, err := url.Parse(string(shadow[:bad]))
	syntax, ok := errors.AsType[*url.SyntaxError](err)
	switch {
	case ok && (syntax.Offset < bad || bad == len(text)):
		e := *syntax
		e.Text = text
		return parts, &e
	case bad < len(text):
		return parts, &url.SyntaxError{Text: text, Offset: bad, Rule: "RFC 3987 §2.2", Want: "a character that an IRI may hold, in UTF-8"}
	case err == nil && strings.HasPrefix(parts.Host.Text, "[") && !ascii.IsASCII(parts.Host.Text):
		return parts, &url.SyntaxError{Text: text, Offset: hostOffset(text, parts), Rule: "RFC 3987 §2.2", Want: "an IP address in ASCII"}
	}
	return parts, err
}

func hostOffset(text string, p url.Parts) int {
	start := strings.Index(text, "//") + len("//")
	if p.User.Present {
		start += strings.IndexByte(text[start:], '@') + 1
	}
	return start
}

// hostToURI returns the host of an IRI as a URI has it.
func hostToURI(p url.Parts) (string, bool) {
	host := p.Host.Text
	if ascii.IsASCII(host) {
		return host, true
	}
	if !usesDomains(p.Scheme.Text) {
		return escapeUnicode(host), true
	}
	name, err := url.Unescape(host)
	if err != nil || !utf8.ValidString(name) {
		return "", false
	}
	domain, ok := whatwg.ToASCII(name, false)
	return domain, ok && isName(domain)
}

// isName reports whether every parser reads a host as one. IDNA makes "a/c" of "℀",
// which is none.
func isName(host string) bool {
	return strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_") == "" && host != ""
}

// usesDomains reports whether the hosts of a scheme are domain names.
func usesDomains(name string) bool { return facts.Of(name).Has(facts.Host) }

// escapeUnicode escapes what is not ASCII, and keeps escapes as they are.
func escapeUnicode(s string) string {
	if ascii.IsASCII(s) {
		return s
	}
	var b strings.Builder
	for i, piece := range strings.Split(s, "%") {
		if i > 0 {
			b.WriteByte('%')
		}
		b.WriteString(url.Escape(piece, inASCII))
	}
	return b.String()
}

// ParseTyped reads a URL as people type it, and returns the URL that they mean:
//
//	example.org/a b     https://example.org/a%20b
//	//example.org       https://example.org
//	ftp.example.org     ftp://ftp.example.org
//	http://åäö/         http://xn--4cab6c/
//
// A bare host, perhaps with a port and a path, is at https, unless its port or its first
// label is that of another scheme of RFC 1738. Blanks around the text are dropped, those inside are
// escaped. Everything else is read as [ToURI] does, and the error is the same; its Text is
// what was read, with the scheme.
func ParseTyped(text string) (url.URL, error) {
	text = strings.ReplaceAll(strings.TrimSpace(text), " ", "%20")
	switch {
	case strings.HasPrefix(text, "//"):
		text = "https:" + text
	case isBareHost(text):
		text = schemeAt(text) + "://" + text
	}
	return ToURI(text)
}

// schemeAt returns the scheme of a bare host: that of its port, as in example.org:70, or
// the one that its first label names, as in ftp.example.org; otherwise https.
func schemeAt(host string) string {
	authority, _, _ := strings.Cut(host, "/")
	if _, digits, ok := strings.Cut(authority, ":"); ok {
		port, _ := strconv.ParseUint(digits, 10, 16) // 0 if it is none
		if s := facts.AtPort(uint16(port)); s != nil && s.Has(facts.Core) {
			return s.Name
		}
	}
	label, _, _ := strings.Cut(host, ".")
	s := facts.Of(strings.ToLower(label))
	if s.Port == 0 || !s.Has(facts.Core) || s.Has(facts.Session) {
		return "https"
	}
	return s.Name
}

// isBareHost reports whether text is a host, perhaps with a port and a path. A host is
// localhost, or has a dot inside.
func isBareHost(text string) bool {
	authority := text
	if end := strings.IndexAny(text, "/?#"); end >= 0 {
		authority = text[:end]
	}
	host, port, hasPort := strings.Cut(authority, ":")
	if isScheme := hasPort && facts.Of(strings.ToLower(host)).Name != ""; isScheme || strings.Trim(port, "0123456789") != "" {
		return false
	}
	return strings.EqualFold(host, "localhost") ||
		strings.Contains(strings.Trim(host, "."), ".") && !strings.HasPrefix(host, ".") && !strings.ContainsAny(host, "@%")
}
