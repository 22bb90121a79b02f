package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
	"locus/internal/markup"
)

// withoutDefinitions gives the link reference definitions at the start of the open paragraph to the handler
// (CommonMark §4.7), and returns the lines after them, or nil if no line is left.
func (b *blockReader) withoutDefinitions() []emit.Interval {
	if b.text[b.lines[0].From] != '[' {
		return b.lines
	}
	p := joinLines(b.text, b.lines)
	at := 0
	for {
		label, from, to, end := parseDefinition(p.Text, at)
		if end == 0 {
			break
		}
		b.handler.readDefinition(label, placeOf(p, from, to), placeOf(p, at, end))
		at = end
	}
	if at == len(p.Text) {
		return nil
	}
	rest, _ := p.Place(at, at)
	n := 0
	for b.lines[n].From < rest {
		n++
	}
	return b.lines[n:]
}

// placeOf returns the range of the document from which the range [from, to) of the part p comes.
func placeOf(p emit.Part, from, to int) emit.Interval {
	start, end := p.Place(from, to)
	return emit.Interval{From: start, To: end}
}

// joinLines returns the text of lines, which are ranges of text, with a line break between them. The marks of
// containers between the lines are left out. Blanks at the start of a line may remain.
func joinLines(text []byte, lines []emit.Interval) emit.Part {
	whole := true
	for i := 1; i < len(lines) && whole; i++ {
		for _, c := range text[lines[i-1].To:lines[i].From] {
			whole = whole && markup.IsSpace(c)
		}
	}
	if whole {
		return emit.Slice(text, lines[0].From, lines[len(lines)-1].To)
	}
	var p emit.Part
	for i, l := range lines {
		if i > 0 && lines[i-1].To < l.From && (len(p.Text) == 0 || !isLineBreak(p.Text[len(p.Text)-1])) {
			p.Replace("\n", lines[i-1].To, 1)
		}
		p.Append(text[l.From:l.To], l.From)
	}
	return p
}

func isLineBreak(c byte) bool { return c == '\n' || c == '\r' }

// parseDefinition parses the link reference definition at an offset. label is its normalized label, from and to are the
// range of its destination, and end is the start of the line after it. end is 0 if no valid definition is there.
func parseDefinition(text []byte, at int) (label string, from, to, end int) {
	if at == len(text) || text[at] != '[' {
		return "", 0, 0, 0
	}
	at = skipGap(text, at)
	stop := labelEnd(text, at)
	if stop == 0 || stop == len(text) || text[stop] != ':' {
		return "", 0, 0, 0
	}
	if label = normalizeLabel(text[at+1 : stop-1]); label == "" {
		return "", 0, 0, 0
	}
	from, to, next, ok := parseDestination(text, skipGap(text, stop+1))
	if !ok || next == from {
		return "", 0, 0, 0
	}
	afterTitle := 0
	if title := skipGap(text, next); title > next {
		if n := titleEnd(text, title); n > 0 {
			afterTitle = nextLine(text, n)
		}
	}
	if afterTitle == 0 {
		afterTitle = nextLine(text, next) // the text that looks like a title belongs to the next line
	}
	return label, from, to, afterTitle
}

// nextLine returns the start of the next line if the rest of the line at an offset is blank. Otherwise it returns 0.
func nextLine(text []byte, at int) int {
	for at < len(text) && isSpaceOrTab(text[at]) {
		at++
	}
	switch {
	case at == len(text):
		return at
	case !isLineBreak(text[at]):
		return 0
	}
	return skipGap(text, at) // a paragraph has no blank lines, so this skips one line break
}

// skipGap returns the offset after the spaces, tabs and line breaks at an offset.
func skipGap(text []byte, at int) int {
	for at < len(text) && (isSpaceOrTab(text[at]) || isLineBreak(text[at])) {
		at++
	}
	return at
}

// labelEnd returns the offset after the link label, such as "[label]", at an offset, or 0 if no valid label is there.
func labelEnd(text []byte, at int) int {
	if at == len(text) || text[at] != '[' {
		return 0
	}
	size := 0
	for end := at + 1; end < len(text) && size <= emit.MaxLabel; end++ {
		switch c := text[end]; {
		case c == '\\' && end+1 < len(text) && isPunctuation(text[end+1]):
			end++
			size += 2
		case c == '[':
			return 0
		case c == ']':
			return end + 1
		case utf8.RuneStart(c):
			size++
		}
	}
	return 0
}

// normalizeLabel returns a form of a label that is equal for labels that match: each run of white space is one space,
// and the case is folded.
func normalizeLabel(label []byte) string {
	var b strings.Builder
	for word := range bytes.FieldsFuncSeq(label, func(c rune) bool { return c <= ' ' && markup.IsSpace(byte(c)) }) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		for _, c := range string(word) {
			foldCase(&b, c)
		}
	}
	return b.String()
}

// foldCase writes a form of c to b that is the same for upper and lower case.
func foldCase(b *strings.Builder, c rune) {
	switch {
	case c < utf8.RuneSelf:
		b.WriteByte(ascii.Lower(byte(c)))
	case c == 'ß' || c == 'ẞ':
		b.WriteString("ss")
	default:
		least := c
		for next := unicode.SimpleFold(c); next != c; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		if least < utf8.RuneSelf {
			least = rune(ascii.Lower(byte(least))) // the Kelvin sign folds to "k"
		}
		b.WriteRune(least)
	}
}

// maxParentheses is how deep parentheses may be nested in a destination.
const maxParentheses = 32

// parseDestination parses the link destination at an offset (CommonMark §6.3). It returns the range of the
// destination, without "<" and ">", and the offset after it. The destination may be empty. ok is false if a "<" or a
// parenthesis is not closed, or if parentheses are nested too deep.
func parseDestination(text []byte, at int) (from, to, next int, ok bool) {
	if at < len(text) && text[at] == '<' {
		return bracketedDestination(text, at)
	}
	open, end := 0, at
	for ; end < len(text) && text[end] > ' ' && text[end] != 0x7f; end++ {
		switch text[end] {
		case '\\':
			if end+1 < len(text) && isPunctuation(text[end+1]) {
				end++
			}
			continue
		case '(':
			if open++; open > maxParentheses {
				return 0, 0, 0, false
			}
			continue
		case ')':
			open--
		}
		if open < 0 {
			break
		}
	}
	if open > 0 {
		return 0, 0, 0, false
	}
	return at, end, end, true
}

// bracketedDestination parses a destination between "<" and ">". It returns the range between them, and the offset
// after the ">". ok is false if the ">" is not on the same line.
func bracketedDestination(text []byte, at int) (from, to, next int, ok bool) {
	for end := at + 1; end < len(text); end++ {
		switch c := text[end]; {
		case c == '\\' && end+1 < len(text) && isPunctuation(text[end+1]):
			end++
		case c == '<' || isLineBreak(c):
			return 0, 0, 0, false
		case c == '>':
			return at + 1, end, end + 1, true
		}
	}
	return 0, 0, 0, false
}

// titleEnd returns the offset after the link title at an offset, with its quotation marks or parentheses, or 0 if no
// title that ends is there.
func titleEnd(text []byte, at int) int {
	if at == len(text) || text[at] != '"' && text[at] != '\'' && text[at] != '(' {
		return 0
	}
	start, stop := text[at], text[at]
	if start == '(' {
		stop = ')'
	}
	for end := at + 1; end < len(text); end++ {
		switch c := text[end]; {
		case c == '\\' && end+1 < len(text) && isPunctuation(text[end+1]):
			end++
		case c == stop:
			return end + 1
		case c == '(' && start == '(':
			return 0
		}
	}
	return 0
}

// isPunctuation reports whether c is ASCII punctuation, which a backslash escapes.
func isPunctuation(c byte) bool {
	return c > ' ' && c < 0x7f && !ascii.IsLetterOrDigit(c)
}
