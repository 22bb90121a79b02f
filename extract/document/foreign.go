package document

import (
	"bytes"
	"io"
)

// A Foreign is an encoding in which URLs are not found, so that the text must be converted first.
type Foreign struct {
	Name     string // such as "gzip"; "" means that the text needs no conversion
	IsPacked bool   // the encoding is a compressed file format
	Convert  string // a command that writes the text to stdout, such as "gzip -dc"

	start string // the bytes that a text in the encoding starts with
}

var foreigns = []Foreign{
	{"UTF-16", false, "iconv -f UTF-16 -t UTF-8", "\xff\xfe"},
	{"UTF-16", false, "iconv -f UTF-16 -t UTF-8", "\xfe\xff"},
	{"gzip", true, "gzip -dc", "\x1f\x8b\x08"},
	{"xz", true, "xz -dc", "\xfd7zXZ\x00"},
	{"zstd", true, "zstd -dc", "\x28\xb5\x2f\xfd"},
	{"zip", true, "unzip -p", "PK\x03\x04"},
	{"bzip2", true, "bzip2 -dc", "BZh91AY&SY"},
}

// longestForeign is the number of bytes of a text that are enough to recognise its encoding.
const longestForeign = len("BZh91AY&SY")

// ForeignIn returns the encoding of a text that begins with start. Ten bytes are enough. It returns the zero Foreign
// if the text needs no conversion.
func ForeignIn(start []byte) Foreign {
	for _, f := range foreigns {
		if bytes.HasPrefix(start, []byte(f.start)) {
			return f
		}
	}
	return Foreign{}
}

// A ForeignError says that a text has an encoding in which URLs are not found.
type ForeignError struct{ Foreign }

// Error returns text such as "it is in UTF-16, which locus cannot read".
func (e *ForeignError) Error() string { return "it is in " + e.Name + ", which locus cannot read" }

// RefuseForeign returns a Reader that reads r, and whose Read fails with a [*ForeignError] if the text begins like a
// text in a [Foreign] encoding.
func RefuseForeign(r io.Reader) io.Reader { return &foreignRefuser{Reader: r} }

// A foreignRefuser is the Reader that RefuseForeign returns.
type foreignRefuser struct {
	io.Reader
	start []byte // up to longestForeign bytes from the start of the text
}

// Read reads from Reader. It returns 0 and a [*ForeignError] if the text begins like a text in a foreign encoding.
func (w *foreignRefuser) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if room := longestForeign - len(w.start); room > 0 && n > 0 {
		w.start = append(w.start, p[:min(n, room)]...)
		if f := ForeignIn(w.start); f.Name != "" {
			return 0, &ForeignError{f}
		}
	}
	return n, err
}
