package extract

import (
	"bytes"
	"net/netip"
	"unicode"
	"unicode/utf8"
)

const (
	longestHost  = 253 // octets (RFC 1035 §2.3.4)
	longestLabel = 63  // characters; more octets in UTF-8 than the DNS has of the same
)

// dot returns where the next dot is that stands in a word, -1 if there is none.
func dot(w []byte, at int) int {
	for {
		i := bytes.IndexByte(w[at:], '.')
		if i < 0 {
			return -1
		}
		i += at
		if i+1 == len(w) || i > 0 && hostOctets[w[i-1]] && hostOctets[w[i+1]] {
			return i
		}
		at = i + 1
	}
}

// hostOctets are those of a host's labels.
var hostOctets = func() (set [256]bool) {
	for c := range 256 {
		set[c] = isLetter(byte(c)) || isDigit(byte(c)) || c == '-' || c >= 0x80
	}
	return set
}()

// host reads the host that has the dot at i in it, and what follows it.
func (f *finder) host(w []byte, i int, c *cursor, eof bool) (found, status) {
	if i < c.noHost {
		return found{}, miss
	}
	start := i
	for start > c.past && i-start <= longestHost && (hostOctets[w[start-1]] || w[start-1] == '.') {
		start--
	}
	start, stop, st := word(w, start, i, eof)
	if st != hit {
		return found{start: start}, st
	}
	end := f.hostEnd(w[:stop], start)
	if end == 0 || glued(w, start, end) || f.named(w, start) {
		c.noHost = stop
		return found{}, miss
	}
	at := end // perhaps it is the start of an address
	for at < len(w) && at-end < longestLocal && localOctets[w[at]] {
		at++
	}
	switch {
	case at == len(w) && !eof:
		return found{start: start}, more
	case at < len(w) && w[at] == '@':
		c.noHost = at
		return found{}, miss
	}
	return f.portAndPath(w, start, end, eof)
}

// localhost reads the host of that name whose port is after the colon at i.
func (f *finder) localhost(w []byte, i, past int, eof bool) (found, status) {
	start := i - len("localhost")
	if start < past || !bytes.EqualFold(w[start:i], []byte("localhost")) || glued(w, start, i) || before(w, start) == '.' {
		return found{}, miss
	}
	m, st := f.portAndPath(w, start, i, eof)
	if st == hit && m.end == i {
		return found{}, miss
	}
	return m, st
}

// word returns where the run of letters, digits, hyphens and dots around i
// starts, at or after start, and stops. It is cut where ASCII is next to a
// letter of a script that puts no blanks between words.
func word(w []byte, start, i int, eof bool) (from, stop int, st status) {
	from, stop = start, start
	last := joining
	for stop < len(w) && stop-i <= longestHost {
		k, size := octetKinds[w[stop]], 1
		if k == unknown {
			k, size = kindOf(w[stop:], eof)
		}
		switch {
		case k == unknown:
			return from, stop, more
		case k == outside || k == mark && stop == from:
			if stop > i {
				return from, stop, hit
			}
			from = stop + size
		case k == letter && last == unspaced, k == unspaced && last == letter:
			if stop > i {
				return from, stop, hit
			}
			from = stop
		}
		if stop += size; k != mark {
			last = k
		}
	}
	if !eof && stop-i <= longestHost {
		return from, stop, more
	}
	return from, stop, hit
}

// A kind is what a character is to a word.
type kind uint8

const (
	outside  kind = iota // none of it
	joining              // a dot, a hyphen, or a letter beyond ASCII
	letter               // a letter or digit of ASCII
	unspaced             // a letter of a script that puts no blanks between words
	mark                 // it changes the letter before it
	unknown              // more text is needed to tell
)

// octetKinds are the kinds of octets.
var octetKinds = func() (of [256]kind) {
	for c := range 256 {
		switch c := byte(c); {
		case c >= 0x80:
			of[c] = unknown
		case c == '.' || c == '-':
			of[c] = joining
		case hostOctets[c]:
			of[c] = letter
		}
	}
	return of
}()

// kindOf returns the kind of the character beyond ASCII that a text starts with,
// and its length.
func kindOf(w []byte, eof bool) (kind, int) {
	if !utf8.FullRune(w) && !eof {
		return unknown, 0
	}
	r, size := utf8.DecodeRune(w)
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return unspaced, size
	case unicode.Is(unicode.M, r):
		return mark, size
	case unicode.In(r, unicode.L, unicode.N):
		return joining, size
	}
	return outside, size
}

// hostEnd returns the end of the host that starts a word; 0 if none does.
func (f *finder) hostEnd(w []byte, start int) int {
	end := len(w)
	for end > start && (w[end-1] == '.' || w[end-1] == '-') {
		end--
	}
	if end == start || end-start > longestHost || !labels(w[start:end]) {
		return 0
	}
	if isDigit(w[end-1]) {
		if _, err := netip.ParseAddr(string(w[start:end])); err == nil {
			return end
		}
	}
	last := start + bytes.LastIndexByte(w[start:end], '.') + 1
	if last == start {
		return 0
	}
	if isTopLevel(w[last:end]) {
		return end
	}
	if dash := bytes.IndexByte(w[last:end], '-'); dash > 0 && isTopLevel(w[last:last+dash]) {
		return last + dash
	}
	return 0
}

// labels reports whether a host is made of labels: none empty, none too long,
// none with a hyphen at its start or end.
func labels(host []byte) bool {
	for len(host) > 0 {
		n := bytes.IndexByte(host, '.')
		if n < 0 {
			n = len(host)
		}
		if n == 0 || n > longestLabel && utf8.RuneCount(host[:n]) > longestLabel || host[0] == '-' || host[n-1] == '-' {
			return false
		}
		host = host[min(n+1, len(host)):]
	}
	return true
}

// isTopLevel reports whether a label is a top-level domain. One in which only
// the first letter is in upper case is more often a name in a program.
func isTopLevel(label []byte) bool {
	if len(label) < 2 || len(label) > longestLabel || isUpper(label[0]) && isLetter(label[1]) && !isUpper(label[1]) {
		return false
	}
	var lower [longestLabel]byte
	name := append(lower[:0], label...)
	for i, c := range name {
		if isUpper(c) {
			name[i] |= 0x20
		} else if c >= 0x80 {
			name = bytes.ToLower(name)
			break
		}
	}
	_, ok := topLevel()[string(name)]
	return ok
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// glued reports whether what looks like a host is part of something else: of a
// path, of a name with "_", of an address, of a call, or is the name of a file.
func glued(w []byte, start, end int) bool {
	if prev := before(w, start); prev == '/' || prev == '@' && !isDigit(w[end-1]) || prev == '_' || prev == '\\' || prev == '%' || hostOctets[prev] && prev < 0x80 {
		return true
	}
	next := byte(' ')
	if end < len(w) {
		next = w[end]
	}
	if next == '_' || next == '(' {
		return true
	}
	host := w[start:end]
	return next != '/' && fileNames[string(bytes.ToLower(host[bytes.IndexByte(host, '.')+1:]))]
}

// named reports whether a scheme whose URLs have no host ends before a place:
// what stands there is then part of what a URL names, such as tag:h.example.
func (f *finder) named(w []byte, start int) bool {
	if before(w, start) != ':' {
		return false
	}
	colon := start - 1
	from := colon
	for from > 0 && colon-from <= longestName && schemeOctets[w[from-1]] {
		from--
	}
	r, ok := f.rule(w[from:colon])
	return ok && !r.host
}

// portAndPath reads the port and the path after a host.
func (f *finder) portAndPath(w []byte, start, end int, eof bool) (found, status) {
	past := port(w[:min(len(w), end+8)], end)
	if past+1 >= len(w) && !eof {
		return found{}, more
	}
	if digits := past - end - 1; digits >= 1 && digits <= 5 && (past == len(w) || w[past] >= 0x80 || !hostOctets[w[past]]) {
		end = past
	}
	m := found{start: start, from: start, end: end, kind: Host}
	if end == len(w) || w[end] != '/' && w[end] != '?' && w[end] != '#' {
		return m, hit
	}
	r, st := f.right(w, end, start, before(w, start), eof)
	if st != hit {
		return m, st
	}
	m.end = trim(w, end, r)
	return m, hit
}

// ipv6 reads the IPv6 address that has the colon at i in it, and in brackets the
// port and path after them. It must hold a digit: "add::face" is more often a
// name in a program.
func (f *finder) ipv6(w []byte, i int, c *cursor, eof bool) (found, status) {
	if i < c.noIPv6 {
		return found{}, miss
	}
	const longest = 64
	start, end := i, i
	for start > c.past && i-start < longest && inIPv6(w[start-1]) {
		start--
	}
	for end < len(w) && end-i < longest && inIPv6(w[end]) {
		end++
	}
	if end+1 >= len(w) && !eof {
		return found{}, more
	}
	c.noIPv6 = end
	prev := before(w, start)
	if hostOctets[prev] || prev == '_' || prev == '/' || end < len(w) && (hostOctets[w[end]] || w[end] == '_') {
		return found{}, miss
	}
	for end > start && (w[end-1] == '.' || end-start > 1 && w[end-1] == ':' && w[end-2] != ':') {
		end--
	}
	text := w[start:end]
	addr, err := netip.ParseAddr(string(text))
	if err != nil || !addr.Is6() || !bytes.ContainsAny(text, "0123456789") {
		return found{}, miss
	}
	alone := found{start: start, from: start, end: end, kind: Host}
	if prev != '[' || start == c.past || end == len(w) || w[end] != ']' {
		return alone, hit
	}
	c.noIPv6 = i // it is read again if there is more
	if m, st := f.portAndPath(w, start-1, end+1, eof); st != hit || m.end > end+1 {
		return m, st
	}
	return alone, hit
}

func inIPv6(c byte) bool { return isHex(c) || c == ':' || c == '.' }
