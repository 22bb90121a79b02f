package extract

import (
	"strings"

	"locus/url"
)

// kept are the octets that a URL may hold somewhere (RFC 3986 §2).
var kept = url.Octets("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?%#[]")

// escape writes what no URL may hold where it stands in escapes: octets beyond
// ASCII (RFC 3987 §3.1), octets such as "{", "%" without two hex digits, "["
// and "]" but around an address, "#" in the fragment, and ":" in a DID that
// stands where a URL has its host.
func escape(text string) string {
	from, past := literal(text)
	did, didEnd := didIn(text)
	hashes := 0
	clean := func(i int) bool {
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
			return kept.Has(c)
		}
	}
	i := 0
	for i < len(text) && clean(i) {
		i++
	}
	if i == len(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	b.WriteString(text[:i])
	for hashes = strings.Count(text[:i], "#"); i < len(text); i++ {
		if clean(i) {
			b.WriteByte(text[i])
			continue
		}
		const hex = "0123456789ABCDEF"
		b.Write([]byte{'%', hex[text[i]>>4], hex[text[i]&15]})
	}
	return b.String()
}

// didIn returns where the DID stands that is the authority of a URL, as in AT
// URIs: at://did:plc:x/y; -1 and -1 if there is none.
func didIn(text string) (from, past int) {
	_, after, ok := strings.Cut(text, "://")
	if rest, is := strings.CutPrefix(after, "did:"); !ok || !is || !isDIDPath(rest) {
		return -1, -1
	}
	from = len(text) - len(after)
	past = from + strings.IndexAny(after+"/", "/?#")
	if strings.IndexByte(text[from:past], '@') >= 0 { // a user and a password
		return -1, -1
	}
	return from, past
}

// literal returns where the IP address in brackets stands in the authority of a
// URL; -1 and -1 if there is none.
func literal(text string) (from, past int) {
	i := strings.Index(text, "//")
	if i < 0 || i > 0 && strings.IndexByte(text, ':') != i-1 {
		return -1, -1
	}
	from = i + 2
	end := from + strings.IndexAny(text[from:]+"/", "/?#")
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

// bracketed returns a host, perhaps with port and path, with brackets around an
// IPv6 address.
func bracketed(text string) string {
	if strings.Count(text, ":") < 2 || strings.ContainsAny(text, "/?#[") {
		return text
	}
	return "[" + text + "]"
}
