package asciidoc

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"locus/extract/document/internal/emit"
	"locus/internal/lazy"
)

// maxTitle is the length of the longest title that is read.
const maxTitle = 4 * emit.MaxLabel

var (
	// macroText matches names such as [[name]], cross references and macros. Its groups are their texts.
	macroText = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return regexp.MustCompile(`\[\[[^\]]*\]\]|<<[^>,]*,?([^>]*)>>|\b\w+:[^\s\[]*\[([^\]]*)\]`)
	}}

	// formatting matches formatted text. Its first and its last group are the text around it.
	formatting = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return regexp.MustCompile("(^|[^\\pL\\pN_])(?:\\[[^\\]]*\\])?(?:([*_`#]{1,2})(\\S|\\S.*?\\S)[*_`#]{1,2})([^\\pL\\pN_]|$)")
	}}
)

// addSection calls Options.Anchor with the names of a section: the title in raw as Asciidoctor shows it, and the ids
// that Asciidoctor and GitHub derive from it.
func (r *reader) addSection(raw []byte) {
	if r.Options.Anchor == nil || len(raw) > maxTitle {
		return
	}
	title := r.titleText(string(bytes.TrimSpace(raw)))
	r.Options.Anchor(title)
	prefix, hasPrefix := r.attributes.get("idprefix")
	separator, hasSeparator := r.attributes.get("idseparator")
	if !hasPrefix {
		prefix = "_"
	}
	if !hasSeparator {
		separator = "_"
	}
	for _, form := range [][2]string{{prefix, separator}, {"_", "_"}, {"", "-"}} {
		id := form[0] + sectionID(title, form[1])
		if n := r.Repeat(form[0] + form[1] + id); n > 0 {
			r.Options.Anchor(id + form[1] + strconv.Itoa(n+1))
		}
		r.Options.Anchor(id)
	}
}

// titleText returns the text of a title as Asciidoctor shows it: with its attributes replaced, with the texts of its
// macros, and without names and marks of formatting.
func (r *reader) titleText(title string) string {
	if text, ok := r.attributes.substitute(title); ok {
		title = text
	}
	if !strings.ContainsAny(title, "[<*_`#") {
		return title
	}
	title = macroText.Get().ReplaceAllString(title, "$1$2")
	for range 2 { // because the mark after one text may be the mark before the next
		title = formatting.Get().ReplaceAllString(title, "$1$3$4")
	}
	return strings.TrimSpace(title)
}

// sectionID returns the id that Asciidoctor derives from a title, without its prefix. It replaces each run of spaces,
// periods and hyphens by the separator, and leaves out other punctuation.
func sectionID(title, separator string) string {
	var b strings.Builder
	gap := false
	for _, c := range strings.ToLower(title) {
		switch {
		case c == ' ' || c == '.' || c == '-' || string(c) == separator:
			gap = true
		case unicode.In(c, unicode.L, unicode.M, unicode.Nd, unicode.Pc):
			if gap && b.Len() > 0 {
				b.WriteString(separator)
			}
			gap = false
			b.WriteRune(c)
		}
	}
	return b.String()
}
