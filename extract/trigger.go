package extract

import (
	"bytes"
	"math/bits"
)

// triggers are the bytes by which URLs are recognised. The last three are used
// only if Options ask for what they are part of.
var triggers = [4]byte{':', '.', '@', '/'}

// trigger returns the place of the next trigger, -1 if the window has none.
func (f *finder) trigger(text []byte, c *cursor) int {
	if !f.bare && !f.mail && !f.paths {
		return f.colon(text, c.pos)
	}
	first := -1
	for k, trigger := range triggers {
		if c.next[k] < c.pos {
			c.next[k] = f.index(text, c.pos, trigger)
		}
		if c.next[k] < len(text) && (first < 0 || c.next[k] < first) {
			first = c.next[k]
		}
	}
	return first
}

// index returns the next place of one trigger; len(w) if there is none.
func (f *finder) index(text []byte, at int, trigger byte) int {
	i := -1
	switch {
	case trigger == ':':
		i = f.colon(text, at)
	case trigger == '.' && !f.bare, trigger == '@' && !f.mail, trigger == '/' && !f.paths:
	case trigger == '.':
		i = dot(text, at)
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

// colon returns the next colon that may end a scheme or a prefix, or may stand
// in an IPv6 address; -1 if there is none.
func (f *finder) colon(text []byte, at int) int {
	for wide && len(text)-at > wideSize {
		n, mask := findColons(&text[at], len(text)-at-1) // each of these has a byte after it
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

// dot returns the next dot between two bytes of a host, -1 if there is none.
func dot(text []byte, at int) int {
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

// The bits of beforeColon and afterColon: each stands for what the colon may be
// part of.
const (
	withAuthority    = 1 << iota // a scheme before "//"
	withoutAuthority             // a scheme before something else
	withSpace                    // the prefix in <URL: http://h/>
	withAddress                  // an IPv6 address
)

// fillTables sets beforeColon and afterColon: which kinds of URLs may have a byte before
// or after their colon.
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
