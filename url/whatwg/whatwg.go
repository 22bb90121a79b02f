// Package whatwg reads URLs as browsers do: by the URL Standard of the WHATWG,
// a living standard (read as of 2026).
//
// It makes a good URL of almost any text. The result is a [url.URL] whose text
// is what the standard calls the href; a text that already is one is neither
// copied nor changed. What the standard's parser objects to but lets pass, the
// validation errors, are reported on request, by name and offset.
//
// Notable divergences:
//   - Texts are octets. Octets that are not UTF-8 are read as U+FFFD, as a
//     browser reads a document that holds them.
//   - The standard's blob URL store is not there: the origin of a blob URL is
//     that of the URL in its path.
package whatwg

import (
	"strings"

	"locus/internal/facts"
	"locus/url"
)

// Parse reads text as an absolute URL, as Standard.Parse does. It
// allocates nothing if text is an href already, as most are. The error is an
// [*Error], or a [*url.SyntaxError] of an href of 2 GiB or more.
func Parse(text string) (url.URL, error) { return absolute.Parse(text) }

// absolute is the zero Parser, which nothing changes.
var absolute Parser

// ParseRef reads text as a URL or as a reference in the context of base, which
// must be a result of this package. The error is an [*Error].
func ParseRef(text string, base url.URL) (url.URL, error) {
	if u, ok := resolvePlain(&base, text); ok {
		return u, nil
	}
	p := Parser{Base: base}
	return p.Parse(text)
}

// A Parser reads URLs. The zero Parser reads absolute URLs and reports
// nothing. A Parser may be used by several goroutines if its Report may.
type Parser struct {
	// Base is the URL that references are resolved in; the zero URL is none.
	// It must be a result of this package.
	Base url.URL

	// Report, if not nil, is called with each validation error, in the order
	// in which the standard's parser meets them. One with Failure set ends the
	// parse.
	Report func(Error)

	// Encode, if not nil, turns the text of a query of http, https, ftp and
	// file URLs into the octets that are escaped: a document's legacy encoding.
	// missing is what the encoding lacks: r, or what its encoder names instead
	// (in ISO-2022-JP, U+FFFD for some); 0 if it lacks nothing. nil is UTF-8.
	Encode func(r rune) (octets []byte, missing rune)
}

// Parse reads text. The error is an [*Error], and is reported too.
func (p *Parser) Parse(text string) (url.URL, error) {
	if p.Report == nil {
		if u, ok := resolvePlain(&p.Base, text); ok {
			return u, nil
		}
		u, ok := hrefs.Divide(text)
		if ok && isHref(&u) {
			return u, nil
		}
		if ok && p.Base.IsZero() {
			if u, ok = tidyHref(&u); ok {
				return u, nil
			}
		}
	}
	return p.parse(text)
}

// parse is Parse for texts that are not hrefs at a glance, nor almost.
func (p *Parser) parse(text string) (url.URL, error) {
	m := machine{reporter: p.Report, encode: p.Encode}
	if !p.Base.IsZero() {
		m.base = decompose(p.Base)
		m.hasBase = true
	}
	if err := m.parse(text); err != nil {
		return url.URL{}, err
	}
	return hrefs.Parse(m.url.href(m.path.bytes(), m.text))
}

// A record is the standard's URL record. Everything in it is as it will be
// written: encoded, in lower case where that is the rule.
type record struct {
	scheme   string // without its colon; setScheme sets it
	special  bool   // the standard calls the scheme special
	username string
	password string
	hasHost  bool // the standard's host is not null
	host     string
	port     int    // -1 is null
	path     string // every segment after a "/"; all of it if opaque
	opaque   bool
	query    url.Part
	fragment url.Part
}

// decompose is the inverse of record.href.
func decompose(u url.URL) record {
	r := record{port: -1, path: u.Path()}
	r.setScheme(u.Scheme())
	r.username, _ = u.User()
	r.password, _ = u.Password()
	r.host, r.hasHost = u.Host()
	if port, ok := u.PortNumber(); ok {
		r.port = int(port)
	}
	r.opaque = !r.hasHost && !strings.HasPrefix(r.path, "/")
	if !r.hasHost && strings.HasPrefix(r.path, "/.//") {
		r.path = r.path[len("/."):]
	}
	r.query, r.fragment = u.Part(url.Query), u.Part(url.Fragment)
	return r
}

func (r *record) setScheme(scheme string) { r.scheme, r.special = scheme, isSpecial(scheme) }

func (r *record) hasLogin() bool { return r.username != "" || r.password != "" }

// isSpecial reports whether a scheme is one that the standard calls special.
func isSpecial(scheme string) bool { return facts.Of(scheme).Has(facts.Special) }

// lowerScheme returns a scheme in lower case. It allocates only for capitals in
// a scheme that is not known.
func lowerScheme(s string) string {
	if kept(s, 0, closerScheme) == len(s) {
		return s
	}
	if known := facts.Of(s); known.Name != "" {
		return known.Name
	}
	return strings.ToLower(s)
}

// defaultPort returns the port of a special scheme; -1 for file, which has none.
func defaultPort(scheme string) (port int, special bool) {
	known := facts.Of(scheme)
	if !known.Has(facts.Special) || known.Port == 0 {
		return -1, known.Has(facts.Special)
	}
	return int(known.Port), true
}
