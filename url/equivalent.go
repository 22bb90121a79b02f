package url

import (
	"strings"

	"locus/internal/ascii"
)

// Difference reports whether u and v differ in meaning by u's standard. It returns the first part that differs, and
// the offset of the difference in both texts. v is read by u's standard.
//
// Two URLs mean the same if their texts are the same after these steps: escapes are written alike, the scheme and the
// host are put in lower case, and parts with their default value and the dot segments of hierarchical schemes are
// removed. facts has the defaults. The result agrees with [URL.Normalize]. Two URLs of whatwg.Standard mean the same
// if their texts are the same.
func (u URL) Difference(v URL, facts Facts) (part PartName, atU, atV int, differ bool) {
	if v.std != u.std {
		v = u.std.read(v.text)
	}
	for n := range PartName(partCount) {
		if samePart(u, v, n, facts) {
			continue
		}
		s, t := u.Part(n).Text, v.Part(n).Text
		i, j := u.level(n, facts).compare(s, t)
		if u.std.foreign() != nil {
			i = commonLength(s, t)
			j = i
		}
		return n, u.offsetOf(n) + i, v.offsetOf(n) + j, true
	}
	return 0, 0, 0, false
}

// read reads text by the standard, without checks. If a standard of another package refuses the text, read divides the
// text at the delimiters of RFC 3986.
func (std Standard) read(text string) URL {
	if foreign := std.foreign(); foreign != nil {
		if u, err := foreign.Parse(text); err == nil {
			return u
		}
	}
	return std.divide(text)
}

// samePart reports whether the part n of a and of b, which have the same standard, is the same after normalization.
func samePart(a, b URL, n PartName, facts Facts) bool {
	if p, q := a.Part(n), b.Part(n); p == q || a.std.foreign() != nil {
		return p == q
	}
	var rooms [2][256]byte
	ofA, ofB := normalizer{a, AllRewrites, facts}, normalizer{b, AllRewrites, facts}
	s, hasS := ofA.part(rooms[0][:0], n)
	t, hasT := ofB.part(rooms[1][:0], n)
	return hasS == hasT && string(s) == string(t)
}

// canonicalPort returns the port without leading zeros. It returns "" if the port is absent, empty or defaultPort.
func (u URL) canonicalPort(defaultPort uint16) string {
	port, _ := u.Port()
	if n, ok := ascii.Port(port); ok && n == defaultPort && n != 0 {
		return ""
	}
	trimmed := strings.TrimLeft(port, "0")
	if trimmed == "" && port != "" {
		return "0"
	}
	return trimmed
}

// offsetOf returns the offset at which a part starts. For an absent part it returns the offset at which the part would
// start.
func (u URL) offsetOf(n PartName) int {
	if start, _, ok := u.Span(n); ok {
		return start
	}
	for n > Scheme {
		n--
		if _, end, ok := u.Span(n); ok {
			return max(end, int(u.auth))
		}
	}
	return int(u.auth)
}

// A level is an encoding level: it says which bytes of a part mean the same with and without an escape.
type level struct {
	free  Set  // these bytes mean the same with and without an escape
	fold  bool // upper and lower case mean the same
	dots  bool // the segments "." and ".." are reserved, so "%2E" is different
	plus  bool // "+" means the same as an escaped space
	typed bool // upper and lower case mean the same in a type code at the end
	mail  bool // upper and lower case mean the same in the domains of mail addresses

	fields   bool // after the first ";", "%2F" is different from "/"
	inFields bool // byteAt has read that ";"
}

// reservable are the bytes that a scheme may reserve by RFC 1738 §2.2.
var reservable = Set{}.With(";/?:@=&")

// level returns the encoding level of the part n of u. It follows from u's standard and from facts, which
// describe the scheme of u.
func (u URL) level(n PartName, facts Facts) level {
	l := level{free: u.std.Unreserved(), fold: n == Scheme || n == Host}
	switch {
	case n == Host && u.std == RFC1630:
		l.free = unreserved3986.Without("~")
	case n == Path && u.std == RFC1738 && u.auth == 0 && strings.HasPrefix(u.Path(), "//") && !u.slashesAreData():
		l.free = Set{} // because the decoded text might be read as a host
	case n == Path && u.std == RFC1738:
		l.free = l.free.union(u.freeBytes(facts))
	case n == Path && u.std == RFC1630:
		l.free = l.free.With("+")
		if u.auth == 0 {
			l.free = l.free.Without("@") // because it divides a mail address and a message-id
		}
		l.dots = true
	case n == Query && facts.PlusIsSpace:
		l.free = l.free.Without("+")
		l.plus = true
	case n == Fragment && u.std == RFC1630:
		l.free = l.free.With("+")
	}
	l.typed = n == Path && facts.TypeCode
	l.fields = n == Path && facts.Fields
	l.mail = n == Path && facts.Mailboxes
	return l
}

// typeCode returns the offset in path of the type code, in which upper and lower case mean the same. It returns
// len(path) if there is no type code.
func (l level) typeCode(path string) int {
	start := strings.IndexByte(path, ';')
	if !l.typed || start < 0 {
		return len(path)
	}
	i := start
	for _, want := range []byte(";type=") {
		if i == len(path) {
			return len(path)
		}
		c, encoded, width := l.byteAt(path, i)
		if encoded || ascii.Lower(c) != want {
			return len(path)
		}
		i += width
	}
	return start
}

// freeBytes returns the bytes of ";/?:@=&" that mean the same with and without an escape in a path of u. It leaves out
// "/" and "?" if they would divide the text differently without an escape.
func (u URL) freeBytes(facts Facts) Set {
	free := facts.Free.Intersect(reservable)
	if u.auth == 0 && !u.slashesAreData() {
		free = free.Without("/")
	}
	if schemeHasQuery(u.rawScheme()) {
		free = free.Without("?")
	}
	return free
}

// compare returns the offsets at which s and t first differ, i in s and j in t. Two bytes are the same if they mean the
// same at this level. If one text is a prefix of the other, the offset in the shorter text is its length.
func (l level) compare(s, t string) (i, j int) {
	codeS, codeT := l.typeCode(s), l.typeCode(t)
	var mail addresses
	for i < len(s) && j < len(t) {
		c, encodedC, n := l.byteAt(s, i)
		d, encodedD, m := l.byteAt(t, j)
		inDomain := l.mail && mail.next(c)
		if l.fold || inDomain || i >= codeS && j >= codeT {
			c, d = ascii.Lower(c), ascii.Lower(d)
		}
		if c != d || encodedC != encodedD {
			return i, j
		}
		if c == '%' && s[0] == '[' {
			l.fold = false // the case of a zone has a meaning
		}
		i += n
		j += m
	}
	return i, j
}

// commonLength returns the length of the longest common prefix of s and t.
func commonLength(s, t string) int {
	n := 0
	for n < min(len(s), len(t)) && s[n] == t[n] {
		n++
	}
	return n
}

// byteAt reads the byte or the escape at s[i]. It must be called from the start of s on, because l remembers whether
// the fields have begun. It returns the byte, whether the byte counts as encoded, and the length of its text. The escape
// of a byte in l.free does not count as encoded, because it means the same as the byte. A "+" that stands for a space
// counts as an encoded space.
func (l *level) byteAt(s string, i int) (c byte, encoded bool, width int) {
	c, width = s[i], 1
	if ascii.HasEscape(s, i) {
		c, width = ascii.Escaped(s, i), 3
		encoded = !l.free.Has(c)
	} else if l.plus && c == '+' {
		c, encoded = ' ', true
	}
	switch {
	case l.dots && c == '.':
		encoded = encodedDots(s, i)
	case l.inFields && c == '/':
		encoded = width == 3
	case l.fields && c == ';' && width == 1:
		l.inFields = true
	}
	return c, encoded, width
}

// encodedDots reports whether s[i] is in a segment that would be "." or ".." but has at least one escape. Such a
// segment is a name and not a dot segment.
func encodedDots(s string, i int) bool {
	const longest = len("%2E%2E")
	before, after := s[max(0, i-longest):i], s[i:min(len(s), i+longest+1)]
	if slash := strings.LastIndexByte(before, '/'); slash >= 0 {
		before = before[slash+1:]
	}
	after, _, _ = strings.Cut(after, "/")
	switch name := before + after; len(name) {
	case 3:
		return ascii.Dots(name) == 1
	case 4, 6:
		return ascii.Dots(name) == 2
	}
	return false
}
