package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A class says what an octet does to a URL in text.
type class uint8

const (
	ends    class = iota // no URL goes on with it
	plain                // it may stand anywhere after the scheme (RFC 3986 §3.3, pchar, and "/", "?", "#" and "%")
	quote                // as plain, but ends what such a one stands before
	colon                // as plain, but another URL may start before it
	opening              // a bracket
	closing              // a bracket
	encoded              // part of a character beyond ASCII
)

var classes = func() (of [256]class) {
	for c := '!'; c < 0x7f; c++ {
		of[c] = plain
	}
	for c := 0x80; c < 0x100; c++ {
		of[c] = encoded
	}
	for _, special := range []struct {
		octets string
		class  class
	}{{"\"<>\\^`|", ends}, {"'", quote}, {":", colon}, {"([{", opening}, {")]}", closing}} {
		for _, c := range []byte(special.octets) {
			of[c] = special.class
		}
	}
	return of
}()

// deepest is how many brackets may be open in a URL. It keeps the time linear:
// what follows an open bracket is looked at as often as brackets are open.
const deepest = 8

// right returns where the URL from start, of which the octets before i are
// read, ends, before punctuation is taken off: before the first octet that no
// URL has, before a closing bracket that was not opened in it, before an opening
// one that is not closed, before an apostrophe if one stands before the URL, and
// before a comma or semicolon that another URL follows.
func (f *finder) right(w []byte, i, start int, opener byte, eof bool) (end int, st status) {
	var open [deepest]int
	depth, limit := 0, min(len(w), start+f.max+1)
scan:
	for {
		i = skipPlain(w[:limit], i)
		if i >= limit {
			switch {
			case limit > start+f.max:
				return 0, tooLong
			case !eof:
				return 0, more
			}
			break
		}
		switch c := w[i]; classes[c] {
		case ends:
			break scan
		case quote:
			if opener == c {
				break scan
			}
		case colon:
			if len(w)-i < 3 && !eof {
				return 0, more
			}
			if sep := f.separator(w, i, start); sep > 0 {
				i = sep
				break scan
			}
		case opening:
			if depth == deepest {
				break scan
			}
			open[depth] = i
			depth++
		case closing:
			if depth == 0 || !pair(w[open[depth-1]], c) {
				break scan
			}
			depth--
		case encoded:
			if !utf8.FullRune(w[i:]) && !eof {
				return 0, more
			}
			r, size := utf8.DecodeRune(w[i:])
			if separates(r) {
				break scan
			}
			i += size - 1
		}
		i++
	}
	if depth > 0 {
		i = open[0]
	}
	return i, hit
}

// separator returns where the comma or semicolon stands between the URL from
// start on and another, after whose scheme the colon is; 0 if there is none.
func (f *finder) separator(w []byte, colon, start int) int {
	if len(w)-colon < 3 || w[colon+1] != '/' || w[colon+2] != '/' {
		return 0
	}
	from, _, ok := f.hierarchical(w, colon, start)
	if !ok || w[from-1] != ',' && w[from-1] != ';' {
		return 0
	}
	return from - 1
}

func pair(open, end byte) bool { return end == open+1 && open == '(' || end == open+2 && open != '(' }

// separates reports whether a character beyond ASCII ends a URL: white space,
// what encloses text, the comma, full stop and bar of Chinese and Japanese, what
// sets the direction of text (RFC 3987 §4.1), and what else stands in no IRI,
// such as the place of an object (§2.2, ucschar), or of what is not UTF-8.
func separates(r rune) bool {
	switch r {
	case 0x200b, 0xfeff, '、', '。', '，', '､', '｡', '｜':
		return true
	}
	if r >= 0xfdd0 && r <= 0xfdef || r >= 0xfff0 && r <= 0xffff || unicode.Is(unicode.Bidi_Control, r) {
		return true
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Ps, unicode.Pe, unicode.Pi, unicode.Pf)
}

// trim returns the end of a URL without what punctuation a sentence put there.
// The octets before least stay.
func trim(w []byte, least, end int) int {
	for end > least {
		c := w[end-1]
		switch {
		case c == ';':
			if ref := entity(w[least:end]); ref > 0 {
				end -= ref
				continue
			}
			end--
		case c == '\'' && bytes.Count(w[least:end], w[end-1:end])%2 == 0:
			return end // it closes what another one opened
		case c < 0x80:
			if !sentence[c] {
				return end
			}
			end--
		default:
			r, size := utf8.DecodeLastRune(w[least:end])
			if !trails(r) {
				return end
			}
			end -= size
		}
	}
	return end
}

var sentence = func() (set [256]bool) {
	for _, c := range []byte(".,:;'?!@*|") {
		set[c] = true
	}
	return set
}()

// trails reports whether a character beyond ASCII is punctuation that ends a
// sentence or part of one.
func trails(r rune) bool {
	switch r {
	case '…', '！', '？', '；', '：', '．', '·', '؟', '،', '؛', '।':
		return true
	}
	return false
}

// entity returns the length of the reference to a character that a text ends
// with, such as &gt; of text that was HTML; 0 if there is none.
func entity(text []byte) int {
	const longest = len("&thetasym;")
	for n := 2; n <= min(longest, len(text)); n++ {
		switch c := text[len(text)-n]; {
		case c == '&':
			if n > 3 {
				return n
			}
			return 0
		case !isLetter(c) && !isDigit(c) && c != '#':
			return 0
		}
	}
	return 0
}

// authority reads the URL from start on, of which "//" stands before i.
func (f *finder) authority(w []byte, start, i int, r rule, eof bool) (found, status) {
	near := w[:min(len(w), start+f.max)]
	m := found{start: start, from: start}
	name, end := span(near, i)
	name = port(near, name)
	if name == len(near) || !isLetter(w[i]) && !isDigit(w[i]) || !endsAuthority(w[name]) && classes[w[name]] != ends {
		return f.authorityBySteps(w, m, i, r, eof)
	}
	if end = max(end, name); end < len(near) && classes[w[end]] == plain {
		end = skipPlain(near, end)
	}
	switch {
	case end == len(near):
		return f.authorityBySteps(w, m, i, r, eof)
	case classes[w[end]] == ends:
		m.end = trim(w, i, end)
		return m, hit
	}
	right, st := f.right(w, end, start, before(w, start), eof)
	if st != hit {
		return m, st
	}
	m.end = trim(w, i, right)
	return m, hit
}

// port returns the end of the port that may be at a place.
func port(w []byte, at int) int {
	if at < len(w) && w[at] == ':' {
		for at++; at < len(w) && isDigit(w[at]); {
			at++
		}
	}
	return at
}

// authorityBySteps reads the URL of m, of which "//" stands before i, also where
// the authority is not a plain name and perhaps a port, with "/" after it.
func (f *finder) authorityBySteps(w []byte, m found, i int, r rule, eof bool) (found, status) {
	opener, limit := before(w, m.start), min(len(w), m.start+f.max)
	end := i
	for end < limit && classes[w[end]] != ends && !endsAuthority(w[end]) {
		end++
	}
	if end < limit && w[end-1] == ':' {
		if len(w)-end < 2 && !eof {
			return m, more
		}
		if sep := f.separator(w, end-1, m.start); sep > 0 {
			end = sep
		}
	}
	seen := w
	if end < limit {
		seen = w[:end]
	}
	right, st := f.right(seen, i, m.start, opener, eof || end < limit)
	if st == hit {
		if n := hostOnly(w[i:right]); n < right-i {
			right, end = i+n, limit // nothing goes on from there
		}
	}
	if st == hit && right == end && end < limit && endsAuthority(w[end]) {
		if !r.fits(w[i:end]) { // before more is read, so that it is not read again
			return found{}, miss
		}
		right, st = f.right(w, end, m.start, opener, eof)
	}
	if st != hit {
		return m, st
	}
	m.end = trim(w, i, right)
	if m.end == i || !r.fits(w[i:min(end, m.end)]) {
		return found{}, miss
	}
	return m, hit
}

// hostOnly returns the length of an authority without what can only be text
// after it: an apostrophe and what follows, and letters beyond ASCII after a
// port, an IPv4 address or a top-level domain in ASCII.
func hostOnly(authority []byte) int {
	host := bytes.LastIndexByte(authority, '@') + 1
	if i := bytes.IndexByte(authority[host:], '\''); i >= 0 {
		authority = authority[:host+i]
	}
	last := host + bytes.LastIndexAny(authority[host:], ".:") + 1
	n := asciiLength(authority[last:])
	if last == host || n == 0 || last+n == len(authority) {
		return len(authority)
	}
	label := authority[last : last+n]
	if isTopLevel(label) || bytes.IndexFunc(label, func(c rune) bool { return !isDigit(byte(c)) }) < 0 {
		return last + n
	}
	return len(authority)
}

// asciiLength returns how many octets of ASCII a text starts with.
func asciiLength(text []byte) int {
	for i, c := range text {
		if c >= 0x80 {
			return i
		}
	}
	return len(text)
}

func endsAuthority(c byte) bool { return c == '/' || c == '?' || c == '#' }

// fits reports whether an authority is one: it has a host, if the scheme's URLs
// have, and reads.
func (r rule) fits(authority []byte) bool {
	host := authority[bytes.IndexByte(authority, '@')+1:]
	if i := bytes.LastIndexByte(host, ':'); i >= 0 && bytes.IndexByte(host[i:], ']') < 0 {
		host = host[:i]
	}
	switch {
	case len(host) == 0:
		if r.host {
			return false
		}
	case host[0] != '[' && bytes.ContainsAny(host, "[]{}"): // a place for a host
		return false
	case bytes.IndexFunc(host, func(c rune) bool { return c >= 0x80 || isLetter(byte(c)) || isDigit(byte(c)) }) < 0:
		return false
	}
	_, err := parse("x://" + string(authority))
	return err == nil
}

// before returns the octet before a place, a space at the start.
func before(w []byte, at int) byte {
	if at == 0 {
		return ' '
	}
	return w[at-1]
}
