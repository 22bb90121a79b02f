package document

import (
	"bytes"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxNesting is how deep quotations and lists may be nested.
	maxNesting = 32
	// maxParagraph is the longest paragraph, in bytes, that is read as one. A
	// longer one, mostly a table, is split at the end of a line or of a word.
	maxParagraph = 4 << 10
	// maxLabel is the longest name of a footnote, in bytes (CommonMark §4.7, of
	// links).
	maxLabel = 999
)

// commonMark returns goldmark's parser, with limits that keep it linear: it reads
// a line once for each open block, and a paragraph once for each bracket in it. It
// does not parse emphasis, which adds no URLs.
var commonMark = sync.OnceValue(func() parser.Parser {
	blocks := parser.DefaultBlockParsers()
	for i := range blocks {
		b, _ := blocks[i].Value.(parser.BlockParser)
		switch {
		case b == parser.NewBlockquoteParser(), b == parser.NewListParser():
			blocks[i].Value = limitedDepth{b}
		case string(b.Trigger()) == "#": // a heading parser equals no other
			blocks[i].Value = limitedLine{b}
		}
	}
	blocks = append(blocks, util.Prioritized(limitedDepth{footnote{}}, 950)) // before paragraphs
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
		),
		parser.WithParagraphTransformers(util.Prioritized(paragraphSplitter{}, 100)),
	)
})

// limitedDepth is a block parser that opens no block that is nested too deep.
type limitedDepth struct{ parser.BlockParser }

func (s limitedDepth) Open(parent ast.Node, r text.Reader, c parser.Context) (ast.Node, parser.State) {
	if len(c.OpenedBlocks()) >= maxNesting {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, c)
}

// limitedLine is a block parser that opens no block whose first line is too long.
type limitedLine struct{ parser.BlockParser }

func (s limitedLine) Open(parent ast.Node, r text.Reader, c parser.Context) (ast.Node, parser.State) {
	if line, _ := r.PeekLine(); len(line) > maxParagraph {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, c)
}

// footnote is a block parser for footnotes, as forges and most site generators
// read them: they start with [^name]: and go on in lines indented by four spaces.
// Without it a footnote of one word would be a link reference definition.
type footnote struct{}

func (footnote) Trigger() []byte             { return []byte{'['} }
func (footnote) CanInterruptParagraph() bool { return true }
func (footnote) CanAcceptIndentedLine() bool { return false }

func (footnote) Open(_ ast.Node, r text.Reader, c parser.Context) (ast.Node, parser.State) {
	line, _ := r.PeekLine()
	start := c.BlockOffset()
	if start < 0 || !bytes.HasPrefix(line[start:], []byte("[^")) {
		return nil, parser.NoChildren
	}
	name := line[start+len("[^"):]
	end := bytes.IndexAny(name[:min(len(name), maxLabel)], "[]")
	if end <= 0 || !bytes.HasPrefix(name[end:], []byte("]:")) {
		return nil, parser.NoChildren
	}
	r.Advance(start + len("[^") + end + len("]:"))
	return ast.NewBlockquote(), parser.HasChildren
}

func (footnote) Continue(_ ast.Node, r text.Reader, _ parser.Context) parser.State {
	line, _ := r.PeekLine()
	if util.IsBlank(line) {
		return parser.Continue | parser.HasChildren
	}
	at, padding := util.IndentPosition(line, r.LineOffset(), 4)
	if at < 0 {
		return parser.Close
	}
	r.AdvanceAndSetPadding(at, padding)
	return parser.Continue | parser.HasChildren
}

func (footnote) Close(ast.Node, text.Reader, parser.Context) {}

// A paragraphSplitter splits a paragraph that is too long, and takes the link
// reference definitions out of each piece.
type paragraphSplitter struct{}

func (paragraphSplitter) Transform(p *ast.Paragraph, r text.Reader, c parser.Context) {
	pieces := pieces(p.Lines(), r.Source())
	p.SetLines(pieces[0])
	all := []*ast.Paragraph{p}
	for _, lines := range pieces[1:] {
		next := ast.NewParagraph()
		next.SetLines(lines)
		p.Parent().InsertAfter(p.Parent(), all[len(all)-1], next)
		all = append(all, next)
	}
	for _, p := range all {
		parser.LinkReferenceParagraphTransformer.Transform(p, r, c)
	}
}

// pieces splits the lines of a paragraph into pieces that are not too long.
func pieces(lines *text.Segments, source []byte) []*text.Segments {
	piece, size := text.NewSegments(), 0
	all := []*text.Segments{piece}
	add := func(line text.Segment) {
		if size+line.Len() > maxParagraph {
			piece, size = text.NewSegments(), 0
			all = append(all, piece)
		}
		piece.Append(line)
		size += line.Len()
	}
	for i := range lines.Len() {
		line := lines.At(i)
		for line.Len() > maxParagraph {
			at := line.Start + maxParagraph
			if space := bytes.LastIndexByte(source[line.Start:at], ' '); space > 0 {
				at = line.Start + space
			}
			add(line.WithStop(at))
			line = line.WithStart(at)
		}
		add(line)
	}
	return all
}
