package url

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"

	"locus/internal/ascii"
	"locus/internal/facts"
)

// Facts are the facts about a scheme that a program must know to rewrite its URLs. The zero Facts describe an unknown
// scheme: they allow only the rewrites that are correct in every scheme.
//
// Package locus/scheme has the facts of every scheme.
type Facts struct {
	DefaultPort  uint16   // 0 if there is none
	Hierarchical bool     // "/" separates the levels of a hierarchy, and "." and ".." move in it
	Roots        []string // after a host, these paths mean the same as an empty path; Normalize writes the first
	EmptyHost    bool     // an empty host means the same as "localhost"
	TypeCode     bool     // the path may end in ";type=" and a code, in either case
	Fields       bool     // the path may end in fields after a ";", in which "/" stands only as an escape
	PlusIsSpace  bool     // in a query "+" means the same as "%20", which Normalize writes, and "%2B" is a plus
	Mailboxes    bool     // the path is a list of mail addresses, whose domains mean the same in either case
	// Free are the bytes of ";/?:@=&" that the scheme does not reserve. In its paths they mean the same with and
	// without an escape (RFC 1738 §2.2). In gopher and mailto these are all seven bytes. The zero Set means that the
	// scheme reserves all of them.
	Free Set
}

// A Rewrite is a change that [URL.Normalize] may make, or the sum of several.
type Rewrite uint8

const (
	LowerScheme  Rewrite = 1 << iota // HTTP: becomes http:, and the type code ;type=A of ftp becomes ;type=a
	LowerHost                        // EXAMPLE.org becomes example.org, [0:0::1] becomes [::1], the localhost of a file URL is removed, mailto:A@B becomes mailto:A@b
	UpperEscapes                     // %2f becomes %2F
	Unencode                         // %61 becomes a, and so does every escape that the standard does not need; a "+" for a space becomes %20
	RemoveDots                       // /a/../b becomes /b, if the scheme is hierarchical
	DropPort                         // :80 is removed if it is the scheme's default, as is an empty port; :081 becomes :81
	FillPath                         // http://h becomes http://h/, if they mean the same in the scheme; an empty fragment of RFC 1630 is removed

	// AllRewrites are all of the above.
	AllRewrites = LowerScheme | LowerHost | UpperEscapes | Unencode | RemoveDots | DropPort | FillPath
)

// Normalize returns u with the changes of how, by u's standard, as far as the facts of its scheme allow. The result
// means the same as u. With [AllRewrites], two URLs have the same result if and only if they mean the same. Normalize
// allocates only if something changes.
//
// A URL of whatwg.Standard is returned unchanged, because its text already is the normal form.
//
// The function Normalize of locus/scheme takes the facts from the scheme of u.
func (u URL) Normalize(how Rewrite, facts Facts) URL {
	if u.std.foreign() != nil {
		return u
	}
	n := normalizer{u: u, how: how, facts: facts}
	var room [256]byte
	text := room[:0]
	if len(u.text)+len("/") > len(room) {
		text = make([]byte, 0, len(u.text)+len("/"))
	}
	text = n.appendTo(text)
	if string(text) == u.text {
		return u
	}
	v, err := u.std.Parse(string(text))
	if err != nil {
		return u
	}
	return v
}

// A normalizer rewrites the parts of u. Its methods append the result to a text, whose part before start they leave
// unchanged.
type normalizer struct {
	u     URL
	how   Rewrite
	facts Facts
}

// appendTo appends the whole rewritten URL to text.
func (n *normalizer) appendTo(text []byte) []byte {
	put := func(before string, name PartName, after string) {
		start := len(text)
		with, ok := n.part(append(text, before...), name)
		if text = append(with, after...); !ok {
			text = text[:start]
		}
	}
	put("", Scheme, ":")
	if n.u.auth != 0 {
		text = append(text, "//"...)
		put("", User, "")
		put(":", Password, "")
		if n.u.host != 0 {
			text = append(text, '@')
		}
		put("", Host, "")
		put(":", Port, "")
	}
	put("", Path, "")
	put("?", Query, "")
	put("#", Fragment, "")
	return text
}

// part appends the rewritten part to text, without its delimiters, and reports whether the rewritten URL has that part.
// The result is false for a part that is absent or that n.how removes.
func (n *normalizer) part(text []byte, name PartName) ([]byte, bool) {
	from, to := n.u.span(name)
	if from > to {
		return text, false
	}
	start := len(text)
	text = n.unencode(text, name, n.u.text[from:to])
	switch {
	case name == Scheme && n.how&LowerScheme != 0:
		lowerLetters(text[start:])
	case name == Host && n.how&LowerHost != 0:
		text = n.lowerHost(text, start)
	case name == Port && n.how&DropPort != 0:
		port := n.u.canonicalPort(n.facts.DefaultPort)
		return append(text[:start], port...), port != ""
	case name == Path:
		text = n.path(text, start)
	case name == Fragment && n.how&FillPath != 0 && n.u.std == RFC1630: // an empty one is the same as none
		return text, from < to
	}
	return text, true
}

// path rewrites the path text[start:] as how says: it puts a type code and mail domains in lower case, removes dot
// segments, replaces a path that means the same as another one, and escapes a "//" that would announce a host. It
// returns the changed text.
func (n *normalizer) path(text []byte, start int) []byte {
	if n.how&LowerScheme != 0 && n.facts.TypeCode {
		code := n.u.level(Path, n.facts).typeCode(string(text[start:]))
		lowerLetters(text[start+code:])
	}
	if n.how&LowerHost != 0 && n.facts.Mailboxes {
		lowerDomains(text[start:])
	}
	if n.how&RemoveDots != 0 && n.facts.Hierarchical {
		text = n.removeDots(text, start)
	}
	if n.how&FillPath != 0 {
		if root, ok := n.u.root(string(text[start:]), n.facts); ok {
			text = append(text[:start], root...)
		}
	}
	if n.how&Unencode != 0 && n.u.auth == 0 && n.u.slashesAreData() && bytes.HasPrefix(text[start:], []byte("//")) {
		text = append(text[:start], "%2F%2F"+string(text[start+2:])...) // because other standards would find a host
	}
	return text
}

// root returns the path that Normalize writes for path, if path is one of known.Roots, the paths that mean the same as
// an empty path after a host. It returns false for any other path, and if the query of u would change the meaning of
// the new path.
func (u URL) root(path string, known Facts) (string, bool) {
	if u.auth == 0 || !slices.Contains(known.Roots, path) || u.query != 0 && known.Roots[0] != "/" {
		return "", false
	}
	return known.Roots[0], true
}

// slashesAreData reports whether "//" in a URL of the scheme is data, because it announces no host.
func (u URL) slashesAreData() bool {
	return u.std == RFC1738 && facts.Of(u.rawScheme()).Has(facts.NoHost1738)
}

// lowerHost puts the host text[start:] in lower case and writes an IPv6 address as RFC 5952 does. It drops "localhost"
// if an empty host means the same.
func (n *normalizer) lowerHost(text []byte, start int) []byte {
	lowerHost(text[start:])
	host := string(text[start:])
	switch {
	case host == "localhost" && n.u.mayDropHost(n.facts):
		return text[:start]
	case strings.HasPrefix(host, "["):
		return append(text[:start], canonicalAddress(host)...)
	}
	return text
}

// mayDropHost reports whether the host "localhost" may be removed from u, because an empty host means the same. A URL
// with a login or a port keeps its host.
func (u URL) mayDropHost(facts Facts) bool {
	return facts.EmptyHost && u.host == 0 && u.port == 0
}

// canonicalAddress returns an IPv6 address in brackets in the form of RFC 5952, with its zone unchanged. It returns host if
// the brackets do not contain an IPv6 address.
func canonicalAddress(host string) string {
	address, zone, scoped := strings.Cut(strings.TrimSuffix(host[1:], "]"), "%")
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return host
	}
	if scoped {
		zone = "%" + zone
	}
	return "[" + addr.String() + zone + "]"
}

// lowerHost puts a host in lower case, except for its escapes and its zone.
func lowerHost(host []byte) {
	if len(host) > 0 && host[0] == '[' {
		addr, _, _ := bytes.Cut(host, []byte("%"))
		lowerLetters(addr)
		return
	}
	lowerLetters(host)
}

// lowerLetters puts a text in lower case, except for its escapes.
func lowerLetters(s []byte) {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			i += 2
			continue
		}
		s[i] = ascii.Lower(s[i])
	}
}

// unencode appends s, the text of the part name. It decodes the escapes that the part does not need, and writes the
// others in upper case, as far as n.how says so.
func (n *normalizer) unencode(text []byte, name PartName, s string) []byte {
	hasPlus := name == Query && n.facts.PlusIsSpace
	if n.how&(UpperEscapes|Unencode) == 0 || !hasPlus && strings.IndexByte(s, '%') < 0 {
		return append(text, s...)
	}
	l := n.u.level(name, n.facts)
	for i := 0; i < len(s); {
		c, encoded, width := l.byteAt(s, i)
		switch {
		case n.how&Unencode == 0 || encoded && width == 3:
			text = n.escape(text, s[i:i+width])
		case encoded:
			text = ascii.AppendEscape(text, c)
		default:
			text = append(text, c)
		}
		i += width
	}
	return text
}

// escape appends s, which is one byte or one escape. It puts the digits of the escape in upper case if n.how says so.
func (n *normalizer) escape(text []byte, s string) []byte {
	if n.how&UpperEscapes == 0 || len(s) == 1 {
		return append(text, s...)
	}
	return ascii.AppendEscape(text, ascii.Escaped(s, 0))
}

// removeDots removes the dot segments from the path text[start:]. It changes only a path that starts with "/". It also
// changes nothing if the result would start with "//" in a URL without an authority, because "//" would announce a
// host.
func (n *normalizer) removeDots(text []byte, start int) []byte {
	if len(text) == start || text[start] != '/' || !mayHaveDots(text[start:]) {
		return text
	}
	was := text[start:]
	if n.u.auth == 0 {
		was = bytes.Clone(was)
	}
	if n.u.std == RFC3986 {
		text = removeDots(text, start)
	} else {
		text = n.u.std.foldDots(text, start)
	}
	if n.u.auth == 0 && bytes.HasPrefix(text[start:], []byte("//")) {
		text = append(text[:start], was...)
	}
	return text
}
