package render

import (
	"io"

	"locus/access"
)

// URIList returns a Func that writes entries as text/uri-list (RFC 2483 §5):
// the URL of each, redacted, and CR LF. Entries without a URL are left out.
func URIList(w io.Writer) Func {
	return func(e access.Entry) error {
		if e.URL.IsZero() {
			return nil
		}
		_, err := io.WriteString(w, Clean(e.URL.Redacted())+"\r\n")
		return err
	}
}
