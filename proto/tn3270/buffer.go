package tn3270

// A cell is one position of the screen: a character, or the attribute of the field
// after it.
type cell struct {
	code        byte      // the character in EBCDIC; 0 for an attribute
	isAttribute bool      // the cell has an attribute
	attribute   attribute // if isAttribute is true
	look        look      // of the field or the character
}

// A buffer has the characters and fields of a screen. cells has one cell for each position, row
// after row. cursor is an index of cells. The screen wraps: the first position follows the last
// one.
type buffer struct {
	cells   []cell
	columns int
	cursor  int
}

// newBuffer returns an empty screen without fields, with the cursor at its first position.
func newBuffer(rows, columns int) buffer {
	return buffer{cells: make([]cell, rows*columns), columns: columns}
}

// clear removes all characters and fields, and moves the cursor to the first position.
func (b *buffer) clear() {
	clear(b.cells)
	b.cursor = 0
}

// next returns the position after at, or 0 if at is the last position.
func (b *buffer) next(at int) int {
	if at+1 == len(b.cells) {
		return 0
	}
	return at + 1
}

// previous returns the position before at, or the last position if at is 0.
func (b *buffer) previous(at int) int {
	if at == 0 {
		return len(b.cells) - 1
	}
	return at - 1
}

// fieldAt returns the position of the attribute that applies to the position at; it may be at
// itself. ok is false on a screen without fields.
func (b *buffer) fieldAt(at int) (field int, ok bool) {
	for range b.cells {
		if b.cells[at].isAttribute {
			return at, true
		}
		at = b.previous(at)
	}
	return 0, false
}

// isProtected reports whether the position at accepts no input: its field is protected, or
// the position has an attribute.
func (b *buffer) isProtected(at int) bool {
	field, ok := b.fieldAt(at)
	return ok && (field == at || b.cells[field].attribute.isProtected())
}

// fieldFrom yields the position from and the positions after it to the end of its field. A
// field may continue at the start of the screen; on a screen without fields, fieldFrom stops at
// the end of the screen. It yields no position if from has an attribute.
func (b *buffer) fieldFrom(from int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		_, hasFields := b.fieldAt(from)
		for at := from; !b.cells[at].isAttribute && yield(at); {
			if at = b.next(at); at == 0 && !hasFields {
				return
			}
		}
	}
}

// nextInput searches forwards from the position after, and returns the first position at which
// an unprotected field begins. It wraps, and looks at after itself last. ok is false, and at 0,
// if every field is protected or empty.
func (b *buffer) nextInput(after int) (at int, ok bool) {
	at = after
	for range b.cells {
		if first := b.next(at); b.isInputStart(first) {
			return first, true
		}
		at = b.next(at)
	}
	return 0, false
}

// previousInput searches backwards from the position before, and returns the first position at
// which an unprotected field begins. It wraps, and looks at before itself last. ok is false,
// and at 0, if every field is protected or empty.
func (b *buffer) previousInput(before int) (at int, ok bool) {
	at = before
	for range b.cells {
		if at = b.previous(at); b.isInputStart(at) {
			return at, true
		}
	}
	return 0, false
}

// isInputStart reports whether at is the first position of an unprotected field. It is false
// for the attribute of a field, and so for an empty field.
func (b *buffer) isInputStart(at int) bool {
	before := b.cells[b.previous(at)]
	return before.isAttribute && !before.attribute.isProtected() && !b.cells[at].isAttribute
}

// home returns the home position of the cursor: the start of the first unprotected field, or
// 0 if there is none.
func (b *buffer) home() int {
	at, _ := b.nextInput(len(b.cells) - 1)
	return at
}

// resetModified marks every field as unmodified.
func (b *buffer) resetModified() {
	for i := range b.cells {
		b.cells[i].attribute &^= modified
	}
}

// markModified marks the field of the position at as modified. It has no effect on a screen
// without fields.
func (b *buffer) markModified(at int) {
	if field, ok := b.fieldAt(at); ok {
		b.cells[field].attribute |= modified
	}
}

// eraseInput erases the unprotected positions in a range, which begins at from and ends
// before to, and may wrap. If from and to are the same, it erases all unprotected positions
// of the screen. Attributes stay.
func (b *buffer) eraseInput(from, to int) {
	field, ok := b.fieldAt(from)
	isProtected := ok && b.cells[field].attribute.isProtected()
	for at := from; ; {
		if c := &b.cells[at]; c.isAttribute {
			isProtected = c.attribute.isProtected()
		} else if !isProtected {
			*c = cell{}
		}
		if at = b.next(at); at == to {
			return
		}
	}
}

// eraseAllInput erases every unprotected field and marks it as unmodified. The cursor moves
// to its home position.
func (b *buffer) eraseAllInput() {
	b.eraseInput(0, 0)
	for i := range b.cells {
		if !b.cells[i].attribute.isProtected() {
			b.cells[i].attribute &^= modified
		}
	}
	b.cursor = b.home()
}

// makeRoom shifts the characters of the field from the position at on to the right, up to the
// first null, so that at is free. ok is false, and the buffer is unchanged, if the field has
// no null there.
func (b *buffer) makeRoom(at int) (ok bool) {
	if !b.hasNull(at) {
		return false
	}
	var carried cell
	for i := range b.fieldFrom(at) {
		carried, b.cells[i] = b.cells[i], carried
		if carried.code == null {
			break
		}
	}
	return true
}

// hasNull reports whether the part of a field from the position from to the end of the field has
// a null, so that there is room for another character.
func (b *buffer) hasNull(from int) bool {
	for i := range b.fieldFrom(from) {
		if b.cells[i].code == null {
			return true
		}
	}
	return false
}

// delete deletes the character at the cursor, shifts the rest of the field to the left, and
// marks the field as modified. It returns Protected, and changes nothing, if the cursor is at a
// protected position.
func (b *buffer) delete() Lock {
	at := b.cursor
	if b.isProtected(at) {
		return Protected
	}
	before := at
	for i := range b.fieldFrom(at) {
		b.cells[before] = b.cells[i]
		before = i
	}
	b.cells[before] = cell{}
	b.markModified(at)
	return Unlocked
}

// backspace moves the cursor left and deletes the character there. It returns Protected, and
// changes nothing, if that position is protected.
func (b *buffer) backspace() Lock {
	at := b.previous(b.cursor)
	if b.isProtected(at) {
		return Protected
	}
	b.cursor = at
	return b.delete()
}

// eraseEOF erases from the cursor to the end of the field, and marks the field as modified. It
// returns Protected, and changes nothing, if the cursor is at a protected position.
func (b *buffer) eraseEOF() Lock {
	at := b.cursor
	if b.isProtected(at) {
		return Protected
	}
	for i := range b.fieldFrom(at) {
		b.cells[i] = cell{}
	}
	b.markModified(at)
	return Unlocked
}

// newLine returns the first unprotected position after the cursor's line. It wraps, and
// returns 0 if every position is protected.
func (b *buffer) newLine() int {
	start := (b.cursor/b.columns + 1) * b.columns % len(b.cells)
	for i := range b.cells {
		if at := (start + i) % len(b.cells); !b.isProtected(at) {
			return at
		}
	}
	return 0
}
