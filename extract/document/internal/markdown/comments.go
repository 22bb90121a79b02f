package markdown

import "bytes"

// percents begins and ends a comment of Obsidian, which may be in a paragraph or have paragraphs of its own.
var percents = []byte("%%")

// readComment gives the comment that starts with the "%" at an offset to the handler as code, and returns the offset
// after it. If the "%" does not start a comment, it returns the offset after the "%" or "%%".
func (r *inlineReader) readComment(at int) int {
	if !r.dialect.PercentComments || r.noPercents || !bytes.HasPrefix(r.text[at:], percents) {
		return at + 1
	}
	from := at + len(percents)
	n := bytes.Index(r.text[from:], percents)
	if n < 0 {
		r.noPercents = true
		return from
	}
	end := from + n + len(percents)
	r.handler.readCodeSpan(at, end)
	r.handler.addMark(at, end, markNothing)
	return end
}

// openComment opens a comment of Obsidian if the line starts one that ends in a later line, and reports whether it does.
func (b *blockReader) openComment(rest []byte, matched int) bool {
	after, ok := bytes.CutPrefix(rest, percents)
	if !ok || !b.dialect.PercentComments || bytes.Contains(after, percents) || !bytes.Contains(b.text[b.line.end:], percents) {
		return false
	}
	b.closeBlocks(matched)
	b.leaf = percentComment
	b.handler.readCode(b.line.next, b.line.end, true)
	return true
}

// continueComment gives the line, or the part of the line that belongs to the open comment, to the handler as code. If
// the comment ends in the line, continueComment moves the line past the end, and returns false. next is the offset of
// the next line.
func (b *blockReader) continueComment(next int) bool {
	l := &b.line
	n := bytes.Index(b.text[l.at:l.end], percents)
	if n < 0 {
		b.handler.readCode(l.at, next, false)
		return true
	}
	past := l.at + n + len(percents)
	b.handler.readCode(l.at, past, false)
	b.leaf, b.line = noLeaf, newLine(b.text, past, l.end)
	return false
}
