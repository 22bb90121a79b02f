package url

import "math"

// A Standard is a document that defines the syntax of URLs. It is a comparable value. The zero Standard is RFC3986.
type Standard struct {
	own *rules // nil: rules3986
}

// The standards of this package. Do not assign to these variables. The standard of
// browsers is in locus/url/whatwg.
var (
	// RFC3986 is the Internet Standard of 2005. It has URIs and relative references, with IPv6, IPvFuture and, by RFC
	// 6874, zone literals.
	RFC3986 = Standard{}
	// RFC1738 is the standard of 1994. It has absolute URLs without fragments, and a query in the http and wais
	// schemes alone.
	RFC1738 = Standard{&rules1738}
	// RFC1630 is the memo of 1994 on URIs in the World-Wide Web. It has URIs and partial forms, with fragments.
	RFC1630 = Standard{&rules1630}
)

// String returns the name of the standard, such as "RFC 3986".
func (std Standard) String() string { return std.rules().name }

// foreign returns the rules that another package supplied for the standard, or nil for a standard of this package.
func (std Standard) foreign() Rules { return std.rules().foreign }

// Parse reads text by RFC 3986, as a URI or a relative reference. It is short for RFC3986.Parse.
func Parse(text string) (URL, error) { return RFC3986.Parse(text) }

// MustParse is like [Parse] but panics on an error. It is meant for constant texts in programs.
func MustParse(text string) URL {
	u, err := Parse(text)
	if err != nil {
		panic(err) // the program has broken its promise that text is a URL
	}
	return u
}

// Parse reads text by the standard and checks every byte. Parse(s).String() == s, and the URL shares the memory of
// text. Only whatwg.Standard differs, because it rewrites most texts.
//
// The error is a [*SyntaxError] at the first wrong byte. A text of 2 GiB or more is an error.
func (std Standard) Parse(text string) (u URL, err error) {
	u.text, u.std = text, std
	if std.own == nil {
		if u.parseFast() {
			return u, nil
		}
	} else if std.own.foreign != nil {
		return std.own.foreign.Parse(text)
	}
	return std.parseSlowly(text)
}

// parseSlowly implements [Standard.Parse] for a text that parseFast does not accept, and for
// the older standards.
func (std Standard) parseSlowly(text string) (URL, error) {
	if len(text) > math.MaxInt32 {
		return URL{}, &SyntaxError{
			Text: text, Offset: math.MaxInt32, Standard: std,
			Rule: std.rules().general, Want: "a URL shorter than 2 GiB",
		}
	}
	u := std.divide(text)
	if err := u.check(std.rules()); err != nil {
		return URL{}, err
	}
	return u, nil
}

// Split divides any text into parts as the standard does, but does not check it. A byte that the standard forbids
// stays in the part in which it stands. Split never fails, and std.Split(s).String() == s. A text of 2 GiB or more
// becomes a path.
//
//   - A colon before any "/", "?" or "#" ends the scheme.
//   - "//" then starts an authority, which runs to the next "/", "?" or "#"; under
//     RFC 1738 to the next "/" (§5, login). Under RFC 1738 it does so only in
//     schemes that have a host, and in an unknown scheme if a host follows.
//   - "?" starts the query; under RFC 1738 in http, https and wais only.
//   - "#" starts the fragment, but not under RFC 1738.
func (std Standard) Split(text string) Parts {
	if len(text) > math.MaxInt32 {
		return Parts{Path: text}
	}
	return std.divide(text).Parts()
}

// rules is the syntax of one standard, as data.
type rules struct {
	name    string // of the standard
	foreign Rules  // nil for the standards of this package

	general string // the section on characters, for errors
	escapes string // the section on escapes, for errors
	first   class  // the first byte of a scheme

	sets     [partCount]class  // the bytes of each part; of a scheme, those after its first
	sections [partCount]string // for errors: the section that defines each part

	relative     bool // a URL may lack a scheme
	hasFragment  bool // "#" starts a fragment
	loginToSlash bool // "?" and "#" do not end an authority
	byScheme     bool // "//" announces a host, and "?" starts a query, in some schemes only
	emptyPort    bool // "http://h:/" is well formed
	emptyHost    bool // "x://:1/" is well formed for every x
}

// rules returns the rules of the standard. The zero Standard has the rules of RFC 3986.
func (std Standard) rules() *rules {
	if std.own == nil {
		return &rules3986
	}
	return std.own
}

const digits = cDigit | noEscapes // the bytes of a port

var (
	rules3986 = rules{
		name: "RFC 3986", general: "RFC 3986 §2", escapes: "RFC 3986 §2.1",
		first: cAlpha,
		sets: [...]class{
			Scheme: cScheme | noEscapes, User: c3986User, Password: c3986User | cColon, Host: c3986User, Port: digits,
			Path: c3986Path, Query: c3986Query, Fragment: c3986Query,
		},
		sections: [...]string{
			Scheme: "RFC 3986 §3.1", User: "RFC 3986 §3.2.1", Password: "RFC 3986 §3.2.1", Host: "RFC 3986 §3.2.2",
			Port: "RFC 3986 §3.2.3", Path: "RFC 3986 §3.3", Query: "RFC 3986 §3.4", Fragment: "RFC 3986 §3.5",
		},
		relative: true, hasFragment: true, emptyPort: true, emptyHost: true,
	}
	rules1738 = rules{
		name: "RFC 1738", general: "RFC 1738 §2.2", escapes: "RFC 1738 §2.2",
		first: cScheme,
		sets: [...]class{
			Scheme: cScheme | noEscapes, User: c1738User, Password: c1738User, Host: c1738Host, Port: digits,
			Path: c1738Xchar, Query: c1738Xchar, Fragment: 0,
		},
		sections: [...]string{
			Scheme: "RFC 1738 §2.1", User: "RFC 1738 §3.1", Password: "RFC 1738 §3.1", Host: "RFC 1738 §3.1",
			Port: "RFC 1738 §3.1", Path: "RFC 1738 §2.2", Query: "RFC 1738 §2.2", Fragment: "RFC 1738 §2.2",
		},
		loginToSlash: true, byScheme: true,
	}
	rules1630 = rules{
		name: "RFC 1630", general: "RFC 1630, URI syntax", escapes: "RFC 1630, Encoding reserved characters",
		first: cAlpha,
		sets: [...]class{
			Scheme: c1630Xalpha | noEscapes, User: c1630User | noEscapes, Password: c1630User | noEscapes, Host: c1630Xalpha, Port: digits,
			Path: c1630Path, Query: c1630Path, Fragment: c1630Xalpha,
		},
		sections: [...]string{
			Scheme: "RFC 1630, BNF: scheme", User: "RFC 1630, BNF: login", Password: "RFC 1630, BNF: login", Host: "RFC 1630, BNF: hostport",
			Port: "RFC 1630, BNF: hostport", Path: "RFC 1630, BNF: path", Query: "RFC 1630, BNF: search", Fragment: "RFC 1630, BNF: fragmentid",
		},
		relative: true, hasFragment: true,
	}
	// rulesHref are the rules for hrefs. An href is divided as RFC 3986 divides it. It must be absolute and consist of
	// printable ASCII; the package that wrote it guarantees the rest.
	rulesHref = rules{
		general: "URL Standard §4.5", escapes: "RFC 3986 §2.1",
		first: cAlpha,
		sets: [...]class{
			Scheme: cScheme | noEscapes, User: cHref, Password: cHref, Host: cHref, Port: digits, Path: cHref, Query: cHref, Fragment: cHref,
		},
		sections: [...]string{
			Scheme: "URL Standard §4.3", User: "URL Standard §4.5", Password: "URL Standard §4.5", Host: "URL Standard §4.5",
			Port: "URL Standard §4.5", Path: "URL Standard §4.5", Query: "URL Standard §4.5", Fragment: "URL Standard §4.5",
		},
		hasFragment: true, emptyPort: true, emptyHost: true,
	}
)
