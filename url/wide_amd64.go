//go:build !purego

package url

// wide says whether find may be called: whether the processor has AVX2 and
// BMI2, and the system keeps what they use.
var wide = hasAVX2()

// find makes the masks of s, which has leastWide to mostWide octets.
//
//go:noescape
func find(s string, m *masks)

func hasAVX2() bool
