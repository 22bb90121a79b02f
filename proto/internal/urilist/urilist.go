// Package urilist writes the entries of a listing as text/uri-list (RFC 2483 §5). It is the
// Body of listings whose servers send no text.
package urilist

import (
	"bytes"
	"strings"

	"locus/access"
)

// Type is the media type.
const Type = "text/uri-list"

// A Text is the text of a listing: for each entry a line with its URL, which ends in CR LF.
// An entry without a URL has no such line. One goroutine uses a Text.
type Text struct {
	Titles bool // a line with the title, as a comment, stands before each URL

	lines bytes.Buffer // of entries that were read, but not yet returned
}

// Read reads text into p. It calls next for further entries, and returns its error.
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

func (t *Text) add(e access.Entry) {
	if t.Titles {
		t.lines.WriteString("# " + strings.NewReplacer("\r", " ", "\n", " ").Replace(e.Title) + "\r\n")
	}
	if !e.URL.IsZero() {
		t.lines.WriteString(e.URL.String() + "\r\n")
	}
}
