// Package words makes readable text of what stands in the headers and bodies of
// mail and news: encoded words (RFC 2047), and octets in a charset.
//
// Notable divergences:
//   - Names of charsets are those of the WHATWG's Encoding standard, which reads
//     iso-8859-1 as windows-1252.
//   - RFC 5322 §2.2 has ASCII in headers. Octets beyond are taken for UTF-8
//     (RFC 6532), and for ISO 8859-1 where they are not that.
package words

import (
	"fmt"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// Header returns the value of a header field with its encoded words decoded, in
// UTF-8. A value that has words in an unknown charset stays as it is.
func Header(value string) string {
	d := mime.WordDecoder{CharsetReader: func(charset string, r io.Reader) (io.Reader, error) {
		e, ok := find(charset)
		if !ok {
			return nil, fmt.Errorf("no charset is called %q", charset)
		}
		return e.NewDecoder().Reader(r), nil
	}}
	value = valid(value)
	if text, err := d.DecodeHeader(value); err == nil {
		return strings.ToValidUTF8(text, string(utf8.RuneError))
	}
	return value
}

// Text returns octets in a charset as UTF-8. What is in no known charset is
// taken for UTF-8, or for ISO 8859-1 if it is not that.
func Text(octets []byte, charset string) string {
	if e, ok := find(charset); ok {
		if text, err := e.NewDecoder().Bytes(octets); err == nil {
			return string(text)
		}
	}
	return valid(string(octets))
}

// Reader returns the octets of r, which are in a charset, as UTF-8. What is in no
// known charset it returns as it is.
func Reader(r io.Reader, charset string) io.Reader {
	if e, ok := find(charset); ok {
		return e.NewDecoder().Reader(r)
	}
	return r
}

// find returns a charset in which text of its own may stand: not UTF-8, which
// needs no decoding, not US-ASCII, which is what mail that says nothing is in, and
// not those that are only known by their name.
func find(charset string) (encoding.Encoding, bool) {
	charset = strings.ToLower(strings.TrimSpace(charset))
	e, err := htmlindex.Get(charset)
	if err != nil || charset == "us-ascii" || e == unicode.UTF8 || e == encoding.Replacement {
		return nil, false
	}
	return e, true
}

// valid returns text if it is UTF-8, else its octets as ISO 8859-1.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(rune(text[i]))
	}
	return b.String()
}
