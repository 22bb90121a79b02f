package markdown

// A line is a line of Markdown that is being read. A tab extends to the next column that is a multiple of four
// (CommonMark §2.2).
type line struct {
	text    []byte // the document
	at, end int
	column  int // the column of at, which may be in the middle of a tab

	next       int // the offset of the next character that is not blank
	nextColumn int
}

// newLine returns the line text[from:end] of the document text, at its first column.
func newLine(text []byte, from, end int) line {
	l := line{text: text, at: from, end: end}
	l.findNext()
	return l
}

// findNext moves next and nextColumn from at to the first character that is neither a space nor a tab, or to the end of
// the line.
func (l *line) findNext() {
	l.next, l.nextColumn = l.at, l.column
	for ; l.next < l.end; l.next++ {
		switch l.text[l.next] {
		case ' ':
			l.nextColumn++
		case '\t':
			l.nextColumn += 4 - l.nextColumn%4
		default:
			return
		}
	}
}

// indent returns the number of blank columns between the current column and the next character that is not blank.
func (l *line) indent() int { return l.nextColumn - l.column }

// isBlank reports whether the rest of the line is blank.
func (l *line) isBlank() bool { return l.next == l.end }

// rest returns the rest of the line from the next character that is not blank.
func (l *line) rest() []byte { return l.text[l.next:l.end] }

// advance moves at forward by a number of columns, but at most to the end of the line. It may stop in the middle of a
// tab.
func (l *line) advance(columns int) {
	for columns > 0 && l.at < l.end {
		width := 1
		if l.text[l.at] == '\t' {
			width = 4 - l.column%4
		}
		if width > columns {
			l.column += columns // a part of a tab
			return
		}
		l.column += width
		columns -= width
		l.at++
	}
	if l.at > l.next {
		l.findNext()
	}
}

// skipQuotation moves the line past the mark ">" of a quotation and one blank after it. It returns false and does not
// move if the mark is missing. The caller checks that the mark is not indented like code.
func (l *line) skipQuotation() bool {
	if l.isBlank() || l.text[l.next] != '>' {
		return false
	}
	l.advance(l.indent() + 1)
	l.advance(min(l.indent(), 1))
	return true
}

// isBlank reports whether text consists of spaces and tabs, or is empty.
func isBlank(text []byte) bool {
	for _, c := range text {
		if !isSpaceOrTab(c) {
			return false
		}
	}
	return true
}

func isSpaceOrTab(c byte) bool { return c == ' ' || c == '\t' }

// runLength returns how many bytes c text starts with.
func runLength(text []byte, c byte) int {
	n := 0
	for n < len(text) && text[n] == c {
		n++
	}
	return n
}
