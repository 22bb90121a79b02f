package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// rightEdge sets k.edge, which is the end of the candidate with the punctuation that trim removes. For a candidate with
// an authority it also sets k.authorityEnd or k.isValid. It returns hit, miss if the authority is invalid, needMore if
// the text must be read further, or tooLong if the candidate is longer than the longest match.
func (f *finder) rightEdge(w window, k *candidate) (st status) {
	switch {
	case k.form == wrapper || k.form == bareIPv6 || k.form == mailAddress:
		k.edge = k.body
		return hit
	case k.form == localhost || k.form == bracketedIPv6 || k.form == hostName:
		if k.body == len(w.text) || !endsAuthority(w.text[k.body]) {
			k.edge = k.body
			return hit
		}
	case k.hasAuthority && k.form == withScheme:
		return f.authorityEdge(w, k)
	case k.hasAuthority:
		return f.authorityEdgeBySteps(w, k)
	}
	k.edge, st = f.scan(w, k.body, k.start, byteBefore(w.text, k.start))
	return st
}

// A class says how a byte affects the end of a URL in text.
type class uint8

const (
	ends    class = iota // it ends the URL
	plain                // allowed anywhere after the scheme (RFC 3986 §3.3, pchar, and "/", "?", "#" and "%")
	quote                // plain, except that it ends the URL if the same byte precedes the URL
	colon                // plain, except that it may be the colon of the next URL in a list
	star                 // plain, except that it may be the star of the end of a comment
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
	}{{"\"<>\\^`|", ends}, {"'", quote}, {":", colon}, {"*", star}, {"([{", opening}, {")]}", closing}} {
		for _, c := range []byte(special.bytes) {
			of[c] = special.class
		}
	}
	return of
}()

// maxBrackets is how many brackets may be open in a URL at once. Because the text after an open bracket may be read
// once for each such bracket, the limit keeps the time linear.
const maxBrackets = 8

// scan returns where a URL ends. The URL starts at start, and the bytes before i have been read already. st is hit,
// needMore if the URL may continue after the window, or tooLong if the URL is longer than the longest match. The URL
// ends before the first of these:
//
//   - a byte that no URL contains
//   - an opening bracket that the URL does not close
//   - a closing tag of BBCode
//   - an apostrophe, if quoteBefore, the byte before the URL, is one too
//   - a comma or semicolon before another URL
//   - the end of the comment that the URL is in
//   - a mark of Chinese and Japanese, if endsAtMark returns true for it
func (f *finder) scan(w window, i, start int, quoteBefore byte) (end int, st status) {
	var open [maxBrackets]int
	depth, limit := 0, min(len(w.text), start+f.max+1)
scan:
	for {
		i = skipPlain(w.text[:limit], i)
		if i >= limit {
			switch {
			case limit > start+f.max:
				return 0, tooLong
			case !w.eof:
				return 0, needMore
			}
			break
		}
		switch c := w.text[i]; classes[c] {
		case ends:
			break scan
		case quote:
			if quoteBefore == c {
				break scan
			}
		case colon:
			if w.lacks(i + 3) {
				return 0, needMore
			}
			if sep := f.separator(w.text, i, start); sep > 0 {
				i = sep
				break scan
			}
		case star:
			if w.lacks(i + 2) {
				return 0, needMore
			}
			if endsComment(w.text, start, i) {
				break scan
			}
		case opening:
			if w.lacks(i + maxTag) {
				return 0, needMore
			}
			if depth == maxBrackets || startsClosingTag(w.text[i:]) {
				break scan
			}
			open[depth] = i
			depth++
		case closing:
			if depth == 0 || !isPair(w.text[open[depth-1]], c) {
				break scan
			}
			depth--
		case encoded:
			if w.lacksRune(i) {
				return 0, needMore
			}
			r, size := utf8.DecodeRune(w.text[i:])
			if endsURL(r) {
				break scan
			}
			if isMark(r) {
				if w.lacks(i + size + 1) {
					return 0, needMore
				}
				if endsAtMark(r, w.text[i-1], w.text[i+size:]) {
					break scan
				}
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

// maxTag is the length of the longest closing tag of BBCode that is recognised, such as [/quote].
const maxTag = 16

// startsClosingTag reports whether text starts with a closing tag of BBCode: "[/", letters and digits, and "]".
func startsClosingTag(text []byte) bool {
	if len(text) < len("[/x]") || text[0] != '[' || text[1] != '/' {
		return false
	}
	for n, c := range text[2:min(len(text), maxTag)] {
		if !isLetter(c) && !isDigit(c) {
			return c == ']' && n > 0
		}
	}
	return false
}

// separator returns the offset of the comma or semicolon between the URL that starts at start and the next URL in a
// list, whose scheme ends at the colon. It returns 0 if the scheme of another URL, after such a mark, does not end at
// the colon.
func (f *finder) separator(text []byte, colon, start int) int {
	if len(text)-colon < 3 || text[colon+1] != '/' || text[colon+2] != '/' {
		return 0
	}
	from, _, ok := f.schemeBefore(text, colon, start)
	if !ok || text[from-1] != ',' && text[from-1] != ';' {
		return 0
	}
	return from - 1
}

// commentReach is how many bytes before a URL are searched for the start of a comment. A stage that has read a host
// and these bytes has still read less than lookBehind.
const commentReach = 250

// endsComment reports whether the URL that starts at start is in a comment of CSS or JavaScript that ends with the
// star at offset at. Elsewhere a star may belong to a pattern such as http://h/*/x.
func endsComment(text []byte, start, at int) bool {
	if at+1 >= len(text) || text[at+1] != '/' {
		return false
	}
	before := text[max(start-commentReach, 0):start]
	open := bytes.LastIndex(before, []byte("/*"))
	if open < 0 || open > 0 && isInPattern(before[open-1]) {
		return false
	}
	return !bytes.Contains(before[open+len("/*"):], []byte("*/"))
}

// isInPattern reports whether "/*" after the byte c belongs to a pattern such as src/*.js.
func isInPattern(c byte) bool { return isLetter(c) || isDigit(c) || c == '/' || c == '*' }

// isPair reports whether end is the bracket that closes the bracket open.
func isPair(open, end byte) bool {
	return end == open+1 && open == '(' || end == open+2 && open != '('
}

// endsURL reports whether a character beyond ASCII ends a URL:
//
//   - white space, brackets and quotation marks
//   - the comma, full stop and bar of Chinese and Japanese, which have no space after them
//   - a character that sets the direction of text (RFC 3987 §4.1)
//   - any other character that is not allowed in an IRI (§2.2, ucschar), such as the replacement character of
//     broken UTF-8
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

// isMark reports whether r is a colon, a semicolon or the end of a sentence in Chinese and Japanese.
func isMark(r rune) bool { return r == '；' || r == '：' || r == '！' || r == '？' }

// endsAtMark reports whether a URL ends before the mark r. Chinese and Japanese write the next sentence without a space.
// before is the byte before r, and rest is the text after r. A mark between two characters beyond ASCII may belong to
// the title of a page, as in /wiki/复仇者联盟：终局之战, and "！" or "？" before ASCII to the name of a file.
func endsAtMark(r rune, before byte, rest []byte) bool {
	afterASCII, beforeASCII := before < utf8.RuneSelf, len(rest) == 0 || rest[0] < utf8.RuneSelf
	if r == '；' || r == '：' {
		return afterASCII || beforeASCII
	}
	return afterASCII && !beforeASCII
}

// authorityEdge implements rightEdge for a candidate whose body starts with an authority. Most authorities are a plain
// name, perhaps with a port. For these authorityEdge sets k.edge and k.isValid. It leaves the others to
// authorityEdgeBySteps, which is slower.
func (f *finder) authorityEdge(w window, k *candidate) (st status) {
	i := k.body
	near := w.text[:min(len(w.text), k.start+f.max)]
	name, end := span(near, i)
	name = portEnd(near, name)
	if name == len(near) || !isLetter(w.text[i]) && !isDigit(w.text[i]) || !endsAuthority(w.text[name]) && classes[w.text[name]] != ends {
		return f.authorityEdgeBySteps(w, k)
	}
	if end = max(end, name); end < len(near) && classes[w.text[end]] == plain {
		end = skipPlain(near, end)
	}
	if end == len(near) {
		return f.authorityEdgeBySteps(w, k)
	}
	k.isValid = true
	if classes[w.text[end]] == ends {
		k.edge = end
		return hit
	}
	k.edge, st = f.scan(w, end, k.start, byteBefore(w.text, k.start))
	return st
}

// portEnd returns the offset after the ":" at offset at and the digits that follow it. It returns at if no ":" is
// there.
func portEnd(text []byte, at int) int {
	if at < len(text) && text[at] == ':' {
		for at++; at < len(text) && isDigit(text[at]); {
			at++
		}
	}
	return at
}

// authorityEdgeBySteps sets k.edge and k.authorityEnd for a candidate whose body starts with an authority of any form.
// The results are the results of rightEdge.
func (f *finder) authorityEdgeBySteps(w window, k *candidate) status {
	i, limit := k.body, min(len(w.text), k.start+f.max)
	quoteBefore := byteBefore(w.text, k.start)
	end := i
	for end < limit && classes[w.text[end]] != ends && !endsAuthority(w.text[end]) {
		end++
	}
	if end < limit && w.text[end-1] == ':' {
		if w.lacks(end + 2) {
			return needMore
		}
		if sep := f.separator(w.text, end-1, k.start); sep > 0 {
			end = sep
		}
	}
	if end < limit && w.text[end-1] == '*' && endsComment(w.text, k.start, end-1) {
		end--
	}
	authority := w
	if end < limit {
		authority = window{w.text[:end], true}
	}
	edge, st := f.scan(authority, i, k.start, quoteBefore)
	if st == hit {
		if n := hostOnly(w.text[i:edge]); n < edge-i {
			edge, end = i+n, limit // the URL ends with its host
		}
	}
	if st == hit && edge == end && end < limit && endsAuthority(w.text[end]) {
		if !k.rule.isValidAuthority(w.text[i:end]) { // check now, because the rest need not be read if the authority is invalid
			return miss
		}
		edge, st = f.scan(w, end, k.start, quoteBefore)
	}
	k.edge, k.authorityEnd = edge, end
	return st
}

// hostOnly returns the length of authority without text at its end that cannot belong to it: an apostrophe and the
// bytes after it, and letters beyond ASCII directly after a port, an IPv4 address or an ASCII top-level domain.
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

// asciiLength returns the number of ASCII bytes at the start of text.
func asciiLength(text []byte) int {
	for i, c := range text {
		if c >= 0x80 {
			return i
		}
	}
	return len(text)
}

// endsAuthority reports whether c starts the path, the query or the fragment.
func endsAuthority(c byte) bool { return c == '/' || c == '?' || c == '#' }
