package whatwg

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"locus/internal/ascii"
)

// pathAt is the path start state. It parses the path, which starts at m.text[i], and all that follows.
func (m *machine) pathAt(i int) error {
	switch {
	case m.probe:
		return nil
	case m.url.special:
		if m.isSlash(i) {
			m.reportBackslash(i)
			i++
		}
		return m.segments(i)
	case m.isEnd(i):
		return nil
	case m.at(i) == '?', m.at(i) == '#':
		return m.tail(i)
	case m.at(i) == '/':
		i++
	}
	return m.segments(i)
}

// segments is the path state. It parses the segments of the path from m.text[i] on, and then the query and the
// fragment. The slash before m.text[i] has been read, if there is one.
func (m *machine) segments(i int) error {
	if m.probe {
		return nil
	}
	if end, ok := m.plainPath(i); ok {
		m.checkUnits(i, end)
		m.url.path = m.text[i-1 : end]
		return m.tail(end)
	}
	for {
		end := i
		for !m.isEnd(end) && !m.isSlash(end) && (m.override || m.text[end] != '?' && m.text[end] != '#') {
			end++
		}
		m.checkUnits(i, end)
		m.segment(m.text[i:end], m.isSlash(end))
		if !m.isSlash(end) {
			return m.tail(end)
		}
		m.reportBackslash(end)
		i = end + 1
	}
}

// plainPath returns the end of the path whose first slash is m.text[i-1], if the parser would leave that path
// unchanged. ok is false otherwise, and then segments has to parse it.
func (m *machine) plainPath(i int) (end int, ok bool) {
	if m.path.used || i == 0 || m.text[i-1] != '/' {
		return 0, false
	}
	end = indexIn(m.text, i, PathSet)
	if end < len(m.text) && (m.override || m.text[end] != '?' && m.text[end] != '#') {
		return 0, false
	}
	path := m.text[i-1 : end]
	if m.url.special && strings.IndexByte(path, '\\') >= 0 || hasDotSegment(path) {
		return 0, false
	}
	return end, m.url.scheme != "file" || !isDrive(firstSegment(path)) || path[2] == ':'
}

// segment appends a slash and the segment s, escaped, to the path. A segment "." is dropped, and a segment ".." removes
// the last segment. After them the path ends with a slash, unless more is true, which says that a slash follows in
// m.text. A drive letter at the start of a file URL's path gets a ":".
func (m *machine) segment(s string, more bool) {
	switch ascii.Dots(s) {
	case 2:
		m.shorten()
		if !more {
			m.path.put("/")
		}
		return
	case 1:
		if !more {
			m.path.put("/")
		}
		return
	}
	first := len(m.path.bytes()) == 0
	m.path.put("/")
	if m.url.scheme == "file" && first && isDrive(s) {
		m.path.put(s[:1])
		m.path.put(":")
		return
	}
	m.path.putEncoded(s, PathSet)
}

// shorten removes the last segment of the path, unless it is the drive letter of a file URL.
func (m *machine) shorten() {
	path := m.path.bytes()
	if m.url.scheme == "file" && len(path) == 3 && isNormalDrive(string(path[1:])) {
		return
	}
	m.path.cut(max(0, bytes.LastIndexByte(path, '/')))
}

// opaquePath is the opaque path state. It parses the opaque path, which starts at m.text[i], the query and the
// fragment.
func (m *machine) opaquePath(i int) error {
	if m.probe {
		return nil
	}
	m.url.opaque = true
	end := len(m.text)
	if tail := strings.IndexAny(m.text[i:], "?#"); tail >= 0 {
		end = i + tail
	}
	m.checkUnits(i, end)
	m.url.path = PercentEncode(m.text[i:end], C0Control)
	if end < len(m.text) && strings.HasSuffix(m.url.path, " ") {
		m.url.path = strings.TrimSuffix(m.url.path, " ") + "%20"
	}
	return m.tail(end)
}

// checkUnits reports each character of m.text[i:end] that is neither a URL code point nor part of an escape.
func (m *machine) checkUnits(i, end int) {
	if m.reporter == nil {
		return
	}
	for i < end {
		c := m.text[i]
		size := 1
		switch {
		case c == '%':
			if !ascii.HasEscape(m.text[:end], i) {
				m.report(InvalidURLUnit, i)
			}
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRuneInString(m.text[i:end]); !isURLRune(r, size) {
				m.report(InvalidURLUnit, i)
			}
		case setsOf[c]&urlUnit == 0:
			m.report(InvalidURLUnit, i)
		}
		i += size
	}
}

// isURLRune reports whether r, which is not ASCII, is a URL code point. size is the number of bytes from which r was
// decoded.
func isURLRune(r rune, size int) bool {
	nonCharacter := r&0xfffe == 0xfffe || 0xfdd0 <= r && r <= 0xfdef
	return r >= 0xa0 && !nonCharacter && !(r == utf8.RuneError && size == 1)
}

// isDrive reports whether s is a Windows drive letter with its colon: a letter, and ":" or "|".
func isDrive(s string) bool {
	return len(s) == 2 && ascii.IsLetter(s[0]) && (s[1] == ':' || s[1] == '|')
}

// isNormalDrive reports whether s is a letter and ":".
func isNormalDrive(s string) bool { return isDrive(s) && s[1] == ':' }

// startsWithDrive reports whether the first segment of s is a Windows drive letter.
func startsWithDrive(s string) bool {
	return len(s) >= 2 && isDrive(s[:2]) && (len(s) == 2 || strings.IndexByte(`/\?#`, s[2]) >= 0)
}

// firstSegment returns the first segment of path, whose slash at the start it skips.
func firstSegment(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first
}

// encodeLegacy returns s in the legacy encoding of encode, with the bytes of the set escaped. encode returns the bytes
// of a character and 0. If the encoding lacks the character, encode returns the number for an HTML character reference
// such as "&#960;", which encodeLegacy writes escaped.
func encodeLegacy(s string, set Set, encode func(rune) ([]byte, rune)) []byte {
	var b []byte
	for _, r := range s {
		encoded, missing := encode(r)
		if missing != 0 {
			b = append(b, "%26%23"...)
			b = strconv.AppendInt(b, int64(missing), 10)
			b = append(b, "%3B"...)
			continue
		}
		for _, c := range encoded {
			if setsOf[c]&set != 0 {
				b = ascii.AppendEscape(b, c)
			} else {
				b = append(b, c)
			}
		}
	}
	return b
}
