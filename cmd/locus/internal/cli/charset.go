package cli

import (
	"io"

	"locus/internal/charset"
)

// Text has the flags of verbs that show text.
type Text struct {
	Charset string `flag:"charset"` // of text that declares none and is not UTF-8
}

// Check returns a UsageError if the charset of --charset is unknown.
func (o Text) Check() error {
	if _, ok := charset.Web(o.Charset); o.Charset != "" && !ok {
		return Misuse("--charset: unknown character set %q; try one such as ISO-8859-1 or KOI8-R", o.Charset)
	}
	return nil
}

// Writer returns a Writer that converts text of the media type to UTF-8 for w: see
// [charset.NewTextWriter]. o.Check must have returned nil.
func (o Text) Writer(w io.WriteCloser, mediaType string) *charset.TextWriter {
	return charset.NewTextWriter(w, mediaType, o.Charset)
}
