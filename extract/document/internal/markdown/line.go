package markdown

// A line is a line of Markdown that is being read. Tabs reach to columns that are multiples
// of four (CommonMark §2.2).
type line struct {
	text    []byte // the document
	at, end int
	column  int // of at; at may be a tab that is partly read

	next       int // the place of the next character that is no blank
	nextColumn int
}

func newLine(text []byte, from, end int) line {
	l := line{text: text, at: from, end: end}
	l.findNext()
	return l
}

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

// indent returns how many columns of blanks come next.
func (l *line) indent() int { return l.nextColumn - l.column }

func (l *line) isBlank() bool { return l.next == l.end }

// rest returns the rest of the line from the next character that is no blank.
func (l *line) rest() []byte { return l.text[l.next:l.end] }

// advance reads some columns.
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

// skipQuotation reads the mark ">" and the blank after it. It returns false if there is
// none.
func (l *line) skipQuotation() bool {
	if l.indent() > 3 || l.isBlank() || l.text[l.next] != '>' {
		return false
	}
	l.advance(l.indent() + 1)
	l.advance(min(l.indent(), 1))
	return true
}

// isBlank reports whether a text has spaces and tabs only.
func isBlank(text []byte) bool {
	for _, c := range text {
		if !isSpaceOrTab(c) {
			return false
		}
	}
	return true
}

func isSpaceOrTab(c byte) bool { return c == ' ' || c == '\t' }

// runLength returns how often a text has the byte c at its start.
func runLength(text []byte, c byte) int {
	n := 0
	for n < len(text) && text[n] == c {
		n++
	}
	return n
}
