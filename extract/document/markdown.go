package document

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads links, images, definitions of references, autolinks, the HTML
// in it, and all of its text.
func (d *document) markdown() {
	root := commonMark().Parse(text.NewReader(d.text))
	// The walk never gives an error of its own.
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
		if n.Reference == nil { // else it is where it is defined
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
		if at := d.place(label); at >= 0 {
			prefix := ""
			if n.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(label), []byte("mailto:")) {
				prefix = "mailto:"
			}
			d.refer(at, at+len(label), prefix+string(label), "autolink")
		}
	case *ast.RawHTML:
		d.markup(n.Segments)
	case *ast.HTMLBlock:
		d.markup(n.Lines())
	}
}

// markup reads HTML that stands in segments.
func (d *document) markup(segments *text.Segments) {
	var p part
	for i := range segments.Len() {
		s := segments.At(i)
		p.append(d.text[s.Start:s.Stop], s.Start)
	}
	d.part(HTML, p, "")
}

// destination refers to what a link leads to.
func (d *document) destination(raw []byte, where string) {
	at := d.place(raw)
	if at < 0 {
		return
	}
	text := util.UnescapePunctuations(raw)
	text = util.ResolveEntityNames(util.ResolveNumericReferences(text))
	d.refer(at, at+len(raw), string(text), where)
}

// place returns where a part of the document stands; -1 if it is none, or empty.
func (d *document) place(raw []byte) int {
	at := cap(d.text) - cap(raw)
	if len(raw) == 0 || at < 0 || at >= len(d.text) || &d.text[at] != &raw[0] {
		return -1
	}
	return at
}
