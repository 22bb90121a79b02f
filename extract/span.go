package extract

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"locus/internal/ascii"
)

// wideSize is the number of bytes that find reads.
const wideSize = 64

// A nibbleTable holds two sets of bytes: name, the letters, digits and -._ of a host's name, and plain, the bytes of
// class plain. A byte is in a set if the bit that rows has for its high half is set in the set's column for its low
// half.
type nibbleTable struct{ rows, name, plain [16]byte }

var inSpan = func() (t nibbleTable) {
	for c := range 0x80 {
		row := byte(1) << (c >> 4)
		t.rows[c>>4] = row
		if isNameByte(byte(c)) {
			t.name[c&15] |= row
		}
		if classes[c] == plain {
			t.plain[c&15] |= row
		}
	}
	return t
}()

// isNameByte reports whether c may be in the name of a host. The name has letters, digits and -._
func isNameByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_' }

// span looks at text[i:], and returns two offsets. name is the end of the host name that starts at i. All bytes between
// i and end are plain, so they belong to the URL around i. end is not less than name. Both offsets may be too small,
// because span stops after wideSize bytes, or at a rare plain byte.
func span(text []byte, i int) (name, end int) {
	if !wide || len(text)-i < wideSize {
		name = skip(&inURL, text, i)
		if slash := bytes.IndexByte(text[i:name], '/'); slash >= 0 {
			return i + slash, name
		}
		return name, name
	}
	notName, notPlain := find((*[wideSize]byte)(text[i:]), &inSpan)
	return i + bits.TrailingZeros64(notName), i + bits.TrailingZeros64(notPlain)
}

// skipPlain returns an offset such that all bytes between i and the offset are plain. It stops at the first byte that
// is not plain, at the end of text, or perhaps at a rare plain byte.
func skipPlain(text []byte, i int) int {
	for wide && len(text)-i >= wideSize {
		if _, notPlain := find((*[wideSize]byte)(text[i:]), &inSpan); notPlain != 0 {
			return i + bits.TrailingZeros64(notPlain)
		}
		i += wideSize
	}
	return skip(&inPath, text, i)
}

var (
	// inURL has letters, digits and -./_
	inURL = ascii.NewLanes('-', '9', '_', '_')
	// inPath also has +, but not the rare bytes of class plain
	inPath = ascii.NewLanes('+', '9', '_', '_')
)

// skip returns the offset of the first byte in text[i:] that is not in l, or len(text) if all bytes are in l.
func skip(l *ascii.Lanes, text []byte, i int) int {
	for ; len(text)-i >= 8; i += 8 {
		if out := l.Outside(binary.LittleEndian.Uint64(text[i:])); out != 0 {
			return i + bits.TrailingZeros64(out)/8
		}
	}
	for i < len(text) && l.Outside(0x0101010101010101*uint64(text[i])) == 0 {
		i++
	}
	return i
}
