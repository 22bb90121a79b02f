package scheme

import (
	"strings"

	"locus/url"
)

// A set is a set of octets.
type set [4]uint64

func octets(s string) (set set) {
	for i := range len(s) {
		set[s[i]>>6] |= 1 << (s[i] & 63)
	}
	return set
}

func (s *set) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

const (
	alpha  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	uchar  = alpha + digits + "$-_.+!*'(),"         // RFC 1738 §5, without the escapes
	xchar  = uchar + ";/?:@&="                      // RFC 1738 §5, without the escapes
	xalpha = alpha + digits + "$-_@.&+!*\"'(),"     // RFC 1630, without the escapes
	plain1 = alpha + digits + "-_.+"                // RFC 1630: alphanum2
	common = alpha + digits + "$-_.+!*'(),&@"       // may stand in a path under all three standards
	query1 = alpha + digits + "$-_.!*'(),&@"        // … in a query, where RFC 1630 makes "+" a space
	host1  = alpha + digits + "-."                  // … in a host
	pchar  = alpha + digits + "-._~!$&'()*+,;=:@/?" // RFC 3986: pchar, "/", "?"
)

var (
	inPath    = octets(common)
	inName    = octets(common + "/") // a path in which "/" is data
	inQuery   = octets(query1)
	inUser    = octets(plain1)
	inHost    = octets(host1)
	inWritten = octets(pchar) // what a view keeps as written
	isDigit   = octets(digits)
	isHex     = octets(digits + "abcdefABCDEF")
)

// escape appends s to b, with all octets but those in keep escaped.
func escape(b *strings.Builder, s string, keep *set) {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		if c := s[i]; keep.has(c) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
}

// unescape decodes s, whose escapes are well formed. It allocates only if
// there is one.
func unescape(s string) string {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s
	}
	b := make([]byte, 0, len(s)-2)
	for i >= 0 && i+2 < len(s) {
		b = append(b, s[:i]...)
		b = append(b, unhex(s[i+1])<<4|unhex(s[i+2]))
		s = s[i+3:]
		i = strings.IndexByte(s, '%')
	}
	return string(append(b, s...))
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}

// written returns where the octet that s decodes to as number n is written.
func written(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		if s[i] == '%' {
			i += 2
		}
		i++
	}
	return min(i, len(s))
}

// decoded returns a part of a URL decoded.
func decoded(text string, present bool) url.Part {
	return url.Part{Text: unescape(text), Present: present}
}

// builder writes the text of a URL.
type builder struct{ strings.Builder }

func (b *builder) escape(s string, keep *set) { escape(&b.Builder, s, keep) }

// written writes what is written already: escapes and all that RFC 3986 lets
// stand in a path or a query stay, the rest is escaped.
func (b *builder) written(s string) {
	for i := range len(s) {
		if s[i] == '%' && isEscape(s[i:]) {
			b.WriteByte('%')
		} else {
			b.escape(s[i:i+1], &inWritten)
		}
	}
}

// isEscape reports whether s starts with "%" and two hex digits.
func isEscape(s string) bool { return len(s) > 2 && isHex.has(s[1]) && isHex.has(s[2]) }

// segments writes every segment after a "/".
func (b *builder) segments(segments ...string) {
	for _, s := range segments {
		b.WriteByte('/')
		b.escape(s, &inPath)
	}
}

// url returns what was written, read by RFC 3986.
func (b *builder) url() url.URL {
	u, err := url.Parse(b.String())
	if err != nil {
		return url.URL{}
	}
	return u
}
