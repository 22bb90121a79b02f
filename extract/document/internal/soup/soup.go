// Package soup makes texts for tests from tokens in random order.
package soup

import (
	"math/rand/v2"
	"strings"
)

// Of returns a text of up to most tokens, each of which it chooses at random from tokens.
func Of(random *rand.Rand, tokens []string, most int) string {
	var b strings.Builder
	for range random.IntN(most + 1) {
		b.WriteString(tokens[random.IntN(len(tokens))])
	}
	return b.String()
}

// Words returns tokens for the values in documents: letters, spaces, control characters, and characters that have a
// meaning in one of the formats.
func Words() []string {
	return []string{
		"a", "b/c", "?d=e", "&", "&amp;", "&copy=", ";", "=", "'", `"`, "\\", "/", "<", ">", "(", ")", ",", "é", "\u00a0", "😀", "\t", " ", "%41", "#", "-->", "]]>", "=3D", "\u2028",
	}
}
