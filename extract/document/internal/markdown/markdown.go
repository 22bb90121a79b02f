// Package markdown reads Markdown in pieces of bounded size and in linear time.
//
// # How the pieces work together
//
// First, hidden.go and mdx.go blank out templates, comments and code that a generator removes, without moving any other
// byte, so that offsets stay the offsets of the file. Then a blockReader finds the blocks line by line (blocks.go). It
// reads the text twice: the first time only for the labels of link reference definitions, because a link may precede
// its definition (references.go). line.go measures columns and indentation, tables.go finds the tables of GFM,
// rawhtml.go finds blocks of HTML, and directives.go reads the admonitions and directives of MkDocs, MyST and
// Docusaurus.
//
// The blockReader gives the lines of a paragraph or a heading to the markdownReader, which uses an inlineReader to find
// the links and the code in them (inlines.go); emphasis.go, math.go, comments.go, expressions.go and wiki.go tell text
// from marks. Headings get the ids that the generator of the site gives them (headings.go, htmlheadings.go). switches.go
// obeys comments that switch the check off. The dialect in document.Options decides which of these extensions apply.
package markdown

import (
	"bytes"
	"strings"

	"locus/extract/document/dialect"
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/html"
	"locus/extract/document/internal/rst"
	"locus/internal/ascii"
	"locus/internal/markup"
)

// Read reads links, images, link reference definitions, autolinks and HTML, and searches all of the text.
func Read(d *emit.Emitter) {
	d.Options.Find.Markdown = true
	if d.Options.SkipCode {
		d.Text = withoutMDXComments(d.Text, d.Options.Anchor)
	}
	source := hidden(d.Text, d.Options.Dialect)
	if d.Options.SkipCode {
		d.Text = source
	}
	at := emit.FrontMatter(source)
	d.PlainIn(0, at)
	if d.Options.Dialect.IsMDX && hasPlainFormat(source[:at]) {
		d.Options.Dialect.IsMDX = false
	}
	m := &markdownReader{Emitter: d, source: source, from: at}
	if bytes.Contains(source, []byte("]:")) {
		m.labels = labelsIn(source, at, d.Options.Dialect)
	}
	m.inlines = inlineReader{handler: m, hasLabel: func(label string) bool { return m.labels[label] }, dialect: d.Options.Dialect}
	blocks := blockReader{text: source, handler: m, dialect: d.Options.Dialect}
	blocks.read(at)
}

// A markdownReader adds the references in Markdown to its Emitter. It handles both blocks and inlines.
type markdownReader struct {
	*emit.Emitter
	source    []byte        // the text without the parts that the generator hides
	from      int           // everything before this offset has been searched and flushed
	line      emit.Interval // the last line with a comment that switches checking off
	code      int           // the offset after an open start tag of a code element, or 0
	inlines   inlineReader
	labels    map[string]bool // the labels of the link reference definitions
	p         emit.Part       // the text that inlines reads
	marks     []headingMark   // the marks of the heading in p
	inHeading bool            // p is a heading whose names are wanted, or a part of one

	htmlHeading htmlHeading
}

// A labelReader is a blockHandler that collects the labels of link reference definitions.
type labelReader map[string]bool

// maxLabels is how many labels are kept.
const maxLabels = 1 << 16

// labelsIn returns the normalized labels of all link reference definitions in text from offset at on, at most
// maxLabels.
func labelsIn(text []byte, at int, d dialect.Dialect) map[string]bool {
	labels := labelReader{}
	blocks := blockReader{text: text, handler: labels, dialect: d}
	blocks.read(at)
	return labels
}

// readDefinition records the label of a definition, unless maxLabels labels are recorded.
func (l labelReader) readDefinition(label string, _, _ emit.Interval) {
	if len(l) < maxLabels {
		l[label] = true
	}
}

func (labelReader) readProse([]emit.Interval, bool)  {}
func (labelReader) readCode(int, int, bool)          {}
func (labelReader) readMarkup([]emit.Interval)       {}
func (labelReader) readOption(string, emit.Interval) {}
func (labelReader) readToctree([]emit.Interval)      {}
func (labelReader) readUntil(int) bool               { return true }

// readUntil searches the text from the end of the last search to the offset at, adds the names that the text marks, and
// flushes the matches. It waits for more text if this text has less than MinPiece bytes, unless at is the end of the
// document. It returns false if the caller wants no further matches.
func (m *markdownReader) readUntil(at int) bool {
	if at-m.from < emit.MinPiece && at < len(m.Text) {
		return !m.IsStopped()
	}
	m.addMarkedNames(m.source[m.from:at])
	m.PlainIn(m.from, at)
	m.FlushSkipped()
	m.from = at
	return !m.IsStopped()
}

// readProse reads the inlines of a paragraph or a heading, and adds the ids of a heading. It skips imports and exports
// of MDX if Options.SkipCode is set.
func (m *markdownReader) readProse(lines []emit.Interval, isHeading bool) {
	if m.Options.SkipCode && !isHeading && len(lines) > 0 && startsModule(m.source[lines[0].From:lines[0].To]) {
		m.Skip(lines[0].From, lines[len(lines)-1].To)
		return
	}
	m.p = joinLines(m.source, lines)
	m.inHeading, m.marks = m.Options.Anchor != nil && (isHeading || m.htmlHeading.isOpen), m.marks[:0]
	if m.Options.Dialect.IsMDX && !isHeading && !m.inHeading && bytes.HasPrefix(m.p.Text, []byte("<")) {
		m.nameHTMLHeadings(m.p) // GitHub shows a file of MDX as Markdown, and names them
	}
	m.inlines.read(m.p.Text)
	switch {
	case !m.inHeading:
	case isHeading:
		m.htmlHeading.isOpen = false
		m.nameHeading()
	default:
		m.readHTMLHeading()
	}
}

// readDefinition adds the destination of a link reference definition, or skips the definition if it is a comment.
func (m *markdownReader) readDefinition(label string, destination, whole emit.Interval) {
	if isComment(label, m.source[destination.From:destination.To]) {
		m.skipText(whole.From, whole.To)
		return
	}
	m.skipLabel(whole.From, whole.To)
	m.addDestination(destination.From, destination.To, "reference")
}

// isComment reports whether a link reference definition is meant as a comment. The common forms are [//]: # (text) and
// [comment]: # (text), and <> may stand for #.
func isComment(label string, destination []byte) bool {
	return (len(destination) == 0 || string(destination) == "#") && (label == "//" || label == "comment")
}

// readDestination adds a reference to the destination of a link or an image.
func (m *markdownReader) readDestination(from, to int, isImage bool) {
	where := "link"
	if isImage {
		where = "image"
	}
	start, end := m.p.Place(from, to)
	m.addDestination(start, end, where)
}

// readLink skips a link or an image, with its text, title and description, if Options.SkipLabels is set.
func (m *markdownReader) readLink(from, to int) { m.skipLabel(m.p.Place(from, to)) }

// skipLabel skips a range if Options.SkipLabels is set.
func (m *markdownReader) skipLabel(from, to int) {
	if m.Options.SkipLabels {
		m.Skip(from, to)
	}
}

// addDestination adds the link destination in a range of the document. It adds the name of an attachment only if the
// text has no such attachment.
func (m *markdownReader) addDestination(from, to int, where string) {
	text := unescapeDestination(m.source[from:to])
	if name, ok := strings.CutPrefix(text, "attachment:"); ok && m.Attachments != nil {
		if m.Attachments[name] || m.Attachments[ascii.Unescape(name)] {
			return
		}
		where = "attachment"
	}
	m.AddReference(from, to, text, where)
}

// readWikiLink adds the target of a wiki link.
func (m *markdownReader) readWikiLink(from, to int) {
	start, end := m.p.Place(from, to)
	m.AddReference(start, end, string(m.p.Text[from:to]), "wiki")
}

// readOption adds the name that a directive gives itself, the image of a figure, and the target of an image.
func (m *markdownReader) readOption(name string, value emit.Interval) {
	text := m.source[value.From:value.To]
	switch name {
	case "name", "label":
		if m.Options.Anchor != nil && len(text) > 0 {
			m.Options.Anchor(string(text))
		}
	case "figure":
		m.addDestination(value.From, value.To, "image")
	case "target":
		m.addDestination(value.From, value.To, "link")
	}
}

// readAutolink adds the URL or the mail address between the angle brackets.
func (m *markdownReader) readAutolink(from, to int, isMail bool) {
	text := string(m.p.Text[from:to])
	if isMail {
		text = "mailto:" + text
	}
	start, end := m.p.Place(from, to)
	m.AddReference(start, end, text, "autolink")
}

// readCodeSpan skips a code span or math if Options.SkipCode is set.
func (m *markdownReader) readCodeSpan(from, to int) {
	start, end := m.p.Place(from, to)
	m.skipText(start, end)
}

// readRole adds the target of a role of MyST if Options.Roles is set. The name of the role is before the backticks before
// its text.
func (m *markdownReader) readRole(from, to int) {
	if !m.Options.Roles {
		return
	}
	name := roleBefore(bytes.TrimRight(m.p.Text[:from], "`"))
	var p emit.Part
	p.Copy(m.p, from, to)
	m.Nested(p, "", func(sub *emit.Emitter) { rst.ReadRole(sub, name) })
}

// readToctree adds the documents that a table of contents of MyST names if Options.Roles is set.
func (m *markdownReader) readToctree(lines []emit.Interval) {
	if m.Options.Roles {
		m.Nested(joinLines(m.source, lines), "", rst.ReadToctree)
	}
}

// readHTML adds the references in a tag, and obeys a comment that switches checking off. If Options.SkipCode is set, it
// skips a comment, and the text between the tags of a code element.
func (m *markdownReader) readHTML(from, to int) {
	var p emit.Part
	p.Copy(m.p, from, to)
	if m.Options.Dialect.IsMDX && p.Text[1] != '!' {
		hideEnds(p.Text)
	}
	m.readTags(p)
	start, end := p.Place(0, len(p.Text))
	switch {
	case bytes.HasPrefix(p.Text, []byte("<!--")):
		m.skipText(start, end)
		m.readSwitch(p.Text, start, end)
	case bytes.HasPrefix(p.Text, []byte("</")) && m.code > 0 && isCodeTag(p.Text[len("</"):]):
		m.skipText(m.code, start)
		m.code = 0
	case m.Options.Dialect.IsMDX && bytes.HasSuffix(p.Text, []byte("/>")): // in HTML, the "/" has no meaning
	case m.code == 0 && isCodeTag(p.Text[1:]):
		m.code = end
	}
}

// readCode skips a line of code, or the info string of a fence, if Options.SkipCode is set. isFirst is true at the
// start of a block of code, which ends an open code element of HTML.
func (m *markdownReader) readCode(from, to int, isFirst bool) {
	if isFirst {
		m.code = 0
	}
	m.skipText(from, to)
}

// skipText skips a range if Options.SkipCode is set.
func (m *markdownReader) skipText(from, to int) {
	if m.Options.SkipCode && from < to {
		m.Skip(from, to)
	}
}

// readTags adds the references and the names in the tags of p, which is HTML. The text between the tags is searched
// with the rest of the document.
func (m *markdownReader) readTags(p emit.Part) {
	m.Nested(p, "", func(sub *emit.Emitter) {
		sub.Options.References = true
		html.Read(sub)
	})
}

// readMarkup adds the references and the names in a block of HTML. If Options.SkipCode is set, it skips the comments
// and the code in the block, and obeys comments that switch checking off.
func (m *markdownReader) readMarkup(lines []emit.Interval) {
	m.code = 0
	p := joinLines(m.source, lines)
	m.readTags(p)
	m.nameHTMLHeadings(p)
	if m.Options.SkipCode {
		m.skipMarkup(p)
		m.readSwitches(p)
	}
}

// skipMarkup skips the comments and the text of code elements, scripts and styles in p, which is HTML.
func (m *markdownReader) skipMarkup(p emit.Part) {
	skip := func(from, to int) { m.Skip(p.Place(from, to)) }
	open, last := 0, 0
	z := markup.Tokenizer{Text: p.Text}
	for t, ok := z.Next(); ok; t, ok = z.Next() {
		if comment := bytes.Index(p.Text[last:t.From], []byte("<!--")); comment >= 0 {
			skip(last+comment, t.From)
		}
		last = t.To
		switch {
		case t.Kind == markup.StartTag && html.IsCodeElement(t.Name):
			open++
		case t.Kind == markup.EndTag && html.IsCodeElement(t.Name):
			open = max(open-1, 0)
		case t.Kind == markup.Text && (open > 0 || t.Name == "script" || t.Name == "style"):
			skip(t.From, t.To)
		}
	}
	if bytes.HasPrefix(p.Text[last:], []byte("<!--")) {
		skip(last, len(p.Text))
	}
}

// isCodeTag reports whether a tag, given after its "<" or "</", belongs to a code element.
func isCodeTag(tag []byte) bool {
	end := 0
	for end < len(tag) && !markup.EndsName(tag[end]) {
		end++
	}
	return html.IsCodeElement(markup.Lower(tag[:end]))
}

// unescapeDestination returns raw without the backslashes before punctuation, and with the character references
// resolved (CommonMark §2.4, §2.5).
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
			b.WriteString(markup.ResolveInXML(string(raw[i:i+size]), 0))
			i += size
		default:
			b.WriteByte(raw[i])
			i++
		}
	}
	return b.String()
}
