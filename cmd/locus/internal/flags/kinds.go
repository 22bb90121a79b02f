package flags

import (
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// A Kind is the type of the values of a flag. The zero Kind is a boolean.
type Kind struct {
	List  bool                                 // the flag can be repeated; Parse returns an item, or several
	Parse func(flag, text string) (any, error) // returns the value for the field; nil: true or false
}

// Text returns the kind of a flag whose value is any text, even an empty one.
func Text() Kind { return Kind{Parse: parseText} }

// Word returns the kind of a flag whose value is a text that is not empty.
func Word() Kind { return Kind{Parse: parseWord} }

// Texts returns the kind of a flag that can be repeated, each time with any text.
func Texts() Kind { return Kind{List: true, Parse: parseText} }

// Duration returns the kind of a flag whose value is a time.Duration greater than 0.
func Duration() Kind { return Kind{Parse: parseDuration} }

// DurationFrom0 returns the kind of a flag whose value is a time.Duration of at least 0.
func DurationFrom0() Kind {
	return Kind{Parse: func(flag, text string) (any, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return d, Misuse("--%s must be a duration of at least 0, such as 10s, not %q", flag, text)
		}
		return d, nil
	}}
}

// Rate returns the kind of a flag whose value is a number of requests a second, a float64 greater than 0.
func Rate() Kind { return Kind{Parse: parseRate} }

// StatusCodes returns the kind of a flag whose value is a list of ints from 100 to 999 with commas
// between them. The flag can be repeated.
func StatusCodes() Kind { return Kind{List: true, Parse: parseCodes} }

// Networks returns the kind of a flag whose value is a netip.Prefix: an address or a network such as 10.0.0.0/8. The
// flag can be repeated. A network of every address is refused.
func Networks() Kind {
	return Kind{List: true, Parse: func(flag, text string) (any, error) {
		network, err := netip.ParsePrefix(text)
		if addr, err2 := netip.ParseAddr(text); err2 == nil {
			network, err = netip.PrefixFrom(addr.WithZone(""), addr.BitLen()), nil
		}
		if err != nil || network.Bits() == 0 || network.Addr().Is4In6() {
			return network, Misuse("--%s must be an address or a network, such as 10.0.0.7 or 10.1.0.0/16, not %q", flag, text)
		}
		return network.Masked(), nil
	}}
}

// Port returns the kind of a flag whose value is a uint16 from least to 65535.
func Port(least int64) Kind {
	return Kind{Parse: func(flag, text string) (any, error) {
		n, err := parseNumber(flag, text, least, math.MaxUint16)
		return uint16(n), err //nolint:gosec // it is at most 65535
	}}
}

// parseWord returns text unchanged, or a UsageError if it is empty. An empty --auth, from a
// variable that is not set, would let everybody in.
func parseWord(flag, text string) (any, error) {
	if text == "" {
		return text, Misuse("--%s must not be empty", flag)
	}
	return text, nil
}

// parseText returns text unchanged.
func parseText(_, text string) (any, error) { return text, nil }

// Count returns the kind of a flag whose value is an int from least to most.
func Count(least, most int64) Kind {
	return Kind{Parse: func(flag, text string) (any, error) {
		n, err := parseNumber(flag, text, least, most)
		return int(n), err
	}}
}

// Number returns the kind of a flag whose value is an int64 from least to most.
func Number(least, most int64) Kind {
	return Kind{Parse: func(flag, text string) (any, error) { return parseNumber(flag, text, least, most) }}
}

// parseNumber parses a decimal number from least to most. Other text is a UsageError that names flag.
func parseNumber(flag, text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, Misuse("--%s must be a number from %d to %d, not %q", flag, least, most, text)
	}
	return n, nil
}

// Size returns the kind of a flag whose value is an int64, a number of bytes greater than 0, such
// as 500, 64K or 1.5M.
func Size() Kind {
	return Kind{Parse: func(flag, text string) (any, error) { return parseSize(flag, text) }}
}

// SizeOr0 returns the kind of a flag whose value is an int64, a number of bytes such as 500K. For
// the text 0, the value is zero, the argument of SizeOr0.
func SizeOr0(zero int64) Kind {
	return Kind{Parse: func(flag, text string) (any, error) {
		if text == "0" {
			return zero, nil
		}
		return parseSize(flag, text)
	}}
}

// parseSize parses a number of bytes, such as "500K" or "1.5M". K, M and G are powers of 1024, in
// any case. A number of less than one byte is a UsageError.
func parseSize(flag, text string) (int64, error) {
	digits, unit := strings.TrimRight(text, "KMGkmg"), float64(1)
	switch strings.ToUpper(text[len(digits):]) {
	case "":
	case "K":
		unit = 1 << 10
	case "M":
		unit = 1 << 20
	case "G":
		unit = 1 << 30
	default:
		digits = ""
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n*unit >= 1 && n*unit <= 1<<60) {
		return 0, Misuse("--%s must be a number of bytes, such as 500K or 1.5M, not %q", flag, text)
	}
	return int64(n * unit), nil
}

// parseDuration parses a duration greater than 0, such as "30s". Other text is a UsageError.
func parseDuration(flag, text string) (any, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return d, Misuse("--%s must be a duration, such as 30s or 5m, not %q", flag, text)
	case d <= 0:
		return d, Misuse("--%s must be a duration greater than 0, such as 30s", flag)
	}
	return d, nil
}

// parseRate parses a number of requests a second, more than 0.000001 and less than a million. Other text is a
// UsageError.
func parseRate(flag, text string) (any, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 1e-6 && n < 1e6) {
		return n, Misuse("--%s must be a number of requests a second, not %q", flag, text)
	}
	return n, nil
}

// parseCodes parses status codes from 100 to 999 with commas between them, and returns an []int. Other text is a
// UsageError.
func parseCodes(flag, list string) (any, error) {
	var codes []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 100 || n > 999 {
			return codes, Misuse("--%s must be status codes, such as 200,429, not %q", flag, list)
		}
		codes = append(codes, n)
	}
	return codes, nil
}
