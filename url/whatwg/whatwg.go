// Package whatwg parses URLs as browsers do, by the URL Standard of the WHATWG. That is a living standard; this
// package follows the text of 2026.
//
// The parser turns almost any text into a valid URL. The result is a [url.URL] whose text is the href of the standard.
// A text that is an href already is neither copied nor changed. A validation error is a defect that does not stop the
// parser. Validation errors are reported on request, by name and offset.
//
// # How the pieces work together
//
// Most texts never reach the machine of the standard: href.go finds out that a text is an href already, or needs one
// small change, and reference.go resolves the most common relative references. Any other text goes through the machine,
// whose states are methods (machine.go, host.go, ip.go, path.go). It fills in a record (whatwg.go), which the
// serializer turns into an href (serialize.go). Both ways give the same result, and only the machine finds validation
// errors (errors.go).
//
// The setters run single states of the machine on the record of a URL (setters.go, fields.go). params.go has the list
// of pairs in a query. A pattern is parsed into tokens and parts (pattern.go, pattern_token.go, pattern_parts.go), and
// each component is compiled to a regular expression (pattern_component.go, pattern_regexp.go). The machine lives for
// one call, so several goroutines may parse at once.
//
// Notable divergences:
//   - Texts are bytes. Bytes that are not UTF-8 are read as U+FFFD, as a browser
//     reads a document that contains them.
//   - There is no blob URL store. The origin of a blob URL is the origin of the
//     URL in its path.
package whatwg

import (
	"errors"
	"strings"

	"locus/internal/facts"
	"locus/url"
)

// Parse parses text as an absolute URL, as Standard.Parse does. It does not allocate if text is an href already, as
// most texts are. The error is an [*Error], or a [*url.SyntaxError] if the href has 2 GiB or more. [Resolve] is the
// parser with a base.
func Parse(text string) (url.URL, error) { return absolute.read(text) }

// absolute is the zero Parser. It never changes.
var absolute Parser

// Resolve parses ref, which may be an absolute URL, in the context of base. base must be a result of this package. If
// base is the zero URL, ref must be absolute. The errors are the errors of [Parse].
func Resolve(base url.URL, ref string) (url.URL, error) {
	if !base.IsZero() {
		if u, ok := resolvePlain(&base, ref); ok {
			return u, nil
		}
	}
	p := Parser{Base: base}
	return p.read(ref)
}

// A Parser parses URLs. The zero Parser parses absolute URLs and reports no validation errors. Several goroutines may
// share a Parser if they may share its Report.
type Parser struct {
	// Base is the URL against which references are resolved. It must be a result of this package. The zero URL means
	// that there is no base.
	Base url.URL

	// Report, if not nil, is called with each validation error, in the order in which the standard's parser finds
	// them. An error with Failure set ends the parse.
	Report func(Error)

	// Encode is the legacy encoding of the document that contains the text. It applies to the queries of http, https,
	// ftp and file URLs. It returns the bytes of r and 0. If the encoding lacks r, it returns the character to write
	// as a character reference instead. A nil Encode means UTF-8.
	Encode func(r rune) (encoded []byte, missing rune)
}

// Parse parses text. The error is an [*Error] that is also reported, or a [*url.SyntaxError] if the href has 2 GiB or
// more.
func (p *Parser) Parse(text string) (url.URL, error) {
	if p.Report == nil && !p.Base.IsZero() {
		if u, ok := resolvePlain(&p.Base, text); ok {
			return u, nil
		}
	}
	return p.read(text)
}

// read parses text for [Parser.Parse], which has tried resolvePlain. It uses a machine only if the faster functions
// cannot read text, or if p.Report is set.
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

// parse parses text for [Parser.Parse] with a machine, which can read every text.
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

// A record is the standard's URL record. Its parts are written as in the href: encoded, and in lower case where the
// standard says so.
type record struct {
	scheme   string // without its colon; setScheme sets it
	special  bool   // the standard calls the scheme special
	username string
	password string
	hasHost  bool // the standard's host is not null
	host     string
	port     string // "" if the standard's port is null
	path     string // each segment has a "/" before it, unless the path is opaque
	opaque   bool
	query    url.Part
	fragment url.Part
}

// decompose returns the record of u, which must be a result of this package.
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

// setScheme sets the scheme, which is in lower case, and special.
func (r *record) setScheme(scheme string) { r.scheme, r.special = scheme, isSpecial(scheme) }

// hasLogin reports whether the user name or the password is not empty.
func (r *record) hasLogin() bool { return r.username != "" || r.password != "" }

// isSpecial reports whether a scheme is one that the standard calls special.
func isSpecial(scheme string) bool { return facts.Of(scheme).Has(facts.Special) }

// lowerScheme returns a scheme in lower case. It allocates only if the scheme is unknown and has capital letters.
func lowerScheme(s string) string {
	if indexIn(s, 0, notPlainScheme) == len(s) {
		return s
	}
	if known := facts.Of(s); known.Name != "" {
		return known.Name
	}
	return strings.ToLower(s)
}

// defaultPort returns the default port of a special scheme, or -1 if the scheme has no default port. It reports whether
// the scheme is special, as file is, which has no default port.
func defaultPort(scheme string) (port int, special bool) {
	known := facts.Of(scheme)
	if !known.Has(facts.Special) || known.Port == 0 {
		return -1, known.Has(facts.Special)
	}
	return int(known.Port), true
}

// CanParse reports whether [Parse] accepts text. It allocates only if text contains tabs or line ends, or a host with
// escapes or with characters beyond ASCII.
func CanParse(text string) bool {
	if _, _, ok := plainWeb(text); ok && len(text) <= maxText {
		return true // because any path is valid
	}
	return CanResolve(url.URL{}, text)
}

// CanResolve reports whether [Resolve] accepts ref. base must be a result of this package. CanResolve allocates only
// where CanParse does.
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

// maxText is the length of the longest URL that package url accepts.
const maxText = 1<<31 - 1

// errProbe is the error of a probing machine for every text that is not a URL.
var errProbe = errors.New("no URL")
