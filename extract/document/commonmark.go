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
	// deepestBlock is how many quotations and lists may be in one another.
	deepestBlock = 32
	// longestParagraph is how many octets of a paragraph are read as one. What
	// is longer, mostly a table, is cut at the end of a line or of a word.
	longestParagraph = 4 << 10
	// longestLabel is how many octets name a footnote (CommonMark §4.7, of links).
	longestLabel = 999
)

// commonMark is goldmark's parser, held to linear time: it looks at a line as
// often as blocks are open, and at a paragraph as often as there are brackets
// in it. It leaves out emphasis, in which no URL is.
var commonMark = sync.OnceValue(func() parser.Parser {
	blocks := parser.DefaultBlockParsers()
	for i := range blocks {
		b, _ := blocks[i].Value.(parser.BlockParser)
		switch {
		case b == parser.NewBlockquoteParser(), b == parser.NewListParser():
			blocks[i].Value = shallow{b}
		case string(b.Trigger()) == "#": // each heading parser is another one
			blocks[i].Value = short{b}
		}
	}
	blocks = append(blocks, util.Prioritized(shallow{footnote{}}, 950)) // before paragraphs
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
		),
		parser.WithParagraphTransformers(util.Prioritized(cut{}, 100)),
	)
})

// A shallow opens blocks that are not too deep in others.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, r text.Reader, c parser.Context) (ast.Node, parser.State) {
	if len(c.OpenedBlocks()) >= deepestBlock {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, c)
}

// A short opens blocks of one line that is not too long.
type short struct{ parser.BlockParser }

func (s short) Open(parent ast.Node, r text.Reader, c parser.Context) (ast.Node, parser.State) {
	if line, _ := r.PeekLine(); len(line) > longestParagraph {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, c)
}

// A footnote opens blocks that start with [^name]: and go on in lines that four
// spaces are before, as forges and most makers of sites read them. Without it
// they are definitions of references if what follows is one word.
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
	end := bytes.IndexAny(name[:min(len(name), longestLabel)], "[]")
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

// A cut makes paragraphs of one that is too long, and takes the definitions of
// references out of each.
type cut struct{}

func (cut) Transform(p *ast.Paragraph, r text.Reader, c parser.Context) {
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

// pieces returns the lines of a paragraph in pieces that are not too long.
func pieces(lines *text.Segments, source []byte) []*text.Segments {
	piece, size := text.NewSegments(), 0
	all := []*text.Segments{piece}
	add := func(line text.Segment) {
		if size+line.Len() > longestParagraph {
			piece, size = text.NewSegments(), 0
			all = append(all, piece)
		}
		piece.Append(line)
		size += line.Len()
	}
	for i := range lines.Len() {
		line := lines.At(i)
		for line.Len() > longestParagraph {
			at := line.Start + longestParagraph
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
