// Package whatwg reads URLs as browsers do: by the URL Standard of the WHATWG,
// a living standard (read as of 2026).
//
// The parser turns almost any text into a good URL. The result is a [url.URL]
// whose text is what the standard calls the href. A text that is an href already
// is neither copied nor changed. Validation errors, which the parser objects to
// but lets pass, are reported on request, by name and offset.
//
// Notable divergences:
//   - Texts are bytes. Bytes that are not UTF-8 are read as U+FFFD, as a browser
//     reads a document that holds them.
//   - There is no blob URL store. The origin of a blob URL is that of the URL in
//     its path.
package whatwg

import (
	"errors"
	"strings"

	"locus/internal/facts"
	"locus/url"
)

// Parse reads text as an absolute URL, as Standard.Parse does. It
// allocates nothing if text is an href already, as most are. The error is an
// [*Error], or a [*url.SyntaxError] of an href of 2 GiB or more.
func Parse(text string) (url.URL, error) { return absolute.read(text) }

// absolute is the zero Parser. Nothing changes it.
var absolute Parser

// Resolve reads ref, which may be a URL, in the context of base. base must be a
// result of this package, with a scheme. The error is an [*Error].
func Resolve(base url.URL, ref string) (url.URL, error) {
	if !base.IsZero() {
		if u, ok := resolvePlain(&base, ref); ok {
			return u, nil
		}
	}
	p := Parser{Base: base}
	return p.read(ref)
}

// A Parser reads URLs. The zero Parser reads absolute URLs and reports
// nothing. A Parser may be used by several goroutines if its Report may.
type Parser struct {
	// Base is the URL that references are resolved against. It must be a result
	// of this package. The zero URL is none.
	Base url.URL

	// Report, if not nil, is called with each validation error, in the order of
	// the standard's parser. One with Failure set ends the parse.
	Report func(Error)

	// Encode is the legacy encoding of the document that the text is from. It
	// applies to the queries of http, https, ftp and file URLs. It returns the
	// bytes of r or, if the encoding does not have r, the character to write as
	// a reference instead; 0 if it has r. nil is UTF-8.
	Encode func(r rune) (encoded []byte, missing rune)
}

// Parse reads text. The error is an [*Error], and is reported too.
func (p *Parser) Parse(text string) (url.URL, error) {
	if p.Report == nil && !p.Base.IsZero() {
		if u, ok := resolvePlain(&p.Base, text); ok {
			return u, nil
		}
	}
	return p.read(text)
}

// read is Parse for texts that resolvePlain does not resolve.
func (p *Parser) read(text string) (u url.URL, err error) {
	if p.Report == nil {
		var ok bool
		if host, path, isWeb := plainWeb(text); isWeb && isPlainTail(text, path) {
			if u, ok = hrefs.DivideWeb(text, host, path); ok {
				return u, nil
			}
		} else if u, ok = hrefs.Divide(text); ok && isPlain(&u) {
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

// parse is Parse without the fast paths.
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

// A record is the standard's URL record. Its parts are as the href has them:
// encoded, and in lower case where the standard says so.
type record struct {
	scheme   string // without its colon; setScheme sets it
	special  bool   // the standard calls the scheme special
	username string
	password string
	hasHost  bool // the standard's host is not null
	host     string
	port     string // "" is null
	path     string // each segment after a "/"; or the opaque path
	opaque   bool
	query    url.Part
	fragment url.Part
}

// decompose returns the record of a result of this package.
func decompose(u url.URL) record {
	r := record{path: u.Path()}
	r.setScheme(u.Scheme())
	r.username, _ = u.User()
	r.password, _ = u.Password()
	r.host, r.hasHost = u.Host()
	r.port, _ = u.Port()
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

// lowerScheme returns a scheme in lower case. It allocates only if the scheme is
// not known and has capitals.
func lowerScheme(s string) string {
	if indexIn(s, 0, notPlainScheme) == len(s) {
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

// CanParse reports whether [Parse] would read text. It allocates only if the text
// holds tabs or line ends, or a host with escapes or beyond ASCII.
func CanParse(text string) bool {
	if _, _, ok := plainWeb(text); ok && len(text) <= maxText {
		return true // whatever the path is
	}
	return CanResolve(url.URL{}, text)
}

// CanResolve reports whether [Resolve] would read ref. base must be a result of
// this package. It allocates no more than CanParse.
func CanResolve(base url.URL, ref string) bool {
	m := machine{probe: true}
	if !base.IsZero() {
		m.hasBase = true
		m.base.setScheme(base.Scheme())
		_, m.base.hasHost = base.Host()
		path := base.Path()
		m.base.opaque = !m.base.hasHost && (path == "" || path[0] != '/')
	}
	return len(ref) <= maxText && m.parse(ref) == nil
}

// maxText is the length of the longest URL that package url takes.
const maxText = 1<<31 - 1

// errProbe is the error of a probing machine for every text that is no URL.
var errProbe = errors.New("no URL")
