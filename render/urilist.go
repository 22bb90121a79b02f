package render

import (
	"io"

	"locus/access"
)

// URIList returns a Func that writes entries as text/uri-list (RFC 2483 §5):
// the URL of each, without its password, and CR LF. Entries without a URL are left out.
func URIList(w io.Writer) Func {
	return func(e access.Entry) error {
		if e.URL.IsZero() {
			return nil
		}
		_, err := io.WriteString(w, Clean(shownURL(e.URL))+"\r\n")
		return err
	}
}
