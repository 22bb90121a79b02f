// Package words decodes text in the headers and bodies of mail and news: encoded
// words (RFC 2047), and bytes in a charset.
//
// Notable divergences:
//   - Names of charsets have their meaning in the WHATWG's Encoding standard, so
//     iso-8859-1 is decoded as windows-1252.
//   - RFC 5322 §2.2 allows only ASCII in headers. Other bytes are read as UTF-8
//     (RFC 6532), or as ISO 8859-1 if they are not valid UTF-8.
package words

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"locus/internal/charset"
	"locus/internal/encodedword"
)

// Header decodes the encoded words in the value of a header field. The result is
// UTF-8. A value with an unknown charset is returned unchanged.
func Header(value string) string {
	value = toUTF8(value)
	text, err := encodedword.Decode(value, func(charset string, r io.Reader) (io.Reader, error) {
		e, ok := find(charset)
		if !ok {
			return nil, fmt.Errorf("unknown charset %q", charset)
		}
		return e.NewDecoder().Reader(r), nil
	})
	if err == nil {
		return strings.ToValidUTF8(text, string(utf8.RuneError))
	}
	return value
}

// Text converts data in a charset to UTF-8. If the charset is unknown, it reads
// data as UTF-8, or as ISO 8859-1 if data is not valid UTF-8.
func Text(data []byte, charset string) string {
	if e, ok := find(charset); ok {
		if text, err := e.NewDecoder().Bytes(data); err == nil {
			return string(text)
		}
	}
	return toUTF8(string(data))
}

// Reader returns a reader that converts the data of r from a charset to UTF-8. It
// returns r if the charset is unknown.
func Reader(r io.Reader, charset string) io.Reader {
	if e, ok := find(charset); ok {
		return e.NewDecoder().Reader(r)
	}
	return r
}

// find returns the encoding of a charset. ok is false if the text needs no decoding, because it is
// UTF-8, or cannot be decoded, because the charset is unknown or the WHATWG's replacement. It is
// also false for US-ASCII, because that is often a wrong default.
func find(name string) (e encoding.Encoding, ok bool) {
	e, ok = charset.Web(name)
	if !ok || strings.EqualFold(strings.TrimSpace(name), "us-ascii") || e == unicode.UTF8 || e == encoding.Replacement {
		return nil, false
	}
	return e, true
}

// toUTF8 returns text if it is valid UTF-8. If not, it converts text from ISO 8859-1.
func toUTF8(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(rune(text[i]))
	}
	return b.String()
}
