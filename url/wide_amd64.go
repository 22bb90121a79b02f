//go:build !purego

package url

import "locus/internal/avx2"

// wide reports whether the processor has the instructions that find uses.
var wide = avx2.Usable()

// find sets the masks for s, whose length must be leastWide to mostWide bytes.
//
//go:noescape
func find(s string, m *masks)
