package extract

const longestLocal = 64 // octets (RFC 5321 §4.5.3.1.1)

// address reads the mail address whose "@" is at i. Its local part is made of
// what most are made of: letters, digits, ._%+-~ and apostrophes in words.
func (f *finder) address(w []byte, i, past int, eof bool) (found, status) {
	start := i
	for start > past && i-start <= longestLocal && inLocal(w, start-1, past) && string(w[start-1:start+1]) != ".." {
		start--
	}
	for start < i && (w[start] == '.' || w[start] == '-') {
		start++
	}
	if start == i || i-start > longestLocal {
		return found{}, miss
	}
	from, stop, st := word(w, i+1, i+1, eof)
	if st != hit {
		return found{start: start}, st
	}
	if from != i+1 {
		return found{}, miss
	}
	end := f.hostEnd(w[:stop], from)
	if end == 0 || isDigit(w[end-1]) {
		return found{}, miss
	}
	return found{start: start, from: start, end: end, kind: Address}, hit
}

// inLocal reports whether the octet at i can be in a local part that starts at
// past or later and goes on after it.
func inLocal(w []byte, i, past int) bool {
	return localOctets[w[i]] || w[i] == '\'' && i > past && isLetter(w[i-1]) && isLetter(w[i+1])
}

var localOctets = func() (set [256]bool) {
	for c := range 256 {
		set[c] = isLetter(byte(c)) || isDigit(byte(c)) || c == '.' || c == '_' || c == '%' || c == '+' || c == '-' || c == '~'
	}
	return set
}()

// path reads the path whose first "/" is at i. It starts with "/", "./" or
// "../", after white space, a bracket, a quotation mark or "=".
func (f *finder) path(w []byte, i int, past int, eof bool) (found, status) {
	start := i
	for start > past && i-start < 2 && w[start-1] == '.' {
		start--
	}
	prev := before(w, start)
	if prev > ' ' && !pathOpeners[prev] {
		return found{}, miss
	}
	if next := w[min(i+1, len(w)-1)]; !pathStarts[next] {
		return found{}, miss
	}
	r, st := f.right(w, i+1, start, prev, eof)
	if st != hit {
		return found{start: start}, st
	}
	m := found{start: start, from: start, end: trim(w, i+1, r), kind: Path}
	if m.end == i+1 {
		return found{}, miss
	}
	return m, hit
}

var pathOpeners, pathStarts = func() (openers, starts [256]bool) {
	for _, c := range []byte("\"'`([{=,;") {
		openers[c] = true
	}
	for c := range 256 {
		starts[c] = isLetter(byte(c)) || isDigit(byte(c)) || c == '.' || c == '_' || c == '~' || c == '%' || c == '-' || c >= 0x80
	}
	return openers, starts
}()
