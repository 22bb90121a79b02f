package tn3270

import (
	"fmt"
	"slices"
	"strings"
)

// A drawer draws pictures with the control sequences of ECMA-48. It sends only the rows that
// have changed. If the terminal has more rows than the picture, the status line is drawn below
// the picture.
type drawer struct {
	rows, columns int      // of the terminal
	last          Picture  // the picture on the terminal; Rows is 0 if unknown
	status        string   // the current status line
	notes         []string // shown over the last rows
}

// resize sets the size of the terminal; both numbers are at least 1. The next draw redraws the whole screen.
func (d *drawer) resize(rows, columns int) {
	d.rows, d.columns = rows, columns
	d.invalidate()
}

// invalidate makes the next draw redraw the whole screen.
func (d *drawer) invalidate() { d.last = Picture{Alarms: d.last.Alarms, Lock: d.last.Lock} }

// draw returns the text (ECMA-48) that makes the terminal show p, and remembers p. The text
// has only the rows that differ from the last picture, the notes over them, and the status
// line if that has changed. It rings the bell for a new alarm of p, and when the keyboard
// locks because of an error.
func (d *drawer) draw(p Picture) string {
	var b strings.Builder
	b.WriteString("\x1b[?25l")
	redraw := d.last.Rows != p.Rows || d.last.Columns != p.Columns
	if redraw {
		b.WriteString("\x1b[0m\x1b[2J")
		d.status = ""
	}
	for row := range min(p.Rows, d.rows) {
		if now := p.row(row); redraw || !slices.Equal(now, d.last.row(row)) {
			fmt.Fprintf(&b, "\x1b[%dH", row+1)
			drawRow(&b, now[:min(len(now), d.columns)], p.Columns < d.columns)
		}
	}
	if status := p.status(d.columns); status != d.status && p.Rows < d.rows {
		fmt.Fprintf(&b, "\x1b[%dH%s\x1b[K", p.Rows+1, status)
		d.status = status
	}
	for i, line := range d.notes[max(0, len(d.notes)-d.rows):] {
		fmt.Fprintf(&b, "\x1b[%dH%s\x1b[K", max(1, d.rows-len(d.notes)+1)+i, cut(line, d.columns))
	}
	if p.Alarms > d.last.Alarms || p.Lock > Waiting && p.Lock != d.last.Lock {
		b.WriteByte('\a')
	}
	fmt.Fprintf(&b, "\x1b[%d;%dH\x1b[?25h", p.Cursor/p.Columns+1, p.Cursor%p.Columns+1)
	d.last = p
	return b.String()
}

// setNotes sets the lines that draw shows over the last rows of the terminal. Nil removes
// them.
func (d *drawer) setNotes(lines []string) {
	if len(d.notes) > 0 { // draw the rows below the old notes
		d.invalidate()
	}
	d.notes = lines
}

// cut returns the first columns characters of line, or line if it is shorter.
func cut(line string, columns int) string {
	if runes := []rune(line); len(runes) > columns {
		return string(runes[:columns])
	}
	return line
}

// row returns the cells of the row with this index, counted from 0. They share the memory of
// p.
func (p Picture) row(row int) []Cell { return p.Cells[row*p.Columns : (row+1)*p.Columns] }

// status returns the status line for a terminal with the given columns:
//
//	3270    X SYSTEM        INSERT                                           001/080
func (p Picture) status(columns int) string {
	mode, insert := "3270", ""
	if !p.Connected {
		mode = "text"
	}
	if p.Insert {
		insert = "INSERT"
	}
	left := fmt.Sprintf("%-7s %-15s %-6s", mode, p.Lock, insert)
	at := fmt.Sprintf("%03d/%03d", p.Cursor/p.Columns+1, p.Cursor%p.Columns+1)
	width := min(columns, p.Columns)
	if width < len(left)+1+len(at) {
		return left[:min(len(left), width)]
	}
	return left + strings.Repeat(" ", width-len(left)-len(at)) + at
}

// drawRow appends the text that draws cells from the terminal's cursor on. If erase is true,
// the text also erases the rest of the row.
func drawRow(b *strings.Builder, cells []Cell, erase bool) {
	style := ""
	for _, c := range cells {
		if s := c.style(); s != style {
			b.WriteString("\x1b[0" + s + "m")
			style = s
		}
		b.WriteRune(c.Rune)
	}
	if style != "" {
		b.WriteString("\x1b[0m")
	}
	if erase {
		b.WriteString("\x1b[K")
	}
}

// style returns the parameters of SGR (ECMA-48 §8.3.117) for the cell, each after a
// semicolon; "" for the default style.
func (c Cell) style() string {
	var b strings.Builder
	if c.Intense || c.Highlight&Intensify != 0 {
		b.WriteString(";1")
	}
	if c.Highlight&Underscore != 0 {
		b.WriteString(";4")
	}
	if c.Highlight&Blink != 0 {
		b.WriteString(";5")
	}
	if c.Highlight&Reverse != 0 {
		b.WriteString(";7")
	}
	if c.Colour != DefaultColour {
		fmt.Fprintf(&b, ";%d", foreground(c.Colour))
	}
	if c.Background != DefaultColour {
		fmt.Fprintf(&b, ";%d", foreground(c.Background)+10)
	}
	return b.String()
}

// foreground returns the SGR parameter for the foreground colour c, which must not be
// DefaultColour: 30 to 37 for the colours of ECMA-48, and 90 to 97 for their brighter forms.
func foreground(c Colour) int {
	n := int(palette(c))
	if n < 8 {
		return 30 + n
	}
	return 90 + n - 8
}
