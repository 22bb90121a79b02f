package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"locus/access"
	"locus/url"
)

// JSON returns a Func that writes entries as JSON, one object per line:
//
//	{"title":"notes.txt","url":"ftp://h/pub/notes.txt","type":"text/plain","size":812,"mtime":"2026-11-20T09:15:00Z"}
//
// Unknown values are null. A size that the listing rounds is "rough_size", and a time in an
// unknown time zone is "rough_mtime"; both are left out otherwise. An entry of a library
// catalogue also has "author", "date" (of publication) and "records" (their number). The
// password of the URL is left out. A title that is not UTF-8 is {"base64":"…"}.
func JSON(w io.Writer) Func {
	enc := NewEncoder(w)
	return func(e access.Entry) error { return enc.Encode(entryOf(e)) }
}

// entry is the JSON of an Entry.
type entry struct {
	Title   any     `json:"title"`
	URL     any     `json:"url"`
	Type    *string `json:"type"`
	Size    *int64  `json:"size"`
	ModTime *string `json:"mtime"`

	RoughSize *int64  `json:"rough_size,omitempty"`
	RoughTime *string `json:"rough_mtime,omitempty"`

	catalogueEntry
}

// entryOf returns the value to encode for an entry of a listing. Unknown values are nil, which
// becomes null.
func entryOf(e access.Entry) entry {
	j := entry{Title: Value(e.Title), catalogueEntry: catalogued(e)}
	if !e.URL.IsZero() {
		j.URL = Value(shownURL(e.URL))
	}
	if e.Type != "" {
		j.Type = &e.Type
	}
	if e.Size >= 0 {
		j.Size = &e.Size
	}
	if !e.ModTime.IsZero() {
		j.ModTime = new(e.ModTime.UTC().Format(time.RFC3339))
	}
	if e.Rough.Size > 0 {
		j.RoughSize = &e.Rough.Size
	}
	if !e.Rough.ModTime.IsZero() {
		j.RoughTime = new(e.Rough.ModTime.Format("2006-01-02T15:04:05")) // without a zone
	}
	return j
}

// Value returns the value to encode for s: s itself, or a struct that becomes {"base64":"…"} if
// s is not UTF-8.
func Value(s string) any {
	if utf8.ValidString(s) {
		return s
	}
	return struct {
		Base64 []byte `json:"base64"`
	}{[]byte(s)}
}

// Part returns the value to encode for p: nil, which becomes null, if p is absent, and
// otherwise the [Value] of its text.
func Part(p url.Part) any {
	if !p.Present {
		return nil
	}
	return Value(p.Text)
}

// Parts are the parts of a URL in JSON. A part is null if the URL lacks it. The port is a
// number of any size, or text if it is not a number.
type Parts struct {
	Scheme   any `json:"scheme"`
	User     any `json:"user"`
	Password any `json:"password"`
	Host     any `json:"host"`
	Port     any `json:"port"`
	Path     any `json:"path"`
	Query    any `json:"query"`
	Fragment any `json:"fragment"`
}

// PartsOf returns the value to encode for the parts of a URL.
func PartsOf(p url.Parts) Parts {
	parts := Parts{
		Scheme: Part(p.Scheme), User: Part(p.User), Password: Part(p.Password),
		Host: Part(p.Host), Port: Part(p.Port), Path: Value(p.Path),
		Query: Part(p.Query), Fragment: Part(p.Fragment),
	}
	if p.Port.Text != "" && strings.Trim(p.Port.Text, "0123456789") == "" {
		parts.Port = json.Number(cmp.Or(strings.TrimLeft(p.Port.Text, "0"), "0"))
	}
	return parts
}

// An Encoder writes values as JSON lines, safe to show on a terminal: it escapes every
// character that [Clean] replaces, but not "<", ">" and "&". Only one goroutine may use it.
type Encoder struct {
	w    io.Writer
	line bytes.Buffer
	json *json.Encoder
}

// NewEncoder returns an Encoder that writes to w.
func NewEncoder(w io.Writer) *Encoder {
	e := &Encoder{w: w}
	e.json = json.NewEncoder(&e.line)
	e.json.SetEscapeHTML(false)
	return e
}

// Encode writes v as JSON on one line with a line feed, in one Write.
func (e *Encoder) Encode(v any) error {
	e.line.Reset()
	if err := e.json.Encode(v); err != nil {
		return err
	}
	_, err := e.w.Write(escapeControls(e.line.Bytes()))
	return err
}

// escapeControls returns a line of JSON with escapes for the characters that Clean replaces and
// that encoding/json writes as they are: DEL, the C1 controls, and marks of the direction of
// writing. They occur only in strings. It returns line itself if it has no such character.
func escapeControls(line []byte) []byte {
	isPlain := true
	for _, first := range []byte{0x7f, 0xc2, 0xd8, 0xe2} { // the first bytes of the escaped characters
		isPlain = isPlain && bytes.IndexByte(line, first) < 0
	}
	if isPlain {
		return line
	}
	out := make([]byte, 0, len(line)+32)
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if r >= 0x7f && shown(r) != r {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, line[:size]...)
		}
		line = line[size:]
	}
	return out
}
