package extract

import (
	"bytes"
)

// verdict reports whether a candidate, whose end is now known, is a URL.
func (f *finder) verdict(text []byte, k *candidate) bool {
	switch k.form {
	case wrapper:
		u, err := parse(string(f.joined))
		return err == nil && u.IsAbs()
	case localhost, bracketedIPv6:
		return k.end > k.hostEnd // a port or a path must follow the host
	case bareIPv6, hostName, mailAddress:
		return true // candidate has already checked all of it
	}
	switch {
	case k.isValid:
		return true
	case k.end <= k.body:
		return false
	case k.hasAuthority:
		return k.rule.isValidAuthority(text[k.body:min(k.authorityEnd, k.end)])
	case k.form == withScheme:
		return k.rule.canStart(text[k.body:min(k.edge, k.body+maxStart)])
	}
	return true
}

// isValidAuthority reports whether authority is valid for the scheme: it parses, and has a host if the scheme's URLs
// need one.
func (r schemeRule) isValidAuthority(authority []byte) bool {
	host := authority[bytes.IndexByte(authority, '@')+1:]
	if i := bytes.LastIndexByte(host, ':'); i >= 0 && bytes.IndexByte(host[i:], ']') < 0 {
		host = host[:i]
	}
	switch {
	case len(host) == 0:
		if r.host {
			return false
		}
	case host[0] != '[' && bytes.ContainsAny(host, "[]{}"): // a placeholder for a host
		return false
	case bytes.IndexFunc(host, func(c rune) bool { return c >= 0x80 || isLetter(byte(c)) || isDigit(byte(c)) }) < 0:
		return false
	}
	_, err := parse("x://" + string(authority))
	return err == nil
}
