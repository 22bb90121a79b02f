//go:build !purego

package extract

import "locus/internal/avx2"

// wide says whether find may be called.
var wide = avx2.Usable()

// find makes the masks of 64 octets: bit i is set if octet i is in no name of a
// host, and if it is not plain. t says which are.
//
//go:noescape
func find(p *[wideSize]byte, t *halves) (notName, notPlain uint64)

// findColons looks at the first n octets from p on, 64 at once, for some of
// which at least one is a colon: at is where they start, and mask says which
// are. The mask is 0 if there is none in all such of the n octets.
//
//go:noescape
func findColons(p *byte, n int) (at int, mask uint64)
