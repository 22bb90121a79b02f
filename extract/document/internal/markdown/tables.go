package markdown

import (
	"slices"

	"locus/extract/document/internal/emit"
)

// A table is the part of the open paragraph that is a table (GFM §4.10).
type table struct {
	from      int  // the offset of the header
	columns   int  // the number of columns; 0 means that there is no table
	isInvalid bool // the columns did not match, so the paragraph has no table
}

// findTable sets b.table if the last two of lines, which are lines of the open paragraph, are the header of a table and
// the line under it, which is not indented like code. It must be called after each line that is added to the paragraph,
// except for the further lines of an expression of MDX, which continueLeaf adds.
func (b *blockReader) findTable(lines []emit.Interval) {
	n := len(lines)
	if b.table.columns > 0 || b.table.isInvalid || n < 2 {
		return
	}
	if _, isIndented := slices.BinarySearch(b.indented, lines[n-1].From); isIndented {
		return
	}
	columns := delimiterColumns(b.text[lines[n-1].From:lines[n-1].To])
	switch {
	case columns == 0:
	case len(cellsOf(b.text, lines[n-2])) == columns:
		b.table = table{from: lines[n-2].From, columns: columns}
	default:
		b.table.isInvalid = true
	}
}

// findTableAgain forgets b.table, whose header is a definition, and finds the table in lines, the rest of the open
// paragraph.
func (b *blockReader) findTableAgain(lines []emit.Interval) {
	b.table = table{}
	for n := range lines {
		b.findTable(lines[:n+1])
	}
}

// delimiterColumns returns the number of columns of the line under the header of a table, such as |:--|--:|. It
// returns 0 if row is not such a line.
func delimiterColumns(row []byte) int {
	for _, c := range row {
		if c != '-' && c != ':' && c != '|' && !isSpaceOrTab(c) {
			return 0
		}
	}
	cells := cellsOf(row, emit.Interval{From: 0, To: len(row)})
	for _, c := range cells {
		from, to := c.From, c.To
		if from < to && row[from] == ':' {
			from++
		}
		if from < to && row[to-1] == ':' {
			to--
		}
		if from == to || runLength(row[from:to], '-') < to-from {
			return 0
		}
	}
	return len(cells)
}

// cellsOf returns the ranges of text that are the cells of a row, without the blanks at both ends of a cell.
func cellsOf(text []byte, row emit.Interval) []emit.Interval {
	from, to := trimBlanks(text, row.From, row.To)
	if from < to && text[from] == '|' {
		from++
	}
	var cells []emit.Interval
	for at := from; at < to; at++ {
		switch {
		case text[at] == '\\' && at+1 < to:
			at++
		case text[at] == '|':
			cells = append(cells, cell(text, from, at))
			from = at + 1
		}
	}
	if from < to {
		cells = append(cells, cell(text, from, to))
	}
	return cells
}

// cell returns the range [from, to) without the blanks at both ends.
func cell(text []byte, from, to int) emit.Interval {
	from, to = trimBlanks(text, from, to)
	return emit.Interval{From: from, To: to}
}
