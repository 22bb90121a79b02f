package tn3270

// A display is a 3270: its screen and the state of its keyboard. It executes records of the
// host and pressed keys, and returns the records to send. Only one goroutine at a time may use
// it.
type display struct {
	model  model
	page   *codePage
	buffer buffer

	lock        Lock
	insertMode  bool
	pendingKeys []Key // pressed while the keyboard was locked by Waiting
	attention   byte  // the last attention key
	alarmCount  int
}

// newDisplay returns a display with an empty screen, whose keyboard is locked because it waits
// for the host.
func newDisplay(m model, p *codePage) *display {
	rows, columns := m.primary()
	return &display{model: m, page: p, buffer: newBuffer(rows, columns), lock: Waiting, attention: attentionNone}
}

// print writes ASCII text of a host that is not in 3270 mode at the cursor. It obeys CR, LF and
// BS, and ignores other control characters. A full screen scrolls.
func (t *display) print(text []byte) {
	b := &t.buffer
	for _, c := range text {
		switch {
		case c == '\r':
			b.cursor -= b.cursor % b.columns
		case c == '\n':
			t.lineFeed()
		case c == '\b' && b.cursor%b.columns > 0:
			b.cursor--
		case c >= ' ' && c < 0x7F:
			t.printCharacter(c)
		}
	}
}

// printCharacter puts the ASCII character c into the cell at the cursor, and moves the cursor
// on. At the end of the screen it scrolls.
func (t *display) printCharacter(c byte) {
	b := &t.buffer
	code, _ := t.page.code(rune(c)) // every code page has ASCII
	b.cells[b.cursor] = cell{code: code}
	if b.cursor++; b.cursor == len(b.cells) {
		b.cursor -= b.columns
		b.scroll()
	}
}

// lineFeed moves the cursor down by one line, in the same column. At the last line the screen
// scrolls instead.
func (t *display) lineFeed() {
	b := &t.buffer
	if b.cursor += b.columns; b.cursor >= len(b.cells) {
		b.cursor -= b.columns
		b.scroll()
	}
}

// scroll moves all lines up by one, and clears the last line. The cursor stays.
func (b *buffer) scroll() {
	copy(b.cells, b.cells[b.columns:])
	clear(b.cells[len(b.cells)-b.columns:])
}

// Commands of the data stream (GA23-0059 §"Commands"). Each has a code for local
// and one for remote control units. Hosts use either.
const (
	commandW    = 0x01 // write
	commandRB   = 0x02 // read buffer
	commandNOP  = 0x03
	commandEW   = 0x05 // erase/write
	commandRM   = 0x06 // read modified
	commandEWA  = 0x0D // erase/write alternate
	commandRMA  = 0x0E // read modified all
	commandEAU  = 0x0F // erase all unprotected
	commandWSF  = 0x11 // write structured field
	remoteW     = 0xF1
	remoteRB    = 0xF2
	remoteWSF   = 0xF3
	remoteEW    = 0xF5
	remoteRM    = 0xF6
	remoteEWA   = 0x7E
	remoteRMA   = 0x6E
	remoteEAU   = 0x6F
	wccRestore  = 0x02 // in the write control character: unlock the keyboard
	wccAlarm    = 0x04 // sound the alarm
	wccModified = 0x01 // mark all fields as unmodified
)

// receive executes one record of the host. It returns the records to reply with. An unknown command
// locks the keyboard with BadCommand.
func (t *display) receive(record []byte) (replies [][]byte) {
	if len(record) == 0 {
		return nil
	}
	command, rest := record[0], record[1:]
	switch command {
	case commandW, remoteW:
		t.write(rest)
	case commandEW, remoteEW:
		t.resize(t.model.primary())
		t.write(rest)
	case commandEWA, remoteEWA:
		t.resize(t.model.alternate())
		t.write(rest)
	case commandEAU, remoteEAU:
		t.buffer.eraseAllInput()
		t.unlock()
	case commandWSF, remoteWSF:
		return t.structured(rest)
	case commandRB, remoteRB:
		return [][]byte{t.readBuffer()}
	case commandRM, remoteRM:
		return [][]byte{t.readModified(false)}
	case commandRMA, remoteRMA:
		return [][]byte{t.readModified(true)}
	case commandNOP:
	default:
		t.lock = BadCommand
	}
	return nil
}

// resize clears the screen and sets its size.
func (t *display) resize(rows, columns int) {
	if len(t.buffer.cells) != rows*columns || t.buffer.columns != columns {
		t.buffer = newBuffer(rows, columns)
	}
	t.buffer.clear()
}

// write executes data, a write control character and the orders after it. If an order is
// invalid, it locks the keyboard and stops. Empty data has no effect.
func (t *display) write(data []byte) {
	if len(data) == 0 {
		return // only an erase
	}
	control := data[0]
	if control&wccModified != 0 {
		t.buffer.resetModified()
	}
	if control&wccAlarm != 0 {
		t.alarmCount++
	}
	w := writer{b: &t.buffer, in: data[1:], at: t.buffer.cursor}
	if fault := w.write(); fault != Unlocked {
		t.lock = fault
		return
	}
	if control&wccRestore != 0 {
		t.unlock()
	}
}

// unlock unlocks the keyboard, and forgets the last attention key.
func (t *display) unlock() {
	t.lock = Unlocked
	t.attention = attentionNone
}

// readBuffer returns the reply to Read Buffer: the last attention key, the cursor
// address, and every position.
func (t *display) readBuffer() []byte {
	reply := appendAddress([]byte{t.attention}, t.buffer.cursor)
	for _, c := range t.buffer.cells {
		if c.isAttribute {
			reply = append(reply, orderSF, graphic(byte(c.attribute)))
		} else {
			reply = c.append(reply)
		}
	}
	return reply
}

// append appends the character of the cell, after a graphic escape if necessary, to the bytes
// to, and returns the result.
func (c cell) append(to []byte) []byte {
	if c.look.isGraphic && c.code >= space {
		to = append(to, orderGE)
	}
	return append(to, c.code)
}

// readModified returns the record that an attention key sends, which is also the reply to Read
// Modified: the key, the cursor address, and each modified field with its address and without
// nulls. For Clear and the PA keys it returns only the key, unless all is true. On a screen
// without fields it returns all characters.
func (t *display) readModified(all bool) []byte {
	reply := []byte{t.attention}
	if isShort(t.attention) && !all {
		return reply
	}
	b := &t.buffer
	reply = appendAddress(reply, b.cursor)
	if _, hasFields := b.fieldAt(0); !hasFields {
		return b.appendText(reply, 0)
	}
	for at, c := range b.cells {
		if c.isAttribute && c.attribute.isModified() {
			first := b.next(at)
			reply = appendAddress(append(reply, orderSBA), first)
			reply = b.appendText(reply, first)
		}
	}
	return reply
}

// appendText appends the characters of the field, starting at the position from, to the bytes
// to, and returns the result. It omits nulls.
func (b *buffer) appendText(to []byte, from int) []byte {
	for at := range b.fieldFrom(from) {
		if b.cells[at].code != null {
			to = b.cells[at].append(to)
		}
	}
	return to
}
