package markdown

import (
	"bytes"
	"sort"
	"strings"

	"locus/extract/document/dialect"
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/slug"
)

// A headingMark is a range of a heading whose source differs from the text that is shown.
type headingMark struct {
	from, to int
	kind     markKind
}

// addMark implements inlineHandler. It records the mark if the names of a heading are wanted.
func (m *markdownReader) addMark(from, to int, kind markKind) {
	if m.inHeading {
		m.marks = append(m.marks, headingMark{from, to, kind})
	}
}

// nameHeading adds the ids that the dialect makes from the text of the heading m.p. The text ends before attributes
// such as {#name} or a comment. If the dialect counts these as text, too, nameHeading adds the longer id as well. In a
// dialect with OnlyOwnID, nameHeading ignores a heading with {#name}, because addMarkedNames adds its only id.
func (m *markdownReader) nameHeading() {
	text := bytes.TrimRight(m.p.Text, " \t\r\n")
	end, hasID := attributesAt(text)
	if hasID && m.Options.Dialect.OnlyOwnID {
		return
	}
	naming := m.Options.Dialect.Naming
	m.marks = append(m.marks, emphasis(text[:end], m.marks)...)
	m.AddHeading(naming, m.headingTo(end))
	if isShownWhole(text[end:], m.Options.Dialect) {
		m.AddHeading(naming, m.headingTo(len(text)))
	}
}

// isShownWhole reports whether the dialect also makes an id of the heading with rest, which is the attributes or the
// comment at its end. GitHub shows attributes as text, and GitHub, Hugo and kramdown keep the blank before a comment. A
// comment of "x" alone stands for a comment of MDX, and is never part of the id.
func isShownWhole(rest []byte, d dialect.Dialect) bool {
	switch {
	case len(rest) == 0:
		return false
	case rest[len(rest)-1] == '}':
		return d.Naming == dialect.GitHub && !d.OnlyOwnID
	}
	isMDX := len(bytes.Trim(rest, " \t<!->x")) == 0
	return (d.Naming == dialect.GitHub || d.Naming == dialect.Hugo || d.Naming == dialect.Kramdown) && !isMDX
}

// attributesAt returns the length of text, a heading, without the attributes at its end, such as {#name} or { .class
// #name }, or without a comment there. hasID is true if the attributes include an id.
func attributesAt(text []byte) (end int, hasID bool) {
	if at := bytes.LastIndex(text, []byte("<!--")); at >= 0 && bytes.HasSuffix(text, []byte("-->")) {
		return len(bytes.TrimRight(text[:at], " \t")), false
	}
	at := bytes.LastIndexByte(text, '{')
	if at < 0 || !bytes.HasSuffix(text, []byte("}")) {
		return len(text), false
	}
	inside := bytes.TrimLeft(bytes.TrimPrefix(text[at+1:len(text)-1], []byte(":")), " ")
	isAttributes := bytes.HasPrefix(inside, []byte("#")) || bytes.HasPrefix(inside, []byte(".")) || bytes.HasPrefix(inside, []byte("-")) ||
		bytes.HasPrefix(inside, []byte("/*")) || bytes.IndexByte(inside, '=') > 0
	if !isAttributes {
		return len(text), false
	}
	for field := range bytes.FieldsSeq(inside) {
		hasID = hasID || len(field) > 1 && field[0] == '#'
	}
	return len(bytes.TrimRight(text[:at], " \t")), hasID
}

// headingTo returns the heading m.p.Text[:end] in all forms from which ids are derived.
func (m *markdownReader) headingTo(end int) slug.Heading {
	return slug.Heading{
		Text: m.headingText(end, shownText), Alt: m.headingText(end, withAlt), Source: string(joinWords(m.p.Text[:end], false)),
		TypesetText: m.headingText(end, typeset), TypesetAlt: m.headingText(end, withAlt|typeset),
	}
}

// A textForm says in which form the text of a heading is wanted.
type textForm uint8

const (
	withAlt   textForm = 1 << iota // with the descriptions of images
	typeset                        // without marks that smart typography replaces
	shownText textForm = 0
)

// headingText returns the heading m.p.Text[:end] as a browser shows it, without markup. form adds
// the descriptions of images, or removes the marks that smart typography replaces.
func (m *markdownReader) headingText(end int, form textForm) string {
	sort.Slice(m.marks, func(i, j int) bool {
		a, b := m.marks[i], m.marks[j]
		return a.from < b.from || a.from == b.from && a.to > b.to
	})
	var b strings.Builder
	text, at := m.p.Text[:end], 0
	write := func(from, to int) {
		words := unescapeDestination(joinWords(text[from:to], false))
		if form&typeset != 0 {
			words = slug.Typeset(words)
		}
		b.WriteString(words)
	}
	for _, k := range m.marks {
		if k.from < at || k.to > end || k.kind == markImage && form&withAlt != 0 {
			continue // the mark is in an image that is left out
		}
		write(at, k.from)
		switch k.kind {
		case markCode:
			b.Write(codeText(text[k.from:k.to]))
		case markLink:
			b.Write(text[k.from+1 : k.to-1])
		}
		at = k.to
	}
	write(at, end)
	return b.String()
}

// joinWords returns text with one space for each line break and the blanks around it. Unless text is code, it also leaves
// out a backslash that makes a line break hard (CommonMark §6.7). The result may share the memory of text.
func joinWords(text []byte, isCode bool) []byte {
	if !bytes.ContainsAny(text, "\n\r") {
		return text
	}
	var joined []byte
	for i := 0; i < len(text); i++ {
		if !isLineBreak(text[i]) {
			joined = append(joined, text[i])
			continue
		}
		line := bytes.TrimRight(joined, " \t")
		if len(line) == len(joined) && !isCode && endsWithEscape(line) {
			line = line[:len(line)-1]
		}
		joined = append(line, ' ')
		i = skipGap(text, i) - 1
	}
	return joined
}

// endsWithEscape reports whether the last byte of text is a backslash that escapes the next byte.
func endsWithEscape(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, "\\")))%2 == 1
}

// codeText returns the text of a code span without its backticks. If the text has a space at both ends, it removes both
// spaces (CommonMark §6.1).
func codeText(span []byte) []byte {
	text := joinWords(bytes.Trim(span, "`"), true)
	if n := len(text); n > 1 && text[0] == ' ' && text[n-1] == ' ' && !isBlank(text) {
		return text[1 : n-1]
	}
	return text
}

// addMarkedNames calls Options.Anchor, unless it is nil, with the names that text marks as names: {#name}, {: #name}
// and, as a whole line, (name)=.
func (m *markdownReader) addMarkedNames(text []byte) {
	if m.Options.Anchor == nil {
		return
	}
	for rest := text; ; {
		at := bytes.IndexByte(rest, '{')
		if at < 0 {
			break
		}
		rest = rest[at+1:]
		inside := rest[:min(len(rest), emit.MaxLabel)]
		if end := bytes.IndexAny(inside, "{}\n"); end >= 0 {
			inside = inside[:end]
		}
		inside = bytes.TrimLeft(bytes.TrimPrefix(inside, []byte(":")), " ")
		if len(inside) == 0 || inside[0] != '#' && inside[0] != '.' {
			continue
		}
		for field := range bytes.FieldsSeq(inside) {
			if name, ok := bytes.CutPrefix(field, []byte("#")); ok && len(name) > 0 {
				m.Options.Anchor(string(name))
			}
		}
	}
	for _, line := range emit.Lines(text, 0) {
		if name, ok := bytes.CutSuffix(bytes.TrimSpace(line), []byte(")=")); ok && len(name) > 1 && name[0] == '(' {
			m.Options.Anchor(string(name[1:]))
		}
	}
}
