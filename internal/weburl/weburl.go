// Package weburl reads the http and https URLs that authors of the web write for browsers: an href, a Location, the
// target of a proxy request, the path behind the gateway's address, the target of an archived record.
//
// Such a URL is read by the URL Standard, so that a server receives the request that a browser would send. Where the
// result is also a URL of RFC 3986, as nearly all are, it is returned as one. Equal texts are therefore equal values.
// URLs of other schemes are read by RFC 3986 alone, because no browser of today opens them.
package weburl

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/url"
	"locus/url/whatwg"
)

// Parse parses an absolute URL that a program has received or stored. A text that is a URL by RFC 3986 becomes that
// URL, unchanged. Any other http or https URL is read as browsers read it. Parse escapes bytes that are not UTF-8,
// because the URL Standard reads characters and would replace such bytes by U+FFFD. The error is the error of
// [url.Parse].
func Parse(text string) (url.URL, error) {
	u, err := url.Parse(text)
	if err == nil {
		return u, nil
	}
	if read, whatwgErr := whatwg.Parse(escapeForeign(text)); whatwgErr == nil && isWeb(read) {
		return asRFC3986(read), nil
	}
	return url.URL{}, err
}

// Resolve returns the URL to which a browser resolves ref, which may be relative, in a page at base. ok is false if
// browsers cannot read ref, or if it leads to another scheme than http and https. Like Parse, it escapes bytes that
// are not UTF-8.
func Resolve(base url.URL, ref string) (u url.URL, ok bool) {
	return Page{Base: base.String()}.Resolve(escapeForeign(ref))
}

// Link returns the absolute URL of a link in a document or a menu, which its author wrote for browsers. It reads an
// http or https URL as browsers do, and any other text by [url.Parse], without white space around it.
func Link(text string) (url.URL, error) {
	if u, ok := Resolve(url.URL{}, text); ok {
		return u, nil
	}
	return url.Parse(strings.TrimSpace(text))
}

// A Page is the page in which a reference stands.
type Page struct {
	// Base is the URL of the page, to which references may be relative. References must be absolute if it is "" or has
	// another scheme than http and https.
	Base string
	// Encode is the encoding of the page, for the queries of its references, as [whatwg.Parser.Encode] is. nil means
	// UTF-8.
	Encode func(r rune) (encoded []byte, missing rune)
}

// Resolve returns the URL to which a browser resolves ref in the page p. ref must be UTF-8. ok is false if browsers
// cannot read ref or p.Base, or if the URL has another scheme than http and https.
func (p Page) Resolve(ref string) (u url.URL, ok bool) {
	parser := whatwg.Parser{Encode: p.Encode}
	if mayBeWeb(p.Base) {
		base, err := whatwg.Parse(p.Base)
		if err != nil {
			return url.URL{}, false
		}
		if isWeb(base) {
			parser.Base = base
		}
	}
	if parser.Base.IsZero() && !mayBeWeb(ref) {
		return url.URL{}, false
	}
	u, err := parser.Parse(ref)
	if err != nil || !isWeb(u) {
		return url.URL{}, false
	}
	return asRFC3986(u), true
}

// Strict returns text, a URL as browsers read it, as a URL of RFC 3986, for programs and files that know no other. It
// percent-escapes each byte that RFC 3986 does not allow where it stands, and changes nothing else.
func Strict(text string) string {
	if _, err := url.Parse(text); err == nil {
		return text
	}
	parts := url.RFC3986.Split(text)
	parts.Path = escape(parts.Path, url.Path)
	parts.User.Text = escape(parts.User.Text, url.User)
	parts.Password.Text = escape(parts.Password.Text, url.Password)
	parts.Query.Text = escape(parts.Query.Text, url.Query)
	parts.Fragment.Text = escape(parts.Fragment.Text, url.Fragment)
	if !strings.HasPrefix(parts.Host.Text, "[") {
		parts.Host.Text = escape(parts.Host.Text, url.Host)
	}
	return parts.String()
}

// escape returns text with escapes for the bytes that RFC 3986 does not allow in part n. It keeps escapes, and also
// escapes a "%" that begins none.
func escape(text string, n url.PartName) string {
	allowed := url.RFC3986.Allowed(n)
	var b strings.Builder
	for i, piece := range strings.Split(text, "%") {
		switch {
		case i > 0 && len(piece) >= 2 && ascii.IsHex(piece[0]) && ascii.IsHex(piece[1]):
			b.WriteByte('%')
		case i > 0:
			b.WriteString("%25")
		}
		b.WriteString(url.Escape(piece, allowed))
	}
	return b.String()
}

// escapeForeign returns text with escapes for the bytes that are not UTF-8.
func escapeForeign(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, "%%%02X", text[0])
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// asRFC3986 returns u as a URL of RFC 3986 if its text is valid by RFC 3986, and otherwise returns u
// unchanged.
func asRFC3986(u url.URL) url.URL {
	if same, err := url.Parse(u.String()); err == nil {
		return same
	}
	return u
}

// mayBeWeb returns false if an absolute URL surely has another scheme than http and https. It is quick, because most
// links of a folder are relative to a file.
func mayBeWeb(text string) bool {
	for i := range len(text) {
		if c := text[i]; c > ' ' {
			return c == 'h' || c == 'H'
		}
	}
	return false
}

// isWeb reports whether u is an http or https URL.
func isWeb(u url.URL) bool { return facts.Of(u.Scheme()).Has(facts.Web) }
