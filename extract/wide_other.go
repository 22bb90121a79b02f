//go:build !amd64 || purego

package extract

// wide is false on processors other than amd64 and in programs built with the tag purego. They use ascii.Lanes
// instead.
const wide = false

// find is never called, because wide is false.
func find(*[wideSize]byte, *nibbleTable) (notName, notPlain uint64) { return 0, 0 }

// findColons is never called, because wide is false.
func findColons(*byte, int) (at int, mask uint64) { return 0, 0 }
