package markdown

import (
	"bytes"

	"locus/extract/document/dialect"
	"locus/internal/ascii"
)

// readMath gives the math that starts with the dollar at an offset to the handler, and returns the offset after it. If
// the dollar does not start math, it returns the offset after the dollar or "$$". The rules are the rules of pandoc's
// extension tex_math_dollars and of GitHub: text follows the first dollar of $…$ and precedes the last one, and neither
// dollar touches a letter or a digit outside, so that prices are not read as math.
func (r *inlineReader) readMath(at int) int {
	var end int
	switch {
	case r.dialect.Math == dialect.NoMath || r.noDollar:
		return at + 1
	case bytes.HasPrefix(r.text[at:], []byte("$$")):
		if end = r.doubleEnd(at + len("$$")); end == 0 {
			return at + len("$$")
		}
	case r.dialect.Math == dialect.DoubleMath:
		return at + 1
	default:
		if end = r.dollarEnd(at); end == 0 {
			return at + 1
		}
	}
	r.handler.readCodeSpan(at, end)
	return end
}

// doubleEnd returns the offset after the first "$$" in r.text[at:], or 0 if no "$$" follows.
func (r *inlineReader) doubleEnd(at int) int {
	n := bytes.Index(r.text[at:], []byte("$$"))
	if n < 0 {
		return 0
	}
	return at + n + len("$$")
}

// dollarEnd returns the offset after the math $…$ that starts at an offset, or 0 if the dollar there does not start
// math.
func (r *inlineReader) dollarEnd(at int) int {
	from := at + 1
	to, depth := from, 0
	for ; to < len(r.text) && r.text[to] != '$'; to++ {
		switch r.text[to] {
		case '\\':
			to++
		case '[':
			depth++
		case ']':
			if depth--; depth < 0 && len(r.brackets) > 0 {
				return 0 // the bracket ends the text of a link
			}
		}
	}
	switch {
	case to >= len(r.text):
		r.noDollar = true
		return 0
	case to == from, touchesWord(r.text, at-1), touchesWord(r.text, to+1), isGap(r.text[from]), isGap(r.text[to-1]):
		return 0
	}
	return to + 1
}

// touchesWord reports whether a letter, a digit or a dollar is at an offset, which may be outside of the text.
func touchesWord(text []byte, at int) bool {
	return at >= 0 && at < len(text) && (ascii.IsLetterOrDigit(text[at]) || text[at] == '$')
}

// isGap reports whether c is a space, a tab or a byte of a line break.
func isGap(c byte) bool { return isSpaceOrTab(c) || isLineBreak(c) }

// openMath opens a block of math if the line starts one, and reports whether it does. The block starts with a line that
// begins with "$$" and ends with a line that ends with "$$", without a blank line between them. Without this rule,
// lines of math that begin with marks such as "-" would be lists.
func (b *blockReader) openMath(rest []byte, matched int) bool {
	after, ok := bytes.CutPrefix(rest, []byte("$$"))
	if !ok || b.dialect.Math == dialect.NoMath || bytes.Contains(after, []byte("$$")) {
		return false
	}
	inside, after, ok := bytes.Cut(b.text[b.line.end:], []byte("$$"))
	if !ok || hasBlankLine(inside) || !startsBlank(after) {
		return false
	}
	b.closeBlocks(matched)
	b.leaf = mathBlock
	b.handler.readCode(b.line.next, b.line.end, true)
	return true
}

// startsBlank reports whether the first line of text is blank. It is true for an empty text.
func startsBlank(text []byte) bool {
	text = bytes.TrimLeft(text, " \t")
	return len(text) == 0 || isLineBreak(text[0])
}

// hasBlankLine reports whether one of the lines after the first line break in text is blank. The last line counts only
// if it has a line feed.
func hasBlankLine(text []byte) bool {
	_, text, _ = bytes.Cut(text, []byte{'\n'})
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 && line[len(line)-1] == '\n' {
			return true
		}
	}
	return false
}
