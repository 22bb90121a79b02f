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
	n.text = room[:0]
	if len(u.text)+len("/.") > len(room) {
		n.text = make([]byte, 0, len(u.text)+len("/."))
	}
	n.run()
	if string(n.text) == u.text {
		return u
	}
	v, err := u.std.Parse(string(n.text))
	if err != nil {
		return u
	}
	return v
}

type normalizer struct {
	u     URL
	how   Rewrite
	facts Facts
	text  []byte
}

func (n *normalizer) run() {
	u := n.u
	n.text = append(n.text, u.text[:u.scheme]...)
	if n.how&LowerScheme != 0 {
		lowerBytes(n.text)
	}
	if u.auth != 0 {
		n.authority()
	}
	start := len(n.text)
	n.part(Path)
	if n.how&RemoveDots != 0 && n.facts.Hierarchical {
		n.removeDots(start)
	}
	if n.how&FillPath != 0 && n.facts.EmptyPath && u.auth != 0 && len(n.text) == start {
		n.text = append(n.text, '/')
	}
	if u.query != 0 {
		n.text = append(n.text, '?')
		n.part(Query)
	}
	if u.fragment != 0 {
		n.text = append(n.text, '#')
		n.part(Fragment)
	}
}

func (n *normalizer) authority() {
	n.text = append(n.text, "//"...)
	if n.u.host != 0 {
		n.part(User)
		if n.u.password != 0 {
			n.text = append(n.text, ':')
			n.part(Password)
		}
		n.text = append(n.text, '@')
	}
	start := len(n.text)
	n.part(Host)
	if n.how&LowerHost != 0 {
		lowerHost(n.text[start:])
	}
	port, ok := n.u.Port()
	if number, valid := n.u.PortNumber(); n.how&DropPort != 0 && (port == "" || valid && number == n.facts.DefaultPort && number != 0) {
		return
	}
	if ok {
		n.text = append(n.text, ':')
		n.text = append(n.text, port...)
	}
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
func (n *normalizer) part(name PartName) {
	s := n.u.Part(name).Text
	if n.how&(UpperEscapes|Unencode) == 0 || strings.IndexByte(s, '%') < 0 {
		n.text = append(n.text, s...)
		return
	}
	l := n.u.level(name, n.facts)
	for i := 0; i < len(s); {
		c, encoded, width := l.octet(s, i)
		switch {
		case n.how&Unencode == 0 || encoded && width == 3:
			n.escape(s[i : i+width])
		case encoded:
			n.text = append(n.text, '%', upperHex[c>>4], upperHex[c&15])
		default:
			n.text = append(n.text, c)
		}
		i += width
	}
}

// escape appends an octet or an escape as it is written, or in upper case.
func (n *normalizer) escape(s string) {
	if n.how&UpperEscapes == 0 || len(s) == 1 {
		n.text = append(n.text, s...)
		return
	}
	n.text = append(n.text, '%', upperHex[unhex(s[1])], upperHex[unhex(s[2])])
}

// removeDots removes dot segments from the path text[start:], unless that
// would make something else of it.
func (n *normalizer) removeDots(start int) {
	if len(n.text) == start || n.text[start] != '/' || !hasDotSegment(n.text[start:]) {
		return
	}
	was := n.text[start:]
	if n.u.auth == 0 {
		was = bytes.Clone(was)
	}
	if n.u.std == RFC3986 {
		n.text = removeDots(n.text, start)
	} else {
		n.text = n.u.std.foldDots(n.text, start)
	}
	if n.u.auth == 0 && bytes.HasPrefix(n.text[start:], []byte("//")) {
		n.text = append(n.text[:start], was...)
	}
}
