// Package cells measures text on a terminal, in cells of its screen.
package cells

import (
	"unicode"

	"golang.org/x/text/width"
)

// Width returns how many cells a character takes: 0 for combining characters, 2 for W and F
// of UAX 11.
func Width(r rune) int {
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

// Of returns how many cells a text takes.
func Of(text string) int {
	n := 0
	for _, r := range text {
		n += Width(r)
	}
	return n
}

// Cut cuts a text to at most most cells. If it removes characters, "…" takes the last cell.
// It returns "" if most is less than 1 and the text is not empty.
func Cut(text string, most int) string {
	if Of(text) <= most {
		return text
	}
	if most < 1 {
		return ""
	}
	used := 0
	for i, r := range text {
		if used += Width(r); used > most-1 {
			return text[:i] + "…"
		}
	}
	return text
}
