package extract

import (
	"bytes"
	"math/bits"
)

// wideSize is how many octets find looks at.
const wideSize = 64

// A halves says which octets are in a name of a host, letters, digits and -._,
// and which are plain. Each octet is judged by its halves: it is in a set if
// its row, the bit of its high half, is in its column, by its low half.
type halves struct{ rows, name, plain [16]byte }

var inSpan = func() (t halves) {
	for c := range 0x80 {
		row := byte(1) << (c >> 4)
		t.rows[c>>4] = row
		if inName(byte(c)) {
			t.name[c&15] |= row
		}
		if classes[c] == plain {
			t.plain[c&15] |= row
		}
	}
	return t
}()

func inName(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_' }

// span returns where the name of a host from i on ends, and a place in the run
// of plain octets that goes on from there: its end, or what is worth no more
// look before it is known what the name is.
func span(w []byte, i int) (name, end int) {
	if !wide || len(w)-i < wideSize {
		name = inURL.skip(w, i)
		if slash := bytes.IndexByte(w[i:name], '/'); slash >= 0 {
			return i + slash, name
		}
		return name, name
	}
	notName, notPlain := find((*[wideSize]byte)(w[i:]), &inSpan)
	return i + bits.TrailingZeros64(notName), i + bits.TrailingZeros64(notPlain)
}

// skipPlain returns the place of the first octet at or after i that is not
// plain, or a place before it.
func skipPlain(w []byte, i int) int {
	for wide && len(w)-i >= wideSize {
		if _, notPlain := find((*[wideSize]byte)(w[i:]), &inSpan); notPlain != 0 {
			return i + bits.TrailingZeros64(notPlain)
		}
		i += wideSize
	}
	return inPath.skip(w, i)
}
