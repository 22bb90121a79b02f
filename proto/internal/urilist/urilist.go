// Package urilist writes the entries of a listing as text/uri-list (RFC 2483 §5). It makes the Body
// of listings whose servers send no text.
package urilist

import (
	"bytes"
	"strings"

	"locus/access"
)

// Type is the media type text/uri-list.
const Type = "text/uri-list"

// A Text is the text of a listing: for each entry with a URL, a line with the URL that ends in
// CR LF. Only one goroutine at a time may use it.
type Text struct {
	Titles bool // each entry also has a comment with its title, before the URL

	lines bytes.Buffer // the lines that Read returns next
}

// Read copies lines into p. If it has no line left, it calls next until an entry adds one. An error
// of next, such as io.EOF, is returned only after the lines of all entries before it.
func (t *Text) Read(p []byte, next func() (access.Entry, error)) (int, error) {
	for t.lines.Len() == 0 {
		e, err := next()
		if err != nil {
			return 0, err
		}
		t.add(e)
	}
	return t.lines.Read(p)
}

// add appends the lines of e to t.lines: the title as a comment, if Titles is set, and the URL,
// unless it is zero.
func (t *Text) add(e access.Entry) {
	if t.Titles {
		t.lines.WriteString("# " + strings.NewReplacer("\r", " ", "\n", " ").Replace(e.Title) + "\r\n")
	}
	if !e.URL.IsZero() {
		t.lines.WriteString(e.URL.String() + "\r\n")
	}
}
