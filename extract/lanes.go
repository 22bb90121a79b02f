package extract

import (
	"encoding/binary"
	"math/bits"
)

// Lanes are a set of octets, the letters and two ranges below 0x80, to which
// eight octets of text can be held at once, as one word. They are read from
// memory, which is faster than constants are.
//
// An octet below 0x80 is at least n if adding 0x80-n to it sets its top bit. In
// a word of such octets nothing is carried from one to the next.
type lanes struct{ from1, past1, from2, past2 uint64 }

const (
	each = 0x0101010101010101
	tops = each * 0x80
)

var (
	// inURL are letters, digits and -./_
	inURL = newLanes('-', '9', '_', '_')
	// inPath are those and *+, and so plain, as is what else is rare
	inPath = newLanes('*', '9', '_', '_')
)

func newLanes(first1, last1, first2, last2 byte) lanes {
	return lanes{atLeast(first1), atLeast(last1 + 1), atLeast(first2), atLeast(last2 + 1)}
}

// atLeast returns what sets the top bits of the octets that are at least n.
func atLeast(n byte) uint64 { return each * uint64(0x80-n) }

// outside returns the top bits of the octets of a word that are not in l.
func (l *lanes) outside(word uint64) uint64 {
	const fromA, pastZ = each * (0x80 - 'a'), each * (0x80 - 'z' - 1)
	low := word &^ tops
	lower := low | each*0x20
	in := (lower + fromA) &^ (lower + pastZ)
	in |= (low + l.from1) &^ (low + l.past1)
	in |= (low + l.from2) &^ (low + l.past2)
	return (word | ^in) & tops
}

// skip returns the place of the first octet at or after i that is not in l.
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
