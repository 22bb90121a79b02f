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
