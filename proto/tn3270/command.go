package tn3270

// Commands of the data stream, each with the code that a local and the one that
// a remote control unit is sent (GA23-0059 §"Commands"); hosts use either.
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
	wccRestore  = 0x02 // in the write control character: the keyboard is unlocked
	wccAlarm    = 0x04 // the alarm sounds
	wccModified = 0x01 // no field is marked as changed any more
)

// receive carries out one record of the host, and returns what it is answered
// with, records too; none if nothing is.
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

// resize empties the screen and gives it a size.
func (t *display) resize(rows, columns int) {
	if len(t.buffer.cells) != rows*columns || t.buffer.columns != columns {
		t.buffer = newBuffer(rows, columns)
	}
	t.buffer.clear()
}

// write carries out a write control character and the orders after it.
func (t *display) write(data []byte) {
	if len(data) == 0 {
		return // an erase alone
	}
	control := data[0]
	if control&wccModified != 0 {
		t.buffer.resetModified()
	}
	if control&wccAlarm != 0 {
		t.alarms++
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

// unlock gives the turn to the user.
func (t *display) unlock() {
	t.lock = Unlocked
	t.attention = attentionNone
}

// readBuffer returns the answer to a read of the whole buffer: the key that
// was pressed last, the address of the cursor, and every position.
func (t *display) readBuffer() []byte {
	reply := appendAddress([]byte{t.attention}, t.buffer.cursor)
	for _, c := range t.buffer.cells {
		if c.field {
			reply = append(reply, orderSF, graphic(byte(c.attribute)))
		} else {
			reply = c.append(reply)
		}
	}
	return reply
}

// append appends the character of a cell.
func (c cell) append(to []byte) []byte {
	if c.look.graphic && c.code >= space {
		to = append(to, orderGE)
	}
	return append(to, c.code)
}

// readModified returns what a key sends, and what answers a read: the key, the
// address of the cursor, and each field that was changed, with its address and
// without its nulls. Keys that send nothing but themselves do so unless all is
// asked for.
func (t *display) readModified(all bool) []byte {
	reply := []byte{t.attention}
	if isShort(t.attention) && !all {
		return reply
	}
	b := &t.buffer
	reply = appendAddress(reply, b.cursor)
	if _, formatted := b.fieldAt(0); !formatted {
		return b.appendText(reply, 0)
	}
	for at, c := range b.cells {
		if c.field && c.attribute.modified() {
			first := b.next(at)
			reply = appendAddress(append(reply, orderSBA), first)
			reply = b.appendText(reply, first)
		}
	}
	return reply
}

// appendText appends the characters from a position to the end of the field.
func (b *buffer) appendText(to []byte, from int) []byte {
	for at := range b.rest(from) {
		if b.cells[at].code != null {
			to = b.cells[at].append(to)
		}
	}
	return to
}
