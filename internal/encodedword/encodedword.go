// Package encodedword decodes the encoded words in the headers of mail and news (RFC 2047), also
// words that have a language (RFC 2231 §5), which package mime does not know.
package encodedword

import (
	"io"
	"mime"
	"regexp"
	"strings"

	"locus/internal/lazy"
)

// language matches the language in an encoded word, after the charset: =?UTF-8*EN?Q?x?=
var language = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(=\?[^?*\s]+)\*[A-Za-z0-9-]*(\?[BbQq]\?)`)
}}

// Decode returns the value of a header field with all encoded words decoded. toUTF8 returns a reader that
// converts r from a charset other than UTF-8, US-ASCII and ISO 8859-1. If it fails, Decode returns its error.
func Decode(value string, toUTF8 func(charset string, r io.Reader) (io.Reader, error)) (string, error) {
	if strings.Contains(value, "*") {
		value = language.Get().ReplaceAllString(value, "$1$2")
	}
	words := mime.WordDecoder{CharsetReader: toUTF8}
	return words.DecodeHeader(value)
}
