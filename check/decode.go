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

// ModeByName returns the mode for a file name, as document.ByName does. The mode of a compressed file, such as
// sitemap.xml.gz, is the mode of its content.
func ModeByName(file string) document.Mode {
	return document.ByName(strings.TrimSuffix(file, ".gz"))
}

// The first bytes of a gzip file, and the byte order marks of UTF-16.
const (
	gzipStart    = "\x1f\x8b"
	littleEndian = "\xff\xfe"
	bigEndian    = "\xfe\xff"
)

// IsEncoded reports whether a document that begins with start is a gzip file or in UTF-16 with a byte order mark. A
// LinkReader decodes both.
func IsEncoded(start []byte) bool {
	return len(start) >= 2 && strings.Contains(gzipStart+" "+littleEndian+" "+bigEndian, string(start[:2]))
}

// decoded returns a reader of the text of a document in UTF-8. It decompresses gzip, and decodes UTF-16 with a byte
// order mark (Encoding Standard §6.1). A *bytes.Buffer that is already in UTF-8 is returned unchanged.
func decoded(r io.Reader) io.Reader {
	if whole, ok := r.(*bytes.Buffer); ok && !IsEncoded(whole.Bytes()) {
		return whole
	}
	start := bufio.NewReaderSize(r, 16) // the smallest size, because larger reads bypass the buffer
	mark, _ := start.Peek(2)            // an error means that the text is shorter, or is returned by the next read
	switch string(mark) {
	case gzipStart:
		return document.UTF8(&gunzipper{from: start}, "")
	case littleEndian, bigEndian:
		return document.UTF8(start, "")
	}
	return start
}

// A gunzipper reads the content of a gzip file. It reads the header at the first Read.
type gunzipper struct {
	from io.Reader
	z    *gzip.Reader
	err  error
}

// Read reads the decompressed text. Its errors do not wrap the errors of package gzip, so that a damaged file does not
// count as a failure of the network.
func (u *gunzipper) Read(b []byte) (n int, err error) {
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
	return n, fmt.Errorf("unpack: %v", u.err) //nolint:errorlint // the page is cut off, not the connection, so the error must not count as an error of the network
}
