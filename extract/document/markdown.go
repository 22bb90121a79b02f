package document

import (
	"bytes"
	"strings"

	"locus/internal/markup"
)

// markdown reads links, images, link reference definitions, autolinks, HTML, and all of the
// text.
func (d *document) markdown() {
	if d.options.SkipCode {
		d.text = withoutMDXComments(d.text, d.options.Anchor)
	}
	at := frontMatter(d.text)
	d.plainIn(0, at)
	m := &markdownReader{document: d, from: at}
	if bytes.Contains(d.text, []byte("]:")) {
		m.labels = labelsIn(d.text, at)
	}
	m.inlines = inlineReader{handler: m, hasLabel: func(label string) bool { return m.labels[label] }}
	blocks := blockReader{text: d.text, handler: m}
	blocks.read(at)
}

// A markdownReader adds what is found in Markdown.
type markdownReader struct {
	*document
	from    int // everything before this place is handed on
	code    int // the place after the start tag of code; 0: none is open
	inlines inlineReader
	labels  map[string]bool // of the link reference definitions
	p       part            // what is read by inlines
	marks   []headingMark   // of a heading
	inTitle bool            // p is a heading whose names are wanted
}

// A labelReader collects the labels of link reference definitions.
type labelReader map[string]bool

// maxLabels is how many link reference definitions are remembered.
const maxLabels = 1 << 16

// labelsIn returns the labels of all link reference definitions from a place on.
func labelsIn(text []byte, at int) map[string]bool {
	labels := labelReader{}
	blocks := blockReader{text: text, handler: labels}
	blocks.read(at)
	return labels
}

func (l labelReader) readDefinition(label string, _, _ int) {
	if len(l) < maxLabels {
		l[label] = true
	}
}

func (labelReader) readProse([]interval, bool) {}
func (labelReader) readCode(int, int, bool)    {}
func (labelReader) readMarkup([]interval)      {}
func (labelReader) readUntil(int) bool         { return true }

// readUntil hands the matches on when there are many.
func (m *markdownReader) readUntil(at int) bool {
	if at-m.from < minPiece && at < len(m.text) {
		return !m.isStopped()
	}
	m.markedNames(m.text[m.from:at])
	m.plainIn(m.from, at)
	m.flushSkipped()
	m.from = at
	return !m.isStopped()
}

// readProse reads a paragraph or a heading.
func (m *markdownReader) readProse(lines []interval, isHeading bool) {
	if m.options.SkipCode && !isHeading && len(lines) > 0 && startsModule(m.text[lines[0].from:lines[0].to]) {
		m.skip(lines[0].from, lines[len(lines)-1].to)
		return
	}
	m.p = joinLines(m.text, lines)
	m.inTitle, m.marks = isHeading && m.options.Anchor != nil, m.marks[:0]
	m.inlines.read(m.p.text)
	if m.inTitle {
		m.nameHeading()
	}
}

func (m *markdownReader) readDefinition(_ string, from, to int) {
	m.addDestination(from, to, "reference")
}

func (m *markdownReader) readDestination(from, to int, isImage bool) {
	where := "link"
	if isImage {
		where = "image"
	}
	start, end := m.p.place(from, to)
	m.addDestination(start, end, where)
}

func (m *markdownReader) addDestination(from, to int, where string) {
	m.addReference(from, to, unescapeDestination(m.text[from:to]), where)
}

func (m *markdownReader) readAutolink(from, to int, isMail bool) {
	text := string(m.p.text[from:to])
	if isMail {
		text = "mailto:" + text
	}
	start, end := m.p.place(from, to)
	m.addReference(start, end, text, "autolink")
}

func (m *markdownReader) readCodeSpan(from, to int) {
	start, end := m.p.place(from, to)
	m.skipText(start, end)
}

// readHTML reads a tag, and skips a comment, or what stands between the tags of an element
// of code.
func (m *markdownReader) readHTML(from, to int) {
	var p part
	p.copy(m.p, from, to)
	m.readTags(p)
	start, end := p.place(0, len(p.text))
	switch {
	case bytes.HasPrefix(p.text, []byte("<!--")):
		m.skipText(start, end)
	case bytes.HasPrefix(p.text, []byte("</")) && m.code > 0 && isCodeTag(p.text[len("</"):]):
		m.skipText(m.code, start)
		m.code = 0
	case m.code == 0 && isCodeTag(p.text[1:]):
		m.code = end
	}
}

// readCode reads a line of code.
func (m *markdownReader) readCode(from, to int, isFirst bool) {
	if isFirst {
		m.code = 0
	}
	m.skipText(from, to)
}

// skipText skips a range of code, if code is skipped.
func (m *markdownReader) skipText(from, to int) {
	if m.options.SkipCode && from < to {
		m.skip(from, to)
	}
}

// readTags reads the tags of HTML. Its text is read with that of Markdown.
func (m *markdownReader) readTags(p part) {
	m.nested(p, "", func(sub *document) {
		sub.options.References = true
		sub.html()
	})
}

// readMarkup reads a block of HTML, and skips the comments and the code in it.
func (m *markdownReader) readMarkup(lines []interval) {
	m.code = 0
	p := joinLines(m.text, lines)
	m.readTags(p)
	if m.options.SkipCode {
		m.skipMarkup(p)
	}
}

// skipMarkup skips the comments and the code in HTML.
func (m *markdownReader) skipMarkup(p part) {
	skip := func(from, to int) { m.skip(p.place(from, to)) }
	open, last := 0, 0
	z := markup.Tokenizer{Text: p.text}
	for t, ok := z.Next(); ok; t, ok = z.Next() {
		if comment := bytes.Index(p.text[last:t.From], []byte("<!--")); comment >= 0 {
			skip(last+comment, t.From)
		}
		last = t.To
		switch {
		case t.Kind == markup.StartTag && isCodeElement(t.Name):
			open++
		case t.Kind == markup.EndTag && isCodeElement(t.Name):
			open = max(open-1, 0)
		case t.Kind == markup.Text && (open > 0 || t.Name == "script" || t.Name == "style"):
			skip(t.From, t.To)
		}
	}
	if bytes.HasPrefix(p.text[last:], []byte("<!--")) {
		skip(last, len(p.text))
	}
}

// isCodeTag reports whether a tag, after its "<", is one of an element of code.
func isCodeTag(tag []byte) bool {
	end := 0
	for end < len(tag) && !markup.EndsName(tag[end]) {
		end++
	}
	return isCodeElement(markup.Lower(tag[:end]))
}

// unescapeDestination returns a destination without its backslashes before punctuation, and
// with its character references resolved (CommonMark §2.4, §2.5).
func unescapeDestination(raw []byte) string {
	if !bytes.ContainsAny(raw, "\\&") {
		return string(raw)
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		switch {
		case raw[i] == '\\' && i+1 < len(raw) && isPunctuation(raw[i+1]):
			b.WriteByte(raw[i+1])
			i += 2
		case raw[i] == '&':
			size := markup.Reference(raw[i:])
			b.WriteString(resolveReference(string(raw[i : i+size])))
			i += size
		default:
			b.WriteByte(raw[i])
			i++
		}
	}
	return b.String()
}
