package screen

import (
	"slices"

	"locus/terminal"
)

// The limits of a history.
const (
	maxScrolledLines = 2000
	maxScrolledBytes = 1 << 20 // of memory

	lineSize = 32 // the bytes of a line without cells
	cellSize = 32 // the bytes of a cell without its text
)

// A history has the lines that left a screen at its top and were not taken yet.
type history struct {
	terminal.Scrolled
	bytes int // the memory of Lines
}

// keep adds copies of the first n of lines, which leave the screen, to the history.
func (h *history) keep(lines []line, n int) {
	for i := range lines[:n] {
		h.add(terminal.Line{Cells: slices.Clone(textOf(lines, i)), Continues: lines[i].continues})
	}
}

// add adds a line, and drops the oldest lines if the history exceeds a limit.
func (h *history) add(l terminal.Line) {
	h.Lines = append(h.Lines, l)
	h.bytes += memoryOf(l)
	drop := 0
	for h.bytes > maxScrolledBytes || len(h.Lines)-drop > maxScrolledLines {
		h.bytes -= memoryOf(h.Lines[drop])
		h.Lines[drop] = terminal.Line{}
		drop++
	}
	h.Lines = h.Lines[drop:]
	h.Lost += drop
}

// memoryOf returns an upper bound for the bytes of a line. The texts of ASCII characters do not
// count, because they are shared.
func memoryOf(l terminal.Line) int {
	n := lineSize + cellSize*len(l.Cells)
	for _, c := range l.Cells {
		if len(c.Text) > 1 {
			n += len(c.Text)
		}
	}
	return n
}

// erase drops all lines and sets Erased.
func (h *history) erase() { *h = history{Scrolled: terminal.Scrolled{Erased: true}} }

// take returns the history since the last take, and empties it.
func (h *history) take() terminal.Scrolled {
	taken := h.Scrolled
	*h = history{}
	return taken
}
