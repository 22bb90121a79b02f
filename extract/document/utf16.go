package document

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// UTF8 returns a text in UTF-8 without a byte order mark, if it is in UTF-16: if it begins with
// the byte order mark of that (Encoding Standard §6.1), or charset is utf-16, utf-16le or
// utf-16be, in any case of letters. Every other text it returns as it is. Half a character
// becomes U+FFFD.
func UTF8(r io.Reader, charset string) io.Reader {
	from := bufio.NewReader(r)
	mark, _ := from.Peek(3) // the text is shorter, or the next read has the error
	switch start := string(mark); {
	case strings.HasPrefix(start, "\xff\xfe"):
		return &utf16Reader{from: from, order: binary.LittleEndian}
	case strings.HasPrefix(start, "\xfe\xff"):
		return &utf16Reader{from: from, order: binary.BigEndian}
	case start == "\xef\xbb\xbf":
		return from
	}
	switch strings.ToLower(charset) {
	case "utf-16", "utf-16le":
		return &utf16Reader{from: from, order: binary.LittleEndian}
	case "utf-16be":
		return &utf16Reader{from: from, order: binary.BigEndian}
	}
	return from
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
