package extract

import (
	"bytes"
)

const prefix = "url:"

// isPrefix reports whether the colon is the end of "URL:", in any case.
func isPrefix(w []byte, colon int) bool {
	return colon >= 3 && w[colon-1]|0x20 == 'l' && w[colon-2]|0x20 == 'r' && w[colon-3]|0x20 == 'u'
}

// prefixed reads the URL after the prefix that ends with the colon, or in the
// wrapper around it, if nothing of that is before past.
func (f *finder) prefixed(w []byte, colon, past int, eof bool) (found, status) {
	start := colon - len("url")
	if start < past {
		return found{}, miss
	}
	if start > past && w[start-1] == '<' {
		m, st := f.wrapped(w, colon, eof)
		if st != miss {
			return m, st
		}
	} else if start > 0 && inWord(w[start-1]) {
		return found{}, miss
	}
	from := colon + 1
	inner := from
	for inner < len(w) && inner-from < longestName && schemeOctets[w[inner]] {
		inner++
	}
	switch {
	case inner == len(w) && !eof:
		return found{}, more
	case inner == len(w) || w[inner] != ':' || !isLetter(w[from]) || isPrefix(w, inner):
		return found{}, miss
	}
	m := found{start: start, from: from, kind: Prefixed}
	if rest := w[inner+1:]; len(rest) >= 2 && rest[0] == '/' && rest[1] == '/' {
		return f.authorityBySteps(w, m, inner+3, rule{}, eof)
	}
	r, st := f.right(w, inner+1, start, before(w, start), eof)
	if st != hit {
		return m, st
	}
	m.end = trim(w, inner+1, r)
	if m.end == inner+1 {
		return found{}, miss
	}
	return m, hit
}

// wrapped reads the URL in a wrapper, whose prefix ends with the colon.
func (f *finder) wrapped(w []byte, colon int, eof bool) (found, status) {
	start, from := colon-len("<url"), colon+1
	room := w[from:min(len(w), start+f.max)]
	next := bytes.IndexByte(room, '<') // first, so that what is read of many open wrappers is read once
	if next >= 0 {
		room = room[:next]
	}
	end := bytes.IndexByte(room, '>')
	switch {
	case end < 0 && next < 0 && len(w) < start+f.max && !eof:
		return found{}, more
	case end < 0:
		return found{}, miss
	}
	f.healed, f.hyphens = heal(f.healed[:0], f.hyphens[:0], room[:end])
	if len(f.hyphens) == 0 {
		f.hyphens = nil
	}
	if u, err := parse(string(f.healed)); err != nil || !u.IsAbs() {
		return found{}, miss
	}
	return found{start: start, end: from + end + 1, kind: Wrapped}, hit
}

// inWord reports whether an octet before "url:" makes it the end of another
// scheme or word.
func inWord(c byte) bool {
	return c >= 0x80 || isDigit(c) || isLetter(c) || bytes.IndexByte([]byte("+-._/:@%?=&#"), c) >= 0
}

// heal appends to text what stood in a wrapper without its white space, and to
// hyphens where in text hyphens stand that stood at the end of a line.
func heal(text []byte, hyphens []int, in []byte) ([]byte, []int) {
	for len(in) > 0 {
		word := 0
		for word < len(in) && !isSpace(in[word]) {
			word++
		}
		text = append(text, in[:word]...)
		space, broken := word, false
		for space < len(in) && isSpace(in[space]) {
			broken = broken || in[space] == '\n' || in[space] == '\r'
			space++
		}
		if broken && word > 0 && in[word-1] == '-' && space < len(in) {
			hyphens = append(hyphens, len(text)-1)
		}
		in = in[space:]
	}
	return text, hyphens
}

func isSpace(c byte) bool  { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isHex(c byte) bool    { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
