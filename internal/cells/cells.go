// Package cells measures text on a terminal, in cells of its screen. It counts characters as people
// see them (grapheme clusters of UAX 29): a family of three emoji takes two cells, and so does a
// syllable of Hangul that is written as two or three jamo.
package cells

import "github.com/clipperhouse/displaywidth"

// Of returns the number of cells that text takes. Bytes that are not UTF-8 take one cell each.
func Of(text string) int {
	n := 0
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		n += g.Width()
	}
	return n
}

// Cut returns text, shortened to at most most cells. If it removes characters, "…" takes the last
// cell. It returns "" if most is less than 1.
func Cut(text string, most int) string {
	if most < 1 {
		return ""
	}
	return displaywidth.TruncateString(text, most, "…")
}
