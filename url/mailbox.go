package url

import "locus/internal/ascii"

// An addresses reads a list of mail addresses byte by byte, to find their domains (RFC 822 §6.1):
//
//	addr-spec = ( atom | quoted-string ) *( "." … ) "@" ( atom | domain-literal ) *( "." … )
//
// The zero value is at the start of the list.
type addresses struct {
	quoted  bool // in a quoted string
	literal bool // in a domain literal
	escaped bool // after a backslash in one of these
	domain  bool // after the "@" of an address
}

// next takes c, the next byte of the list in its decoded form. It reports whether upper and lower case of c mean the
// same, because c is in a domain and outside a domain literal.
func (a *addresses) next(c byte) bool {
	switch {
	case a.escaped:
		a.escaped = false
	case a.quoted || a.literal:
		a.escaped = c == '\\'
		a.quoted = a.quoted && c != '"'
		a.literal = a.literal && c != ']'
	case a.domain && c == '[':
		a.literal = true
	case c == ',':
		a.domain = false
	case a.domain:
		return true
	case c == '"':
		a.quoted = true
	case c == '@':
		a.domain = true
	}
	return false
}

// lowerDomains puts the domains in a list of mail addresses in lower case, except for their escapes.
func lowerDomains(s []byte) {
	var a addresses
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '%' && i+2 < len(s):
			a.next(ascii.HexValue(s[i+1])<<4 | ascii.HexValue(s[i+2]))
			i += 2
		case a.next(s[i]):
			s[i] = ascii.Lower(s[i])
		}
	}
}
