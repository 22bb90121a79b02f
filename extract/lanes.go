package extract

import (
	"encoding/binary"
	"math/bits"

	"locus/internal/ascii"
)

var (
	// inURL has letters, digits and -./_
	inURL = ascii.NewLanes('-', '9', '_', '_')
	// inPath has *+, too: bytes of class plain, but not the rare ones
	inPath = ascii.NewLanes('*', '9', '_', '_')
)

// skip returns the place of the first byte at or after i that is not in l.
func skip(l *ascii.Lanes, w []byte, i int) int {
	for ; len(w)-i >= 8; i += 8 {
		if out := l.Outside(binary.LittleEndian.Uint64(w[i:])); out != 0 {
			return i + bits.TrailingZeros64(out)/8
		}
	}
	for i < len(w) && l.Outside(0x0101010101010101*uint64(w[i])) == 0 {
		i++
	}
	return i
}
