package tn3270

import (
	"strings"

	"locus/terminal"
)

// A Picture is how the screen of a session looks at one moment. It does not
// change. What is in hidden fields, such as passwords, is not in it.
type Picture struct {
	Rows, Columns int
	Cells         []Cell // Rows times Columns, row after row
	Cursor        int    // its index in Cells
	Lock          Lock   // why keys are not taken; Unlocked if they are
	Insert        bool   // insert mode is on
	Alarms        int    // how often the host has sounded the alarm so far
	Connected     bool   // the host speaks 3270; until then it sends lines of text
}

// A Cell is one position of a [Picture].
type Cell struct {
	Rune       rune // what is seen; ' ' for nothing, never a control
	Colour     Colour
	Background Colour
	Highlight  Highlight
	Intense    bool // the field is one that stands out
	Input      bool // something may be typed here
}

// Lines returns the rows without the blanks at their ends.
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

// statusColumns has room for the status line but for where the cursor is.
const statusColumns = 30

// screen returns p as every session has it.
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

// characterText is string(r), and for what most cells have without an allocation.
func characterText(r rune) string {
	if r == ' ' {
		return " "
	}
	return string(r)
}

// look returns how a cell looks on a terminal of today.
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

// palette returns which of the sixteen colours that terminals have a colour is
// that is not the default.
func palette(c Colour) uint8 {
	return [...]uint8{0, 12, 1, 5, 2, 6, 3, 7, 0, 4, 9, 13, 10, 14, 8, 15}[c&0x0F]
}

// picture returns how the screen looks now.
func (t *display) picture() Picture {
	b := &t.buffer
	p := Picture{
		Rows: len(b.cells) / b.columns, Columns: b.columns,
		Cells:  make([]Cell, 0, len(b.cells)),
		Cursor: b.cursor, Lock: t.lock, Insert: t.insert, Alarms: t.alarms,
	}
	last, formatted := b.fieldAt(len(b.cells) - 1)
	field := b.cells[last]
	for _, c := range b.cells {
		if c.field {
			field = c
		}
		if !formatted {
			field = cell{}
		}
		p.Cells = append(p.Cells, t.cell(c, field))
	}
	return p
}

// cell returns how a cell looks that is governed by a field.
func (t *display) cell(c, field cell) Cell {
	if !t.model.colour {
		c.look, field.look = c.look.plain(), field.look.plain()
	}
	if c.field {
		return Cell{Rune: ' ', Background: c.look.background}
	}
	l := c.look.over(field.look)
	seen := Cell{
		Rune: ' ', Colour: l.colour, Background: l.background, Highlight: l.highlight,
		Intense: field.attribute.intense(), Input: !field.attribute.protected(),
	}
	if l.colour == DefaultColour && t.model.colour {
		seen.Colour = baseColour(field.attribute)
	}
	switch {
	case field.attribute.hidden():
		seen.Highlight &^= Underscore // would show how long it is
	case l.graphic:
		seen.Rune = showGraphic(c.code)
	default:
		seen.Rune = t.page.show(c.code)
	}
	return seen
}

// baseColour is the colour that a 3279 gives a field without one.
func baseColour(a attribute) Colour {
	switch {
	case a.protected() && a.intense():
		return White
	case a.protected():
		return Blue
	case a.intense():
		return Red
	}
	return Green
}
