package extract

import (
	"bytes"
	"strings"
)

// The functions in this file report whether what follows the colon of a scheme
// can start a URL of it. The schemes are short words that texts have for other
// reasons, too.

// startsTag wants a domain name or a mail address, a comma, a date, a colon and
// something after it (RFC 4151 §2.1).
func startsTag(rest []byte) bool {
	authority, rest, ok := bytes.Cut(rest, []byte{','})
	date, rest, colon := bytes.Cut(rest, []byte{':'})
	if !ok || !colon || len(rest) == 0 || len(authority) == 0 || len(date) < len("2001") {
		return false
	}
	for i, c := range authority {
		if !localOctets[c] && (c != '@' || i == 0) {
			return false
		}
	}
	for i, c := range date { // 2001, 2001-02 or 2001-02-03
		if dash := i == 4 || i == 7; i > 9 || dash && c != '-' || !dash && !isDigit(c) {
			return false
		}
	}
	return len(date)%3 == 1
}

// startsDID wants the name of a method, a colon and an identifier (DID §3.1).
func startsDID(rest []byte) bool { return isDIDPath(string(rest)) }

// isDIDPath reports whether a text starts with what follows "did:".
func isDIDPath(text string) bool {
	method, id, ok := strings.Cut(text, ":")
	return ok && method != "" && id != "" && strings.Trim(method, "abcdefghijklmnopqrstuvwxyz0123456789") == "" &&
		(hostOctets[id[0]] && id[0] < 0x80 || id[0] == '_' || id[0] == '.' || id[0] == '%')
}

// startsAcct wants a user, "@" and a host (RFC 7565 §7).
func startsAcct(rest []byte) bool {
	user, host, ok := bytes.Cut(rest, []byte{'@'})
	if !ok || len(user) == 0 || len(host) == 0 || !hostOctets[host[0]] || host[0] == '-' {
		return false
	}
	for _, c := range user {
		if !localOctets[c] && strings.IndexByte("!$&'()*,;=", c) < 0 {
			return false
		}
	}
	return true
}

// startsDNS wants a domain name with a dot in it (RFC 4501 §3).
func startsDNS(rest []byte) bool {
	if end := bytes.IndexAny(rest, "?;#"); end >= 0 {
		rest = rest[:end]
	}
	rest = bytes.TrimRight(rest, ".,:!'")
	for _, c := range rest {
		if !inName(c) && c != '*' {
			return false
		}
	}
	return bytes.IndexByte(rest, '.') > 0 && !bytes.Contains(rest, []byte(".."))
}

// startsPackage wants a type of packages, "/" and a name (ECMA-427 §5).
func startsPackage(rest []byte) bool {
	kind, name, ok := bytes.Cut(rest, []byte{'/'})
	if !ok || len(kind) == 0 || !isLetter(kind[0]) || len(name) == 0 || !hostOctets[name[0]] && name[0] != '%' && name[0] != '_' {
		return false
	}
	for _, c := range kind {
		if !schemeOctets[c] {
			return false
		}
	}
	return true
}

// startsSWH wants version 1, a type of objects and 40 hex digits (ISO/IEC 18670).
func startsSWH(rest []byte) bool {
	const kind, digits = len("1:"), len("1:cnt:")
	if len(rest) < digits+40 || string(rest[:kind]) != "1:" || rest[digits-1] != ':' {
		return false
	}
	switch string(rest[kind : digits-1]) {
	case "snp", "rel", "rev", "dir", "cnt":
	default:
		return false
	}
	for _, c := range rest[digits : digits+40] {
		if !isHex(c) {
			return false
		}
	}
	return len(rest) == digits+40 || !hostOctets[rest[digits+40]]
}
