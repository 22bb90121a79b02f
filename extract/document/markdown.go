package document

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads links, images, link reference definitions, autolinks, HTML, and
// all of the text.
func (d *document) markdown() {
	root := commonMark().Parse(text.NewReader(d.text))
	// Walk returns only errors of its function, which returns none.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			d.node(n)
		}
		return ast.WalkContinue, nil
	})
	d.plain()
}

func (d *document) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Link:
		if n.Reference == nil { // otherwise its definition has the URL
			d.destination(n.Destination, "link")
		}
	case *ast.Image:
		if n.Reference == nil {
			d.destination(n.Destination, "image")
		}
	case *ast.LinkReferenceDefinition:
		d.destination(n.Destination, "reference")
	case *ast.AutoLink:
		label := n.Label(d.text)
		if at := d.offsetOf(label); at >= 0 {
			prefix := ""
			if n.AutoLinkType == ast.AutoLinkEmail {
				prefix = "mailto:"
			}
			d.addReference(at, at+len(label), prefix+string(label), "autolink")
		}
	case *ast.RawHTML:
		d.markup(n.Segments)
	case *ast.HTMLBlock:
		d.markup(n.Lines())
	}
}

func (d *document) markup(segments *text.Segments) {
	var p part
	for i := range segments.Len() {
		s := segments.At(i)
		p.append(d.text[s.Start:s.Stop], s.Start)
	}
	d.readPart(HTML, p, "")
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
			size := reference(raw[i:])
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
