package markdown

import (
	"bytes"
	"sort"
	"strings"

	"locus/extract/document/internal/emit"
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

// nameHeading adds the names that generators derive from the heading's text. It leaves out attributes such as {#name}
// at the end of the text. addMarkedNames adds the name in these, so a heading with {#name} gets both.
func (m *markdownReader) nameHeading() {
	text := strings.TrimSpace(m.headingText())
	if at := strings.LastIndexByte(text, '{'); at >= 0 && strings.HasSuffix(text, "}") {
		text = text[:at] // attributes, which addMarkedNames reads
	}
	m.AddHeading(text)
}

// headingText returns the text of the heading as a browser shows it.
func (m *markdownReader) headingText() string {
	sort.Slice(m.marks, func(i, j int) bool {
		a, b := m.marks[i], m.marks[j]
		return a.from < b.from || a.from == b.from && a.to > b.to
	})
	var b strings.Builder
	text, at := m.p.Text, 0
	for _, k := range m.marks {
		if k.from < at {
			continue // the mark is in an image
		}
		b.WriteString(unescapeDestination(joinWords(text[at:k.from])))
		switch k.kind {
		case markCode:
			b.Write(codeText(text[k.from:k.to]))
		case markLink:
			b.Write(text[k.from+1 : k.to-1])
		}
		at = k.to
	}
	b.WriteString(unescapeDestination(joinWords(text[at:])))
	return b.String()
}

// joinWords replaces each line break and the blanks around it by one space.
func joinWords(text []byte) []byte {
	if !bytes.ContainsAny(text, "\n\r") {
		return text
	}
	var joined []byte
	for i := 0; i < len(text); i++ {
		if !isLineBreak(text[i]) {
			joined = append(joined, text[i])
			continue
		}
		joined = append(bytes.TrimRight(joined, " \t\\"), ' ')
		i = skipGap(text, i) - 1
	}
	return joined
}

// codeText returns the text of a code span without its backticks. If a space is at both ends, it removes both
// (CommonMark §6.1).
func codeText(span []byte) []byte {
	text := joinWords(bytes.Trim(span, "`"))
	if n := len(text); n > 1 && text[0] == ' ' && text[n-1] == ' ' && !isBlank(text) {
		return text[1 : n-1]
	}
	return text
}

// addMarkedNames adds the names that a text marks as names: {#name}, {: #name} and, on a line of its own, (name)=.
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
		inside := bytes.TrimLeft(bytes.TrimPrefix(rest, []byte(":")), " ")
		if name, ok := bytes.CutPrefix(inside, []byte("#")); ok {
			end := bytes.IndexAny(name[:min(len(name), emit.MaxLabel)], " {}\n")
			if end > 0 {
				m.Options.Anchor(string(name[:end]))
			}
		}
	}
	for _, line := range emit.Lines(text, 0) {
		if name, ok := bytes.CutSuffix(bytes.TrimSpace(line), []byte(")=")); ok && len(name) > 1 && name[0] == '(' {
			m.Options.Anchor(string(name[1:]))
		}
	}
}
