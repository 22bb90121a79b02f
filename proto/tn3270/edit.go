package tn3270

// makeRoom moves what is at a position and after it to the right, into the
// first null; ok is false if the field has none.
func (b *buffer) makeRoom(at int) (ok bool) {
	if !b.hasNull(at) {
		return false
	}
	var carried cell
	for i := range b.rest(at) {
		carried, b.cells[i] = b.cells[i], carried
		if carried.code == null {
			break
		}
	}
	return true
}

// hasNull reports whether there is a null from a position to the end of its
// field.
func (b *buffer) hasNull(from int) bool {
	for i := range b.rest(from) {
		if b.cells[i].code == null {
			return true
		}
	}
	return false
}

// delete takes out what is under the cursor and moves the rest of the field to
// the left.
func (b *buffer) delete() Lock {
	at := b.cursor
	if b.protected(at) {
		return Protected
	}
	before := at
	for i := range b.rest(at) {
		b.cells[before] = b.cells[i]
		before = i
	}
	b.cells[before] = cell{}
	b.modify(at)
	return Unlocked
}

// backspace goes left and deletes what is there.
func (b *buffer) backspace() Lock {
	at := b.previous(b.cursor)
	if b.protected(at) {
		return Protected
	}
	b.cursor = at
	return b.delete()
}

// eraseEOF erases from the cursor to the end of the field.
func (b *buffer) eraseEOF() Lock {
	at := b.cursor
	if b.protected(at) {
		return Protected
	}
	for i := range b.rest(at) {
		b.cells[i] = cell{}
	}
	b.modify(at)
	return Unlocked
}

// newLine returns the first position for input on the lines after the cursor's.
func (b *buffer) newLine() int {
	start := (b.cursor/b.columns + 1) * b.columns % len(b.cells)
	for i := range b.cells {
		if at := (start + i) % len(b.cells); !b.protected(at) {
			return at
		}
	}
	return 0
}
