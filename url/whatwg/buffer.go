package whatwg

import "unicode/utf8"

// A buffer holds a text that is being built. A short text is in an array within
// it, so that it costs no allocation.
type buffer struct {
	used  bool // something was put
	size  int  // the length of the text in small
	small [128]byte
	large []byte // the text, once it is too long for small
}

// bytes returns the text. It is valid until the next change.
func (b *buffer) bytes() []byte {
	if b.large != nil {
		return b.large
	}
	return b.small[:b.size]
}

func (b *buffer) put(s string) {
	b.used = true
	switch {
	case b.large != nil:
		b.large = append(b.large, s...)
	case b.size+len(s) <= len(b.small):
		b.size += copy(b.small[b.size:], s)
	default:
		b.large = make([]byte, 0, 2*(b.size+len(s)))
		b.large = append(b.large, b.small[:b.size]...)
		b.large = append(b.large, s...)
	}
}

// putEncoded puts s, with the characters of the set escaped.
func (b *buffer) putEncoded(s string, set Set) {
	for {
		n := indexIn(s, 0, set)
		b.put(s[:n])
		if n == len(s) {
			return
		}
		_, size := utf8.DecodeRuneInString(s[n:])
		var room [len("%EF%BF%BD")]byte
		b.put(string(appendEncoded(room[:0], s[n:n+size], set)))
		s = s[n+size:]
	}
}

// cut keeps the first size bytes.
func (b *buffer) cut(size int) {
	if b.large != nil {
		b.large = b.large[:size]
		return
	}
	b.size = size
}
