package cli

import (
	"io"

	"locus/internal/charset"
)

// Text has the flags of verbs that show text.
type Text struct {
	Charset string `flag:"charset"` // of text that declares none and is not UTF-8
}

// Check returns an error if the charset is unknown.
func (o Text) Check() error {
	if _, ok := charset.Web(o.Charset); o.Charset != "" && !ok {
		return Misuse("--charset: unknown character set %q; ISO-8859-1 and KOI8-R are known", o.Charset)
	}
	return nil
}

// Writer returns a Writer of text: see [charset.NewTextWriter]. Check has accepted o.
func (o Text) Writer(w io.WriteCloser, mediaType string) *charset.TextWriter {
	return charset.NewTextWriter(w, mediaType, o.Charset)
}
