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
	common = alpha + digits + "$-_.+!*'(),&@"     // the bytes that may stand in a path under all three standards
	pchar  = alpha + digits + "-._~!$&'()*+,;=:@" // RFC 3986, without the escapes
)

// The bytes that a view does not escape when it writes a URL, because every standard gives them the same meaning in
// that part.
var (
	inPath  = url.Set{}.With(common)
	inName  = url.Set{}.With(common + "/")        // a path whose slashes are data
	inQuery = url.Set{}.With(common).Without("+") // RFC 1630 makes "+" a space
	inUser  = url.Set{}.With(plain)
	inHost  = url.Set{}.With(alpha + digits + "-.")
)

var (
	inWritten = url.Set{}.With(pchar + "/?") // the bytes that may stay in a part that is kept as written
	isDigit   = url.Set{}.With(digits)
)

// encodedOffset returns the offset in s of byte n of the text that s encodes. It returns len(s) if that text has at
// most n bytes.
func encodedOffset(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		i += escapeLen(s[i:])
	}
	return i
}

// escapeLen returns the length of the escape or the single byte with which s starts. s must not be empty.
func escapeLen(s string) int {
	if ascii.HasEscape(s, 0) {
		return len("%00")
	}
	return 1
}

// decoded returns a part with the decoded text. Its result is absent, like the encoded part, if present is false.
func decoded(text string, present bool) url.Part {
	return url.Part{Text: ascii.Unescape(text), Present: present}
}

// A builder builds the text of a URL.
type builder struct{ strings.Builder }

// usual is the length that few URLs exceed.
const usual = 96

// escape writes s, and escapes every "%" and every byte that is not in keep.
func (b *builder) escape(s string, keep url.Set) { b.WriteString(url.Escape(s, keep)) }

// written writes a text that may contain escapes. It keeps the escapes and the bytes in keep, and escapes the other
// bytes.
func (b *builder) written(s string, keep url.Set) {
	for i := range len(s) {
		if ascii.HasEscape(s, i) {
			b.WriteByte('%')
		} else {
			b.escape(s[i:i+1], keep)
		}
	}
}

// segments writes a "/" before each of the decoded segments, and escapes the segments.
func (b *builder) segments(segments ...string) {
	for _, s := range segments {
		b.WriteByte('/')
		b.escape(s, inPath)
	}
}

// url returns the URL that has been written, read by RFC 3986. It returns the zero URL if the text is not valid.
func (b *builder) url() url.URL {
	u, err := url.Parse(b.String())
	if err != nil {
		return url.URL{}
	}
	return u
}
