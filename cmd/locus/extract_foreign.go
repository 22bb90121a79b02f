package main

import (
	"bytes"
	"errors"
	"io"
)

// A foreign is what a text may be in that is to be converted before it is read.
type foreign struct {
	start  string // what it starts with
	name   string // "" for what is read as it is
	packed bool   // it is no text
	by     string // what converts it
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

// longestStart is the length of the longest start of what is foreign.
const longestStart = len("BZh91AY&SY")

// foreignIn returns what a text is in that starts so; the zero foreign if it is
// read as it is.
func foreignIn(start []byte) foreign {
	for _, f := range foreigns {
		if bytes.HasPrefix(start, []byte(f.start)) {
			return f
		}
	}
	return foreign{}
}

func (f foreign) error() error {
	return &hinted{errors.New("it is in " + f.name + ", which is not read"), f.by + " converts it"}
}

// A watched is a reader that fails when what it reads turns out to be foreign.
type watched struct {
	io.Reader
	start []byte // of what was read
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

// isBinary reports whether a text starts as none does.
func isBinary(start []byte) bool { return bytes.IndexByte(start, 0) >= 0 }
