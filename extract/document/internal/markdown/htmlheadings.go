package markdown

import (
	"bytes"
	"strings"

	"locus/extract/document/dialect"
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/slug"
	"locus/internal/markup"
)

// An htmlHeading is a heading that is written as an element of HTML. Its text may be in several blocks, because a blank
// line ends a block of HTML and begins one of Markdown.
type htmlHeading struct {
	text   strings.Builder
	isOpen bool
}

// maxHTMLHeading is the length of the longest text of such a heading.
const maxHTMLHeading = 4 << 10

// namesHTML reports whether the ids of headings of HTML are wanted. GitHub and GitLab name them, too, because they
// name the headings of the finished page.
func (m *markdownReader) namesHTML() bool {
	n := m.Options.Dialect.Naming
	return m.Options.Anchor != nil && (n == dialect.GitHub || n == dialect.GitLab)
}

// nameHTMLHeadings adds the ids of the headings in p, a block of HTML. A heading may have begun in an earlier block,
// and may stay open at the end of p.
func (m *markdownReader) nameHTMLHeadings(p emit.Part) {
	if !m.namesHTML() {
		return
	}
	h := &m.htmlHeading
	z := markup.Tokenizer{Text: p.Text}
	for t, ok := z.Next(); ok; t, ok = z.Next() {
		switch {
		case t.Kind == markup.StartTag && isHeadingName(t.Name):
			h.isOpen = true
			h.text.Reset()
		case t.Kind == markup.EndTag && isHeadingName(t.Name) && h.isOpen:
			m.nameHTMLHeading()
		case t.Kind == markup.Text && t.Name == "":
			m.addToHTMLHeading(markup.Value(p.Text[t.From:t.To]))
		}
	}
}

// readHTMLHeading adds the paragraph m.p to the text of the open heading of HTML. If the heading ends in the paragraph,
// it adds the ids of the heading.
func (m *markdownReader) readHTMLHeading() {
	m.marks = append(m.marks, emphasis(m.p.Text, m.marks)...)
	m.addToHTMLHeading(m.headingText(len(m.p.Text), shownText))
	if m.htmlHeading.isOpen && bytes.Contains(m.p.Text, []byte("</h")) {
		m.nameHTMLHeading()
	}
}

// addToHTMLHeading adds text to the open heading of HTML, if a heading is open. If the heading becomes too long, it
// closes the heading without ids.
func (m *markdownReader) addToHTMLHeading(text string) {
	h := &m.htmlHeading
	if h.isOpen = h.isOpen && h.text.Len()+len(text) <= maxHTMLHeading; h.isOpen {
		h.text.WriteString(text)
	}
}

// nameHTMLHeading closes the open heading of HTML, and adds the ids of its text with the blanks at its ends, which
// GitHub keeps, and without them.
func (m *markdownReader) nameHTMLHeading() {
	h, naming := &m.htmlHeading, m.Options.Dialect.Naming
	h.isOpen = false
	text := strings.Join(strings.Fields(h.text.String()), " ")
	if text == "" {
		return
	}
	m.AddHeading(naming, slug.Plain(text))
	if raw := strings.NewReplacer("\n", "", "\r", "").Replace(h.text.String()); raw != text {
		m.AddHeading(naming, slug.Plain(raw))
	}
}

// isHeadingName reports whether the name of an element is h1 to h6.
func isHeadingName(name string) bool {
	return len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6'
}
