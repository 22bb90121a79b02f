package extract

import (
	"encoding/binary"
	"math/bits"
)

// Lanes are a set of bytes: the letters and two ranges below 0x80. Eight bytes of
// text are tested at once, as one word. The fields are read from memory, which
// measured faster than constants.
//
// A byte below 0x80 is at least n if adding 0x80-n to it sets its top bit. In a
// word of such bytes the addition carries nothing from one byte to the next.
type lanes struct{ from1, past1, from2, past2 uint64 }

const (
	each = 0x0101010101010101
	tops = each * 0x80
)

var (
	// inURL has letters, digits and -./_
	inURL = newLanes('-', '9', '_', '_')
	// inPath has *+, too: bytes of class plain, but not the rare ones
	inPath = newLanes('*', '9', '_', '_')
)

func newLanes(first1, last1, first2, last2 byte) lanes {
	return lanes{atLeast(first1), atLeast(last1 + 1), atLeast(first2), atLeast(last2 + 1)}
}

// atLeast returns the word to add that sets the top bit of each byte of at least n.
func atLeast(n byte) uint64 { return each * uint64(0x80-n) }

// outside returns the top bits of those bytes of a word that are not in l.
func (l *lanes) outside(word uint64) uint64 {
	const fromA, pastZ = each * (0x80 - 'a'), each * (0x80 - 'z' - 1)
	low := word &^ tops
	lower := low | each*0x20
	in := (lower + fromA) &^ (lower + pastZ)
	in |= (low + l.from1) &^ (low + l.past1)
	in |= (low + l.from2) &^ (low + l.past2)
	return (word | ^in) & tops
}

// skip returns the place of the first byte at or after i that is not in l.
func (l *lanes) skip(w []byte, i int) int {
	for ; len(w)-i >= 8; i += 8 {
		if out := l.outside(binary.LittleEndian.Uint64(w[i:])); out != 0 {
			return i + bits.TrailingZeros64(out)/8
		}
	}
	for i < len(w) && l.outside(each*uint64(w[i])) == 0 {
		i++
	}
	return i
}
