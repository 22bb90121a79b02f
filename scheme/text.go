package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

const (
	alpha  = ascii.Letters
	digits = ascii.Digits
	uchar  = alpha + digits + "$-_.+!*'(),"       // RFC 1738 §5, without the escapes
	xalpha = alpha + digits + "$-_@.&+!*\"'(),"   // RFC 1630, without the escapes
	plain  = alpha + digits + "-_.+"              // RFC 1630: alphanum2
	common = alpha + digits + "$-_.+!*'(),&@"     // what may stand in a path under all three standards
	pchar  = alpha + digits + "-._~!$&'()*+,;=:@" // RFC 3986, without the escapes
)

// What a view leaves as it is when it writes a URL: what every standard reads
// the same there.
var (
	inPath  = url.Set{}.With(common)
	inName  = url.Set{}.With(common + "/")        // a path whose slashes are data
	inQuery = url.Set{}.With(common).Without("+") // RFC 1630 makes "+" a space
	inUser  = url.Set{}.With(plain)
	inHost  = url.Set{}.With(alpha + digits + "-.")
)

var (
	inWritten = url.Set{}.With(pchar + "/?") // what may stay in a part that is kept as written
	isDigit   = url.Set{}.With(digits)
)

// written returns where the byte that s decodes to as number n is written.
func written(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		i += escapeLen(s[i:])
	}
	return i
}

// escapeLen returns the length of what s, which is not empty, starts with: an
// escape or one byte.
func escapeLen(s string) int {
	if ascii.HasEscape(s, 0) {
		return len("%00")
	}
	return 1
}

// decoded returns a part of a URL decoded.
func decoded(text string, present bool) url.Part {
	return url.Part{Text: ascii.Unescape(text), Present: present}
}

// builder writes the text of a URL.
type builder struct{ strings.Builder }

// usual is as long as most URLs are.
const usual = 96

func (b *builder) escape(s string, keep url.Set) { b.WriteString(url.Escape(s, keep)) }

// written writes what is written already: escapes and the bytes in keep stay,
// the rest is escaped.
func (b *builder) written(s string, keep url.Set) {
	for i := range len(s) {
		if ascii.HasEscape(s, i) {
			b.WriteByte('%')
		} else {
			b.escape(s[i:i+1], keep)
		}
	}
}

// segments writes every segment after a "/".
func (b *builder) segments(segments ...string) {
	for _, s := range segments {
		b.WriteByte('/')
		b.escape(s, inPath)
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
