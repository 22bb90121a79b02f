// Package weburl reads the http and https URLs that authors of the web write for browsers: an href, a Location, the
// target of a proxy request, the path behind the gateway's address, the target of an archived record.
//
// Such a URL is read by the URL Standard, so that a server receives the request that a browser would send. Where the
// result is also a URL of RFC 3986, as nearly all are, it is returned as one. Equal texts are therefore equal values.
// URLs of other schemes are read by RFC 3986 alone, because no browser of today opens them.
package weburl

import (
	"locus/internal/facts"
	"locus/url"
	"locus/url/whatwg"
)

// Parse reads an absolute URL that a program has received or stored. It does not change a text that is a URL by
// RFC 3986, and reads any other http or https URL as browsers do. The error is the error of [url.Parse].
func Parse(text string) (url.URL, error) {
	u, err := url.Parse(text)
	if err == nil {
		return u, nil
	}
	if read, whatwgErr := whatwg.Parse(text); whatwgErr == nil && isWeb(read) {
		return read, nil
	}
	return url.URL{}, err
}

// Resolve reads ref, which may be relative, as a browser reads it in a page at base. ok is false if browsers cannot
// read ref, or if it leads to another scheme than http and https.
func Resolve(base url.URL, ref string) (u url.URL, ok bool) {
	return Page{URL: base}.Resolve(ref)
}

// A Page is the page in which a reference stands.
type Page struct {
	// URL is the base of the references. It may be zero or have any scheme; references must be absolute then.
	URL url.URL
	// Encode is the encoding of the page, for the queries of its references, as [whatwg.Parser.Encode] is. nil means
	// UTF-8.
	Encode func(r rune) (encoded []byte, missing rune)
}

// Resolve is like the function [Resolve], in the page p.
func (p Page) Resolve(ref string) (u url.URL, ok bool) {
	parser := whatwg.Parser{Encode: p.Encode}
	if isWeb(p.URL) {
		base, err := whatwg.Parse(p.URL.String())
		if err != nil {
			return url.URL{}, false
		}
		parser.Base = base
	}
	u, err := parser.Parse(ref)
	if err != nil || !isWeb(u) {
		return url.URL{}, false
	}
	return plain(u), true
}

// plain returns u as a URL of RFC 3986 if it is one, or u itself.
func plain(u url.URL) url.URL {
	if same, err := url.Parse(u.String()); err == nil {
		return same
	}
	return u
}

// isWeb reports whether u is an http or https URL.
func isWeb(u url.URL) bool { return facts.Of(u.Scheme()).Has(facts.Web) }
