package whatwg

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/netip"
	"strings"

	"locus/internal/ascii"
)

// endsInNumber reports whether the last label of a domain is a number, so that the domain must be
// an IPv4 address. It is the ends-in-a-number checker.
func endsInNumber(domain string) bool {
	last := strings.TrimSuffix(domain, ".")
	if last == "" {
		return false
	}
	last = last[strings.LastIndexByte(last, '.')+1:]
	if last == "" {
		return false
	}
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, _, ok := parseIPv4Number(last)
	return ok
}

// parseIPv4 is the IPv4 parser, followed by the IPv4 serializer. It returns the address s as four decimal numbers with
// dots, and reports its errors at m.text[i]. If m.probe is set, the returned text is unspecified.
func (m *machine) parseIPv4(s string, i int) (string, error) {
	if strings.HasSuffix(s, ".") {
		m.report(IPv4EmptyPart, i)
		s = s[:len(s)-1]
	}
	parts := strings.Count(s, ".") + 1
	switch {
	case parts < 4:
		m.report(IPv4TooFewParts, i)
	case parts > 4:
		return "", m.fail(IPv4TooManyParts, i)
	}
	var address uint64
	for n := range parts {
		part, rest, _ := strings.Cut(s, ".")
		s = rest
		number, decimal, ok := parseIPv4Number(part)
		if !ok {
			return "", m.fail(IPv4NonNumericPart, i)
		}
		if !decimal {
			m.report(IPv4NonDecimalPart, i)
		}
		if number > 255 {
			m.report(IPv4OutOfRangePart, i)
		}
		most := uint64(255)
		if n == parts-1 {
			most = 1<<(8*(5-parts)) - 1
			address += number
		} else {
			address += number << (8 * (3 - n))
		}
		if number > most {
			return "", m.fail(IPv4OutOfRangePart, i)
		}
	}
	if m.probe {
		return s, nil
	}
	return netip.AddrFrom4([4]byte{byte(address >> 24), byte(address >> 16), byte(address >> 8), byte(address)}).String(), nil
}

// parseIPv4Number is the IPv4 number parser. decimal is false if the number is octal or hexadecimal, which is a
// validation error. ok is false if s is not a number. A number of more than 32 bits becomes 1<<32.
func parseIPv4Number(s string) (number uint64, decimal, ok bool) {
	if s == "" {
		return 0, true, false
	}
	base := 10
	switch {
	case len(s) >= 2 && (s[:2] == "0x" || s[:2] == "0X"):
		s, base = s[2:], 16
	case len(s) >= 2 && s[0] == '0':
		s, base = s[1:], 8
	}
	if s == "" {
		return 0, false, true
	}
	for i := range len(s) {
		if !ascii.IsHex(s[i]) || int(ascii.HexValue(s[i])) >= base {
			return 0, false, false
		}
		number = min(number*uint64(base)+uint64(ascii.HexValue(s[i])), math.MaxUint32+1)
	}
	return number, base == 10, true
}

// An ipv6 is an IPv6 address in eight pieces.
type ipv6 [8]uint16

// parseIPv6 is the IPv6 parser. If it fails, wrong is the error and at is the offset of the error in s; otherwise
// wrong is "". It calls leadingZero for each piece with a leading zero, which is a validation error but not a failure.
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

// embed parses the dotted quad s[i:] into the pieces piece and piece+1 of a. wrong is "" if it succeeds. Otherwise
// wrong is the error and at is its offset in s.
func (a *ipv6) embed(s string, i, piece int) (at int, wrong Name) {
	seen := 0
	for i < len(s) {
		if seen > 0 {
			if s[i] != '.' || seen == 4 {
				return i, IPv4InIPv6InvalidCodePoint
			}
			i++
		}
		if i == len(s) || !ascii.IsDigit(s[i]) {
			return i, IPv4InIPv6InvalidCodePoint
		}
		value := -1
		for i < len(s) && ascii.IsDigit(s[i]) {
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

// spread inserts the zero pieces for which "::" stands, so that the pieces after it move to the end of the address.
// compress is the number of pieces before the "::", and piece is the number of pieces on both sides of it.
func (a *ipv6) spread(compress, piece int) {
	tail := piece - compress
	var moved ipv6
	copy(moved[:compress], a[:compress])
	copy(moved[8-tail:], a[compress:piece])
	*a = moved
}

// text is the IPv6 serializer. It returns the address in brackets. If like is the same text, it returns like and does
// not allocate.
func (a *ipv6) text(like string) string {
	var bytes [16]byte
	for i, piece := range a {
		binary.BigEndian.PutUint16(bytes[2*i:], piece)
	}
	addr := netip.AddrFrom16(bytes)
	var room [len("[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]")]byte
	b := append(room[:0], '[')
	if addr.Is4In6() { // because netip writes these with dots
		b = fmt.Appendf(b, "::ffff:%x:%x", a[6], a[7])
	} else {
		b = addr.AppendTo(b)
	}
	if b = append(b, ']'); string(b) == like {
		return like
	}
	return string(b)
}
