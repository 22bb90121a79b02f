package render

import (
	"bytes"
	"io"

	"locus/access"
)

// Wrapped returns a listing as text: the URL of each entry on a line, as <URL:…>, so that
// its last character is not taken for the end of a sentence. An entry without a URL is left
// out. Read returns the errors of list. Close closes c, which is usually the Body of the
// resource.
func Wrapped(list access.Lister, c io.Closer) io.ReadCloser {
	return &wrapped{Closer: c, list: list}
}

type wrapped struct {
	io.Closer
	list access.Lister
	line bytes.Buffer // the bytes that Read returns next
}

// Read returns the URLs of the entries, each as <URL:…> on its own line.
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
