//go:build !amd64 || purego

package extract

// wide is false: text is held to lanes, a word at a time. So it is, on every
// processor, in programs built with the tag purego.
const wide = false

func find(*[wideSize]byte, *halves) (notName, notPlain uint64) { return 0, 0 }

func findColons(*byte, int) (at int, mask uint64) { return 0, 0 }
