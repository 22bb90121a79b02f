package cli

import (
	"math"
	"strconv"
	"strings"
	"time"

	"locus/url"
)

// A kind is what the values of a flag are.
type kind struct {
	list  bool                                 // the flag can be repeated
	parse func(flag, text string) (any, error) // nil: true or false
}

var (
	boolean  = kind{}
	text     = kind{parse: func(_, text string) (any, error) { return text, nil }} // it may be empty
	word     = kind{parse: parseWord}
	words    = kind{list: true, parse: text.parse}
	schemes  = kind{list: true, parse: parseScheme}
	hosts    = kind{list: true, parse: parseHost}
	duration = kind{parse: parseDuration}
	rate     = kind{parse: parseRate}
	codes    = kind{list: true, parse: parseCodes}

	// durationFrom0 is a duration that may be 0.
	durationFrom0 = kind{parse: func(flag, text string) (any, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return d, Misuse("--%s wants a duration from 0, such as 10s, not %q", flag, text)
		}
		return d, nil
	}}

	size    = sizeOr(nil)
	maxSize = sizeOr(int64(0))
	minRate = sizeOr(int64(-1)) // so a locus.Client has no limit

	// retries is the Retries of a retry.Policy. There, -1 is none.
	retries = kind{parse: func(flag, text string) (any, error) {
		n, err := parseNumber(flag, text, 0, math.MaxInt32)
		if n == 0 {
			n = -1
		}
		return int(n), err
	}}

	onePort = kind{parse: func(flag, text string) (any, error) {
		n, err := parseNumber(flag, text, 1, math.MaxUint16)
		return uint16(n), err //nolint:gosec // it is at most 65535
	}}

	port = kind{list: true, parse: func(flag, text string) (any, error) {
		n, err := parseNumber(flag, text, 0, math.MaxUint16)
		return uint16(n), err //nolint:gosec // it is at most 65535
	}}
)

// parseWord returns text, which must not be empty. An empty --auth, of a variable that is
// not set, would let everybody in.
func parseWord(flag, text string) (any, error) {
	if text == "" {
		return text, Misuse("--%s wants a value, not \"\"", flag)
	}
	return text, nil
}

// count returns the kind of a number of things.
func count(least, most int64) kind {
	return kind{parse: func(flag, text string) (any, error) {
		n, err := parseNumber(flag, text, least, most)
		return int(n), err
	}}
}

// number returns the kind of a number that may be large.
func number(least, most int64) kind {
	return kind{parse: func(flag, text string) (any, error) { return parseNumber(flag, text, least, most) }}
}

// parseNumber reads a decimal number from least to most.
func parseNumber(flag, text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, Misuse("--%s wants a number from %d to %d, not %q", flag, least, most, text)
	}
	return n, nil
}

// sizeOr returns the kind of a number of bytes greater than 0, such as 500, 64K or 1.5M.
// zero is the value of 0; nil: that is wrong, too.
func sizeOr(zero any) kind {
	return kind{parse: func(flag, text string) (any, error) {
		if text == "0" && zero != nil {
			return zero, nil
		}
		return parseSize(flag, text)
	}}
}

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
		return 0, Misuse("--%s wants a number of bytes, such as 500K or 1.5M, not %q", flag, text)
	}
	return int64(n * unit), nil
}

func parseDuration(flag, text string) (any, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return d, Misuse("--%s wants a duration such as 30s or 5m, not %q", flag, text)
	case d <= 0:
		return d, Misuse("--%s wants a duration greater than 0, such as 30s", flag)
	}
	return d, nil
}

func parseRate(flag, text string) (any, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 1e-6 && n < 1e6) {
		return n, Misuse("--%s wants a number of requests a second, not %q", flag, text)
	}
	return n, nil
}

// parseCodes reads status codes with commas between them.
func parseCodes(flag, list string) (any, error) {
	var codes []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 100 || n > 999 {
			return codes, Misuse("--%s wants status codes such as 200,429, not %q", flag, list)
		}
		codes = append(codes, n)
	}
	return codes, nil
}

// parseScheme reads the name of a scheme, such as "FTP", "ftp:" or "ftp://".
func parseScheme(flag, text string) (any, error) {
	name := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(text, "//"), ":"))
	if !isScheme(name) {
		return name, Misuse("--%s wants the name of a scheme, such as ftp, not %q", flag, text)
	}
	return name, nil
}

// isScheme reports whether name is a valid scheme (RFC 3986 §3.1).
func isScheme(name string) bool {
	u, err := url.Parse(name + ":")
	return err == nil && u.Scheme() == name && name != ""
}

func parseHost(flag, text string) (any, error) {
	if text == "" || strings.ContainsAny(text, "/@, ") || strings.Count(text, ":") == 1 {
		return text, Misuse("--%s wants a host, such as example.org, not %q", flag, text)
	}
	return text, nil
}
