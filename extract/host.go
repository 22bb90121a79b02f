package extract

import (
	"bytes"
	"net/netip"
	"unicode"
	"unicode/utf8"
)

const (
	maxHost  = 253 // bytes (RFC 1035 §2.3.4)
	maxLabel = 63  // characters: the DNS counts bytes of Punycode, which are fewer than those of UTF-8
)

// hostBytes are the bytes of a host's labels.
var hostBytes = bytesWhere(func(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' || c >= 0x80 })

// hostName fills in the candidate whose host has the dot at i.
func (f *finder) hostName(w []byte, i int, c *cursor, eof bool, k *candidate) status {
	if i < c.noHost {
		return miss
	}
	start := i
	for start > c.floor && i-start <= maxHost && (hostBytes[w[start-1]] || w[start-1] == '.') {
		start--
	}
	start, stop, st := wordAround(w, start, i, eof)
	k.start = start
	if st != hit {
		return st
	}
	end := f.hostEnd(w[:stop], start)
	if end == 0 || isPartOfMore(w, start, end) || f.followsScheme(w, start) {
		c.noHost = stop
		return miss
	}
	at := end // look for an "@": then this is the local part of an address
	for at < len(w) && at-end < maxLocalPart && localBytes[w[at]] {
		at++
	}
	switch {
	case at == len(w) && !eof:
		return needMore
	case at < len(w) && w[at] == '@':
		c.noHost = at
		return miss
	}
	return k.setHost(w, start, end, eof)
}

// localhost fills in the candidate whose host is "localhost", before the colon at
// i.
func (f *finder) localhost(w []byte, i, floor int, eof bool, k *candidate) status {
	start := i - len("localhost")
	if start < floor || !bytes.EqualFold(w[start:i], []byte("localhost")) || isPartOfMore(w, start, i) || byteBefore(w, start) == '.' {
		return miss
	}
	return k.setHost(w, start, i, eof)
}

// setHost sets the fields of a candidate that starts with a host, and reads the
// port after it.
func (k *candidate) setHost(w []byte, start, end int, eof bool) status {
	k.hostEnd = end
	past := portEnd(w[:min(len(w), end+8)], end)
	if past+1 >= len(w) && !eof {
		return needMore
	}
	if digits := past - end - 1; digits >= 1 && digits <= 5 && (past == len(w) || w[past] >= 0x80 || !hostBytes[w[past]]) {
		end = past
	}
	k.setBody(start, start, end)
	return hit
}

// wordAround returns where the run of letters, digits, hyphens and dots around i
// starts, at or after start, and where it stops. The run is cut where ASCII meets
// a letter of a script that puts no blanks between words.
func wordAround(w []byte, start, i int, eof bool) (from, stop int, st status) {
	from, stop = start, start
	last := joining
	for stop < len(w) && stop-i <= maxHost {
		k, size := byteRoles[w[stop]], 1
		if k == unknown {
			k, size = roleOf(w[stop:], eof)
		}
		switch {
		case k == unknown:
			return from, stop, needMore
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
	if !eof && stop-i <= maxHost {
		return from, stop, needMore
	}
	return from, stop, hit
}

// A role is what a character does in a word.
type role uint8

const (
	outside  role = iota // it is not in the word
	joining              // a dot, a hyphen, or a letter beyond ASCII
	letter               // a letter or digit of ASCII
	unspaced             // a letter of a script that puts no blanks between words
	mark                 // it modifies the letter before it
	unknown              // more of the text must be read to decide
)

var byteRoles = func() (of [256]role) {
	for c := range 256 {
		switch c := byte(c); {
		case c >= 0x80:
			of[c] = unknown
		case c == '.' || c == '-':
			of[c] = joining
		case hostBytes[c]:
			of[c] = letter
		}
	}
	return of
}()

// roleOf returns the role of the character beyond ASCII that a text starts with,
// and its length.
func roleOf(w []byte, eof bool) (role, int) {
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
	if end == start || end-start > maxHost || !hasValidLabels(w[start:end]) {
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

// hasValidLabels reports whether no label of a host is empty or too long, or has
// a hyphen at its start or end.
func hasValidLabels(host []byte) bool {
	for len(host) > 0 {
		n := bytes.IndexByte(host, '.')
		if n < 0 {
			n = len(host)
		}
		if n == 0 || n > maxLabel && utf8.RuneCount(host[:n]) > maxLabel || host[0] == '-' || host[n-1] == '-' {
			return false
		}
		host = host[min(n+1, len(host)):]
	}
	return true
}

// isTopLevel reports whether a label is a top-level domain. A label in which only
// the first letter is in upper case is not: it is more often a name in a program.
func isTopLevel(label []byte) bool {
	if len(label) < 2 || len(label) > maxLabel || isUpper(label[0]) && isLetter(label[1]) && !isUpper(label[1]) {
		return false
	}
	var lower [maxLabel]byte
	name := append(lower[:0], label...)
	for i, c := range name {
		if isUpper(c) {
			name[i] |= 0x20
		} else if c >= 0x80 {
			name = bytes.ToLower(name)
			break
		}
	}
	_, ok := topLevelDomains.Get()[string(name)]
	return ok
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// isPartOfMore reports whether what looks like a host is part of a path, of a
// name with "_", of a mail address or of a call, or is the name of a file.
func isPartOfMore(w []byte, start, end int) bool {
	if prev := byteBefore(w, start); prev == '/' || prev == '@' && !isDigit(w[end-1]) || prev == '_' || prev == '\\' || prev == '%' || hostBytes[prev] && prev < 0x80 {
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
	return next != '/' && fileNames.Get()[string(bytes.ToLower(host[bytes.IndexByte(host, '.')+1:]))]
}

// followsScheme reports whether a place follows the colon of a scheme whose URLs
// have no host. A host there is part of a name, such as tag:h.example.
func (f *finder) followsScheme(w []byte, start int) bool {
	if byteBefore(w, start) != ':' {
		return false
	}
	colon := start - 1
	from := colon
	for from > 0 && colon-from <= maxSchemeName && schemeBytes[w[from-1]] {
		from--
	}
	r, ok := f.rule(w[from:colon])
	return ok && !r.host
}

// ipv6 fills in the candidate whose IPv6 address has the colon at i. The address
// must hold a digit: "add::face" is more often a name in a program.
func (f *finder) ipv6(w []byte, i int, c *cursor, eof bool, k *candidate) status {
	if i < c.noIPv6 {
		return miss
	}
	const longest = 64
	start, end := i, i
	for start > c.floor && i-start < longest && isIPv6Byte(w[start-1]) {
		start--
	}
	for end < len(w) && end-i < longest && isIPv6Byte(w[end]) {
		end++
	}
	if end+1 >= len(w) && !eof {
		return needMore
	}
	past := end
	prev := byteBefore(w, start)
	if hostBytes[prev] || prev == '_' || prev == '/' || end < len(w) && (hostBytes[w[end]] || w[end] == '_') {
		c.noIPv6 = past
		return miss
	}
	for end > start && (w[end-1] == '.' || end-start > 1 && w[end-1] == ':' && w[end-2] != ':') {
		end--
	}
	text := w[start:end]
	addr, err := netip.ParseAddr(string(text))
	switch {
	case err != nil || !addr.Is6() || !bytes.ContainsAny(text, "0123456789"):
		c.noIPv6 = past
		return miss
	case k.form == bareIPv6:
		return k.setFixed(start, end)
	case prev != '[' || start == c.floor || end == len(w) || w[end] != ']':
		return miss
	}
	return k.setHost(w, start-1, end+1, eof)
}

func isIPv6Byte(c byte) bool { return isHex(c) || c == ':' || c == '.' }
