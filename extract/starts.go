package extract

import (
	"bytes"
	"strings"
)

// The functions in this file are values of schemeRule.startsBody for schemes whose names are short words. They are
// strict, because such words stand before a colon in other texts too.

// startsTag reports whether body starts with a domain name or a mail address, a comma, a date, a colon and at least one
// byte after the colon (RFC 4151 §2.1).
func startsTag(body []byte) bool {
	authority, after, ok := bytes.Cut(body, []byte{','})
	date, specific, colon := bytes.Cut(after, []byte{':'})
	if !ok || !colon || len(specific) == 0 || len(authority) == 0 || len(date) < len("2001") {
		return false
	}
	for i, c := range authority {
		if !localBytes[c] && (c != '@' || i == 0) {
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

// startsDID reports whether body starts with the name of a method, a colon and an identifier (DID §3.1).
func startsDID(body []byte) bool { return isDIDPath(string(body)) }

// isDIDPath reports whether text is a valid continuation of "did:": a method, a colon and the start of an identifier.
func isDIDPath(text string) bool {
	method, id, ok := strings.Cut(text, ":")
	return ok && method != "" && id != "" && strings.Trim(method, "abcdefghijklmnopqrstuvwxyz0123456789") == "" &&
		(hostBytes[id[0]] && id[0] < 0x80 || id[0] == '_' || id[0] == '.' || id[0] == '%')
}

// startsAcct reports whether body starts with a user, "@" and a host (RFC 7565 §7).
func startsAcct(body []byte) bool {
	user, host, ok := bytes.Cut(body, []byte{'@'})
	if !ok || len(user) == 0 || len(host) == 0 || !hostBytes[host[0]] || host[0] == '-' {
		return false
	}
	for _, c := range user {
		if !localBytes[c] && strings.IndexByte("!$&'()*,;=", c) < 0 {
			return false
		}
	}
	return true
}

// startsDNS reports whether body starts with a domain name that has a dot in it (RFC 4501 §3). After the name and the
// punctuation of a sentence there must be a query, a fragment, or a byte that ends the URL.
func startsDNS(body []byte) bool {
	n := 0
	for n < len(body) && (isNameByte(body[n]) || body[n] == '*') {
		n++
	}
	name, rest := bytes.TrimRight(body[:n], "."), bytes.TrimLeft(body[n:], ".,:!'")
	if bytes.IndexByte(name, '.') <= 0 || bytes.Contains(name, []byte("..")) {
		return false
	}
	return len(rest) == 0 || strings.IndexByte("?;#", rest[0]) >= 0 || classes[rest[0]] == ends || classes[rest[0]] == closing
}

// startsPackage reports whether body starts with a package type, "/" and a name (ECMA-427 §5).
func startsPackage(body []byte) bool {
	kind, name, ok := bytes.Cut(body, []byte{'/'})
	if !ok || len(kind) == 0 || !isLetter(kind[0]) || len(name) == 0 || !hostBytes[name[0]] && name[0] != '%' && name[0] != '_' {
		return false
	}
	for _, c := range kind {
		if !schemeBytes[c] {
			return false
		}
	}
	return true
}

// startsSWH reports whether body starts with version 1, an object type and 40 hex digits (ISO/IEC 18670).
func startsSWH(body []byte) bool {
	const kind, digits = len("1:"), len("1:cnt:")
	if len(body) < digits+40 || string(body[:kind]) != "1:" || body[digits-1] != ':' {
		return false
	}
	switch string(body[kind : digits-1]) {
	case "snp", "rel", "rev", "dir", "cnt":
	default:
		return false
	}
	for _, c := range body[digits : digits+40] {
		if !isHex(c) {
			return false
		}
	}
	return len(body) == digits+40 || !hostBytes[body[digits+40]]
}
