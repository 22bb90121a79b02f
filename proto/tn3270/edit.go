package tn3270

// makeRoom shifts the characters from a position on to the right, up to the first
// null. ok is false if the field has no null.
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

// hasNull reports whether the field has a null at or after a position.
func (b *buffer) hasNull(from int) bool {
	for i := range b.fieldFrom(from) {
		if b.cells[i].code == null {
			return true
		}
	}
	return false
}

// delete deletes the character at the cursor and shifts the rest of the field to
// the left.
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

// backspace moves the cursor left and deletes the character there.
func (b *buffer) backspace() Lock {
	at := b.previous(b.cursor)
	if b.isProtected(at) {
		return Protected
	}
	b.cursor = at
	return b.delete()
}

// eraseEOF erases from the cursor to the end of the field.
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

// newLine returns the first unprotected position after the cursor's line.
func (b *buffer) newLine() int {
	start := (b.cursor/b.columns + 1) * b.columns % len(b.cells)
	for i := range b.cells {
		if at := (start + i) % len(b.cells); !b.isProtected(at) {
			return at
		}
	}
	return 0
}
