// Package ascii has helpers for parsers of URLs: escapes, hex digits, letters, dot
// segments, and scanning eight bytes at a time.
package ascii

import (
	"strconv"
	"strings"
)

const (
	Letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	Digits  = "0123456789"
	Hex     = Digits + "abcdefABCDEF"

	upperHex = "0123456789ABCDEF"
)

// hexValue has the value of every hex digit, and 0xff for other bytes.
var hexValue = func() (table [256]byte) {
	for c := range table {
		table[c] = 0xff
	}
	for i := range len(upperHex) {
		table[upperHex[i]], table[Lower(upperHex[i])] = byte(i), byte(i)
	}
	return table
}()

// IsHex reports whether c is a hex digit.
func IsHex(c byte) bool { return hexValue[c] != 0xff }

// HexValue returns the value of the hex digit c, and 0xff for any other byte.
func HexValue(c byte) byte { return hexValue[c] }

// HasEscape reports whether s[i:] starts with "%" and two hex digits.
func HasEscape(s string, i int) bool {
	return i+2 < len(s) && s[i] == '%' && hexValue[s[i+1]]|hexValue[s[i+2]] != 0xff
}

// Escaped returns the byte that the escape at s[i] stands for. HasEscape(s, i) must be true.
func Escaped(s string, i int) byte { return hexValue[s[i+1]]<<4 | hexValue[s[i+2]] }

// AppendEscape appends the escape of c to b: "%" and two upper-case hex digits. It returns the
// extended slice.
func AppendEscape(b []byte, c byte) []byte {
	return append(b, '%', upperHex[c>>4], upperHex[c&15])
}

// Unescape decodes the escapes of s. A "%" without two hex digits stands for itself.
// Unescape allocates only if s has a "%".
func Unescape(s string) string {
	i := 0
	for i < len(s) && s[i] != '%' {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		c := s[i]
		if HasEscape(s, i) {
			c = Escaped(s, i)
			i += 2
		}
		b.WriteByte(c)
	}
	return b.String()
}

// Lower returns c in lower case if it is an ASCII letter, and c otherwise.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsLetterOrDigit reports whether c is a letter or a decimal digit.
func IsLetterOrDigit(c byte) bool { return IsLetter(c) || IsDigit(c) }

// Dots returns the number of dots of a dot segment of a path: 1 for "." and 2 for "..", whether
// the dots are escaped or not. It returns 0 for any other segment.
func Dots(segment string) int {
	n := 0
	for ; segment != ""; n++ {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[0] == '%' && segment[1] == '2' && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return 0
		}
	}
	if n > 2 {
		return 0
	}
	return n
}

// IsASCII reports whether every byte of s is below 0x80.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Port returns the number of a decimal port. ok is false if text is not a number from 0 to
// 65535, such as "".
func Port(text string) (port uint16, ok bool) {
	if text == "" {
		return 0, false // without allocating an error
	}
	n, err := strconv.ParseUint(text, 10, 16)
	return uint16(n), err == nil //nolint:gosec // it has 16 bits
}

// IsScheme reports whether s has the syntax of a scheme: a letter, then letters, digits, "+",
// "-" and "." (RFC 3986 §3.1).
func IsScheme(s string) bool {
	return s != "" && IsLetter(s[0]) && strings.Trim(s, Letters+Digits+"+-.") == ""
}
