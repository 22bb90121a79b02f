package tn3270

// A cell is one position of the screen: a character, or the attribute of the
// field that begins after it.
type cell struct {
	code      byte      // the character in EBCDIC; of an attribute nothing
	field     bool      // there is an attribute here
	attribute attribute // which, if so
	look      look      // of the field, or of the character
}

// A buffer is the characters and fields of a screen. cells has one cell for
// each position, the screen's rows one after another, and cursor is one of
// them. What follows the last position is the first one.
type buffer struct {
	cells   []cell
	columns int
	cursor  int
}

func newBuffer(rows, columns int) buffer {
	return buffer{cells: make([]cell, rows*columns), columns: columns}
}

// clear empties the screen.
func (b *buffer) clear() {
	clear(b.cells)
	b.cursor = 0
}

// next returns the position after another.
func (b *buffer) next(at int) int {
	if at+1 == len(b.cells) {
		return 0
	}
	return at + 1
}

// previous returns the position before another.
func (b *buffer) previous(at int) int {
	if at == 0 {
		return len(b.cells) - 1
	}
	return at - 1
}

// fieldAt returns where the attribute is that governs a position, which may be
// its own; ok is false if the screen has no fields.
func (b *buffer) fieldAt(at int) (field int, ok bool) {
	for range b.cells {
		if b.cells[at].field {
			return at, true
		}
		at = b.previous(at)
	}
	return 0, false
}

// protected reports whether nothing may be typed at a position: because of the
// field it is in, or because it has an attribute.
func (b *buffer) protected(at int) bool {
	field, ok := b.fieldAt(at)
	return ok && (field == at || b.cells[field].attribute.protected())
}

// rest yields the positions from one to the end of its field, or of the screen
// if that has no fields.
func (b *buffer) rest(from int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		_, formatted := b.fieldAt(from)
		for at := from; !b.cells[at].field && yield(at); {
			if at = b.next(at); at == 0 && !formatted {
				return
			}
		}
	}
}

// input returns the first position of the first field after a position (not
// the one it is in) in which something may be typed; ok is false if there is
// none. The search ends where it began.
func (b *buffer) input(after int) (at int, ok bool) {
	at = after
	for range b.cells {
		if first := b.next(at); b.begins(first) {
			return first, true
		}
		at = b.next(at)
	}
	return 0, false
}

// inputBefore is as input, backwards.
func (b *buffer) inputBefore(at int) (int, bool) {
	for range b.cells {
		if at = b.previous(at); b.begins(at) {
			return at, true
		}
	}
	return 0, false
}

// begins reports whether a position is the first of a field in which something
// may be typed. A field of no length has none.
func (b *buffer) begins(at int) bool {
	before := b.cells[b.previous(at)]
	return before.field && !before.attribute.protected() && !b.cells[at].field
}

// home returns where the cursor goes by itself: to the first field in which
// something may be typed.
func (b *buffer) home() int {
	at, _ := b.input(len(b.cells) - 1)
	return at
}

// resetModified takes the mark of change from every field.
func (b *buffer) resetModified() {
	for i := range b.cells {
		b.cells[i].attribute &^= modified
	}
}

// modify marks the field of a position as changed.
func (b *buffer) modify(at int) {
	if field, ok := b.fieldAt(at); ok {
		b.cells[field].attribute |= modified
	}
}

// eraseInput erases what is not protected, from a position up to another; if
// they are the same, everywhere.
func (b *buffer) eraseInput(from, to int) {
	field, ok := b.fieldAt(from)
	protected := ok && b.cells[field].attribute.protected()
	for at := from; ; {
		if c := &b.cells[at]; c.field {
			protected = c.attribute.protected()
		} else if !protected {
			*c = cell{}
		}
		if at = b.next(at); at == to {
			return
		}
	}
}

// eraseAllInput erases every field that is not protected and its mark of
// change, and puts the cursor into the first.
func (b *buffer) eraseAllInput() {
	b.eraseInput(0, 0)
	for i := range b.cells {
		if !b.cells[i].attribute.protected() {
			b.cells[i].attribute &^= modified
		}
	}
	b.cursor = b.home()
}
