package screen

import (
	"unicode"

	"golang.org/x/text/width"
)

// widthOf returns the number of cells of a character: 0 for combining characters, 2 for W and F of
// UAX 11, and 1 for others. Hosts count in the same way, because they send one character after the
// other.
func widthOf(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
