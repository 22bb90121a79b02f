package markdown

import (
	"bytes"
	"slices"

	"locus/extract/document/dialect"
	"locus/extract/document/internal/emit"
)

// A blockReader reads the blocks of Markdown line by line, by CommonMark §3 to §5, and footnotes. It takes linear
// time. Instead of building a tree it gives each block to the handler when the block ends, a long block in pieces.
//
// For each line, readLine first matches the open containers (matchContainers), then continues the open leaf if it can
// (continueLeaf), and then opens the blocks that start in the line (openBlock). If no block starts, the line belongs
// to a paragraph. The lines of the open leaf are collected in lines, and closeBlocks or flush gives them to the
// handler.
type blockReader struct {
	text    []byte
	handler blockHandler
	dialect dialect.Dialect

	line  line
	open  []container
	leaf  leafKind
	lines []emit.Interval // the lines of the open paragraph, block of HTML or toctree
	size  int             // the size of lines in bytes

	table    table // the table in the open paragraph
	indented []int // the offsets of the lines of the open paragraph that are indented like code

	fence     []byte   // the mark of the open fence
	html      htmlKind // the kind of the open block of HTML
	inOptions bool     // the line may be an option of the open directive

	expression int // the offset after the expression of MDX in the open paragraph, or 0
	searched   int // the offset after the text that has been searched for the ends of expressions

	// The offsets of the next "\n" and "\r", or the end of the text if there is none.
	newline, carriage int
}

// A blockHandler takes the blocks of Markdown in order. All offsets are in the document.
type blockHandler interface {
	// readProse takes the lines of a paragraph or a heading, without their line breaks.
	readProse(lines []emit.Interval, isHeading bool)
	// readDefinition takes a link reference definition: its label, and the ranges of its destination and of the whole.
	readDefinition(label string, destination, whole emit.Interval)
	// readCode takes a line of code with its line break, or the info string of a fence. If isFirst is set, the line begins
	// a block.
	readCode(from, to int, isFirst bool)
	// readMarkup takes the lines of a block of HTML with their line breaks.
	readMarkup(lines []emit.Interval)
	// readToctree takes lines of the content of a table of contents of MyST, without their line breaks.
	readToctree(lines []emit.Interval)
	// readOption takes an option of a directive of MyST, and the range of its value.
	readOption(name string, value emit.Interval)
	// readUntil is called when everything before an offset was given to the handler. It returns false to stop the
	// reader.
	readUntil(at int) bool
}

// A container is a block that holds blocks.
type container struct {
	kind    containerKind
	indent  int    // how far the content is indented, in columns; for all kinds except quotation and directive
	isEmpty bool   // the container is an item without content so far
	fence   []byte // the mark of a directive
}

type containerKind uint8

const (
	quotation containerKind = iota
	listItem
	footnote
	admonition // see openAdmonition
	directive  // see openDirective
)

// A leafKind is a kind of block that does not hold other blocks.
type leafKind uint8

const (
	noLeaf leafKind = iota
	paragraph
	indentedCode
	fencedCode
	htmlBlock
	mathBlock
	percentComment // see openComment
	toctree        // see openToctree
)

const (
	// maxNesting is how deep quotations and lists may be nested. Deeper ones are read as text.
	maxNesting = 32
)

// read reads all blocks from offset at on, and gives them to the handler. It stops early if readUntil returns false.
func (b *blockReader) read(at int) {
	b.newline, b.carriage = -1, -1
	for at < len(b.text) {
		end, next := b.lineEnd(at)
		if end-at > emit.MaxPiece {
			b.readLongLine(at, end)
		} else {
			b.readLine(at, end, next)
		}
		at = next
		if !b.reportOffset(at) {
			return
		}
	}
	b.closeBlocks(0)
	b.handler.readUntil(at)
}

// reportOffset tells the handler that it has all blocks before at, or before the start of the open paragraph. It
// returns false if reading must stop.
func (b *blockReader) reportOffset(at int) bool {
	if len(b.lines) > 0 {
		at = b.lines[0].From
	}
	return b.handler.readUntil(at)
}

// lineEnd returns where the line that starts at an offset ends, before its line break, and where the next line starts.
func (b *blockReader) lineEnd(at int) (end, next int) {
	b.newline = b.nextByte(b.newline, at, '\n')
	b.carriage = b.nextByte(b.carriage, at, '\r')
	end = min(b.newline, b.carriage)
	if b.newline == end+1 { // "\r\n"
		return end, end + 2
	}
	return end, min(end+1, len(b.text))
}

// nextByte returns the offset of the first byte c in b.text[at:], or the length of the text if c does not occur there.
// last is the result of the last call with c, which is returned if it is not before at.
func (b *blockReader) nextByte(last, at int, c byte) int {
	if last >= at {
		return last
	}
	if n := bytes.IndexByte(b.text[at:], c); n >= 0 {
		return at + n
	}
	return len(b.text)
}

// readLongLine reads the line [from, end), which is longer than emit.MaxPiece, in pieces that end after a space or a
// tab. The first piece decides which block the line belongs to. A word that is longer than a piece is not read.
func (b *blockReader) readLongLine(from, end int) {
	for isFirst := true; from < end; isFirst = false {
		to := wordsEnd(b.text, from, end)
		switch {
		case to-from > emit.MaxPiece:
			b.flush()
		case isFirst:
			b.readLine(from, to, to)
		case b.leaf == indentedCode || b.leaf == fencedCode || b.leaf == mathBlock || b.leaf == percentComment:
			b.handler.readCode(from, to, false)
		case b.leaf == htmlBlock, b.leaf == toctree:
			b.add(from, to)
		default:
			b.leaf = paragraph
			b.add(from, to)
		}
		from = to
		if !b.reportOffset(from) {
			return
		}
	}
}

// wordsEnd returns where to cut text[from:end], so that the piece before the cut has at most emit.MaxPiece bytes. It
// cuts after a blank. It returns end if all of the text fits, or if it has no blank. If the first word is longer than a
// piece, it cuts after that word.
func wordsEnd(text []byte, from, end int) int {
	if end-from <= emit.MaxPiece {
		return end
	}
	if n := bytes.LastIndexAny(text[from:from+emit.MaxPiece], " \t"); n >= 0 {
		return from + n + 1
	}
	if n := bytes.IndexAny(text[from:end], " \t"); n >= 0 {
		return from + n + 1
	}
	return end
}

// readLine reads the line [from, end): it closes the blocks that end before the line, continues the open leaf, or opens
// the blocks that start in the line. next is the offset of the line after it.
func (b *blockReader) readLine(from, end, next int) {
	b.line = newLine(b.text, from, end)
	matched := b.matchContainers()
	switch {
	case b.endsDirective(matched), matched == len(b.open) && (b.readOptionLine() || b.continueLeaf(next)):
		return
	}
	for !b.line.isBlank() {
		switch b.openBlock(matched, next) {
		case lineRead:
			return
		case containerOpened:
			matched = len(b.open)
			continue
		}
		if b.leaf != paragraph { // otherwise the line continues the paragraph, perhaps lazily
			b.closeBlocks(matched)
			b.leaf = paragraph
		}
		b.add(b.line.next, end)
		if b.isIndented() {
			b.indented = append(b.indented, b.line.next)
		}
		b.findTable(b.lines)
		b.findExpression()
		return
	}
	b.closeBlocks(matched)
}

// matchContainers returns how many of the open containers, from the outermost one on, the line continues. It moves the
// line past their marks and indentation.
func (b *blockReader) matchContainers() int {
	l := &b.line
	for i := range b.open {
		c := &b.open[i]
		switch {
		case c.kind == quotation:
			if b.isIndented() || !l.skipQuotation() {
				return i
			}
		case c.kind == directive:
			if !b.isIndented() && endsFence(l.rest(), c.fence) {
				return i
			}
		case l.isBlank():
			if c.isEmpty {
				return i
			}
		case l.indent() >= c.indent:
			l.advance(c.indent)
			c.isEmpty = false
		default:
			return i
		}
	}
	return len(b.open)
}

// continueLeaf reads the line and returns true if the line belongs to the open leaf, or closes a fence. Otherwise it
// returns false, and closes a leaf of indented code or a comment. next is the offset of the next line. The result is
// false for a paragraph, because other blocks may interrupt it, unless the line is in an expression of MDX.
func (b *blockReader) continueLeaf(next int) bool {
	l := &b.line
	switch b.leaf {
	case fencedCode:
		if !b.isIndented() && endsFence(l.rest(), b.fence) {
			b.leaf = noLeaf
		} else {
			b.handler.readCode(l.at, next, false)
		}
	case indentedCode:
		if l.indent() < 4 && !l.isBlank() {
			b.leaf = noLeaf
			return false
		}
		l.advance(min(l.indent(), 4))
		b.handler.readCode(l.at, next, false)
	case mathBlock:
		b.handler.readCode(l.at, next, false)
		if bytes.Contains(l.rest(), []byte("$$")) {
			b.leaf = noLeaf
		}
	case percentComment:
		return b.continueComment(next)
	case paragraph:
		if l.at >= b.expression {
			return false
		}
		b.add(l.next, l.end)
	case toctree:
		if !b.isIndented() && endsFence(l.rest(), b.fence) {
			b.closeBlocks(len(b.open))
		} else {
			b.add(l.at, l.end)
		}
	case htmlBlock:
		if l.isBlank() && b.html.endsAtBlank() {
			return false
		}
		b.addMarkup(next)
	default:
		return false
	}
	return true
}

// addMarkup adds the line to the open block of HTML, and closes the block if the line ends it. next is the offset of
// the next line.
func (b *blockReader) addMarkup(next int) {
	b.add(b.line.at, next)
	if b.html.endsWith(b.text[b.line.at:b.line.end]) {
		b.flush()
		b.leaf = noLeaf
	}
}

// endsFence reports whether a line closes the block that a fence opened. rest is the line without its indentation.
func endsFence(rest, fence []byte) bool {
	n := runLength(rest, fence[0])
	return n >= len(fence) && isBlank(rest[n:])
}

// An openResult says which kind of block openBlock opened.
type openResult uint8

const (
	nothingOpened openResult = iota
	containerOpened
	lineRead // a leaf was opened that takes the whole line
)

// openBlock opens the block that starts at the next character of the line, and says which kind it opened. It returns
// nothingOpened if no block starts there. matched is how many open containers the line continues; the others are closed
// when a block opens. next is the offset of the next line. The functions below have the same parameters, and rest,
// which is the line from its next character on.
func (b *blockReader) openBlock(matched, next int) openResult {
	l := &b.line
	inParagraph := b.leaf == paragraph && matched == len(b.open)
	rest := l.rest()
	c := rest[0]
	switch {
	case b.isIndented() && b.leaf == paragraph:
		return nothingOpened
	case b.isIndented():
		b.openCode(matched, next)
		return lineRead
	case c == '>' && matched < maxNesting && !b.endsTag(matched):
		b.closeBlocks(matched)
		l.skipQuotation()
		b.open = append(b.open, container{kind: quotation})
		return containerOpened
	case matched < maxNesting && (b.openAdmonition(rest, matched) || b.openDirective(rest, matched)),
		b.openToctree(rest, matched),
		c == '#' && b.readHeading(rest, matched),
		(c == '`' || c == '~') && b.openFence(rest, matched),
		c == '$' && b.openMath(rest, matched),
		c == '%' && (b.readComment(matched) || b.openComment(rest, matched)),
		c == '<' && b.openMarkup(rest, matched, next),
		(c == '=' || c == '-') && inParagraph && b.readUnderline(rest):
		return lineRead
	case isThematicBreak(rest):
		b.closeBlocks(matched)
		return lineRead
	case matched < maxNesting && (b.openItem(rest, inParagraph, matched) || b.openFootnote(rest, matched)):
		return containerOpened
	}
	return nothingOpened
}

// isIndented reports whether the rest of the line is indented so far that it is code, or text of a paragraph.
func (b *blockReader) isIndented() bool { return b.line.indent() >= 4 && !b.dialect.IsMDX }

// openCode opens a block of indented code, and gives the line to the handler as its first line.
func (b *blockReader) openCode(matched, next int) {
	b.closeBlocks(matched)
	b.leaf = indentedCode
	b.line.advance(4)
	b.handler.readCode(b.line.at, next, true)
}

// readHeading gives the line to the handler if it is a heading that begins with "#" (CommonMark §4.2), and reports
// whether it is.
func (b *blockReader) readHeading(rest []byte, matched int) bool {
	level := runLength(rest, '#')
	if level > 6 || level < len(rest) && !isSpaceOrTab(rest[level]) {
		return false
	}
	b.closeBlocks(matched)
	from, to := trimBlanks(b.text, b.line.next+level, b.line.end)
	closed := to
	for closed > from && b.text[closed-1] == '#' {
		closed--
	}
	if closed == from || isSpaceOrTab(b.text[closed-1]) {
		_, to = trimBlanks(b.text, from, closed)
	}
	b.handler.readProse([]emit.Interval{{From: from, To: to}}, true)
	return true
}

// trimBlanks returns a range without the spaces and tabs at both ends.
func trimBlanks(text []byte, from, to int) (int, int) {
	for from < to && isSpaceOrTab(text[from]) {
		from++
	}
	for from < to && isSpaceOrTab(text[to-1]) {
		to--
	}
	return from, to
}

// readUnderline gives the open paragraph to the handler as a heading if the line underlines it (CommonMark §4.3), and
// reports whether it does. rest is the text of the line, which starts with "=" or "-". Definitions at the start of the
// paragraph are not part of the heading. If the paragraph has only definitions, readUnderline drops its lines and
// returns false.
func (b *blockReader) readUnderline(rest []byte) bool {
	if b.table.columns > 0 || !isBlank(rest[runLength(rest, rest[0]):]) {
		return false
	}
	lines := b.withoutDefinitions()
	b.lines, b.size = b.lines[:0], 0
	if len(lines) == 0 {
		return false
	}
	b.handler.readProse(lines, true)
	b.leaf = noLeaf
	return true
}

// isThematicBreak reports whether a line consists of three or more equal marks and blanks (CommonMark §4.1).
func isThematicBreak(rest []byte) bool {
	if rest[0] != '-' && rest[0] != '*' && rest[0] != '_' {
		return false
	}
	n := 0
	for _, c := range rest {
		switch {
		case c == rest[0]:
			n++
		case !isSpaceOrTab(c):
			return false
		}
	}
	return n >= 3
}

// openFence opens a block of code with a fence if the line starts one (CommonMark §4.5), and reports whether it does.
func (b *blockReader) openFence(rest []byte, matched int) bool {
	n := runLength(rest, rest[0])
	if n < 3 || rest[0] == '`' && bytes.IndexByte(rest[n:], '`') >= 0 {
		return false
	}
	b.closeBlocks(matched)
	b.leaf, b.fence = fencedCode, rest[:n]
	b.inOptions = b.dialect.Directives && isDirective(rest[n:])
	b.handler.readCode(b.line.next+n, b.line.end, true)
	return true
}

// openMarkup opens a block of HTML if the line starts one (CommonMark §4.6), and reports whether it does. A tag before
// Markdown does not start a block, but is part of a paragraph.
func (b *blockReader) openMarkup(rest []byte, matched, next int) bool {
	kind := htmlKindOf(rest, b.leaf != paragraph)
	if kind == noHTML || kind.endsAtBlank() && b.isBeforeMarkdown(rest) {
		return false
	}
	b.closeBlocks(matched)
	b.leaf, b.html = htmlBlock, kind
	b.addMarkup(next)
	return true
}

// isBeforeMarkdown reports whether the text after a tag, with which rest starts, is Markdown: always in MDX, and in
// kramdown and Python-Markdown if the tag has the attribute markdown.
func (b *blockReader) isBeforeMarkdown(rest []byte) bool {
	d := b.dialect
	return d.IsMDX || (d.Kramdown || d.IndentedText) && hasMarkdownAttribute(rest)
}

// endsTag reports whether the ">" at the start of the line ends a tag before Markdown that begins in an earlier line of
// the open paragraph. Otherwise the ">" begins a quotation.
func (b *blockReader) endsTag(matched int) bool {
	if b.leaf != paragraph || matched < len(b.open) {
		return false
	}
	for _, l := range slices.Backward(b.lines) {
		if n := bytes.LastIndexByte(b.text[l.From:l.To], '<'); n >= 0 {
			tag := b.text[l.From+n : b.line.next+1]
			return b.isBeforeMarkdown(tag) && tagLength(tag, b.dialect.IsMDX) == len(tag)
		}
	}
	return false
}

// openItem opens a list item if the line starts one (CommonMark §5.2), and reports whether it does. inParagraph says
// that the line would otherwise continue a paragraph. Then the item must have a text, and its number, if any, must be
// 1.
func (b *blockReader) openItem(rest []byte, inParagraph bool, matched int) bool {
	size := itemMark(rest, inParagraph)
	if size == 0 || size < len(rest) && !isSpaceOrTab(rest[size]) || inParagraph && isBlank(rest[size:]) {
		return false
	}
	b.closeBlocks(matched)
	l := &b.line
	indent := l.indent() + size
	l.advance(indent)
	gap := l.indent()
	if l.isBlank() || gap > 4 {
		gap = 1
	}
	l.advance(gap)
	b.open = append(b.open, container{kind: listItem, indent: indent + gap, isEmpty: l.isBlank()})
	return true
}

// itemMark returns the length of the mark of a list item, such as "-" or "12.", at the start of rest, or 0 if rest does
// not start with a mark. In a paragraph, only the number 1 is a mark.
func itemMark(rest []byte, inParagraph bool) int {
	if rest[0] == '-' || rest[0] == '+' || rest[0] == '*' {
		return 1
	}
	n, number := 0, 0
	for n < len(rest) && n < 9 && rest[n] >= '0' && rest[n] <= '9' {
		number = number*10 + int(rest[n]-'0')
		n++
	}
	if n == 0 || n == len(rest) || rest[n] != '.' && rest[n] != ')' || inParagraph && number != 1 {
		return 0
	}
	return n + 1
}

// openFootnote opens a footnote as forges and most site generators read it: the footnote starts with [^name]: and
// continues in lines indented by four spaces. Without this rule a footnote of one word would be a link reference
// definition. It returns false if rest does not start a footnote.
func (b *blockReader) openFootnote(rest []byte, matched int) bool {
	name, ok := bytes.CutPrefix(rest, []byte("[^"))
	if !ok {
		return false
	}
	end := bytes.IndexAny(name[:min(len(name), emit.MaxLabel)], "[]")
	if end <= 0 || !bytes.HasPrefix(name[end:], []byte("]:")) {
		return false
	}
	b.closeBlocks(matched)
	b.line.advance(b.line.indent() + len("[^") + end + len("]:"))
	b.open = append(b.open, container{kind: footnote, indent: 4})
	return true
}

// closeBlocks closes the open leaf, and all open containers except the kept outermost ones. It gives the lines of the
// leaf to the handler.
func (b *blockReader) closeBlocks(kept int) {
	b.flush()
	b.leaf, b.open, b.table, b.inOptions, b.expression = noLeaf, b.open[:kept], table{}, false, 0
}

// readParagraph gives lines, the lines of a paragraph, to the handler: the text before the open table as one paragraph,
// and then each cell of the table as one.
func (b *blockReader) readParagraph(lines []emit.Interval) {
	rows := len(lines)
	for b.table.columns > 0 && rows > 0 && lines[rows-1].From >= b.table.from {
		rows--
	}
	if rows > 0 {
		b.handler.readProse(lines[:rows], false)
	}
	for _, row := range lines[rows:] {
		cells := cellsOf(b.text, row)
		for _, cell := range cells[:min(len(cells), b.table.columns)] { // further cells are not shown
			if cell.From < cell.To {
				b.handler.readProse([]emit.Interval{cell}, false)
			}
		}
	}
}

// add adds the line [from, to) to the lines of the leaf. It flushes these first if they would exceed emit.MaxPiece
// bytes.
func (b *blockReader) add(from, to int) {
	if b.size+to-from > emit.MaxPiece {
		b.flush()
	}
	b.lines = append(b.lines, emit.Interval{From: from, To: to})
	b.size += to - from
}

// flush gives the collected lines of the leaf to the handler and forgets them. The leaf stays open.
func (b *blockReader) flush() {
	switch {
	case len(b.lines) == 0:
		return
	case b.leaf == htmlBlock:
		b.handler.readMarkup(b.lines)
	case b.leaf == toctree:
		b.handler.readToctree(b.lines)
	default:
		first := b.lines[0].From
		lines := b.withoutDefinitions()
		if b.table.columns > 0 && first <= b.table.from && (len(lines) == 0 || b.table.from < lines[0].From) {
			b.findTableAgain(lines)
		}
		b.readParagraph(lines)
	}
	b.lines, b.size, b.indented = b.lines[:0], 0, b.indented[:0]
}
