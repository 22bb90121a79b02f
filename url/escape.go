package url

import (
	"strings"

	"locus/internal/ascii"
)

var (
	unreserved3986 = Set{}.With(unreserved)
	unreserved1738 = Set{}.With(uchar)
	unreserved1630 = Set{}.With(xalpha).Without("+!*")
)

// Unreserved returns the bytes that never need an escape, and that mean the same with and without one, in every scheme
// and in every part that may have escapes:
//
//   - RFC 3986 §2.3: letters, digits and -._~
//   - RFC 1738 §2.2: letters, digits and $-_.+!*'(),
//   - RFC 1630: letters, digits and those marks that no part reserves: $-_.@&"'(),
func (std Standard) Unreserved() Set {
	switch std {
	case RFC1738:
		return unreserved1738
	case RFC1630:
		return unreserved1630
	}
	return unreserved3986
}

// Allowed returns the bytes that may stand unescaped in the part n. "%" is never one of them. The scheme may reserve
// some of them, and in a path "/" separates segments. Remove such bytes from the set before you escape text that must
// not contain a delimiter.
func (std Standard) Allowed(n PartName) Set {
	if n >= partCount {
		return Set{}
	}
	return setOf(std.rules().sets[n])
}

// Escape writes every byte of s that is not in keep as "%" and two upper-case hex digits. It always escapes "%", even
// if keep has it, so Unescape(Escape(s, keep)) == s. It allocates only if there is something to escape.
func Escape(s string, keep Set) string {
	n := 0
	for i := range len(s) {
		if s[i] == '%' || !keep.Has(s[i]) {
			n++
		}
	}
	if n == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 2*n)
	for i := range len(s) {
		if c := s[i]; c == '%' || !keep.Has(c) {
			var escape [len("%00")]byte
			b.Write(ascii.AppendEscape(escape[:0], c))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Unescape returns s with every escape replaced by the byte for which it stands. "+" stands for itself. A "%" without
// two hex digits after it is a [*SyntaxError] at the "%". Unescape allocates only if there is an escape.
func Unescape(s string) (string, error) {
	for i := 0; ; {
		percent := strings.IndexByte(s[i:], '%')
		if percent < 0 {
			return ascii.Unescape(s), nil
		}
		if i += percent; !ascii.HasEscape(s, i) {
			return "", &SyntaxError{Text: s, Offset: i, Rule: rules3986.escapes, Want: wantHexDigits, fragment: true}
		}
		i += len("%00")
	}
}
