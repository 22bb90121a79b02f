package document

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"locus/internal/markup"
)

// markdown reads links, images, link reference definitions, autolinks, HTML, and
// all of the text. It reads a piece of the document at a time, because a syntax tree
// takes up to 300 times the size of its text.
func (d *document) markdown() {
	d.inOrder = true
	at := frontMatter(d.text)
	d.readPart(Text, slice(d.text, 0, at), "")
	s := splitter{text: d.text, at: at}
	for from, to, kind := s.next(); from < to && !d.run.isStopped; from, to, kind = s.next() {
		switch {
		case kind == prosePiece:
			d.nested(slice(d.text, from, to), "", (*document).markdownPiece)
		case kind == wordPiece || !d.options.SkipCode:
			d.readPart(Text, slice(d.text, from, to), "")
		}
	}
}

// markdownPiece reads a piece of Markdown.
func (d *document) markdownPiece() {
	m := markdownReader{document: d}
	root := commonMark().Parse(text.NewReader(d.text))
	// Walk returns only errors of its function, which returns none.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			m.node(n)
		}
		return ast.WalkContinue, nil
	})
	m.markedNames()
	d.plain()
}

// A markdownReader knows what is open in Markdown.
type markdownReader struct {
	*document
	code int // the place after the start tag of code; 0: none is open
}

func (m *markdownReader) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Link:
		if n.Reference == nil { // otherwise its definition has the URL
			m.destination(n.Destination, "link")
		}
	case *ast.Image:
		if n.Reference == nil {
			m.destination(n.Destination, "image")
		}
	case *ast.LinkReferenceDefinition:
		m.destination(n.Destination, "reference")
	case *ast.AutoLink:
		label := n.Label(m.text)
		if at := m.offsetOf(label); at >= 0 {
			prefix := ""
			if n.AutoLinkType == ast.AutoLinkEmail {
				prefix = "mailto:"
			}
			m.addReference(at, at+len(label), prefix+string(label), "autolink")
		}
	case *ast.Heading:
		if m.options.Anchor != nil {
			m.heading(n)
		}
	case *ast.RawHTML:
		m.markup(n.Segments)
		m.skipInline(n.Segments)
	case *ast.HTMLBlock:
		m.code = 0
		m.markup(n.Lines())
		m.skipMarkup(n)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		m.code = 0
		m.skipLines(n.Lines())
	case *ast.CodeSpan:
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			if t, ok := child.(*ast.Text); ok {
				m.skipText(t.Segment.Start, t.Segment.Stop)
			}
		}
	}
}

// skipText skips a range of code, if code is skipped.
func (m *markdownReader) skipText(from, to int) {
	if m.options.SkipCode {
		m.skip(from, to)
	}
}

func (m *markdownReader) skipLines(lines *text.Segments) {
	for i := range lines.Len() {
		m.skipText(lines.At(i).Start, lines.At(i).Stop)
	}
}

// skipInline skips a comment, or what stands between the tags of an element of code.
func (m *markdownReader) skipInline(segments *text.Segments) {
	if segments.Len() == 0 {
		return
	}
	from, to := segments.At(0).Start, segments.At(segments.Len()-1).Stop
	markup := m.text[from:to]
	switch {
	case bytes.HasPrefix(markup, []byte("<!--")):
		m.skipText(from, to)
	case bytes.HasPrefix(markup, []byte("</")) && m.code > 0 && isCodeTag(markup[len("</"):]):
		m.skipText(m.code, from)
		m.code = 0
	case m.code == 0 && isCodeTag(markup[1:]):
		m.code = to
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

// skipMarkup skips the comments and the code in a block of HTML.
func (m *markdownReader) skipMarkup(n *ast.HTMLBlock) {
	lines := n.Lines()
	if !m.options.SkipCode || lines.Len() == 0 {
		return
	}
	from, to := lines.At(0).Start, lines.At(lines.Len()-1).Stop
	if n.HasClosure() {
		to = max(to, n.ClosureLine.Stop)
	}
	open, last := 0, 0
	z := markup.Tokenizer{Text: m.text[from:to]}
	for t, ok := z.Next(); ok; t, ok = z.Next() {
		if between := bytes.Index(z.Text[last:t.From], []byte("<!--")); between >= 0 {
			m.skip(from+last+between, from+t.From)
		}
		last = t.To
		switch {
		case t.Kind == markup.StartTag && isCodeElement(t.Name):
			open++
		case t.Kind == markup.EndTag && isCodeElement(t.Name):
			open = max(open-1, 0)
		case t.Kind == markup.Text && (open > 0 || t.Name == "script" || t.Name == "style"):
			m.skip(from+t.From, from+t.To)
		}
	}
	if bytes.HasPrefix(z.Text[last:], []byte("<!--")) {
		m.skip(from+last, to)
	}
}

func (d *document) markup(segments *text.Segments) {
	var p part
	for i := range segments.Len() {
		s := segments.At(i)
		p.append(d.text[s.Start:s.Stop], s.Start)
	}
	d.nested(p, "", func(sub *document) {
		sub.options.References = true // its text is read with that of Markdown
		sub.html()
	})
}

func (d *document) destination(raw []byte, where string) {
	at := d.offsetOf(raw)
	if at < 0 {
		return
	}
	d.addReference(at, at+len(raw), unescapeDestination(raw), where)
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
		case raw[i] == '\\' && i+1 < len(raw) && util.IsPunct(raw[i+1]):
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

// resolveReference returns the characters that a character reference stands for, and a
// text that is no reference unchanged. Unlike in HTML, a reference must end with a
// semicolon and has few digits.
func resolveReference(ref string) string {
	name, ok := strings.CutSuffix(ref[1:], ";")
	if !ok {
		return ref
	}
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		if e, ok := util.LookUpHTML5EntityByName(name); ok {
			return string(e.Characters)
		}
		return ref
	}
	base, most := 10, 7
	if hex := strings.TrimLeft(digits, "xX"); len(hex) == len(digits)-1 {
		digits, base, most = hex, 16, 6
	}
	code, err := strconv.ParseUint(digits, base, 32)
	switch {
	case err != nil || len(digits) > most:
		return ref
	case code == 0:
		return string(utf8.RuneError)
	}
	return string(rune(code))
}

// offsetOf returns the place of a slice of the document's text; -1 if it is empty,
// or not such a slice.
func (d *document) offsetOf(raw []byte) int {
	at := cap(d.text) - cap(raw)
	if len(raw) == 0 || at < 0 || at >= len(d.text) || &d.text[at] != &raw[0] {
		return -1
	}
	return at
}
