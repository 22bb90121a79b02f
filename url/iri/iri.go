// Package iri parses internationalized resource identifiers (RFC 3987), and formats URIs as IRIs and in a form for
// people.
//
//	ToURI    http://bücher.example/käse   →  http://xn--bcher-kva.example/k%C3%A4se
//	ToIRI    http://xn--bcher-kva.example/k%C3%A4se%0A   →  http://bücher.example/käse%0A
//	Display  http://xn--80ak6aa92e.com/   →  http://xn--80ak6aa92e.com/ (it would look like another name)
//
// An IRI is not normalized, because its text is Unicode already (§3.1, step 1c). If the scheme names hosts by domain
// names (http, ftp, gopher …), the host is converted by IDNA in the way of browsers: UTS 46 without transitional
// processing. Any other host is escaped.
//
// Notable divergences:
//   - RFC 3987 §3.1 uses ToASCII of RFC 3490 (IDNA 2003); this package uses
//     UTS 46, which does not change "ß" and "ς".
//   - RFC 3987 §4.1 forbids the bidirectional formatting characters of 2005. This
//     package also forbids the later ones.
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

// inASCII are the bytes below 0x80, which escapeUnicode keeps.
var inASCII = func() (set url.Set) {
	for c := range utf8.RuneSelf {
		set = set.With(string(rune(c)))
	}
	return set
}()

// ToURI parses an IRI or a relative reference, and returns the URI to which RFC 3987 §3.1 maps it. A URI is an IRI,
// and is mapped to itself.
//
// The error is a [*url.SyntaxError] at the first wrong byte of text.
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

// texts returns pointers to the texts of the parts of p that may contain a character beyond ASCII, except for the host:
// the user and the password, then the path, the query and the fragment.
func texts(p *url.Parts) []*string {
	return []*string{&p.User.Text, &p.Password.Text, &p.Path, &p.Query.Text, &p.Fragment.Text}
}

// read splits an IRI into parts, which it returns undecoded, and checks every byte. The error is a *url.SyntaxError in
// text. read parses the IRI as a URI in which a stand-in replaces each character beyond ASCII.
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
	// "!" is allowed exactly where a character of an IRI is allowed.
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

// hostOffset returns the offset of the host in text, whose parts are p. p must have a host.
func hostOffset(text string, p url.Parts) int {
	start := strings.Index(text, "//") + len("//")
	if p.User.Present {
		start += strings.IndexByte(text[start:], '@') + 1
	}
	return start
}

// hostToURI returns the host of an IRI in the form for a URI: a domain name in its ASCII form by IDNA, and any other
// host escaped. It returns false if IDNA does not accept the host.
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

// isName reports whether every parser reads host as one host name. This must be checked because IDNA maps "℀" to "a/c".
func isName(host string) bool {
	return strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_") == "" && host != ""
}

// usesDomains reports whether the hosts of a scheme are domain names.
func usesDomains(name string) bool { return facts.Of(name).Has(facts.Host) }

// escapeUnicode returns s with the characters beyond ASCII escaped. It keeps the escapes that s already has.
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

// ParseTyped parses a URL as people type it, and returns the URL that they mean:
//
//	example.org/a b     https://example.org/a%20b
//	//example.org       https://example.org
//	ftp.example.org     ftp://ftp.example.org
//	localhost:8080      http://localhost:8080
//	http://åäö/         http://xn--4cab6c/
//
// The scheme of a bare host, which may be followed by a port and a path, is https, unless its port or its first label
// belongs to another scheme of RFC 1738. For localhost and for an address it is http. ParseTyped drops blanks around
// the text and escapes blanks inside it. It parses any other text as [ToURI] does, and returns the same error; the Text
// of the error is the text with the scheme.
func ParseTyped(text string) (url.URL, error) {
	text = strings.ReplaceAll(strings.TrimSpace(text), " ", "%20")
	switch {
	case strings.HasPrefix(text, "//"):
		text = "https:" + text
	case isBareHost(text):
		text = schemeOfBareHost(text) + "://" + text
	}
	return ToURI(text)
}

// schemeOfBareHost returns the scheme that ParseTyped gives a bare host: the scheme of its port, as in example.org:70,
// or the scheme that its first label names, as in ftp.example.org, or http for this machine and for an address, whose
// servers rarely have a certificate, or else https. A path may follow the host.
func schemeOfBareHost(text string) string {
	host, digits, _ := splitBareHost(text)
	port, _ := strconv.ParseUint(digits, 10, 16) // 0 if the digits are not a port
	if s := facts.AtPort(uint16(port)); s != nil && s.Has(facts.Core) {
		return s.Name
	}
	if isLocalHost(host) || isAddress(host) {
		return "http"
	}
	label, _, _ := strings.Cut(host, ".")
	s := facts.Of(strings.ToLower(label))
	if s.Port == 0 || !s.Has(facts.Core) || s.Has(facts.Session) {
		return "https"
	}
	return s.Name
}

// isBareHost reports whether text is a host, which may be followed by a port and a path. A host is "localhost", an IPv6
// address in brackets, or has a dot inside.
func isBareHost(text string) bool {
	host, port, hasPort := splitBareHost(text)
	if isScheme := hasPort && facts.Of(strings.ToLower(host)).Name != ""; isScheme || strings.Trim(port, "0123456789") != "" {
		return false
	}
	if strings.HasPrefix(host, "[") {
		return isAddress(host)
	}
	hasDot := strings.Contains(strings.Trim(host, "."), ".")
	return (hasDot || isLocalHost(host)) && !strings.HasPrefix(host, ".") && !strings.ContainsAny(host, "@%")
}

// splitBareHost returns the host and the port at the start of a text without a scheme. hasPort is true if a colon
// follows the host. If the host is in brackets, port is the text after them, with or without a colon.
func splitBareHost(text string) (host, port string, hasPort bool) {
	authority := text
	if end := strings.IndexAny(text, "/?#"); end >= 0 {
		authority = text[:end]
	}
	if end := strings.IndexByte(authority, ']') + 1; end > 0 && authority[0] == '[' {
		port, hasPort = strings.CutPrefix(authority[end:], ":")
		return authority[:end], port, hasPort
	}
	return strings.Cut(authority, ":")
}

// isLocalHost reports whether host is a name of this machine (RFC 6761 §6.3).
func isLocalHost(host string) bool {
	host = strings.ToLower(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// isAddress reports whether host looks like an IP address: four numbers, or brackets around colons.
func isAddress(host string) bool {
	if strings.HasPrefix(host, "[") {
		return strings.Contains(host, ":")
	}
	return strings.Count(host, ".") == 3 && strings.Trim(host, "0123456789.") == ""
}
