// Package screen keeps what a terminal would show: it takes text and the
// control sequences of ECMA-48, as the VT102 and its successors read them, and
// gives the characters that are on the screen.
//
// It answers nothing: it is for reading the screen, not for being one.
// Nothing that is written to it makes it keep more than its size, or do more
// than some work for each octet.
//
// Notable divergences:
//   - Text is UTF-8, whatever ECMA-35 would have designated; but the line drawing
//     of DEC is known (ESC ( 0).
//   - C1 controls are those of 7 bits (ESC [); U+0080 to U+009F are dropped.
//   - Nothing is kept of what has left the screen at the top.
//   - Of the styles of SGR those are known that [terminal.Style] has.
package screen

import (
	"slices"
	"strings"
	"unicode/utf8"

	"locus/terminal"
)

const (
	maxSide  = 1000 // columns and rows
	maxText  = 12   // octets of a character with its combining marks
	tabWidth = 8
)

// A Screen is a terminal's. It belongs to one goroutine at a time.
type Screen struct {
	parser
	columns, rows int
	grid          [][]terminal.Cell // rows
	other         [][]terminal.Cell // the screen that is not shown; nil if there is none
	cursor        cursor
	saved         cursor
	otherSaved    cursor // what is saved of the screen that is not shown
	top, bottom   int    // rows of the region that scrolls
	tabs          []bool
	insert        bool // characters move the others
	newline       bool // LF is CR LF
	noWrap        bool
	last          rune // the last character written; 0 if there is none
	hidden        bool // the cursor is
	appKeys       bool
	paste         bool
}

// A cursor is a place, and what is saved with it.
type cursor struct {
	row, column int
	pending     bool // the next character begins the next line
	origin      bool // rows are counted from the top of the region
	drawing     [2]bool
	shift       int // which of drawing is in use
	style       terminal.Style
}

// New returns an empty screen. Sizes that make no sense are made to.
func New(columns, rows int) *Screen {
	s := &Screen{}
	s.Reset(columns, rows)
	return s
}

// Reset empties the screen and forgets every mode.
func (s *Screen) Reset(columns, rows int) {
	columns, rows = clamp(columns, 1, maxSide), clamp(rows, 1, maxSide)
	*s = Screen{columns: columns, rows: rows, bottom: rows - 1, grid: blank(columns, rows)}
	s.tabs = tabStops(nil, columns)
}

func tabStops(tabs []bool, columns int) []bool {
	for i := len(tabs); i < columns; i++ {
		tabs = append(tabs, i%tabWidth == 0)
	}
	return tabs[:columns]
}

func blank(columns, rows int) [][]terminal.Cell {
	grid := make([][]terminal.Cell, rows)
	for i := range grid {
		grid[i] = blankLine(columns)
	}
	return grid
}

func blankLine(columns int) []terminal.Cell {
	line := make([]terminal.Cell, columns)
	fill(line, terminal.Style{})
	return line
}

// fill makes cells blank, in a style.
func fill(line []terminal.Cell, style terminal.Style) {
	for i := range line {
		line[i] = terminal.Cell{Text: " ", Style: style}
	}
}

// blanks is the style of what is erased: the background alone.
func (s *Screen) blanks() terminal.Style {
	return terminal.Style{Background: s.cursor.style.Background}
}

func clamp(n, least, most int) int { return max(least, min(n, most)) }

// Resize makes the screen another size. What is right of it or, as far as the
// cursor is not there, below it is lost.
func (s *Screen) Resize(columns, rows int) {
	columns, rows = clamp(columns, 1, maxSide), clamp(rows, 1, maxSide)
	up := max(0, s.cursor.row-(rows-1)) // lines that leave at the top
	s.grid = resized(s.grid[up:], columns, rows)
	if s.other != nil {
		s.other = resized(s.other, columns, rows)
	}
	s.columns, s.rows = columns, rows
	s.tabs = tabStops(s.tabs, columns)
	s.top, s.bottom = 0, rows-1
	s.cursor.row -= up
	s.cursor.column = min(s.cursor.column, columns-1)
	s.cursor.pending = false
	for _, saved := range []*cursor{&s.saved, &s.otherSaved} {
		saved.row, saved.column, saved.pending = min(saved.row, rows-1), min(saved.column, columns-1), false
	}
}

func resized(grid [][]terminal.Cell, columns, rows int) [][]terminal.Cell {
	all := blank(columns, rows)
	for i, line := range grid[:min(len(grid), rows)] {
		copy(all[i], line)
		if columns < len(line) && line[columns].Text == "" {
			all[i][columns-1].Text = " " // half of a wide character
		}
	}
	return all
}

// Lines returns the rows from the top, without the blanks at their ends.
func (s *Screen) Lines() []string {
	lines := make([]string, s.rows)
	for i, line := range s.grid {
		var b strings.Builder
		for _, c := range line {
			b.WriteString(c.Text)
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// Screen returns all that is to be known of the screen, which does not change
// with it.
func (s *Screen) Screen() terminal.Screen {
	all := make([]terminal.Cell, 0, s.columns*s.rows)
	cells := make([][]terminal.Cell, s.rows)
	for i, line := range s.grid {
		all = append(all, line...)
		cells[i] = all[i*s.columns : (i+1)*s.columns : (i+1)*s.columns]
	}
	return terminal.Screen{
		Lines: s.Lines(), Row: s.cursor.row, Column: s.cursor.column, Cells: cells,
		Hidden: s.hidden, Alternate: s.other != nil, AppKeys: s.appKeys, Paste: s.paste,
	}
}

// Show takes what a terminal is sent, however it is cut.
func (s *Screen) Show(p []byte) {
	for _, b := range p {
		s.octet(b)
	}
}

// put shows a character of the set in use.
func (s *Screen) put(r rune) {
	if s.cursor.drawing[s.cursor.shift] {
		r = lineDrawing(r)
	}
	s.place(r)
}

// place shows a character.
func (s *Screen) place(r rune) {
	w := width(r)
	if w == 0 {
		s.mark(r)
		return
	}
	if w > s.columns {
		return
	}
	c := &s.cursor
	if c.pending && !s.noWrap {
		c.column = 0
		s.lineFeed()
	}
	if c.column+w > s.columns { // a wide character does not fit into the line
		if s.noWrap {
			return
		}
		c.column = 0
		s.lineFeed()
	}
	if s.insert {
		s.insertCells(w)
	}
	s.write(characterText(r), w)
	s.last = r
}

// characterText is string(r), without an allocation for ASCII.
func characterText(r rune) string {
	const ascii = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
	if i := int(r - ' '); i >= 0 && i < len(ascii) {
		return ascii[i : i+1]
	}
	return string(r)
}

// write puts a character at the cursor, and moves that.
func (s *Screen) write(text string, w int) {
	c, line := &s.cursor, s.grid[s.cursor.row]
	s.split(c.column)
	s.split(c.column + w)
	line[c.column] = terminal.Cell{Text: text, Style: c.style}
	if w == 2 {
		line[c.column+1] = terminal.Cell{Style: c.style}
	}
	if c.column+w < s.columns {
		c.column += w
		return
	}
	c.column, c.pending = s.columns-1, true
}

// split makes both halves of a wide character blank if column is the second.
func (s *Screen) split(column int) {
	line := s.grid[s.cursor.row]
	if column < s.columns && line[column].Text == "" {
		line[column-1].Text, line[column].Text = " ", " "
	}
}

// mark puts a combining mark on the last character.
func (s *Screen) mark(r rune) {
	line, column := s.grid[s.cursor.row], s.cursor.column
	if !s.cursor.pending {
		column--
	}
	if column > 0 && line[column].Text == "" {
		column--
	}
	if column >= 0 && len(line[column].Text)+utf8.RuneLen(r) <= maxText {
		line[column].Text += string(r)
	}
}

// lineFeed moves down, and scrolls at the end of the region.
func (s *Screen) lineFeed() {
	s.cursor.pending = false
	switch s.cursor.row {
	case s.bottom:
		s.scroll(s.top, 1)
	case s.rows - 1:
	default:
		s.cursor.row++
	}
}

// reverse moves up, and scrolls at the top of the region.
func (s *Screen) reverse() {
	s.cursor.pending = false
	switch s.cursor.row {
	case s.top:
		s.scroll(s.top, -1)
	case 0:
	default:
		s.cursor.row--
	}
}

// scroll moves the lines from a row to the end of the region up by n, or down
// by -n.
func (s *Screen) scroll(from, n int) {
	region := s.grid[from : s.bottom+1]
	n = clamp(n, -len(region), len(region))
	turn(region, n)
	fresh := region[len(region)-max(n, 0):]
	if n < 0 {
		fresh = region[:-n]
	}
	for _, line := range fresh {
		fill(line, s.blanks())
	}
}

// turn moves lines up by n, or down by -n; those that leave come in at the other
// end.
func turn(lines [][]terminal.Cell, n int) {
	if n < 0 {
		n += len(lines)
	}
	slices.Reverse(lines[:n])
	slices.Reverse(lines[n:])
	slices.Reverse(lines)
}

// insertCells makes room for n blanks at the cursor.
func (s *Screen) insertCells(n int) {
	s.split(s.cursor.column)
	line := s.grid[s.cursor.row][s.cursor.column:]
	n = min(n, len(line))
	copy(line[n:], line)
	fill(line[:n], s.blanks())
	s.mend()
}

// deleteCells takes n cells out at the cursor.
func (s *Screen) deleteCells(n int) {
	s.split(s.cursor.column)
	line := s.grid[s.cursor.row][s.cursor.column:]
	n = min(n, len(line))
	s.split(s.cursor.column + n)
	copy(line, line[n:])
	fill(line[len(line)-n:], s.blanks())
}

// mend makes a wide character blank whose second half has left at the right.
func (s *Screen) mend() {
	line := s.grid[s.cursor.row]
	last := len(line) - 1
	if r, _ := utf8.DecodeRuneInString(line[last].Text); width(r) == 2 {
		line[last].Text = " "
	}
}

// erase makes the cells of the cursor's line from first up to end blank.
func (s *Screen) erase(first, end int) {
	end = min(end, s.columns)
	s.split(first)
	s.split(end)
	fill(s.grid[s.cursor.row][first:end], s.blanks())
}

// eraseLines makes lines blank.
func (s *Screen) eraseLines(first, end int) {
	for _, line := range s.grid[first:end] {
		fill(line, s.blanks())
	}
}

// moveTo puts the cursor somewhere on the screen; rows are counted as the origin
// mode says.
func (s *Screen) moveTo(row, column int) {
	least, most := 0, s.rows-1
	if s.cursor.origin {
		least, most = s.top, s.bottom
		row += s.top
	}
	s.cursor.row = clamp(row, least, most)
	s.column(column)
}

// column moves the cursor within its line.
func (s *Screen) column(n int) {
	s.cursor.column, s.cursor.pending = clamp(n, 0, s.columns-1), false
}

// vertical moves the cursor n rows down, or up if n is negative. It stops at the
// end of the region that it is in.
func (s *Screen) vertical(n int) {
	least, most, row := 0, s.rows-1, s.cursor.row
	if row >= s.top {
		least = s.top
	}
	if row <= s.bottom {
		most = s.bottom
	}
	s.cursor.row, s.cursor.pending = clamp(row+n, least, most), false
}

// tab moves the cursor n tab stops on, or back if n is negative.
func (s *Screen) tab(n int) {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	at := s.cursor.column
	for range n {
		for at += step; at > 0 && at < s.columns-1 && !s.tabs[at]; at += step {
			continue
		}
	}
	s.column(at)
}

// alternate shows the other screen, which full-screen programs use, or no longer.
// Each has the cursor that was saved while it was shown.
func (s *Screen) alternate(on bool) {
	switch {
	case on && s.other == nil:
		s.other, s.grid = s.grid, blank(s.columns, s.rows)
		s.otherSaved, s.saved = s.saved, cursor{}
	case !on && s.other != nil:
		s.grid, s.other = s.other, nil
		s.saved = s.otherSaved
	}
}
