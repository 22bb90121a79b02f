package whatwg

import (
	"bytes"
	"strconv"
	"strings"
)

// href is the URL serializer. built is the path, unless the record has it. If like
// starts with the result, href returns that part of like and does not allocate:
// most texts are their own href.
func (r *record) href(built []byte, like string) string {
	w := writer{like: like, need: r.length(len(built))}
	w.put(r.scheme)
	w.put(":")
	switch {
	case r.hasHost:
		w.put("//")
		w.login(r.username, r.password)
		w.put(r.host)
		w.port(r.port)
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

// length returns an upper bound of the length of the href. built is the length of
// a path that is not in the record.
func (r *record) length(built int) int {
	return len(r.scheme) + len(r.username) + len(r.password) + len(r.host) + len(r.path) + built +
		len(r.query.Text) + len(r.fragment.Text) + len("://:@:65535/.?#")
}

// A writer writes a text that is probably the start of like. It only compares as
// long as that is so.
type writer struct {
	like   string
	same   int  // how many bytes of like were written
	differ bool // the text is in b, as it is not the start of like
	need   int  // how many bytes b needs at most
	b      strings.Builder
}

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

// copy copies what was written from like to b.
func (w *writer) copy() {
	w.differ = true
	w.b.Grow(w.need)
	w.b.WriteString(w.like[:w.same])
}

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

func (w *writer) port(port int) {
	if port < 0 {
		return
	}
	var room [len(":65535")]byte
	w.putBytes(strconv.AppendInt(append(room[:0], ':'), int64(port), 10))
}

// String returns what was written.
func (w *writer) String() string {
	if w.differ {
		return w.b.String()
	}
	return w.like[:w.same]
}
