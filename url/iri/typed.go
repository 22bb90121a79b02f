package iri

import (
	"strings"

	"locus/internal/facts"
	"locus/url"
)

// ParseTyped reads a URL as people type it, and returns the URL that they mean:
//
//	example.org/a b     https://example.org/a%20b
//	//example.org       https://example.org
//	ftp.example.org     ftp://ftp.example.org
//	http://åäö/         http://xn--4cab6c/
//
// A bare host, perhaps with a port and a path, is at https, unless its first label names
// another scheme of RFC 1738. Blanks around the text are dropped, those inside are
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

// schemeAt returns the scheme that the first label of a host names, such as that of
// ftp.example.org; otherwise https.
func schemeAt(host string) string {
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
