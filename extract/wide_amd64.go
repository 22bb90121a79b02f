//go:build !purego

package extract

import "locus/internal/avx2"

// wide reports whether find and findColons may be called.
var wide = avx2.Usable()

// find returns two masks of 64 bytes: bit i is set if byte i is not in the name
// of a host, or not plain. t has both sets.
//
//go:noescape
func find(p *[wideSize]byte, t *nibbleTable) (notName, notPlain uint64)

// findColons searches the n bytes at p for colons, in blocks of 64. It returns
// where the first block with a colon starts, and a mask of the colons in it. If
// no whole block has one, the mask is 0.
//
//go:noescape
func findColons(p *byte, n int) (at int, mask uint64)
