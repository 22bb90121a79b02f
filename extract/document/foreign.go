package document

import (
	"bytes"
	"io"
)

// A Foreign is an encoding in which no URLs are found. The text must be converted first.
type Foreign struct {
	Name     string // such as "gzip"; "": the text needs no conversion
	IsPacked bool   // it is a compressed file
	Convert  string // a command that writes the text to stdout, such as "gzip -dc"

	start string // its first bytes
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

// longestForeign is how many bytes of a text show its encoding.
const longestForeign = len("BZh91AY&SY")

// ForeignIn returns the encoding of a text that begins with start, of which ten bytes are enough;
// the zero Foreign if it needs no conversion.
func ForeignIn(start []byte) Foreign {
	for _, f := range foreigns {
		if bytes.HasPrefix(start, []byte(f.start)) {
			return f
		}
	}
	return Foreign{}
}

// A ForeignError says that a text has an encoding in which no URLs are found.
type ForeignError struct{ Foreign }

// Error returns "it is in UTF-32, which locus cannot read".
func (e *ForeignError) Error() string { return "it is in " + e.Name + ", which locus cannot read" }

// RefuseForeign returns a Reader of r whose Read fails with a *ForeignError if the text begins as
// one in a [Foreign] encoding does.
func RefuseForeign(r io.Reader) io.Reader { return &watched{Reader: r} }

type watched struct {
	io.Reader
	start []byte // the first bytes
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if room := longestForeign - len(w.start); room > 0 && n > 0 {
		w.start = append(w.start, p[:min(n, room)]...)
		if f := ForeignIn(w.start); f.Name != "" {
			return 0, &ForeignError{f}
		}
	}
	return n, err
}
