package slug

import (
	"strings"
	"unicode"

	"locus/internal/lazy"
)

// Docutils returns the id that docutils derives from a text: ASCII letters and digits in lower case, with single
// hyphens between them, starting with a letter. Other Latin letters are replaced by the ASCII letters that they
// resemble, and all other characters are left out.
func Docutils(text string) string {
	var b strings.Builder
	gap := false
	for _, c := range similarLetters.Get().Replace(strings.ToLower(text)) {
		isLetter := c >= 'a' && c <= 'z'
		switch {
		case c > unicode.MaxASCII:
			continue
		case !isLetter && (c < '0' || c > '9' || b.Len() == 0):
			gap = true
			continue
		case gap && b.Len() > 0:
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(c)
	}
	return b.String()
}

// similarLetters replaces the Latin letters for which docutils has a replacement in ASCII.
var similarLetters = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	var pairs []string
	for _, row := range []string{
		"a àáâãäåāăąǎ", "c çćĉċč", "d ďđ", "e èéêëēĕėęě", "g ĝğġģǧ", "h ĥħ", "i ìíîïĩīĭįıǐ", "j ĵ", "k ķ", "l ĺļľł", "n ñńņň",
		"o òóôõöøōŏőǒ", "r ŕŗř", "s śŝşšș", "t ţťŧț", "u ùúûüũūŭůűųǔ", "w ŵ", "y ýÿŷ", "z źżž", "ae æ", "oe œ", "sz ß",
	} {
		ascii, letters, _ := strings.Cut(row, " ")
		for _, c := range letters {
			pairs = append(pairs, string(c), ascii)
		}
	}
	return strings.NewReplacer(pairs...)
}}
