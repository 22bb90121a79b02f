package whatwg

import (
	"math"
	"strconv"
	"strings"

	"locus/internal/ascii"
)

// endsInNumber is the ends-in-a-number checker.
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

// parseIPv4 is the IPv4 parser, and the serializer.
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
	var room [len("255.255.255.255")]byte
	b := room[:0]
	for shift := 24; shift >= 0; shift -= 8 {
		b = strconv.AppendUint(b, address>>shift&255, 10)
		if shift > 0 {
			b = append(b, '.')
		}
	}
	return string(b), nil
}

// parseIPv4Number is the IPv4 number parser. A number that is too large for any
// address is returned as some such number.
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
