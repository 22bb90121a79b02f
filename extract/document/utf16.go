package document

import (
	"bufio"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// UTF8 returns a Reader that converts the text of r from UTF-16 to UTF-8 without a byte order mark. The text is in
// UTF-16 if it begins with the byte order mark of UTF-16 (Encoding Standard §6.1), or if charset is utf-16, utf-16le or
// utf-16be, in upper or lower case. Every other text passes through unchanged. Half a surrogate pair becomes U+FFFD.
func UTF8(r io.Reader, charset string) io.Reader {
	from := bufio.NewReader(r)
	start, _ := from.Peek(markSize) // an error means that the text is shorter, or is returned by the next read
	if order := orderOf(start, charset); order != nil {
		return &utf16Reader{from: from, order: order}
	}
	return from
}

// IsUTF16 reports whether UTF8 would convert a text that begins with start.
func IsUTF16(start []byte, charset string) bool { return orderOf(start, charset) != nil }

// markSize is the length of the longest byte order mark.
const markSize = 3

// orderOf returns the byte order of a text in UTF-16 that begins with start. It returns nil if neither the byte order
// mark nor charset says that the text is in UTF-16. A byte order mark takes precedence.
func orderOf(start []byte, charset string) binary.ByteOrder {
	switch mark := string(start[:min(len(start), markSize)]); {
	case strings.HasPrefix(mark, "\xff\xfe"):
		return binary.LittleEndian
	case strings.HasPrefix(mark, "\xfe\xff"):
		return binary.BigEndian
	case mark == "\xef\xbb\xbf":
		return nil
	}
	switch strings.ToLower(charset) {
	case "utf-16", "utf-16le":
		return binary.LittleEndian
	case "utf-16be":
		return binary.BigEndian
	}
	return nil
}

// A utf16Reader decodes UTF-16 into UTF-8. It leaves out the byte order mark at the start.
type utf16Reader struct {
	from  *bufio.Reader
	order binary.ByteOrder
	began bool   // a character has been read
	text  []byte // decoded but not yet read
	err   error  // returned after text
}

// Read reads the text, converted to UTF-8, into b.
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

// fill replaces u.text with up to 4096 decoded characters. It sets u.err at the end of the text and after an error.
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

// next reads and decodes one character. It returns U+FFFD for a surrogate without its other half, and for a single byte
// at the end of the text. The error is io.EOF after the last character.
func (u *utf16Reader) next() (rune, error) {
	unit, err := u.from.Peek(2)
	switch {
	case len(unit) == 1 && err == io.EOF:
		_, _ = u.from.Discard(1) // cannot fail, because Peek returned the byte
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
