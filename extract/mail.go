package extract

const maxLocalPart = 64 // bytes (RFC 5321 §4.5.3.1.1)

// mailAddress fills in the candidate whose "@" is at i. Its local part is made of
// letters, digits, ._%+-~ and apostrophes between letters, as most are.
func (f *finder) mailAddress(w []byte, i, floor int, eof bool, k *candidate) status {
	start := i
	for start > floor && i-start <= maxLocalPart && isLocalByte(w, start-1, floor) && string(w[start-1:start+1]) != ".." {
		start--
	}
	for start < i && (w[start] == '.' || w[start] == '-') {
		start++
	}
	if start == i || i-start > maxLocalPart {
		return miss
	}
	from, stop, st := wordAround(w, i+1, i+1, eof)
	if st != hit {
		return st
	}
	if from != i+1 {
		return miss
	}
	end := f.hostEnd(w[:stop], from)
	if end == 0 || isDigit(w[end-1]) {
		return miss
	}
	return k.setFixed(start, end)
}

// isLocalByte reports whether the byte at i can be in a local part that starts at
// floor or later and goes on after i.
func isLocalByte(w []byte, i, floor int) bool {
	return localBytes[w[i]] || w[i] == '\'' && i > floor && isLetter(w[i-1]) && isLetter(w[i+1])
}

var localBytes = func() (set [256]bool) {
	for c := range 256 {
		set[c] = isLetter(byte(c)) || isDigit(byte(c)) || c == '.' || c == '_' || c == '%' || c == '+' || c == '-' || c == '~'
	}
	return set
}()

// relativePath fills in the candidate whose first "/" is at i. It starts with
// "/", "./" or "../", after white space, a bracket, a quotation mark or "=".
func (f *finder) relativePath(w []byte, i, floor int, k *candidate) status {
	start := i
	for start > floor && i-start < 2 && w[start-1] == '.' {
		start--
	}
	if prev := byteBefore(w, start); prev > ' ' && !pathOpeners[prev] {
		return miss
	}
	if next := w[min(i+1, len(w)-1)]; !pathStarts[next] {
		return miss
	}
	k.setBody(start, start, i+1)
	return hit
}

// pathOpeners may stand before a path, pathStarts after its first "/".
var pathOpeners, pathStarts = func() (openers, starts [256]bool) {
	for _, c := range []byte("\"'`([{=,;") {
		openers[c] = true
	}
	for c := range 256 {
		starts[c] = isLetter(byte(c)) || isDigit(byte(c)) || c == '.' || c == '_' || c == '~' || c == '%' || c == '-' || c >= 0x80
	}
	return openers, starts
}()
