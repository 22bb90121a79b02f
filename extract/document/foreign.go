package document

import (
	"bytes"
	"io"
)

// A Foreign is an encoding in which no URLs are found. The text must be converted first.
type Foreign struct {
	start    string // its first bytes
	Name     string // "": no foreign encoding
	IsPacked bool   // it is a compressed file
	Convert  string // the command that converts it
}

var foreigns = []Foreign{
	{"\xff\xfe", "UTF-16", false, "iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", "UTF-16", false, "iconv -f UTF-16 -t UTF-8"},
	{"\x1f\x8b\x08", "gzip", true, "gzip -dc"},
	{"\xfd7zXZ\x00", "xz", true, "xz -dc"},
	{"\x28\xb5\x2f\xfd", "zstd", true, "zstd -dc"},
	{"PK\x03\x04", "zip", true, "unzip -p"},
	{"BZh91AY&SY", "bzip2", true, "bzip2 -dc"},
}

// longestForeign is how many bytes of a text show its encoding.
const longestForeign = len("BZh91AY&SY")

// ForeignIn returns the encoding of a text that begins with start; the zero Foreign if
// it can be read.
func ForeignIn(start []byte) Foreign {
	for _, f := range foreigns {
		if bytes.HasPrefix(start, []byte(f.start)) {
			return f
		}
	}
	return Foreign{}
}

// A ForeignError says that a text has a foreign encoding.
type ForeignError struct{ Foreign }

// Error returns "it is in UTF-32, which locus cannot read".
func (e *ForeignError) Error() string { return "it is in " + e.Name + ", which locus cannot read" }

// RefuseForeign returns a Reader of r that fails with a *ForeignError if the text has a foreign
// encoding.
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
