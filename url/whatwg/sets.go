package whatwg

import (
	"strings"
	"unicode/utf8"

	"locus/internal/ascii"
)

// A Set is a percent-encode set of the URL Standard: the characters that are escaped in a part. Characters above
// U+007E are in every set.
type Set uint16

// The percent-encode sets.
const (
	C0Control Set = 1 << iota
	FragmentSet
	QuerySet
	SpecialQuerySet
	PathSet
	UserinfoSet
	ComponentSet
	FormSet // application/x-www-form-urlencoded

	forbiddenHost   // forbidden host code points
	forbiddenDomain // forbidden domain code points
	urlUnit         // URL code points of ASCII
	formKept        // FormSet without the space, which becomes "+"
	lineBreak       // tabs and newlines
	authorityEnd    // the delimiters that end the authority of a special URL
	notPlainHost    // all but lower-case letters, digits, "-", "." and "_"
	notPlainScheme  // all but lower-case letters, digits, "-", "." and "+"
)

// setsOf has, for each byte, the sets to which it belongs.
var setsOf = classify()

// classify returns the table of the sets to which each byte belongs.
func classify() (table [256]Set) {
	const (
		fragment = " \"<>`"
		query    = " \"#<>"
		path     = query + "?^`{}"
		userinfo = path + "/:;=@[\\]|"
		comp     = userinfo + "$%&+,"
		host     = "\x00\t\n\r #/:<>?@[\\]^|"
		punct    = "!$&'()*+,-./:;=?@_~"

		plainHost   = "abcdefghijklmnopqrstuvwxyz0123456789-._"
		plainScheme = "abcdefghijklmnopqrstuvwxyz0123456789-.+"
	)
	for c := range 256 {
		if c < 0x20 || c > 0x7e {
			table[c] |= C0Control | FragmentSet | QuerySet | SpecialQuerySet | PathSet | UserinfoSet | ComponentSet | FormSet | formKept
		}
		if c < 0x20 || c == 0x7f {
			table[c] |= forbiddenDomain
		}
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' {
			table[c] |= urlUnit
		}
		if strings.IndexByte(plainHost, byte(c)) < 0 {
			table[c] |= notPlainHost
		}
		if strings.IndexByte(plainScheme, byte(c)) < 0 {
			table[c] |= notPlainScheme
		}
	}
	for set, members := range map[Set]string{
		FragmentSet:     fragment,
		QuerySet:        query,
		SpecialQuerySet: query + "'",
		PathSet:         path,
		UserinfoSet:     userinfo,
		ComponentSet:    comp,
		FormSet:         comp + "!'()~",
		forbiddenHost:   host,
		forbiddenDomain: host + "%",
		urlUnit:         punct,
		lineBreak:       "\t\n\r",
		authorityEnd:    "/\\?#",
		formKept:        comp[len(" "):] + "!'()~",
	} {
		for _, c := range []byte(members) {
			table[c] |= set
		}
	}
	return table
}

// PercentEncode returns s with the characters of the set and all characters beyond ASCII escaped, in UTF-8. Bytes that
// are not UTF-8 become U+FFFD. Only ComponentSet and FormSet contain "%".
func PercentEncode(s string, set Set) string {
	if indexIn(s, 0, set) == len(s) {
		return s
	}
	return string(appendEncoded(make([]byte, 0, len(s)+16), s, set))
}

// appendEncoded appends PercentEncode(s, set) to b.
func appendEncoded(b []byte, s string, set Set) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if setsOf[c]&set != 0 {
				b = ascii.AppendEscape(b, c)
			} else {
				b = append(b, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		var encoded [utf8.UTFMax]byte
		for _, c := range encoded[:utf8.EncodeRune(encoded[:], r)] {
			b = ascii.AppendEscape(b, c)
		}
	}
	return b
}

// firstEscape returns the offset of the first escape of s, or len(s).
func firstEscape(s string) int {
	for i := range len(s) {
		if ascii.HasEscape(s, i) {
			return i
		}
	}
	return len(s)
}
