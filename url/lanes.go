package url

import "math/bits"

// Lanes are a set of octets, the letters and two ranges below 0x80, to which
// eight octets of text can be held at once, as one word. Where nothing is wide,
// all parsing spends its time here.
//
// An octet below 0x80 is at least n if adding 0x80-n to it sets its top bit. In
// a word of such octets nothing is carried from one to the next.
type lanes struct{ from1, past1, from2, past2 uint64 }

var (
	// inNames is in every set that is used with skip.
	inNames = newLanes('0', '9', '-', '.')
	// inPaths is in every such set of a path, query or fragment.
	inPaths = newLanes('&', ';', '_', '_')
)

func newLanes(first1, last1, first2, last2 byte) lanes {
	return lanes{atLeast(first1), atLeast(last1 + 1), atLeast(first2), atLeast(last2 + 1)}
}

// atLeast returns what sets the top bits of the octets that are at least n.
func atLeast(n byte) uint64 { return each * uint64(0x80-n) }

const (
	each = 0x0101010101010101
	tops = each * 0x80
)

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

// skip returns the place of the first octet of s at or after i that is not in
// l, len(s) if there is none. It may return i of a text of less than eight
// octets whatever is there.
func (l *lanes) skip(s string, i int) int {
	for ; len(s)-i >= 8; i += 8 {
		if out := l.outside(word(s[i:])); out != 0 {
			return i + bits.TrailingZeros64(out)/8
		}
	}
	if len(s) < 8 {
		return i
	}
	rest := word(s[len(s)-8:]) >> (8 * uint(8-(len(s)-i))) // ends in zeros, which are in no lanes
	return i + bits.TrailingZeros64(l.outside(rest))/8
}

// word returns the first eight octets of s, the first one lowest.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
