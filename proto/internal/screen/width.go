package screen

import (
	"strings"
	"unicode"

	eastasian "golang.org/x/text/width"
)

// width returns how many cells a character takes: 0 for combining characters, 2
// for W and F of UAX 11.
func width(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch eastasian.LookupRune(r).Kind() {
	case eastasian.EastAsianWide, eastasian.EastAsianFullwidth:
		return 2
	}
	return 1
}

// lineDrawingRunes are the characters of DEC's line drawing set, from "_" to "~".
var lineDrawingRunes = strings.Split(" ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·", "")

// lineDrawing converts a character by DEC's line drawing set.
func lineDrawing(r rune) rune {
	if r < '_' || r > '~' {
		return r
	}
	return []rune(lineDrawingRunes[r-'_'])[0]
}
