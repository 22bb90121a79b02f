// Package content reads the data of the gateway's pages from resources. Each reader has a bound, because
// a page shows only the beginning of a resource. Package page makes HTML of the data.
//
//	ParseDisplay      reads how the user wants to see a listing
//	Gather            reads the entries of one page of a listing, and Threads orders articles
//	ReadText          reads the beginning of a text, as UTF-8
//	ReadMail          reads an article or a mail. GatherMail is for mail that an engine has parsed
//	ReadBibliography  reads bibliographic records
//	Viewer, Sniff     tell what kind of page shows a media type, and find the type
package content

import (
	"cmp"
	"fmt"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"locus/internal/charset"
)

// Limits of the text on a page, in bytes.
const (
	MaxText   = 512 << 10 // of the page of a text
	MaxReadme = 32 << 10  // of a readme below a listing
)

// ReadText reads up to most bytes of a text, and returns them as UTF-8. isCut reports whether the text
// is longer. A text that does not declare its charset and is not UTF-8 is in the charset fallback. A
// fallback of "" means windows-1252. After an error of body, text has the bytes before the error.
func ReadText(mediaType, fallback string, body io.Reader, most int64) (text string, isCut bool, err error) {
	raw, err := io.ReadAll(io.LimitReader(body, most+1))
	if isCut = int64(len(raw)) > most; isCut {
		raw, err = WholeCharacters(raw[:most]), nil
	}
	return ToUTF8(mediaType, fallback, raw), isCut, err
}

// WholeCharacters returns text without an incomplete character of UTF-8 at its end. It returns a text
// that is not UTF-8 unchanged. The result shares the bytes of text.
func WholeCharacters(text []byte) []byte {
	for n := range utf8.UTFMax {
		if n <= len(text) && utf8.Valid(text[:len(text)-n]) {
			return text[:len(text)-n]
		}
	}
	return text
}

// ToUTF8 decodes a text by the charset of its media type. Without a known charset, the text is UTF-8
// if it is valid UTF-8, and otherwise in the charset fallback. A fallback of "" means windows-1252,
// because every byte is valid in it and it contains Latin-1.
func ToUTF8(mediaType, fallback string, raw []byte) string {
	if _, params, err := mime.ParseMediaType(mediaType); err == nil && !strings.EqualFold(params["charset"], "utf-8") {
		if text, ok := decode(params["charset"], raw); ok {
			return text
		}
	}
	if utf8.Valid(raw) {
		return string(raw)
	}
	if text, ok := decode(cmp.Or(fallback, "windows-1252"), raw); ok {
		return text
	}
	return string(raw)
}

// decode decodes a text in the charset name. ok is false if the charset is unknown, or if the text is
// invalid in it.
func decode(name string, text []byte) (decoded string, ok bool) {
	e, ok := charset.Web(name)
	if !ok {
		return "", false
	}
	b, err := e.NewDecoder().Bytes(text)
	return string(b), err == nil
}

// CharsetReader returns a Reader of in that decodes the charset name into UTF-8. It returns in if name
// is "", and an error for an unknown charset.
func CharsetReader(name string, in io.Reader) (io.Reader, error) {
	if name == "" {
		return in, nil
	}
	e, ok := charset.Web(name)
	if !ok {
		return nil, fmt.Errorf("unknown charset %q", name)
	}
	return e.NewDecoder().Reader(in), nil
}
