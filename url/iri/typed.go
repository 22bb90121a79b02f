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
//	http://åäö/         http://xn--4cab6c/
//
// A bare host, perhaps with a port and a path, is at https. Blanks around the text are
// dropped, those inside are escaped. Everything else is read as [ToURI] does, and the
// error is the same; its Text is what was read, with the scheme.
func ParseTyped(text string) (url.URL, error) {
	text = strings.ReplaceAll(strings.TrimSpace(text), " ", "%20")
	switch {
	case strings.HasPrefix(text, "//"):
		text = "https:" + text
	case isBareHost(text):
		text = "https://" + text
	}
	return ToURI(text)
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
	return host == "localhost" ||
		strings.Contains(strings.Trim(host, "."), ".") && !strings.HasPrefix(host, ".") && !strings.ContainsAny(host, "@%")
}
