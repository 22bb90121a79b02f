// Package screen emulates the screen of a terminal. It interprets text and the control sequences of
// ECMA-48 like a VT102 and its successors, and returns the characters on the screen.
//
// It does not answer queries of the host. Lines that leave the screen at its top are kept until
// they are taken, up to 2000 lines or 1 MiB. For any input, the other memory is limited by the size
// of the screen, and so is the work for each byte.
//
// When the width changes, lines that the screen has wrapped are wrapped again. Lines that have left
// the screen do not come back.
//
// The files: parser.go splits the bytes into characters and sequences, control.go executes the
// sequences, style.go interprets SGR, screen.go changes the cells, reflow.go changes the size, and
// history.go keeps the lines that left.
//
// Notable divergences:
//   - Text is always UTF-8. ECMA-35 character sets are ignored, except the line
//     drawing set of DEC (ESC ( 0).
//   - C1 controls must have 7 bits (ESC [). U+0080 to U+009F are ignored.
//   - Only the SGR styles of [terminal.Style] are supported.
package screen

import (
	"slices"
	"strings"
	"unicode/utf8"

	"locus/terminal"
)

const (
	maxSide  = 1000 // limits columns and rows
	maxText  = 12   // limits the bytes of a character with its combining marks
	tabWidth = 8
)

// A Screen is the screen of a terminal. Only one goroutine at a time may use it.
type Screen struct {
	parser

	columns, rows int
	grid          []line // the rows of the visible screen
	normal        []line // the rows of the normal screen while the alternate one is shown; else nil
	cursor        cursor
	saved         cursor
	normalSaved   cursor // the saved cursor of the normal screen while the alternate one is shown
	last          rune   // the last character written; 0 before the first

	top, bottom int    // the first and the last row of the scroll region
	tabs        []bool // whether a column has a tab stop
	modes

	history history // the lines that left at the top
}

// modes are the modes that the host can switch.
type modes struct {
	insertMode   bool // new characters shift the rest of the line
	lfImpliesCR  bool // LF also moves the cursor to the first column
	noWrap       bool // characters at the end of a line overwrite its last cell
	cursorHidden bool
	appKeys      bool // cursor keys send application sequences
	paste        bool // the terminal marks pasted text
}

// A cursor is a position with the state that DECSC saves.
type cursor struct {
	row, column   int
	wrapPending   bool    // the next character goes to the next line
	originMode    bool    // rows count from the top of the scroll region
	isLineDrawing [2]bool // G0 and G1 are the line drawing set
	charset       int     // the current character set; 0: G0, 1: G1
	style         terminal.Style
}

// New returns an empty screen. Columns and rows below 1 count as 1, and above 1000 as 1000.
func New(columns, rows int) *Screen {
	s := &Screen{}
	s.Reset(columns, rows)
	return s
}

// Reset makes s an empty screen of that size, without history, with all modes off. The limits of New apply.
func (s *Screen) Reset(columns, rows int) {
	columns, rows = clamp(columns, 1, maxSide), clamp(rows, 1, maxSide)
	*s = Screen{columns: columns, rows: rows, bottom: rows - 1, grid: blankLines(columns, rows)}
	s.tabs = tabStops(nil, columns)
}

// tabStops returns tabs cut or extended to columns. A new column has a tab stop if its number is a multiple of 8.
func tabStops(tabs []bool, columns int) []bool {
	for i := len(tabs); i < columns; i++ {
		tabs = append(tabs, i%tabWidth == 0)
	}
	return tabs[:columns]
}

// fill makes cells blank with a style.
func fill(line []terminal.Cell, style terminal.Style) {
	for i := range line {
		line[i] = terminal.Cell{Text: " ", Style: style}
	}
}

// blankStyle returns the style of erased cells: the current background.
func (s *Screen) blankStyle() terminal.Style {
	return terminal.Style{Background: s.cursor.style.Background}
}

// clamp returns the number from low to high that is closest to n.
func clamp(n, low, high int) int { return max(low, min(n, high)) }

// Lines returns the text of each row from the top, without trailing blanks.
func (s *Screen) Lines() []string {
	lines := make([]string, s.rows)
	for i, line := range s.grid {
		var b strings.Builder
		for _, c := range line.cells {
			b.WriteString(c.Text)
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// Screen returns a snapshot of the screen.
func (s *Screen) Screen() terminal.Screen {
	all := make([]terminal.Cell, 0, s.columns*s.rows)
	cells := make([][]terminal.Cell, s.rows)
	for i, line := range s.grid {
		all = append(all, line.cells...)
		cells[i] = all[i*s.columns : (i+1)*s.columns : (i+1)*s.columns]
	}
	return terminal.Screen{
		Lines: s.Lines(), Row: s.cursor.row, Column: s.cursor.column, Cells: cells,
		Hidden: s.cursorHidden, Alternate: s.normal != nil, AppKeys: s.appKeys, Paste: s.paste,
	}
}

// Show interprets output of the host. p may start and end within a character or sequence.
func (s *Screen) Show(p []byte) {
	for _, b := range p {
		s.putByte(b)
	}
}

// put shows a character, converted by the current character set.
func (s *Screen) put(r rune) {
	if s.cursor.isLineDrawing[s.cursor.charset] {
		r = lineDrawing(r)
	}
	s.putRune(r)
}

// putRune shows a character at the cursor. It adds a combining mark to the character before. A character that does not
// fit goes to the next line. If wrapping is off, it replaces the last cell or, if it is wide, is dropped.
func (s *Screen) putRune(r rune) {
	w := widthOf(r)
	if w == 0 {
		s.combine(r)
		return
	}
	if w > s.columns {
		return
	}
	c := &s.cursor
	if c.wrapPending && !s.noWrap {
		s.wrapLine(false)
	}
	if c.column+w > s.columns { // a wide character does not fit into the line
		if s.noWrap {
			return
		}
		s.wrapLine(true)
	}
	if s.insertMode {
		s.insertCells(w)
	}
	s.write(characterText(r), w)
	s.last = r
}

// wrapLine moves the cursor to the start of the next line, and records that this line continues the line before. padded
// says that the last cell of the line before is blank because a wide character did not fit.
func (s *Screen) wrapLine(padded bool) {
	hasNext := s.cursor.row == s.bottom || s.cursor.row < s.rows-1 // if not, the cursor stays in its row
	s.cursor.column = 0
	s.lineFeed()
	next := &s.grid[s.cursor.row]
	next.continues, next.padded = hasNext, padded
}

// endLine records that the line after a row does not continue it.
func (s *Screen) endLine(row int) {
	if row+1 < s.rows {
		s.grid[row+1].continues = false
	}
}

// characterText returns string(r). It does not allocate for ASCII.
func characterText(r rune) string {
	const ascii = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
	if i := int(r - ' '); i >= 0 && i < len(ascii) {
		return ascii[i : i+1]
	}
	return string(r)
}

// write writes a character of width w at the cursor, and moves the cursor behind it. If that is beyond the last column,
// the cursor stays in the last column, wrapPending says that the next character begins a new line, and the next line
// does not continue this one any more.
func (s *Screen) write(text string, w int) {
	c, line := &s.cursor, s.grid[s.cursor.row].cells
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
	c.column, c.wrapPending = s.columns-1, true
	s.endLine(c.row)
}

// split blanks both halves of a wide character if column is its second half. Callers use it before they overwrite one
// of the halves.
func (s *Screen) split(column int) {
	line := s.grid[s.cursor.row].cells
	if column < s.columns && line[column].Text == "" {
		line[column-1].Text, line[column].Text = " ", " "
	}
}

// combine adds a combining mark to the character before the cursor. It drops a mark at the start of a line, and a mark
// with which the text would exceed maxText bytes.
func (s *Screen) combine(r rune) {
	line, column := s.grid[s.cursor.row].cells, s.cursor.column
	if !s.cursor.wrapPending {
		column--
	}
	if column > 0 && line[column].Text == "" {
		column--
	}
	if column >= 0 && len(line[column].Text)+utf8.RuneLen(r) <= maxText {
		line[column].Text += string(r)
	}
}

// lineFeed moves the cursor down a row. In the last row of the scroll region it scrolls the region up instead.
func (s *Screen) lineFeed() {
	s.cursor.wrapPending = false
	switch s.cursor.row {
	case s.bottom:
		s.scrollUp(1)
	case s.rows - 1:
	default:
		s.cursor.row++
	}
}

// reverseLineFeed moves the cursor up a row. In the first row of the scroll region it scrolls the region down instead.
func (s *Screen) reverseLineFeed() {
	s.cursor.wrapPending = false
	switch s.cursor.row {
	case s.top:
		s.scroll(s.top, -1)
	case 0:
	default:
		s.cursor.row--
	}
}

// scrollUp scrolls the region up by n lines. Lines that leave the normal screen at its top are kept
// in the history.
func (s *Screen) scrollUp(n int) {
	if s.top == 0 && s.normal == nil { // lines of the alternate screen, on which full-screen programs draw, are not kept
		s.history.keep(s.grid, min(n, s.bottom+1))
	}
	s.scroll(s.top, n)
}

// scroll moves the lines from row from to the end of the region up by n, or down by -n if n is negative. Lines that
// scroll makes neighbours do not continue each other. But if it scrolls up from row 0, the first line still continues
// the line that has left the screen.
func (s *Screen) scroll(from, n int) {
	region := s.grid[from : s.bottom+1]
	n = clamp(n, -len(region), len(region))
	rotate(region, n)
	blank := region[len(region)-max(n, 0):]
	if n < 0 {
		blank = region[:-n]
	}
	for i := range blank {
		blank[i].erase(s.blankStyle())
	}
	if from > 0 || n < 0 {
		s.endLine(from - 1 - min(n, 0))
	}
	s.endLine(s.bottom)
}

// rotate moves lines up by n, or down by -n if n is negative. Lines that leave at one end enter at
// the other end.
func rotate(lines []line, n int) {
	if n < 0 {
		n += len(lines)
	}
	slices.Reverse(lines[:n])
	slices.Reverse(lines[n:])
	slices.Reverse(lines)
}

// insertCells inserts n blanks at the cursor. Cells that leave the line at its end are lost.
func (s *Screen) insertCells(n int) {
	s.split(s.cursor.column)
	line := s.grid[s.cursor.row].cells[s.cursor.column:]
	n = min(n, len(line))
	copy(line[n:], line)
	fill(line[:n], s.blankStyle())
	s.repairLastCell()
}

// deleteCells deletes n cells at the cursor, and adds as many blanks at the end of the line. The next line does not
// continue this one any more.
func (s *Screen) deleteCells(n int) {
	s.split(s.cursor.column)
	line := s.grid[s.cursor.row].cells[s.cursor.column:]
	n = min(n, len(line))
	s.split(s.cursor.column + n)
	copy(line, line[n:])
	fill(line[len(line)-n:], s.blankStyle())
	s.endLine(s.cursor.row)
}

// repairLastCell blanks the last cell if it has the first half of a wide character.
func (s *Screen) repairLastCell() {
	line := s.grid[s.cursor.row].cells
	last := len(line) - 1
	if r, _ := utf8.DecodeRuneInString(line[last].Text); widthOf(r) == 2 {
		line[last].Text = " "
	}
}

// erase blanks the cells of the cursor's line from the column first up to, but not including, end. If it erases the end
// of the line, the next line does not continue this one any more. If it erases the whole line, the line does not
// continue the line above any more, either.
func (s *Screen) erase(first, end int) {
	end = min(end, s.columns)
	s.split(first)
	s.split(end)
	fill(s.grid[s.cursor.row].cells[first:end], s.blankStyle())
	if end < s.columns {
		return
	}
	s.endLine(s.cursor.row)
	if first == 0 {
		s.endLine(s.cursor.row - 1)
	}
}

// eraseLines blanks the lines from first up to, but not including, end. The lines from first to end, end included, do
// not continue the line above any more.
func (s *Screen) eraseLines(first, end int) {
	for i := first; i < end; i++ {
		s.grid[i].erase(s.blankStyle())
	}
	if first < end {
		s.endLine(end - 1)
	}
}

// moveTo moves the cursor to a position on the screen, as close as possible. In origin mode rows count from the top of
// the scroll region, and the cursor stays in the region.
func (s *Screen) moveTo(row, column int) {
	low, high := 0, s.rows-1
	if s.cursor.originMode {
		low, high = s.top, s.bottom
		row += s.top
	}
	s.cursor.row = clamp(row, low, high)
	s.moveToColumn(column)
}

// moveToColumn moves the cursor to column n of its line, or to the column on the screen that is closest to n.
func (s *Screen) moveToColumn(n int) {
	s.cursor.column, s.cursor.wrapPending = clamp(n, 0, s.columns-1), false
}

// moveVertically moves the cursor n rows down, or up if n is negative. It stops where the cursor would leave the scroll
// region, and at the edge of the screen.
func (s *Screen) moveVertically(n int) {
	low, high, row := 0, s.rows-1, s.cursor.row
	if row >= s.top {
		low = s.top
	}
	if row <= s.bottom {
		high = s.bottom
	}
	s.cursor.row, s.cursor.wrapPending = clamp(row+n, low, high), false
}

// tab moves the cursor n tab stops forward, or back if n is negative, but not beyond the line.
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
	s.moveToColumn(at)
}

// setAlternate switches to an empty alternate screen, which full-screen programs use, or back to the normal screen.
// Each screen has its own saved cursor.
func (s *Screen) setAlternate(on bool) {
	switch {
	case on && s.normal == nil:
		s.normal, s.grid = s.grid, blankLines(s.columns, s.rows)
		s.normalSaved, s.saved = s.saved, cursor{}
	case !on && s.normal != nil:
		s.grid, s.normal = s.normal, nil
		s.saved = s.normalSaved
	}
}

// lineDrawingRunes are the characters of DEC's line drawing set, from "_" to "~".
var lineDrawingRunes = [...]rune{
	' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

// lineDrawing returns the character that r selects in DEC's line drawing set; r for other characters.
func lineDrawing(r rune) rune {
	if r < '_' || r > '~' {
		return r
	}
	return lineDrawingRunes[r-'_']
}
