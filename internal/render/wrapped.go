package render

import (
	"bytes"
	"io"

	"locus/access"
)

// Wrapped returns the entries of list as text: the URL of each entry on a line, as <URL:…>, so
// that the last character of the URL is not taken for the end of a sentence. It leaves out
// entries without a URL. Read returns the errors of list. Close closes c, which is usually the
// Body of the resource.
func Wrapped(list access.Lister, c io.Closer) io.ReadCloser {
	return &wrapped{Closer: c, list: list}
}

type wrapped struct {
	io.Closer
	list access.Lister
	line bytes.Buffer // the bytes that Read returns next
}

// Read reads the text that Wrapped describes. The error is the error of list, io.EOF after the
// last entry.
func (r *wrapped) Read(p []byte) (int, error) {
	for r.line.Len() == 0 {
		e, err := r.list.Next()
		if err != nil {
			return 0, err
		}
		if !e.URL.IsZero() {
			r.line.WriteString("<URL:" + e.URL.String() + ">\n")
		}
	}
	return r.line.Read(p)
}
