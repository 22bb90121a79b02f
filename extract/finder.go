package extract

import (
	"bytes"
	"math"
	"math/bits"
)

// lookBehind is more than any rule looks at before the octet that made it look.
const lookBehind = 512

// A finder finds matches in a part of a text, from left to right. What it finds
// from a place on depends on the text alone, not on how it is cut into windows.
type finder struct {
	max   int // the longest match
	names map[string]rule
	bare  bool
	mail  bool
	paths bool
	// unknown says that a scheme may have any name.
	unknown bool

	// What stands before and after a colon must have a bit in common for the
	// colon to be worth a look.
	before, after [256]uint8

	healed  []byte // of the last wrapper
	hyphens []int
}

// A found is a match in a window.
type found struct {
	start, end int // in the window, wrapper and prefix included
	from       int // where the URL starts; if it was healed it is elsewhere
	kind       Kind
}

// A status is the outcome of a look.
type status uint8

const (
	miss    status = iota // nothing is here
	hit                   // a match
	more                  // more text is needed to tell
	tooLong               // a match longer than may be
)

// A cursor is how far a finder has come in a window.
type cursor struct {
	past int    // the end of the last match: nothing starts before it
	at   int    // nothing is triggered before it
	stop int    // nothing is triggered at or after it
	next [4]int // where each trigger stands next, if not before at; the window's end if nowhere
	// No host, or no IPv6 address, holds what is before these.
	noHost, noIPv6 int
}

// triggers are the octets that hosts, addresses and paths are found by, besides
// the colon.
var triggers = [4]byte{':', '.', '@', '/'}

// shift moves the cursor when n octets are dropped from the window's start. What
// it says of triggers is to be forgotten then.
func (c *cursor) shift(n int) {
	c.past, c.at = max(c.past-n, 0), c.at-n
	c.noHost, c.noIPv6 = c.noHost-n, c.noIPv6-n
}

// forget makes triggers be looked for again: there is more text.
func (c *cursor) forget() { c.next = [4]int{-1, -1, -1, -1} }

// start puts the cursor at a place.
func (c *cursor) start(at int) {
	*c = cursor{past: at, at: at, stop: math.MaxInt}
	c.forget()
}

func newFinder(o Options) *finder {
	f := &finder{max: o.MaxLength, names: standard(), bare: o.Bare, mail: o.Mail, paths: o.Base.String() != "", unknown: o.Unknown}
	if len(o.Schemes) > 0 {
		f.names = rules(o.Schemes)
	}
	if f.max <= 0 {
		f.max = 1 << 16
	}
	f.max = max(f.max, lookBehind)
	f.fillTables()
	return f
}

const (
	withAuthority = 1 << iota // before "//"
	withoutAuthority
	withSpace   // before white space: <URL: http:…
	withAddress // in an IPv6 address
)

func (f *finder) fillTables() {
	for name, r := range f.names {
		last := name[len(name)-1]
		for _, c := range []byte{last, last &^ 0x20} {
			f.before[c] |= withAuthority
			if r.opaque {
				f.before[c] |= withoutAuthority
			}
		}
	}
	for c := range schemeOctets {
		if schemeOctets[c] && (f.unknown || isLetter(byte(c))) { // web+name has any last letter
			f.before[c] |= withAuthority
		}
	}
	f.before['l'] |= withSpace | withoutAuthority
	f.before['L'] |= withSpace | withoutAuthority
	f.after['/'] = withAuthority | withoutAuthority
	for c := range 256 {
		switch {
		case isSpace(byte(c)):
			f.after[c] = withSpace
		case c > ' ' && c < 0x7f && c != '/' && c != '=' && c != ':' || c >= 0x80:
			f.after[c] |= withoutAuthority
		}
		if f.bare {
			f.before[c] |= withAddress
			if isHex(byte(c)) || c == ':' {
				f.after[c] |= withAddress
			}
		}
	}
}

// find returns the next match in the window after the cursor. Unless it needs
// more, the cursor is then after the match, or at the window's end.
func (f *finder) find(w []byte, c *cursor, eof bool) (found, status) {
	for {
		i := f.trigger(w, c)
		if i < 0 || i >= c.stop {
			c.at = min(len(w), c.stop)
			return found{}, miss
		}
		m, st := f.look(w, i, c, eof)
		switch st {
		case miss:
			c.at = i + 1
		case more:
			c.at = i
			return m, st
		case tooLong:
			m.end = m.start + f.max
			c.at, c.past = m.end, m.end
			return m, st
		default:
			c.at, c.past = m.end, m.end
			return m, st
		}
	}
}

// trigger returns where to look next, -1 if nowhere in the window.
func (f *finder) trigger(w []byte, c *cursor) int {
	if !f.bare && !f.mail && !f.paths {
		return f.colon(w, c.at)
	}
	first := -1
	for k, octet := range triggers {
		if c.next[k] < c.at {
			c.next[k] = f.index(w, c.at, octet)
		}
		if c.next[k] < len(w) && (first < 0 || c.next[k] < first) {
			first = c.next[k]
		}
	}
	return first
}

// index returns where a trigger stands next; len(w) if nowhere.
func (f *finder) index(w []byte, at int, octet byte) int {
	i := -1
	switch {
	case octet == ':':
		i = f.colon(w, at)
	case octet == '.' && !f.bare, octet == '@' && !f.mail, octet == '/' && !f.paths:
	case octet == '.':
		i = dot(w, at)
	default:
		if i = bytes.IndexByte(w[at:], octet); i >= 0 {
			i += at
		}
	}
	if i < 0 {
		return len(w)
	}
	return i
}

// colon returns where the next colon is that is worth a look, -1 if nowhere.
func (f *finder) colon(w []byte, at int) int {
	for wide && len(w)-at > wideSize {
		n, mask := findColons(&w[at], len(w)-at-1) // each with an octet after it
		if at += n; mask == 0 {
			break
		}
		for ; mask != 0; mask &= mask - 1 {
			i := at + bits.TrailingZeros64(mask)
			if i == 0 || f.before[w[i-1]]&f.after[w[i+1]] != 0 {
				return i
			}
		}
		at += wideSize
	}
	for at < len(w) {
		i := bytes.IndexByte(w[at:], ':')
		if i < 0 {
			return -1
		}
		i += at
		at = i + 1
		if i == 0 || at == len(w) || f.before[w[i-1]]&f.after[w[at]] != 0 {
			return i
		}
	}
	return -1
}

// look reads what the octet at i may be part of.
func (f *finder) look(w []byte, i int, c *cursor, eof bool) (found, status) {
	if len(w)-i < 4 && !eof {
		return found{}, more
	}
	switch w[i] {
	case ':':
		m, st := f.scheme(w, i, c.past, eof)
		if st == miss && f.bare {
			m, st = f.localhost(w, i, c.past, eof)
		}
		if st == miss && f.bare {
			return f.ipv6(w, i, c, eof)
		}
		return m, st
	case '.':
		return f.host(w, i, c, eof)
	case '@':
		return f.address(w, i, c.past, eof)
	default:
		return f.path(w, i, c.past, eof)
	}
}
