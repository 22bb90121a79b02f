package screen

import (
	"strings"
	"unicode"

	eastasian "golang.org/x/text/width"
)

// width returns how many cells a character takes: 0 if it joins the one before, 2
// if it is W or F of UAX 11.
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

// drawn are the characters that DEC's set of line drawing has from "_" to "~".
var drawn = strings.Split(" ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·", "")

// lineDrawing returns what a character is in DEC's set of line drawing.
func lineDrawing(r rune) rune {
	if r < '_' || r > '~' {
		return r
	}
	return []rune(drawn[r-'_'])[0]
}
