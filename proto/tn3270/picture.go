package tn3270

import (
	"strings"

	"locus/terminal"
)

// A Picture is a snapshot of the screen. It omits the contents of hidden fields, such as
// passwords.
type Picture struct {
	Rows, Columns int
	Cells         []Cell // Rows times Columns cells, row after row
	Cursor        int    // index in Cells
	Lock          Lock   // why the keyboard is locked
	Insert        bool   // insert mode is on
	Alarms        int    // number of alarms that the host has sounded
	Connected     bool   // the host is in 3270 mode; otherwise it sends lines of text
}

// A Cell is one position of a [Picture].
type Cell struct {
	Rune       rune // the visible character, or ' '; never a control character
	Colour     Colour
	Background Colour
	Highlight  Highlight
	Intense    bool // the field is intensified
	Input      bool // the position accepts input
}

// Lines returns the rows as text, without trailing blanks. Rows may be "".
func (p Picture) Lines() []string {
	lines := make([]string, 0, p.Rows)
	for row := range p.Rows {
		var line strings.Builder
		for _, c := range p.Cells[row*p.Columns : (row+1)*p.Columns] {
			line.WriteRune(c.Rune)
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return lines
}

// statusColumns is the width of the status line without the cursor position.
const statusColumns = 30

// screen returns p as a terminal.Screen.
func (p Picture) screen() terminal.Screen {
	s := terminal.Screen{
		Lines: p.Lines(), Row: p.Cursor / p.Columns, Column: p.Cursor % p.Columns,
		Status: strings.TrimSpace(p.status(statusColumns)),
	}
	cells := make([]terminal.Cell, 0, len(p.Cells))
	for _, c := range p.Cells {
		cells = append(cells, terminal.Cell{Text: characterText(c.Rune), Style: c.look()})
	}
	for row := range p.Rows {
		s.Cells = append(s.Cells, cells[row*p.Columns:(row+1)*p.Columns:(row+1)*p.Columns])
	}
	return s
}

// characterText returns string(r). It does not allocate for blanks.
func characterText(r rune) string {
	if r == ' ' {
		return " "
	}
	return string(r)
}

// look returns the style with which a modern terminal shows the cell.
func (c Cell) look() terminal.Style {
	style := terminal.Style{
		Bold:      c.Intense || c.Highlight&Intensify != 0,
		Underline: c.Highlight&Underscore != 0,
		Blink:     c.Highlight&Blink != 0,
		Reverse:   c.Highlight&Reverse != 0,
	}
	if c.Colour != DefaultColour {
		style.Foreground = terminal.Palette(palette(c.Colour))
	}
	if c.Background != DefaultColour {
		style.Background = terminal.Palette(palette(c.Background))
	}
	return style
}

// palette returns the index of the colour c in a terminal's palette of sixteen. c must
// not be DefaultColour.
func palette(c Colour) uint8 {
	return [...]uint8{0, 12, 1, 5, 2, 6, 3, 7, 0, 4, 9, 13, 10, 14, 8, 15}[c&0x0F]
}

// picture returns a snapshot of the screen. Its Connected is false.
func (t *display) picture() Picture {
	b := &t.buffer
	p := Picture{
		Rows: len(b.cells) / b.columns, Columns: b.columns,
		Cells:  make([]Cell, 0, len(b.cells)),
		Cursor: b.cursor, Lock: t.lock, Insert: t.insertMode, Alarms: t.alarmCount,
	}
	last, hasFields := b.fieldAt(len(b.cells) - 1)
	field := b.cells[last]
	for _, c := range b.cells {
		if c.isAttribute {
			field = c
		}
		if !hasFields {
			field = cell{}
		}
		p.Cells = append(p.Cells, t.cell(c, field))
	}
	return p
}

// cell returns c as a Cell of a Picture. field is the cell with the attribute of its
// field, and zero on a screen without fields. An attribute, and each character of a
// hidden field, becomes a blank.
func (t *display) cell(c, field cell) Cell {
	if !t.model.hasColour {
		c.look, field.look = c.look.withoutColours(), field.look.withoutColours()
	}
	if c.isAttribute {
		return Cell{Rune: ' ', Background: c.look.background}
	}
	l := c.look.over(field.look)
	seen := Cell{
		Rune: ' ', Colour: l.colour, Background: l.background, Highlight: l.highlight,
		Intense: field.attribute.isIntense(), Input: !field.attribute.isProtected(),
	}
	if l.colour == DefaultColour && t.model.hasColour {
		seen.Colour = baseColour(field.attribute)
	}
	switch {
	case field.attribute.isHidden():
		seen.Highlight &^= Underscore // would show the length of the input
	case l.isGraphic:
		seen.Rune = showGraphic(c.code)
	default:
		seen.Rune = t.page.show(c.code)
	}
	return seen
}

// baseColour returns the colour that a 3279 gives to a field with the attribute a,
// if the field has no colour attribute.
func baseColour(a attribute) Colour {
	switch {
	case a.isProtected() && a.isIntense():
		return White
	case a.isProtected():
		return Blue
	case a.isIntense():
		return Red
	}
	return Green
}
