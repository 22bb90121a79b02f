package whatwg

import (
	"strconv"

	"locus/internal/ascii"
)

// An ipv6 is an IPv6 address in eight pieces.
type ipv6 [8]uint16

// parseIPv6 is the IPv6 parser. wrong is the error and at its offset in s; "" if
// there is none. It calls leadingZero for each piece with a leading zero, which is
// no failure.
func parseIPv6(s string, leadingZero func(at int)) (address ipv6, at int, wrong Name) {
	piece, compress, i := 0, -1, 0
	if s != "" && s[0] == ':' {
		if len(s) < 2 || s[1] != ':' {
			return address, 0, IPv6InvalidCompression
		}
		i = 2
		piece = 1
		compress = 1
	}
	for i < len(s) {
		if piece == 8 {
			return address, i, IPv6TooManyPieces
		}
		if s[i] == ':' {
			if compress >= 0 {
				return address, i, IPv6MultipleCompression
			}
			i++
			piece++
			compress = piece
			continue
		}
		start, value, length := i, 0, 0
		for length < 4 && i < len(s) && ascii.IsHex(s[i]) {
			value = value<<4 | int(ascii.HexValue(s[i]))
			i++
			length++
		}
		if i < len(s) && s[i] == '.' {
			if length == 0 {
				return address, i, IPv4InIPv6InvalidCodePoint
			}
			if piece > 6 {
				return address, i, IPv4InIPv6TooManyPieces
			}
			if at, wrong = address.embed(s, i-length, piece); wrong != "" {
				return address, at, wrong
			}
			piece += 2
			i = len(s)
			break
		}
		if i < len(s) && s[i] == ':' {
			i++
			if i == len(s) {
				return address, i, IPv6InvalidCodePoint
			}
		} else if i < len(s) {
			return address, i, IPv6InvalidCodePoint
		}
		if s[start] == '0' && length > 1 {
			leadingZero(start)
		}
		address[piece] = uint16(value)
		piece++
	}
	switch {
	case compress >= 0:
		address.spread(compress, piece)
	case piece != 8:
		return address, i, IPv6TooFewPieces
	}
	return address, 0, ""
}

// embed reads the dotted quad s[i:] into two pieces.
func (a *ipv6) embed(s string, i, piece int) (at int, wrong Name) {
	seen := 0
	for i < len(s) {
		if seen > 0 {
			if s[i] != '.' || seen == 4 {
				return i, IPv4InIPv6InvalidCodePoint
			}
			i++
		}
		if i == len(s) || !isDigit(s[i]) {
			return i, IPv4InIPv6InvalidCodePoint
		}
		value := -1
		for i < len(s) && isDigit(s[i]) {
			digit := int(s[i] - '0')
			switch {
			case value < 0:
				value = digit
			case value == 0:
				return i, IPv4InIPv6InvalidCodePoint
			default:
				value = value*10 + digit
			}
			if value > 255 {
				return i, IPv4InIPv6OutOfRangePart
			}
			i++
		}
		a[piece+seen/2] = a[piece+seen/2]<<8 | uint16(value)
		seen++
	}
	if seen != 4 {
		return i, IPv4InIPv6TooFewParts
	}
	return 0, ""
}

// spread moves the pieces after the compression to the end.
func (a *ipv6) spread(compress, piece int) {
	tail := piece - compress
	var moved ipv6
	copy(moved[:compress], a[:compress])
	copy(moved[8-tail:], a[compress:piece])
	*a = moved
}

// text is the IPv6 serializer, with brackets. It returns like, and does not
// allocate, if that is the result.
func (a *ipv6) text(like string) string {
	start, length := a.longestZeros()
	var room [len("[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]")]byte
	b := room[:0]
	b = append(b, '[')
	for i := 0; i < 8; i++ {
		if i == start && length > 1 {
			b = append(b, ':')
			if i == 0 {
				b = append(b, ':')
			}
			i += length - 1
			continue
		}
		b = strconv.AppendUint(b, uint64(a[i]), 16)
		if i < 7 {
			b = append(b, ':')
		}
	}
	if b = append(b, ']'); string(b) == like {
		return like
	}
	return string(b)
}

// longestZeros returns the first longest run of pieces that are 0.
func (a *ipv6) longestZeros() (start, length int) {
	for i := 0; i < 8; i++ {
		n := 0
		for i+n < 8 && a[i+n] == 0 {
			n++
		}
		if n > length {
			start, length = i, n
		}
		i += n
	}
	return start, length
}
