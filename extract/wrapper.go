package extract

import "bytes"

// prefix is the prefix of RFC 1738's appendix, in lower case.
const prefix = "url:"

// isPrefix reports whether the colon ends "URL:", in upper or lower case.
func isPrefix(text []byte, colon int) bool {
	return colon >= 3 && text[colon-1]|0x20 == 'l' && text[colon-2]|0x20 == 'r' && text[colon-3]|0x20 == 'u'
}

// prefixed fills in the candidate after the prefix "URL:", which ends at the colon.
func (f *finder) prefixed(w window, colon, floor int, k *candidate) status {
	start := colon - len("url")
	if start < floor || start > 0 && continuesWord(w.text[start-1]) {
		return miss
	}
	from := colon + 1
	inner := from
	for inner < len(w.text) && inner-from < maxSchemeName && schemeBytes[w.text[inner]] {
		inner++
	}
	switch {
	case w.lacks(inner + 1):
		return needMore
	case inner == len(w.text) || w.text[inner] != ':' || !isLetter(w.text[from]) || isPrefix(w.text, inner):
		return miss
	}
	k.setBody(start, from, inner+1)
	if rest := w.text[inner+1:]; len(rest) >= 2 && rest[0] == '/' && rest[1] == '/' {
		k.setBody(start, from, inner+3)
		k.hasAuthority = true
	}
	return hit
}

// wrapper fills in the candidate in the wrapper <URL:…>, whose prefix ends at the colon.
func (f *finder) wrapper(w window, colon, floor int, k *candidate) status {
	start, from := colon-len("<url"), colon+1
	if start < floor || w.text[start] != '<' {
		return miss
	}
	inside := w.text[from:min(len(w.text), start+f.max)]
	next := bytes.IndexByte(inside, '<') // look for "<" first, so that the text after many open wrappers is read only once
	if next >= 0 {
		inside = inside[:next]
	}
	end := bytes.IndexByte(inside, '>')
	switch {
	case end < 0 && next < 0 && w.lacks(start+f.max):
		return needMore
	case end < 0:
		return miss
	}
	f.joined, f.hyphens = joinLines(f.joined[:0], f.hyphens[:0], inside[:end])
	if len(f.hyphens) == 0 {
		f.hyphens = nil
	}
	return k.setFixed(start, from+end+1)
}

// continuesWord reports whether "url:" after the byte c is the end of another scheme or word.
func continuesWord(c byte) bool {
	return c >= 0x80 || isDigit(c) || isLetter(c) || bytes.IndexByte([]byte("+-._/:@%?=&#"), c) >= 0
}

// joinLines appends the text of a wrapper to text, without its white space. It appends the offsets in text of the
// hyphens that stood at the end of a line to hyphens.
func joinLines(text []byte, hyphens []int, in []byte) ([]byte, []int) {
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
