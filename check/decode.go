package check

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"locus/extract/document"
)

// ModeByName returns the mode for the name of a file, as document.ByName does. That of a
// packed file, such as sitemap.xml.gz, is the mode of what is in it.
func ModeByName(file string) document.Mode {
	return document.ByName(strings.TrimSuffix(file, ".gz"))
}

// The first bytes of a gzip, and the byte order marks of UTF-16.
const (
	gzipStart    = "\x1f\x8b"
	littleEndian = "\xff\xfe"
	bigEndian    = "\xfe\xff"
)

// IsEncoded reports whether a document that begins with start is not in UTF-8, and a
// LinkReader reads it: it is a gzip, or in UTF-16 with a byte order mark.
func IsEncoded(start []byte) bool {
	return len(start) >= 2 && strings.Contains(gzipStart+" "+littleEndian+" "+bigEndian, string(start[:2]))
}

// decoded returns the text of a document in UTF-8. It unpacks a gzip, and decodes UTF-16 that
// has a byte order mark (Encoding Standard §6.1). A *bytes.Buffer in UTF-8 it returns as it is.
func decoded(r io.Reader) io.Reader {
	if whole, ok := r.(*bytes.Buffer); ok && !IsEncoded(whole.Bytes()) {
		return whole
	}
	start := bufio.NewReaderSize(r, 16) // the least; larger reads pass it by
	mark, _ := start.Peek(2)            // the text is shorter, or the next read has the error
	switch string(mark) {
	case gzipStart:
		return document.UTF8(&unpacked{from: start}, "")
	case littleEndian, bigEndian:
		return document.UTF8(start, "")
	}
	return start
}

// An unpacked is the text in a gzip.
type unpacked struct {
	from io.Reader
	z    *gzip.Reader
	err  error
}

func (u *unpacked) Read(b []byte) (n int, err error) {
	if u.z == nil && u.err == nil {
		u.z, u.err = gzip.NewReader(u.from)
	}
	if u.err == nil {
		n, u.err = u.z.Read(b)
	}
	switch {
	case u.err == nil, errors.Is(u.err, io.EOF) && !errors.Is(u.err, io.ErrUnexpectedEOF):
		return n, u.err
	}
	return n, fmt.Errorf("unpack: %v", u.err) //nolint:errorlint // it is the page that is cut off, and no connection
}
