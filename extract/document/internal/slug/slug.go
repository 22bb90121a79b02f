// Package slug derives the ids of headings from their texts, by the rules of the generators in package dialect.
//
// Each rule was compared with its program on the headings of the tests: Hugo 0.111, kramdown 2.4 with its parser GFM
// 1.1, Python-Markdown 3.4, pandoc 2.17, docutils 0.19, MyST-Parser 0.18, github-slugger 2.0 and the package
// @mdit-vue/shared 3.0 of VitePress. The rules of GitHub, GitLab, Bitbucket, Jupyter, mdBook and Zola
// follow their documentation.
package slug

import (
	"strconv"
	"strings"
	"unicode"

	"locus/extract/document/dialect"
	"locus/internal/lazy"
)

// A Heading is the text of a heading in the forms from which the rules derive ids.
type Heading struct {
	Text   string // as a browser shows it, with the blanks beside its images
	Alt    string // Text with the descriptions of its images
	Source string // as the document writes it

	// Text and Alt without the marks of ASCII that smart typography replaces, see Typeset.
	TypesetText, TypesetAlt string
}

// Plain returns a Heading whose text has neither marks nor images.
func Plain(text string) Heading {
	return Heading{Text: text, Alt: text, Source: text, TypesetText: Typeset(text), TypesetAlt: Typeset(text)}
}

// Typeset returns text, which is not code, without the marks that smart typography replaces by one character, such as
// "--" and "...". It leaves these characters out, because no rule for ids keeps them.
func Typeset(text string) string {
	if !strings.ContainsAny(text, "-.<>") {
		return text
	}
	return typographic.Get().Replace(text)
}

var typographic = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer("...", "", "---", "", "--", "", "<< ", "", " >>", "")
}}

// A rule is the way of a generator to name headings.
type rule struct {
	text      func(Heading) string // the form that it uses
	ids       []func(text string) string
	separator string // stands before the number of a repeated id
	isUnique  bool   // the id with a number must be new, too
}

// rules has the rule for each Naming.
var rules = [...]rule{
	dialect.GitHub:    {shown, []func(string) string{gitHub, joinedGitHub}, "-", true},
	dialect.GitLab:    {shown, one(gitLab), "-", false},
	dialect.Bitbucket: {shown, one(bitbucket), "_", true},
	dialect.Docutils:  {described, one(Docutils), "-", false},
	dialect.Hugo:      {written, one(hugo), "-", true},
	dialect.Jupyter:   {shown, []func(string) string{jupyter, gitHub}, "-", false},
	dialect.Kramdown:  {typesetText, one(gitHub), "-", false},
	dialect.MDBook:    {shown, []func(string) string{mdBook, mdBookASCII}, "-", false},
	dialect.MkDocs:    {shown, one(pythonMarkdown), "_", true},
	dialect.MyST:      {described, []func(string) string{trimmedGitHub, Docutils}, "-", false},
	dialect.Pandoc:    {typesetAlt, one(pandoc), "-", true},
	dialect.Slugger:   {described, one(gitHub), "-", true},
	dialect.VitePress: {shown, one(vitePress), "-", true},
	dialect.Zola:      {shown, one(zola), "-", true},
}

// These functions return the fields of a Heading.
func shown(h Heading) string     { return h.Text }
func described(h Heading) string { return h.Alt }
func written(h Heading) string   { return h.Source }

func typesetText(h Heading) string { return h.TypesetText }
func typesetAlt(h Heading) string  { return h.TypesetAlt }

// one returns a list of the function id alone.
func one(id func(string) string) []func(string) string { return []func(string) string{id} }

// Ids derives the ids of the headings of one document. The zero Ids has seen no heading.
type Ids struct {
	seen     map[string]int // the number of the last repetition, by the rule and the id
	replaced int            // the ids that docutils replaced
}

// Of returns the ids that the rule n gives to h, the next heading of the document. Most rules give one id, and some
// give none to a heading without letters and digits.
func (s *Ids) Of(n dialect.Naming, h Heading) []string {
	r := rules[n]
	var all []string
	for i, id := range r.ids {
		name := id(r.text(h))
		if name == "" && !r.countsFromOne() {
			continue
		}
		all = append(all, s.numbered(n.String()+strconv.Itoa(i)+" ", name, r))
	}
	if n == dialect.Docutils || n == dialect.MyST {
		return append(all, s.automatic(Docutils(h.Alt))...)
	}
	return all
}

// countsFromOne reports whether the rule numbers ids as Python-Markdown does: a heading without letters and digits gets
// an id with a number, and a number at the end of an id counts on.
func (r rule) countsFromOne() bool { return r.separator == "_" }

// automatic returns the id, such as "id1", with which docutils replaces id if id is empty or an earlier heading has it.
// It returns nil if docutils keeps id.
//
// QUIRK: docutils before 0.22 does so. Later releases number such ids as the others do.
func (s *Ids) automatic(id string) []string {
	if s.seen["docutils0 "+id]+s.seen["MyST1 "+id] == 0 && id != "" {
		return nil
	}
	s.replaced++
	return []string{"id" + strconv.Itoa(s.replaced)}
}

// Knows reports whether the rule is known for all letters of a heading. Zola replaces letters of all scripts by letters
// of ASCII, and this package knows only the replacements of Latin letters.
func Knows(n dialect.Naming, h Heading) bool {
	return n != dialect.Zola || !strings.ContainsFunc(h.Text, func(c rune) bool { return unicode.IsLetter(c) && !unicode.Is(unicode.Latin, c) })
}

// maxNames is how many names are kept.
const maxNames = 1 << 16

// numbered returns id, or id with a number if an earlier heading has id, and remembers the result. Ids in different
// spaces do not count as repeated, so that the ids of several rules are kept apart.
func (s *Ids) numbered(space, id string, r rule) string {
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	n, isSeen := s.seen[space+id]
	if !isSeen && id != "" {
		s.keep(space+id, 0)
		return id
	}
	stem := id
	if r.countsFromOne() { // it counts on from the number that an id has
		stem, n = cutNumber(id, n)
	}
	for {
		n++
		name := stem + r.separator + strconv.Itoa(n)
		if _, isTaken := s.seen[space+name]; isTaken && r.isUnique {
			continue
		}
		s.keep(space+id, n)
		if r.isUnique {
			s.keep(space+name, 0)
		}
		return name
	}
}

// keep remembers n, the number of the last repetition of a name, unless maxNames other names are kept.
func (s *Ids) keep(name string, n int) {
	if _, isKnown := s.seen[name]; isKnown || len(s.seen) < maxNames {
		s.seen[name] = n
	}
}

// cutNumber returns id without "_" and a number at its end, and the greater of that number and n. If id does not end
// so, it returns id and n.
func cutNumber(id string, n int) (stem string, number int) {
	at := strings.LastIndexByte(id, '_')
	if at < 0 {
		return id, n
	}
	last, err := strconv.Atoi(id[at+1:])
	if err != nil {
		return id, n
	}
	return id[:at], max(n, last)
}
