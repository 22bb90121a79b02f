package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// prefix is the prefix of RFC 1738's appendix, in lower case.
const prefix = "url:"

// isPrefix reports whether the colon, an offset in text, ends "URL:", in upper or lower case.
func isPrefix(text []byte, colon int) bool {
	return colon >= 3 && text[colon-1]|0x20 == 'l' && text[colon-2]|0x20 == 'r' && text[colon-3]|0x20 == 'u'
}

// prefixed fills in k with the candidate after the prefix "URL:", which ends at the colon. It returns miss if the
// prefix is the end of another word, or if no scheme follows it.
func (f *finder) prefixed(w window, colon, floor int, k *candidate) status {
	start := colon - len("url")
	if start < floor || endsInWord(w.text[:max(start, 0)]) {
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

// wrapper fills in k with the wrapper <URL:…> whose prefix ends at the colon, and sets f.joined and f.hyphens to the
// URL inside. It returns miss if no "<" is before the prefix, or if the wrapper has no ">" before the next "<".
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

// endsInWord reports whether "url:" after text would be the end of a longer word or another scheme.
func endsInWord(text []byte) bool {
	if len(text) == 0 || !continuesWord(text[len(text)-1]) {
		return false
	}
	last, _ := utf8.DecodeLastRune(text)
	return !unicode.IsSpace(last)
}

// continuesWord reports whether "url:" after the byte c may be the end of another scheme or word. It is true for each
// byte of a character beyond ASCII, which may also be white space.
func continuesWord(c byte) bool {
	return c >= 0x80 || isDigit(c) || isLetter(c) || bytes.IndexByte([]byte("+-._/:@%?=&#"), c) >= 0
}

// joinLines appends in, the text inside a wrapper, to text, and leaves out all Unicode white space. For each hyphen
// that ended a line of in, it appends the offset of the hyphen in text to hyphens.
func joinLines(text []byte, hyphens []int, in []byte) ([]byte, []int) {
	for len(in) > 0 {
		word := 0
		for word < len(in) && !startsWithSpace(in[word:]) {
			word++
		}
		text = append(text, in[:word]...)
		space, broken := word, false
		for space < len(in) && startsWithSpace(in[space:]) {
			r, size := utf8.DecodeRune(in[space:])
			broken = broken || endsLine(r)
			space += size
		}
		if broken && word > 0 && in[word-1] == '-' && space < len(in) {
			hyphens = append(hyphens, len(text)-1)
		}
		in = in[space:]
	}
	return text, hyphens
}

// startsWithSpace reports whether text, which must not be empty, starts with a character of Unicode's property
// White_Space.
func startsWithSpace(text []byte) bool {
	if text[0] < utf8.RuneSelf {
		return isSpace(text[0])
	}
	r, _ := utf8.DecodeRune(text)
	return unicode.IsSpace(r)
}

// endsLine reports whether r ends a line in Unicode, except for a vertical tab and a form feed.
func endsLine(r rune) bool {
	switch r {
	case '\n', '\r', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// isSpace reports whether c is white space in ASCII, including a vertical tab and a form feed.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isHex(c byte) bool    { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
