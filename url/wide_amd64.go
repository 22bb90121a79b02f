//go:build !purego

package url

import "locus/internal/avx2"

// wide says whether find may be called.
var wide = avx2.Usable()

// find makes the masks of s, which has leastWide to mostWide bytes.
//
//go:noescape
func find(s string, m *masks)
