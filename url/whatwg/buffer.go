package whatwg

import "unicode/utf8"

// A buffer is a text that is being built. What is short costs no allocation: a
// slice of an array beside it would, for all that the machine holds with it.
type buffer struct {
	used  bool // whether there is a text at all
	size  int  // of what is in small
	small [128]byte
	large []byte // the text, once it is too long for small
}

// bytes returns the text, until it is changed.
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

// putEncoded puts s with what is in the set escaped.
func (b *buffer) putEncoded(s string, set Set) {
	for {
		n := kept(s, 0, set)
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

// cut leaves the first size octets.
func (b *buffer) cut(size int) {
	if b.large != nil {
		b.large = b.large[:size]
		return
	}
	b.size = size
}
