package extract

import (
	"bytes"
	"errors"
	"io"

	"locus/cmd/locus/internal/cli"
)

// A foreign is an encoding that the user must convert first.
type foreign struct {
	start  string // its first bytes
	name   string // "": no foreign encoding
	packed bool   // it is a compressed file
	by     string // the command that converts it
}

var foreigns = []foreign{
	{"\xff\xfe", "UTF-16", false, "iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", "UTF-16", false, "iconv -f UTF-16 -t UTF-8"},
	{"\x1f\x8b\x08", "gzip", true, "gzip -dc"},
	{"\xfd7zXZ\x00", "xz", true, "xz -dc"},
	{"\x28\xb5\x2f\xfd", "zstd", true, "zstd -dc"},
	{"PK\x03\x04", "zip", true, "unzip -p"},
	{"BZh91AY&SY", "bzip2", true, "bzip2 -dc"},
}

// longestStart is the length of the longest start.
const longestStart = len("BZh91AY&SY")

// foreignIn returns the encoding of a text that begins with start; the zero foreign if
// it can be read.
func foreignIn(start []byte) foreign {
	for _, f := range foreigns {
		if bytes.HasPrefix(start, []byte(f.start)) {
			return f
		}
	}
	return foreign{}
}

func (f foreign) error() error {
	return &cli.Hinted{Err: errors.New("it is in " + f.name + ", which locus cannot read"), Hint: f.by + " converts it"}
}

// A watched is a Reader that fails if the text has a foreign encoding.
type watched struct {
	io.Reader
	start []byte // the first bytes
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if room := longestStart - len(w.start); room > 0 && n > 0 {
		w.start = append(w.start, p[:min(n, room)]...)
		if f := foreignIn(w.start); f.name != "" {
			return 0, f.error()
		}
	}
	return n, err
}
