package charset

import (
	"errors"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// ascii is US-ASCII. Every other byte is decoded as U+FFFD. Every other character is an
// error of the Encoder.
type ascii struct{}

func (ascii) NewDecoder() *encoding.Decoder { return &encoding.Decoder{Transformer: asciiDecoder{}} }

func (ascii) NewEncoder() *encoding.Encoder { return &encoding.Encoder{Transformer: asciiEncoder{}} }

type asciiDecoder struct{ transform.NopResetter }

// Transform copies ASCII from src to dst. It writes U+FFFD for every other byte.
func (asciiDecoder) Transform(dst, src []byte, _ bool) (nDst, nSrc int, err error) {
	for _, b := range src {
		r := rune(b)
		if r >= utf8.RuneSelf {
			r = utf8.RuneError
		}
		if len(dst)-nDst < utf8.RuneLen(r) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc++
	}
	return nDst, nSrc, nil
}

type asciiEncoder struct{ transform.NopResetter }

// Transform copies ASCII from src to dst. It returns errNotASCII at the first other byte.
func (asciiEncoder) Transform(dst, src []byte, _ bool) (nDst, nSrc int, err error) {
	for i, b := range src {
		switch {
		case b >= utf8.RuneSelf:
			return i, i, errNotASCII
		case i == len(dst):
			return i, i, transform.ErrShortDst
		}
		dst[i] = b
	}
	return len(src), len(src), nil
}

var errNotASCII = errors.New("a character is not in US-ASCII")
