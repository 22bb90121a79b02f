package ascii

import "math/bits"

// Lanes are a set of bytes, the letters and two ranges below 0x80, in which eight
// bytes of text can be looked up at once, as one word.
//
// A byte below 0x80 is at least n if adding 0x80-n to it sets its top bit. In a word of
// such bytes a sum never carries into the next byte. A byte is in a range if one sum sets its top
// bit, and the other does not.
type Lanes struct{ fold, from1, past1, from2, past2 uint64 }

// NewLanes returns the set of the letters and the bytes of two ranges. first1, last1, first2
// and last2 are inclusive, and below 0x7f. The ranges must not overlap, and must not contain
// letters.
func NewLanes(first1, last1, first2, last2 byte) Lanes {
	return Lanes{each * 0x20, atLeast(first1), atLeast(last1 + 1), atLeast(first2), atLeast(last2 + 1)}
}

// WithoutCapitals returns the set l without the capital letters.
func (l Lanes) WithoutCapitals() Lanes {
	l.fold = 0
	return l
}

// atLeast returns the word that, added to eight bytes, sets the top bits of the bytes that
// are at least n.
func atLeast(n byte) uint64 { return each * uint64(0x80-n) }

const (
	each = 0x0101010101010101
	Tops = each * 0x80 // the top bit of each byte of a word
)

// Outside returns a word in which the top bit of each byte says whether the byte of word is not
// in l. The other bits are 0.
func (l *Lanes) Outside(word uint64) uint64 {
	const fromA, pastZ = each * (0x80 - 'a'), each * (0x80 - 'z' - 1)
	low := word &^ Tops
	lower := low | l.fold
	in := (lower + fromA) ^ (lower + pastZ)
	in ^= (low + l.from1) ^ (low + l.past1)
	in ^= (low + l.from2) ^ (low + l.past2)
	return (word | ^in) & Tops
}

// Skip returns the index of the first byte of s at or after i that is not in l, or len(s) if all
// are in l. If s has less than eight bytes, Skip returns i without a look at the byte.
func (l *Lanes) Skip(s string, i int) int {
	for ; len(s)-i >= 8; i += 8 {
		if out := l.Outside(Word(s[i:])); out != 0 {
			return i + bits.TrailingZeros64(out)/8
		}
	}
	if len(s) < 8 {
		return i
	}
	rest := Word(s[len(s)-8:]) >> (8 * uint(8-(len(s)-i))) // it ends in zeros, which are outside of all lanes
	return i + bits.TrailingZeros64(l.Outside(rest))/8
}

// Except returns a word in which the top bit of each byte says whether the byte of word is not
// c. The bytes of word, and c, must be below 0x80. Only the bits of [Tops] in the result have a
// meaning.
func Except(word uint64, c byte) uint64 { return (word ^ each*uint64(c)) + (Tops - each) }

// Word returns the first eight bytes of s as a little-endian number. It panics if s is
// shorter.
func Word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
