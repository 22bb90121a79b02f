package extract

import "strings"

const maxLocalPart = 64 // bytes (RFC 5321 §4.5.3.1.1)

// mailAddress fills in k with the mail address whose "@" is at i. It returns miss if a local part before the "@" or a
// domain name after it is missing. The local part consists of letters, digits, ._%+-~ and apostrophes between letters,
// as most local parts do.
func (f *finder) mailAddress(w window, i, floor int, k *candidate) status {
	start := i
	for start > floor && i-start <= maxLocalPart && isLocalByte(w.text, start-1, floor) && string(w.text[start-1:start+1]) != ".." {
		start--
	}
	for start < i && (w.text[start] == '.' || w.text[start] == '-') {
		start++
	}
	if start == i || i-start > maxLocalPart {
		return miss
	}
	from, stop, st := w.wordAround(i+1, i+1)
	if st != hit {
		return st
	}
	if from != i+1 {
		return miss
	}
	end := f.hostEnd(w.text[:stop], from)
	if end == 0 || isDigit(w.text[end-1]) {
		return miss
	}
	return k.setFixed(start, end)
}

// isLocalByte reports whether text[i] can be in a local part that starts at or after floor and continues after i.
func isLocalByte(text []byte, i, floor int) bool {
	return localBytes[text[i]] || text[i] == '\'' && i > floor && isLetter(text[i-1]) && isLetter(text[i+1])
}

var localBytes = bytesWhere(func(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte("._%+-~", c) >= 0 })

// relativePath fills in k with the path whose first "/" is at i. It returns miss unless the path starts with "/", "./"
// or "../" and a letter, a digit or one of ._~%-, and follows white space or one of pathOpeners.
func (f *finder) relativePath(text []byte, i, floor int, k *candidate) status {
	start := i
	for start > floor && i-start < 2 && text[start-1] == '.' {
		start--
	}
	if prev := byteBefore(text, start); prev > ' ' && !pathOpeners[prev] {
		return miss
	}
	if next := text[min(i+1, len(text)-1)]; !pathStarts[next] {
		return miss
	}
	k.setBody(start, start, i+1)
	return hit
}

// pathOpeners may precede a path, and pathStarts may follow its first "/".
var (
	pathOpeners = bytesWhere(func(c byte) bool { return strings.IndexByte("\"'`([{=,;", c) >= 0 })
	pathStarts  = bytesWhere(func(c byte) bool { return isLetter(c) || isDigit(c) || c >= 0x80 || strings.IndexByte("._~%-", c) >= 0 })
)
