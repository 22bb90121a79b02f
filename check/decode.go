package check

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

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
// has a byte order mark (Encoding Standard §6.1).
func decoded(r io.Reader) io.Reader {
	start := bufio.NewReaderSize(r, 16) // the least; larger reads pass it by
	mark, _ := start.Peek(2)            // the text is shorter, or the next read has the error
	switch string(mark) {
	case gzipStart:
		return decoded16(&unpacked{from: start})
	case littleEndian, bigEndian:
		return decoded16(start)
	}
	return start
}

// decoded16 decodes UTF-16 that has a byte order mark.
func decoded16(r io.Reader) io.Reader {
	from := bufio.NewReader(r)
	mark, _ := from.Peek(2) // the next read has the error
	switch string(mark) {
	case littleEndian:
		return &utf16Reader{from: from, order: binary.LittleEndian}
	case bigEndian:
		return &utf16Reader{from: from, order: binary.BigEndian}
	}
	return from // it was unpacked, and is in UTF-8
}

// A utf16Reader decodes UTF-16 into UTF-8. It leaves out the byte order mark at the start.
type utf16Reader struct {
	from  *bufio.Reader
	order binary.ByteOrder
	began bool
	text  []byte // decoded, and not read yet
	err   error  // after text
}

func (u *utf16Reader) Read(b []byte) (int, error) {
	for len(u.text) == 0 && u.err == nil {
		u.fill()
	}
	if len(u.text) == 0 {
		return 0, u.err
	}
	n := copy(b, u.text)
	u.text = u.text[n:]
	return n, nil
}

// fill decodes up to 4096 units.
func (u *utf16Reader) fill() {
	u.text = u.text[:0]
	for range 4096 {
		c, err := u.next()
		if err != nil {
			u.err = err
			return
		}
		if u.began || c != '\ufeff' {
			u.text = utf8.AppendRune(u.text, c)
		}
		u.began = true
	}
}

// next reads a character. A surrogate without its other half is U+FFFD, and so is a last
// byte alone.
func (u *utf16Reader) next() (rune, error) {
	unit, err := u.from.Peek(2)
	switch {
	case len(unit) == 1 && errors.Is(err, io.EOF):
		_, _ = u.from.Discard(1) // it was peeked at
		return utf8.RuneError, nil
	case err != nil:
		return 0, err
	}
	c := rune(u.order.Uint16(unit))
	_, _ = u.from.Discard(2)
	if !utf16.IsSurrogate(c) {
		return c, nil
	}
	if unit, err = u.from.Peek(2); err != nil {
		return utf8.RuneError, nil //nolint:nilerr // the next call returns it
	}
	pair := utf16.DecodeRune(c, rune(u.order.Uint16(unit)))
	if pair != utf8.RuneError {
		_, _ = u.from.Discard(2)
	}
	return pair, nil
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
