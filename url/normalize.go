package url

import (
	"bytes"
	"strings"
)

// Facts are what there is to know about a scheme before its URLs can be
// rewritten. The zero Facts are those of an unknown scheme: they keep every
// rewrite from doing more than is right for every scheme.
//
// locus/scheme has the facts of every scheme.
type Facts struct {
	DefaultPort  uint16 // 0 if there is none
	Hierarchical bool   // "/" separates the levels of a hierarchy, and "." and ".." move in it
	EmptyPath    bool   // after a host, no path means the same as "/"
	// Free are those of ";/?:@=&" that the scheme reserves for nothing: by RFC
	// 1738 §2.2 they mean the same in its paths encoded or not. All of them in
	// gopher and mailto; none if empty.
	Free Set
}

// Rewrite says how [URL.Normalize] may change a text: the sum of some of the
// constants.
type Rewrite uint8

const (
	LowerScheme  Rewrite = 1 << iota // HTTP: becomes http:
	LowerHost                        // EXAMPLE.org becomes example.org
	UpperEscapes                     // %2f becomes %2F
	Unencode                         // %61 becomes a: what means the same encoded or not, by the standard, is not encoded
	RemoveDots                       // /a/../b becomes /b, if the scheme is hierarchical
	DropPort                         // :80 goes if it is the scheme's default, and so does an empty port
	FillPath                         // http://h becomes http://h/, if the scheme says that it is the same

	// AllRewrites are all of the above.
	AllRewrites = LowerScheme | LowerHost | UpperEscapes | Unencode | RemoveDots | DropPort | FillPath
)

// Normalize returns u rewritten in the ways asked for, by u's standard, as
// far as the scheme's facts allow. The result is equivalent to u, but for
// RemoveDots, which trusts the path to be a hierarchy; normalizing it again
// changes nothing. It allocates only if something changes.
func (u URL) Normalize(how Rewrite, facts Facts) URL {
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

type normalizer struct {
	u     URL
	how   Rewrite
	facts Facts
}

func (n *normalizer) appendTo(text []byte) []byte {
	u := n.u
	text = append(text, u.text[:u.scheme]...)
	if n.how&LowerScheme != 0 {
		lowerBytes(text)
	}
	if u.auth != 0 {
		text = n.authority(text)
	}
	start := len(text)
	text = n.part(text, Path)
	if n.how&RemoveDots != 0 && n.facts.Hierarchical {
		text = n.removeDots(text, start)
	}
	if n.how&FillPath != 0 && n.facts.EmptyPath && u.auth != 0 && len(text) == start {
		text = append(text, '/')
	}
	if u.query != 0 {
		text = append(text, '?')
		text = n.part(text, Query)
	}
	if u.fragment != 0 {
		text = append(text, '#')
		text = n.part(text, Fragment)
	}
	return text
}

func (n *normalizer) authority(text []byte) []byte {
	text = append(text, "//"...)
	if n.u.host != 0 {
		text = n.part(text, User)
		if n.u.password != 0 {
			text = append(text, ':')
			text = n.part(text, Password)
		}
		text = append(text, '@')
	}
	start := len(text)
	text = n.part(text, Host)
	if n.how&LowerHost != 0 {
		lowerHost(text[start:])
	}
	port, ok := n.u.Port()
	if number, valid := n.u.PortNumber(); n.how&DropPort != 0 && (port == "" || valid && number == n.facts.DefaultPort && number != 0) {
		return text
	}
	if ok {
		text = append(text, ':')
		text = append(text, port...)
	}
	return text
}

// lowerHost puts a host in lower case, but not its escapes nor its zone.
func lowerHost(host []byte) {
	if len(host) > 0 && host[0] == '[' {
		addr, _, _ := bytes.Cut(host, []byte("%"))
		lowerBytes(addr)
		return
	}
	for len(host) > 0 {
		i := bytes.IndexByte(host, '%')
		if i < 0 {
			i = len(host)
		}
		lowerBytes(host[:i])
		host = host[min(i+3, len(host)):]
	}
}

func lowerBytes(s []byte) {
	for i, c := range s {
		if 'A' <= c && c <= 'Z' {
			s[i] = c | 0x20
		}
	}
}

// part appends a part with its escapes rewritten.
func (n *normalizer) part(text []byte, name PartName) []byte {
	s := n.u.Part(name).Text
	if n.how&(UpperEscapes|Unencode) == 0 || strings.IndexByte(s, '%') < 0 {
		return append(text, s...)
	}
	l := n.u.level(name, n.facts)
	for i := 0; i < len(s); {
		c, encoded, width := l.octet(s, i)
		switch {
		case n.how&Unencode == 0 || encoded && width == 3:
			text = n.escape(text, s[i:i+width])
		case encoded:
			text = append(text, '%', upperHex[c>>4], upperHex[c&15])
		default:
			text = append(text, c)
		}
		i += width
	}
	return text
}

// escape appends an octet or an escape as it is written, or in upper case.
func (n *normalizer) escape(text []byte, s string) []byte {
	if n.how&UpperEscapes == 0 || len(s) == 1 {
		return append(text, s...)
	}
	return append(text, '%', upperHex[unhex(s[1])], upperHex[unhex(s[2])])
}

// removeDots removes dot segments from the path text[start:], unless that
// would make something else of it.
func (n *normalizer) removeDots(text []byte, start int) []byte {
	if len(text) == start || text[start] != '/' || !hasDotSegment(text[start:]) {
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
