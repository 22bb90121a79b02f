package whatwg

import (
	"bytes"
	"strconv"
	"strings"
)

// href is the URL serializer. built is the path if that is not in the record;
// nil if it is. If the result is what like starts with, nothing is copied: most
// texts are their own href. Otherwise it is the one thing allocated.
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

// length returns at least how long the href is, with a path of so many octets
// besides r's.
func (r *record) length(built int) int {
	return len(r.scheme) + len(r.username) + len(r.password) + len(r.host) + len(r.path) + built +
		len(r.query.Text) + len(r.fragment.Text) + len("://:@:65535/.?#")
}

// A writer makes a text that is probably like one that is there already. While
// it is, the writer only compares.
type writer struct {
	like   string
	same   int // octets of like that were written, until something differs
	differ bool
	need   int // octets, at most
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

// copy starts the text that differs.
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
