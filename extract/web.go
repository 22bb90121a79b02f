package extract

import (
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"locus/internal/ascii"
	"locus/internal/charset"
	"locus/internal/weburl"
	"locus/url"
)

// onWeb returns the URL of the reference m as browsers read it. ok is false if the URL is not an http or https URL, or
// if browsers cannot read the reference.
func (m Match) onWeb() (u url.URL, ok bool) {
	page, text := weburl.Page{Base: m.Base}, m.Text
	if ascii.IsASCII(text) {
		return page.Resolve(text)
	}
	e := charset.Legacy(m.Charset)
	isUTF8 := utf8.ValidString(text) // in a legacy charset, too, if character references stood for the letters
	if e == nil && !isUTF8 {
		e = charmap.Windows1252 // as browsers do
	}
	if e == nil {
		return page.Resolve(text)
	}
	page.Encode = encoderOf(e)
	if !isUTF8 {
		var err error
		if text, err = e.NewDecoder().String(text); err != nil {
			return url.URL{}, false
		}
	}
	return page.Resolve(text)
}

// encoderOf returns a function for [weburl.Page.Encode], which encodes a character in e. missing is 0, or the character
// if e cannot encode it.
func encoderOf(e encoding.Encoding) func(rune) ([]byte, rune) {
	return func(r rune) (encoded []byte, missing rune) {
		encoded, err := e.NewEncoder().Bytes([]byte(string(r)))
		if err != nil {
			return nil, r
		}
		return encoded, 0
	}
}
