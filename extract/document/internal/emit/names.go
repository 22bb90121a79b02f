package emit

import (
	"strconv"
	"strings"
	"unicode"

	"locus/internal/lazy"
)

// headingNames counts the names of the headings of a document, because a repeated heading gets a number.
type headingNames struct {
	seen map[string]int
}

// MaxLabel is the length of the longest name in a document, in bytes. For a link label in Markdown it is in
// characters (CommonMark §4.7).
const MaxLabel = 999

// maxNames is how many heading names are kept.
const maxNames = 1 << 16

// repeat returns how many times it was called with this name before. It returns 0 for new names once maxNames are
// kept.
func (h *headingNames) repeat(name string) int {
	if h.seen == nil {
		h.seen = map[string]int{}
	}
	n, ok := h.seen[name]
	if ok || len(h.seen) < maxNames {
		h.seen[name] = n + 1
	}
	return n
}

// AddHeading calls Options.Anchor with the names that generators derive from the text of a heading:
//
//	GitHub, Hugo, MyST   What's new_in 2.0?  whats-new_in-20   again: whats-new_in-20-1
//	Sphinx, docutils                         what-s-new-in-2-0
//	MkDocs                                   whats-new_in-20   again: whats-new_in-20_1
func (d *Emitter) AddHeading(text string) {
	names := []string{webName(text), IDName(text)}
	if bare := webName(withoutEmphasis(text)); bare != names[0] {
		names = append(names, bare)
	}
	if joined := JoinHyphens(names[0]); joined != names[0] {
		names = append(names, joined)
	}
	for i, name := range names {
		if name == "" {
			continue
		}
		if n := d.Repeat(strconv.Itoa(i) + name); n > 0 {
			d.Options.Anchor(name + "-" + strconv.Itoa(n))
			d.Options.Anchor(name + "_" + strconv.Itoa(n))
			continue
		}
		d.Options.Anchor(name)
	}
}

// webName returns the name that GitHub gives a heading: in lower case, without punctuation, and with hyphens instead
// of spaces.
func webName(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ' || c == '\t' || c == '\n':
			return '-'
		case c == '-' || unicode.In(c, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc):
			return unicode.ToLower(c)
		}
		return -1
	}, strings.TrimSpace(text))
}

// IDName returns the id that docutils derives from a text: ASCII letters and digits in lower case, with single
// hyphens between them, starting with a letter. Other Latin letters are replaced by the ASCII letters that they
// resemble, and all other characters are left out.
func IDName(text string) string {
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

// JoinHyphens replaces each run of hyphens by one hyphen, and removes the hyphens at both ends.
func JoinHyphens(text string) string {
	for strings.Contains(text, "--") {
		text = strings.ReplaceAll(text, "--", "-")
	}
	return strings.Trim(text, "-")
}

// withoutEmphasis returns text without the underscores around its words.
func withoutEmphasis(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		words[i] = strings.Trim(word, "_")
	}
	return strings.Join(words, " ")
}
