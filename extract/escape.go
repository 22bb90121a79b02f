package extract

import (
	"strings"

	"locus/internal/ascii"
)

// allowed is the set of bytes that may appear somewhere in a URL (RFC 3986 §2).
var allowed = ascii.Bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?%#[]")

// escape returns text, a URL, with every byte percent-encoded that is not allowed at its position:
//
//   - bytes beyond ASCII (RFC 3987 §3.1), and bytes such as "{"
//   - "%" without two hex digits
//   - "[" and "]" that are not around an address
//   - "#" in the fragment
//   - ":" in a DID that takes the place of the authority
func escape(text string) string {
	from, past := ipLiteral(text)
	did, didEnd := didIn(text)
	hashes := 0
	isClean := func(i int) bool {
		switch c := text[i]; {
		case c == '%':
			return len(text)-i >= 3 && isHex(text[i+1]) && isHex(text[i+2])
		case c == '#':
			hashes++
			return hashes == 1
		case c == '[' || c == ']':
			return i == from || i == past-1
		case c == ':':
			return i < did || i >= didEnd
		default:
			return allowed.Has(c)
		}
	}
	i := 0
	for i < len(text) && isClean(i) {
		i++
	}
	if i == len(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	b.WriteString(text[:i])
	for hashes = strings.Count(text[:i], "#"); i < len(text); i++ {
		if isClean(i) {
			b.WriteByte(text[i])
			continue
		}
		const hex = "0123456789ABCDEF"
		b.Write([]byte{'%', hex[text[i]>>4], hex[text[i]&15]})
	}
	return b.String()
}

// didIn returns where the authority of the URL text starts and ends if the authority is a DID, as in at://did:plc:x/y.
// Otherwise it returns -1 and -1.
func didIn(text string) (from, past int) {
	from, past = authorityIn(text)
	if from < 0 {
		return -1, -1
	}
	rest, ok := strings.CutPrefix(text[from:past], "did:")
	if !ok || !isDIDPath(withEscapes(rest)) || strings.IndexByte(rest, '@') >= 0 { // an "@" would make "did" a user name
		return -1, -1
	}
	return from, past
}

// withEscapes returns text, a part of an authority, with "%" in place of each byte that escape encodes.
func withEscapes(text string) string {
	b := []byte(text)
	for i, c := range b {
		if !allowed.Has(c) || c == '[' || c == ']' {
			b[i] = '%'
		}
	}
	return string(b)
}

// ipLiteral returns where the host of the URL text starts and ends, with its brackets, if the host is in brackets.
// Otherwise it returns -1 and -1.
func ipLiteral(text string) (from, past int) {
	from, end := authorityIn(text)
	if from < 0 {
		return -1, -1
	}
	if at := strings.IndexByte(text[from:end], '@'); at >= 0 {
		from += at + 1
	}
	if from == end || text[from] != '[' {
		return -1, -1
	}
	if i := strings.IndexByte(text[from:end], ']'); i >= 0 {
		return from, from + i + 1
	}
	return -1, -1
}

// authorityIn returns where the authority of a URL starts and ends, or -1 and -1 if the URL has no authority.
func authorityIn(text string) (from, past int) {
	i := strings.Index(text, "//")
	if i < 0 || i > 0 && (text[i-1] != ':' || strings.IndexAny(text, ":/?#") != i-1) {
		return -1, -1
	}
	from = i + 2
	return from, from + strings.IndexAny(text[from:]+"/", "/?#")
}

// bracketed returns text in brackets if text is an IPv6 address without brackets, port and path. It returns any other
// host, perhaps with a port and a path, unchanged.
func bracketed(text string) string {
	if strings.Count(text, ":") < 2 || strings.ContainsAny(text, "/?#[") {
		return text
	}
	return "[" + text + "]"
}
