package screen

import "locus/terminal"

// A line is a row of the screen.
type line struct {
	cells     []terminal.Cell
	continues bool // it continues the line above, which the screen has wrapped
	padded    bool // it begins with a wide character that did not fit into the last cell of the line above
}

// blankLines returns rows lines of columns blank cells.
func blankLines(columns, rows int) []line {
	lines := make([]line, rows)
	for i := range lines {
		lines[i].cells = make([]terminal.Cell, columns)
		lines[i].erase(terminal.Style{})
	}
	return lines
}

// erase makes all cells blank with a style. The line does not continue the line above any more.
func (l *line) erase(style terminal.Style) {
	fill(l.cells, style)
	l.continues, l.padded = false, false
}

// Resize changes the size of the screen. Lines of the normal screen that it has wrapped are joined,
// and wrapped at the new width. The alternate screen is cut at the right, because programs draw it
// again. Rows that no longer fit leave at the top, as far as the cursor stays on the screen; the
// others are lost at the bottom. The scroll region becomes the whole screen.
func (s *Screen) Resize(columns, rows int) {
	columns, rows = clamp(columns, 1, maxSide), clamp(rows, 1, maxSide)
	if s.normal == nil {
		s.grid = s.resized(s.grid, columns, rows, &s.cursor, &s.saved)
	} else {
		s.normal = s.resized(s.normal, columns, rows, &s.normalSaved)
		lost := max(0, s.cursor.row-(rows-1))
		s.grid = cut(s.grid[lost:], columns, rows)
		s.cursor.row -= lost
	}
	s.columns, s.rows = columns, rows
	s.tabs = tabStops(s.tabs, columns)
	s.top, s.bottom = 0, rows-1
	for _, c := range []*cursor{&s.cursor, &s.saved, &s.normalSaved} {
		c.fit(columns, rows)
	}
}

// fit moves the cursor into a screen of columns and rows. If the cursor was waiting to wrap at the
// end of its line and the line is longer now, it moves to the cell after the last character.
func (c *cursor) fit(columns, rows int) {
	if c.wrapPending && c.column < columns-1 {
		c.column, c.wrapPending = c.column+1, false
	}
	c.wrapPending = c.wrapPending && c.column == columns-1
	c.row, c.column = clamp(c.row, 0, rows-1), min(c.column, columns-1)
}

// resized returns lines, which are the lines of the normal screen, in another size, and moves the
// cursors with their characters. Lines that no longer fit leave at the top and are kept in the
// history, as far as the row of the first cursor stays on the screen.
func (s *Screen) resized(lines []line, columns, rows int, cursors ...*cursor) []line {
	if columns != s.columns {
		lines = reflow(lines, columns, cursors)
	}
	end := len(lines) // the end of the lines without blank lines below the cursor
	for end > cursors[0].row+1 && len(textOf(lines, end-1)) == 0 {
		end--
	}
	lost := clamp(end-rows, 0, cursors[0].row)
	s.history.keep(lines, lost)
	for _, c := range cursors {
		c.row -= lost
	}
	return cut(lines[lost:], columns, rows)
}

// cut copies lines into a screen of another size. Cells that do not fit are lost at the right and
// at the bottom.
func cut(lines []line, columns, rows int) []line {
	all := blankLines(columns, rows)
	for i, l := range lines[:min(len(lines), rows)] {
		copy(all[i].cells, l.cells)
		if columns < len(l.cells) && l.cells[columns].Text == "" {
			all[i].cells[columns-1].Text = " " // the first half of a wide character
		}
		all[i].continues, all[i].padded = l.continues, l.padded
	}
	return all
}

// reflow joins lines that the screen has wrapped, and wraps them at another width. It moves each
// cursor with its character.
func reflow(lines []line, columns int, cursors []*cursor) []line {
	var all []line
	moved := make([]cursor, len(cursors))
	for first := 0; first < len(lines); {
		end := first + 1
		for end < len(lines) && lines[end].continues {
			end++
		}
		text, starts, blank := join(lines[first:end])
		rows := wrap(text, columns)
		for i, c := range cursors {
			if c.row >= first && c.row < end {
				moved[i] = moveInto(rows, *c, starts[c.row-first]+c.column)
				moved[i].row += len(all)
			}
		}
		for i, row := range rows {
			l := line{cells: make([]terminal.Cell, columns), continues: i > 0 || lines[first].continues}
			l.padded = i > 0 && len(rows[i-1]) < columns
			fill(l.cells[copy(l.cells, row):], blank.Style)
			all = append(all, l)
		}
		first = end
	}
	for i, c := range cursors {
		*c = moved[i]
	}
	return all
}

// join returns the cells of lines that continue each other as one text, without the blanks at its
// end. starts has the position in text at which each line starts. blank is the cell that fills the
// rest of the last line: the last cell of that line if it is a blank, else a blank without a style.
func join(lines []line) (text []terminal.Cell, starts []int, blank terminal.Cell) {
	for i := range lines {
		starts = append(starts, len(text))
		text = append(text, textOf(lines, i)...)
	}
	last := lines[len(lines)-1].cells
	at := last[len(last)-1]
	blank = terminal.Cell{Text: " ", Style: terminal.Style{Background: at.Style.Background}}
	if at != blank {
		return text, starts, terminal.Cell{Text: " "}
	}
	return trimmed(text, blank), starts, blank
}

// textOf returns the cells of lines[i] without the blanks at the end. If the next line continues
// lines[i], the blanks belong to the text and are returned too, except a last cell into which a
// wide character did not fit.
func textOf(lines []line, i int) []terminal.Cell {
	cells := lines[i].cells
	if i+1 == len(lines) || !lines[i+1].continues {
		return trimmed(cells, terminal.Cell{Text: " "})
	}
	if next := lines[i+1]; next.padded && next.cells[1].Text == "" {
		return cells[:len(cells)-1]
	}
	return cells
}

// trimmed returns cells without the cells at the end that equal blank.
func trimmed(cells []terminal.Cell, blank terminal.Cell) []terminal.Cell {
	n := len(cells)
	for n > 0 && cells[n-1] == blank {
		n--
	}
	return cells[:n]
}

// wrap divides a text into rows, at least one. A wide character that does not fit into a row begins
// the next row; if a row has only one column, two blanks replace the character.
func wrap(text []terminal.Cell, columns int) (rows [][]terminal.Cell) {
	for len(text) > columns {
		n := columns
		switch {
		case text[n].Text != "":
		case n > 1:
			n--
		default:
			text[n-1].Text, text[n].Text = " ", " "
		}
		rows = append(rows, text[:n])
		text = text[n:]
	}
	return append(rows, text)
}

// moveInto returns c moved to the cell with the number at of a text that is divided into rows. The
// row of the result counts from the first of rows. If at is beyond the end of the text, the column
// is beyond the end of the last row.
func moveInto(rows [][]terminal.Cell, c cursor, at int) cursor {
	c.row = 0
	for c.row < len(rows)-1 && at >= len(rows[c.row]) {
		at -= len(rows[c.row])
		c.row++
	}
	c.column = at
	return c
}
