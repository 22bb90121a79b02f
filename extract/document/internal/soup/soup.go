// Package soup makes the texts of tests: tokens in any order.
package soup

import (
	"math/rand/v2"
	"strings"
)

// Of returns some of the tokens in any order.
func Of(random *rand.Rand, tokens []string, most int) string {
	var b strings.Builder
	for range random.IntN(most + 1) {
		b.WriteString(tokens[random.IntN(len(tokens))])
	}
	return b.String()
}

// Words returns what values are made of: letters, blanks, controls, and what has a
// meaning in one kind of document or another.
func Words() []string {
	return []string{
		"a", "b/c", "?d=e", "&", "&amp;", "&copy=", ";", "=", "'", `"`, "\\", "/", "<", ">", "(", ")", ",", "é", "\u00a0", "😀", "\t", " ", "%41", "#", "-->", "]]>", "=3D", "\u2028",
	}
}
