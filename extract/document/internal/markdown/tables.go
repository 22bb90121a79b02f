package markdown

import "locus/extract/document/internal/emit"

// A table is part of a paragraph (GFM §4.10).
type table struct {
	from     int  // the place of its header
	columns  int  // 0: there is none
	isRuined bool // the columns did not fit, so there will be none
}

// findTable notes the table that begins with the last two lines of the open paragraph.
func (b *blockReader) findTable() {
	n := len(b.lines)
	if b.table.columns > 0 || b.table.isRuined || n < 2 {
		return
	}
	columns := delimiters(b.text[b.lines[n-1].From:b.lines[n-1].To])
	switch {
	case columns == 0:
	case len(cellsOf(b.text, b.lines[n-2])) == columns:
		b.table = table{from: b.lines[n-2].From, columns: columns}
	default:
		b.table.isRuined = true
	}
}

// delimiters returns the number of columns in the line under the header of a table, such as
// |:--|--:|; 0 if it is none.
func delimiters(row []byte) int {
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

// cellsOf returns the cells of a row, without the blanks around them.
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

func cell(text []byte, from, to int) emit.Interval {
	from, to = trimBlanks(text, from, to)
	return emit.Interval{From: from, To: to}
}
