package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// rightEdge sets where a candidate ends, before trim.
func (f *finder) rightEdge(w []byte, k *candidate, eof bool) (st status) {
	switch {
	case k.form == wrapper || k.form == bareIPv6 || k.form == mailAddress:
		k.edge = k.body
		return hit
	case k.form == localhost || k.form == bracketedIPv6 || k.form == hostName:
		if k.body == len(w) || !endsAuthority(w[k.body]) {
			k.edge = k.body
			return hit
		}
	case k.hasAuthority && k.form == withScheme:
		return f.authorityEdge(w, k, eof)
	case k.hasAuthority:
		return f.authorityEdgeBySteps(w, k, eof)
	}
	k.edge, st = f.scan(w, k.body, k.start, byteBefore(w, k.start), eof)
	return st
}

// A class says what a byte does to a URL in text.
type class uint8

const (
	ends    class = iota // it ends the URL
	plain                // it may stand anywhere after the scheme (RFC 3986 §3.3, pchar, and "/", "?", "#" and "%")
	quote                // plain, unless the same byte stands before the URL: then it ends the URL
	colon                // plain, unless it is the colon of the next URL in a list
	opening              // an opening bracket
	closing              // a closing bracket
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
		bytes string
		class class
	}{{"\"<>\\^`|", ends}, {"'", quote}, {":", colon}, {"([{", opening}, {")]}", closing}} {
		for _, c := range []byte(special.bytes) {
			of[c] = special.class
		}
	}
	return of
}()

// maxBrackets is how many brackets may be open in a URL at once. The text after
// an open bracket may be read once for each, so this keeps the time linear.
const maxBrackets = 8

// scan returns where a URL ends. The URL starts at start, and its bytes before i were
// read. It ends before the first of these:
//
//   - a byte that no URL contains
//   - a closing bracket that the URL did not open
//   - an opening bracket that the URL does not close
//   - an apostrophe, if there is one before the URL (quoteBefore)
//   - a comma or semicolon before another URL
func (f *finder) scan(w []byte, i, start int, quoteBefore byte, eof bool) (end int, st status) {
	var open [maxBrackets]int
	depth, limit := 0, min(len(w), start+f.max+1)
scan:
	for {
		i = skipPlain(w[:limit], i)
		if i >= limit {
			switch {
			case limit > start+f.max:
				return 0, tooLong
			case !eof:
				return 0, needMore
			}
			break
		}
		switch c := w[i]; classes[c] {
		case ends:
			break scan
		case quote:
			if quoteBefore == c {
				break scan
			}
		case colon:
			if len(w)-i < 3 && !eof {
				return 0, needMore
			}
			if sep := f.separator(w, i, start); sep > 0 {
				i = sep
				break scan
			}
		case opening:
			if depth == maxBrackets {
				break scan
			}
			open[depth] = i
			depth++
		case closing:
			if depth == 0 || !isPair(w[open[depth-1]], c) {
				break scan
			}
			depth--
		case encoded:
			if !utf8.FullRune(w[i:]) && !eof {
				return 0, needMore
			}
			r, size := utf8.DecodeRune(w[i:])
			if endsURL(r) {
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

// separator returns the place of the comma or semicolon between the URL that
// starts at start and the URL whose scheme ends with the colon; 0 if there is
// none.
func (f *finder) separator(w []byte, colon, start int) int {
	if len(w)-colon < 3 || w[colon+1] != '/' || w[colon+2] != '/' {
		return 0
	}
	from, _, ok := f.schemeBefore(w, colon, start)
	if !ok || w[from-1] != ',' && w[from-1] != ';' {
		return 0
	}
	return from - 1
}

func isPair(open, end byte) bool {
	return end == open+1 && open == '(' || end == open+2 && open != '('
}

// endsURL reports whether a character beyond ASCII ends a URL:
//
//   - white space, brackets and quotation marks
//   - the comma, full stop and bar of Chinese and Japanese
//   - a character that sets the direction of text (RFC 3987 §4.1)
//   - any other that no IRI may hold (§2.2, ucschar), such as the replacement
//     character of broken UTF-8
func endsURL(r rune) bool {
	switch r {
	case 0x200b, 0xfeff, '、', '。', '，', '､', '｡', '｜':
		return true
	}
	if r >= 0xfdd0 && r <= 0xfdef || r >= 0xfff0 && r <= 0xffff || unicode.Is(unicode.Bidi_Control, r) {
		return true
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Ps, unicode.Pe, unicode.Pi, unicode.Pf)
}

// authorityEdge sets where a candidate ends whose body starts with an authority.
// Most authorities are a plain name, perhaps with a port: those are read here,
// and are valid.
func (f *finder) authorityEdge(w []byte, k *candidate, eof bool) (st status) {
	i := k.body
	near := w[:min(len(w), k.start+f.max)]
	name, end := span(near, i)
	name = portEnd(near, name)
	if name == len(near) || !isLetter(w[i]) && !isDigit(w[i]) || !endsAuthority(w[name]) && classes[w[name]] != ends {
		return f.authorityEdgeBySteps(w, k, eof)
	}
	if end = max(end, name); end < len(near) && classes[w[end]] == plain {
		end = skipPlain(near, end)
	}
	if end == len(near) {
		return f.authorityEdgeBySteps(w, k, eof)
	}
	k.isValid = true
	if classes[w[end]] == ends {
		k.edge = end
		return hit
	}
	k.edge, st = f.scan(w, end, k.start, byteBefore(w, k.start), eof)
	return st
}

// portEnd returns where the port ends that may start at a place.
func portEnd(w []byte, at int) int {
	if at < len(w) && w[at] == ':' {
		for at++; at < len(w) && isDigit(w[at]); {
			at++
		}
	}
	return at
}

// authorityEdgeBySteps sets where a candidate ends whose body starts with any
// authority.
func (f *finder) authorityEdgeBySteps(w []byte, k *candidate, eof bool) status {
	i, limit := k.body, min(len(w), k.start+f.max)
	quoteBefore := byteBefore(w, k.start)
	end := i
	for end < limit && classes[w[end]] != ends && !endsAuthority(w[end]) {
		end++
	}
	if end < limit && w[end-1] == ':' {
		if len(w)-end < 2 && !eof {
			return needMore
		}
		if sep := f.separator(w, end-1, k.start); sep > 0 {
			end = sep
		}
	}
	visible := w
	if end < limit {
		visible = w[:end]
	}
	edge, st := f.scan(visible, i, k.start, quoteBefore, eof || end < limit)
	if st == hit {
		if n := hostOnly(w[i:edge]); n < edge-i {
			edge, end = i+n, limit // the URL ends with its host
		}
	}
	if st == hit && edge == end && end < limit && endsAuthority(w[end]) {
		if !k.rule.isValidAuthority(w[i:end]) { // now, so that the rest is not read for nothing
			return miss
		}
		edge, st = f.scan(w, end, k.start, quoteBefore, eof)
	}
	k.edge, k.authorityEnd = edge, end
	return st
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

// asciiLength returns how many bytes of ASCII a text starts with.
func asciiLength(text []byte) int {
	for i, c := range text {
		if c >= 0x80 {
			return i
		}
	}
	return len(text)
}

func endsAuthority(c byte) bool { return c == '/' || c == '?' || c == '#' }
