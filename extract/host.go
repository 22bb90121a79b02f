package extract

import (
	"bytes"
	"net/netip"
	"unicode"
	"unicode/utf8"
)

const (
	maxHost  = 253 // bytes (RFC 1035 §2.3.4)
	maxLabel = 63  // in characters, because the DNS counts bytes of Punycode, which has fewer than UTF-8
)

// hostBytes is the set of bytes in the labels of a host.
var hostBytes = bytesWhere(func(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' || c >= 0x80 })

// hostName fills in k with the candidate whose host has the dot at i. It returns miss if the text around the dot is not
// a host, or is part of a URL or a mail address. It then sets c.noHost, so that the other dots of the same text are not
// examined.
func (f *finder) hostName(w window, i int, c *cursor, k *candidate) status {
	if i < c.noHost {
		return miss
	}
	start := i
	for start > c.floor && i-start <= maxHost && (hostBytes[w.text[start-1]] || w.text[start-1] == '.') {
		start--
	}
	start, stop, st := w.wordAround(start, i)
	k.start = start
	if st != hit {
		return st
	}
	end := f.hostEnd(w.text[:stop], start)
	if end == 0 || isPartOfMore(w.text, start, end) || f.followsScheme(w.text, start) {
		c.noHost = stop
		return miss
	}
	at := end // an "@" after the host makes it the local part of an address
	for at < len(w.text) && at-end < maxLocalPart && localBytes[w.text[at]] {
		at++
	}
	switch {
	case w.lacks(at + 1):
		return needMore
	case at < len(w.text) && w.text[at] == '@':
		c.noHost = at
		return miss
	}
	return k.setHost(w, start, end)
}

// localhost fills in k with the candidate whose host is "localhost" before the colon at i. It returns miss if another
// text is before the colon, or if "localhost" is part of a longer name or a path.
func (f *finder) localhost(w window, i, floor int, k *candidate) status {
	start := i - len("localhost")
	if start < floor || !bytes.EqualFold(w.text[start:i], []byte("localhost")) || isPartOfMore(w.text, start, i) || byteBefore(w.text, start) == '.' {
		return miss
	}
	return k.setHost(w, start, i)
}

// setHost sets the fields of a candidate that starts with the host at [start, end). body is the offset after the host
// or, if a valid port follows the host, after the port. setHost returns hit, or needMore if the window ends within the
// port.
func (k *candidate) setHost(w window, start, end int) status {
	k.hostEnd = end
	past := portEnd(w.text[:min(len(w.text), end+8)], end)
	if w.lacks(past + 2) {
		return needMore
	}
	if digits := past - end - 1; digits >= 1 && digits <= 5 && (past == len(w.text) || w.text[past] >= 0x80 || !hostBytes[w.text[past]]) {
		end = past
	}
	k.setBody(start, start, end)
	return hit
}

// wordAround returns the range of the word around offset i: letters, digits, hyphens and dots. The word starts at or
// after start, and is cut between ASCII and a letter of a script that writes words without spaces. st is hit, or
// needMore if the word may continue after the window.
func (w window) wordAround(start, i int) (from, stop int, st status) {
	from, stop = start, start
	last := joining
	for stop < len(w.text) && stop-i <= maxHost {
		k, size := byteRoles[w.text[stop]], 1
		if k == unknown {
			k, size = w.roleAt(stop)
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
	if !w.eof && stop-i <= maxHost {
		return from, stop, needMore
	}
	return from, stop, hit
}

// A role says how a character affects the word around it.
type role uint8

const (
	outside  role = iota // it is not in the word
	joining              // a dot, a hyphen, or a letter beyond ASCII
	letter               // a letter or digit of ASCII
	unspaced             // a letter of a script that writes words without spaces
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

// roleAt returns the role and the length in bytes of the character beyond ASCII that starts at offset at. It returns
// unknown and 0 if the character may continue after the window.
func (w window) roleAt(at int) (role, int) {
	if w.lacksRune(at) {
		return unknown, 0
	}
	r, size := utf8.DecodeRune(w.text[at:])
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

// hostEnd returns where the host ends that starts at offset start of text. The word that starts there must reach to the
// end of text. hostEnd returns 0 if the word does not start with an IP address or with a name under a top-level domain.
func (f *finder) hostEnd(text []byte, start int) int {
	end := len(text)
	for end > start && (text[end-1] == '.' || text[end-1] == '-') {
		end--
	}
	if end == start || end-start > maxHost || !hasValidLabels(text[start:end]) {
		return 0
	}
	if isDigit(text[end-1]) {
		if _, err := netip.ParseAddr(string(text[start:end])); err == nil {
			return end
		}
	}
	last := start + bytes.LastIndexByte(text[start:end], '.') + 1
	if last == start {
		return 0
	}
	if isTopLevel(text[last:end]) {
		return end
	}
	if dash := bytes.IndexByte(text[last:end], '-'); dash > 0 && isTopLevel(text[last:last+dash]) {
		return last + dash
	}
	return 0
}

// hasValidLabels reports whether every label of a host is neither empty nor too long, and neither starts nor ends
// with a hyphen.
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

// isTopLevel reports whether a label is a top-level domain. A label in which only the first letter is in upper case
// is not one, because it is more often a name in a program.
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

// isPartOfMore reports whether text that looks like a host is part of a path, of a name with "_", of a mail address
// or of a call, or is the name of a file.
func isPartOfMore(text []byte, start, end int) bool {
	if prev := byteBefore(text, start); prev == '/' || prev == '@' && !isDigit(text[end-1]) || prev == '_' || prev == '\\' || prev == '%' || hostBytes[prev] && prev < 0x80 {
		return true
	}
	next := byte(' ')
	if end < len(text) {
		next = text[end]
	}
	if next == '_' || next == '(' {
		return true
	}
	host := text[start:end]
	return next != '/' && fileExtensions.Get()[string(bytes.ToLower(host[bytes.IndexByte(host, '.')+1:]))]
}

// followsScheme reports whether start follows the colon of a scheme whose URLs have no host. A host there is part of
// a name, as in tag:h.example.
func (f *finder) followsScheme(text []byte, start int) bool {
	if byteBefore(text, start) != ':' {
		return false
	}
	colon := start - 1
	from := colon
	for from > 0 && colon-from <= maxSchemeName && schemeBytes[text[from-1]] {
		from--
	}
	r, ok := f.rule(text[from:colon])
	return ok && !r.host
}

// ipv6 fills in k with the candidate whose IPv6 address has the colon at i: in brackets if k.form is bracketedIPv6, and
// without them if it is bareIPv6. It returns miss if there is no such address. If the address is invalid in both forms,
// ipv6 sets c.noIPv6, so that the other colons of the text are not examined. An address must contain a digit, because
// "add::face" is more often a name in a program.
func (f *finder) ipv6(w window, i int, c *cursor, k *candidate) status {
	if i < c.noIPv6 {
		return miss
	}
	const longest = 64
	start, end := i, i
	for start > c.floor && i-start < longest && isIPv6Byte(w.text[start-1]) {
		start--
	}
	for end < len(w.text) && end-i < longest && isIPv6Byte(w.text[end]) {
		end++
	}
	if w.lacks(end + 2) {
		return needMore
	}
	past := end
	prev := byteBefore(w.text, start)
	if hostBytes[prev] || prev == '_' || prev == '/' || end < len(w.text) && (hostBytes[w.text[end]] || w.text[end] == '_') {
		c.noIPv6 = past
		return miss
	}
	for end > start && (w.text[end-1] == '.' || end-start > 1 && w.text[end-1] == ':' && w.text[end-2] != ':') {
		end--
	}
	text := w.text[start:end]
	addr, err := netip.ParseAddr(string(text))
	switch {
	case err != nil || !addr.Is6() || !bytes.ContainsAny(text, "0123456789"):
		c.noIPv6 = past
		return miss
	case k.form == bareIPv6:
		return k.setFixed(start, end)
	case prev != '[' || start == c.floor || end == len(w.text) || w.text[end] != ']':
		return miss
	}
	return k.setHost(w, start-1, end+1)
}

func isIPv6Byte(c byte) bool { return isHex(c) || c == ':' || c == '.' }
