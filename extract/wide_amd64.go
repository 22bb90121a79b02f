//go:build !purego

package extract

import "locus/internal/avx2"

// wide reports whether find and findColons may be called.
var wide = avx2.Usable()

// find returns two masks of 64 bits. Bit i of notName is set if byte i is not in t.name, and bit i of notPlain if
// byte i is not in t.plain.
//
//go:noescape
func find(p *[wideSize]byte, t *nibbleTable) (notName, notPlain uint64)

// findColons searches the n bytes at p for colons, in blocks of 64 bytes. It returns where the first block with a
// colon starts, and a mask of the colons in that block. The mask is 0 if no whole block has a colon; at is then the
// end of the whole blocks.
//
//go:noescape
func findColons(p *byte, n int) (at int, mask uint64)
