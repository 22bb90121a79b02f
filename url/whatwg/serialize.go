package whatwg

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// href is the URL serializer. built is the path, unless the record contains it. If like starts with the result, href
// returns that prefix of like and does not allocate, because most texts are their own href.
func (r *record) href(built []byte, like string) string {
	w := writer{like: like, need: r.length(len(built))}
	w.put(r.scheme)
	w.put(":")
	switch {
	case r.hasHost:
		w.put("//")
		w.login(r.username, r.password)
		w.put(r.host)
		if r.port != "" {
			w.put(":")
			w.put(r.port)
		}
	case !r.opaque && (strings.HasPrefix(r.path, "//") || bytes.HasPrefix(built, []byte("//"))):
		w.put("/.")
	}
	w.put(r.path)
	w.putBytes(built)
	if r.query.Present {
		w.put("?")
		w.put(r.query.Text)
	}
	if r.fragment.Present {
		w.put("#")
		w.put(r.fragment.Text)
	}
	return w.String()
}

// length returns an upper bound for the length of the href. built is the length of a path that is not in the record.
func (r *record) length(built int) int {
	return len(r.scheme) + len(r.username) + len(r.password) + len(r.host) + len(r.port) + len(r.path) + built +
		len(r.query.Text) + len(r.fragment.Text) + len("://:@:/.?#")
}

// A writer builds a text that is probably a prefix of like. It only compares, and does not copy, as long as the text
// is such a prefix.
type writer struct {
	like   string
	same   int  // how many bytes of like have been written
	differ bool // the text is in b, because it is not a prefix of like
	need   int  // the largest number of bytes that b needs
	b      strings.Builder
}

// put writes s. As long as the whole text is a prefix of w.like, it only counts the bytes.
func (w *writer) put(s string) {
	if !w.differ {
		if strings.HasPrefix(w.like[w.same:], s) {
			w.same += len(s)
			return
		}
		w.copy()
	}
	w.b.WriteString(s)
}

// putBytes writes s. As long as the whole text is a prefix of w.like, it only counts the bytes.
func (w *writer) putBytes(s []byte) {
	if !w.differ {
		if rest := w.like[w.same:]; len(rest) >= len(s) && rest[:len(s)] == string(s) {
			w.same += len(s)
			return
		}
		w.copy()
	}
	w.b.Write(s)
}

// copy copies to w.b the text that put has only counted. Later text goes to w.b, too.
func (w *writer) copy() {
	w.differ = true
	w.b.Grow(w.need)
	w.b.WriteString(w.like[:w.same])
}

// login writes the user name, a ":" and the password if it is not empty, and "@". It has no effect if both are empty.
func (w *writer) login(username, password string) {
	if username == "" && password == "" {
		return
	}
	w.put(username)
	if password != "" {
		w.put(":")
		w.put(password)
	}
	w.put("@")
}

// String returns the text that has been written.
func (w *writer) String() string {
	if w.differ {
		return w.b.String()
	}
	return w.like[:w.same]
}

// A buffer contains a text that is being built. A short text is in an array in the buffer, and needs no allocation.
type buffer struct {
	used  bool // put has been called
	size  int  // the length of the text in small
	small [128]byte
	large []byte // the text, if it is too long for small
}

// bytes returns the text. The slice is valid until the next change.
func (b *buffer) bytes() []byte {
	if b.large != nil {
		return b.large
	}
	return b.small[:b.size]
}

// put appends s to the text.
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

// putEncoded appends PercentEncode(s, set) to the text.
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

// cut shortens the text to its first size bytes.
func (b *buffer) cut(size int) {
	if b.large != nil {
		b.large = b.large[:size]
		return
	}
	b.size = size
}
