package extract

import (
	"bytes"
	"math/bits"
)

// triggers are the bytes by which URLs are recognised. Each of the last three is used only if an option asks for the
// URLs that contain it.
var triggers = [4]byte{':', '.', '@', '/'}

// trigger returns the offset of the first trigger at or after c.pos, or -1 if no trigger is left in the text. It
// remembers in c.next what it has found.
func (f *finder) trigger(text []byte, c *cursor) int {
	if !f.bare && !f.mail && !f.paths {
		return f.nextColon(text, c.pos)
	}
	first := -1
	for k, trigger := range triggers {
		if c.next[k] < c.pos {
			c.next[k] = f.nextByte(text, c.pos, trigger)
		}
		if c.next[k] < len(text) && (first < 0 || c.next[k] < first) {
			first = c.next[k]
		}
	}
	return first
}

// nextByte returns the offset of the first byte trigger in text[at:]. It returns len(text) if there is no such byte, or
// if no option of f asks for the trigger.
func (f *finder) nextByte(text []byte, at int, trigger byte) int {
	i := -1
	switch {
	case trigger == ':':
		i = f.nextColon(text, at)
	case trigger == '.' && !f.bare, trigger == '@' && !f.mail, trigger == '/' && !f.paths:
	case trigger == '.':
		i = nextDot(text, at)
	default:
		if i = bytes.IndexByte(text[at:], trigger); i >= 0 {
			i += at
		}
	}
	if i < 0 {
		return len(text)
	}
	return i
}

// nextColon returns the offset of the first colon in text[at:] that may end a scheme or a prefix, or may be in an IPv6
// address. It returns -1 if there is no such colon.
func (f *finder) nextColon(text []byte, at int) int {
	for wide && len(text)-at > wideSize {
		n, mask := findColons(&text[at], len(text)-at-1) // each of these colons has a byte after it
		if at += n; mask == 0 {
			break
		}
		for ; mask != 0; mask &= mask - 1 {
			i := at + bits.TrailingZeros64(mask)
			if i == 0 || f.beforeColon[text[i-1]]&f.afterColon[text[i+1]] != 0 {
				return i
			}
		}
		at += wideSize
	}
	for at < len(text) {
		i := bytes.IndexByte(text[at:], ':')
		if i < 0 {
			return -1
		}
		i += at
		at = i + 1
		if i == 0 || at == len(text) || f.beforeColon[text[i-1]]&f.afterColon[text[at]] != 0 {
			return i
		}
	}
	return -1
}

// nextDot returns the offset of the first dot in text[at:] that stands between two bytes of a host, or at the end of
// the text. It returns -1 if there is no such dot.
func nextDot(text []byte, at int) int {
	for {
		i := bytes.IndexByte(text[at:], '.')
		if i < 0 {
			return -1
		}
		i += at
		if i+1 == len(text) || i > 0 && hostBytes[text[i-1]] && hostBytes[text[i+1]] {
			return i
		}
		at = i + 1
	}
}

// The bits of beforeColon and afterColon say which construct the colon may be part of.
const (
	withAuthority    = 1 << iota // a scheme before "//"
	withoutAuthority             // a scheme before something else
	withSpace                    // the prefix in <URL: http://h/>
	withAddress                  // an IPv6 address
)

// fillTables fills beforeColon and afterColon. For each byte, the tables list the constructs in which a colon may
// follow the byte (beforeColon) or precede it (afterColon).
func (f *finder) fillTables() {
	for name, r := range f.rules {
		last := name[len(name)-1]
		for _, c := range []byte{last, last &^ 0x20} {
			f.beforeColon[c] |= withAuthority
			if r.opaque {
				f.beforeColon[c] |= withoutAuthority
			}
		}
	}
	for c := range schemeBytes {
		if schemeBytes[c] && (f.unknown || isLetter(byte(c))) { // web+name may end in any letter
			f.beforeColon[c] |= withAuthority
		}
	}
	f.beforeColon['l'] |= withSpace | withoutAuthority
	f.beforeColon['L'] |= withSpace | withoutAuthority
	f.afterColon['/'] = withAuthority | withoutAuthority
	for c := range 256 {
		switch {
		case isSpace(byte(c)):
			f.afterColon[c] = withSpace
		case c > ' ' && c < 0x7f && c != '/' && c != '=' && c != ':' || c >= 0x80:
			f.afterColon[c] |= withoutAuthority
		}
		if f.bare {
			f.beforeColon[c] |= withAddress
			if isHex(byte(c)) || c == ':' {
				f.afterColon[c] |= withAddress
			}
		}
	}
}
