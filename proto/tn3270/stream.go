package tn3270

// Orders of the data stream (GA23-0059 §"Orders"). Most other codes are characters.
const (
	orderPT  = 0x05 // program tab
	orderGE  = 0x08 // graphic escape
	orderSBA = 0x11 // set buffer address
	orderEUA = 0x12 // erase unprotected to address
	orderIC  = 0x13 // insert cursor
	orderSF  = 0x1D // start field
	orderSA  = 0x28 // set attribute
	orderSFE = 0x29 // start field extended
	orderMF  = 0x2C // modify field
	orderRA  = 0x3C // repeat to address
)

// A writer executes the orders and characters of one write command. For any input it
// stays within the buffer, and visits each position at most once for each order.
type writer struct {
	b    *buffer
	in   []byte // not yet executed
	at   int    // the current position
	look look   // of characters, set by SA

	afterText bool // the last code was a character, or a tab that continues to erase
}

// write executes everything up to the first error. It returns the error, or
// Unlocked.
func (w *writer) write() Lock {
	for len(w.in) > 0 {
		if fault := w.step(); fault != Unlocked {
			return fault
		}
	}
	return Unlocked
}

// step executes one order or character.
func (w *writer) step() Lock {
	code := w.in[0]
	w.in = w.in[1:]
	if isCharacter(code) {
		w.put(cell{code: code, look: w.look})
		w.afterText = true
		return Unlocked
	}
	if code == orderPT {
		w.tab()
		return Unlocked
	}
	w.afterText = false
	switch code {
	case orderSBA:
		return w.address(&w.at)
	case orderIC:
		w.b.cursor = w.at
	case orderSF:
		return w.startField()
	case orderSFE:
		return w.startFieldExtended()
	case orderMF:
		return w.modifyField()
	case orderSA:
		return w.setAttribute()
	case orderRA:
		return w.repeat()
	case orderEUA:
		return w.erase()
	case orderGE:
		return w.escape()
	default:
		return BadCode
	}
	return Unlocked
}

// isCharacter reports whether a code is a character.
func isCharacter(code byte) bool {
	switch code {
	case null, formFeed, return_, newLine, endMedium, duplicate, fieldMark, substitute:
		return true
	}
	return code >= space
}

// take returns the next n bytes. ok is false if there are fewer.
func (w *writer) take(n int) (data []byte, ok bool) {
	if len(w.in) < n {
		return nil, false
	}
	data, w.in = w.in[:n], w.in[n:]
	return data, true
}

// address reads a buffer address.
func (w *writer) address(to *int) Lock {
	data, ok := w.take(2)
	if !ok {
		return BadLength
	}
	address := decodeAddress(data[0], data[1])
	if address >= len(w.b.cells) {
		return BadAddress
	}
	*to = address
	return Unlocked
}

// put sets the cell at the current position and moves to the next.
func (w *writer) put(c cell) {
	w.b.cells[w.at] = c
	w.at = w.b.next(w.at)
}

func (w *writer) startField() Lock {
	data, ok := w.take(1)
	if !ok {
		return BadLength
	}
	w.put(cell{isAttribute: true, attribute: attribute(data[0] & 0x3F)})
	return Unlocked
}

func (w *writer) startFieldExtended() Lock {
	pairs, ok := w.pairs()
	if !ok {
		return BadLength
	}
	c := cell{isAttribute: true}
	c.setAll(pairs)
	w.put(c)
	return Unlocked
}

// modifyField changes the attribute at the current position. If there is none it
// does nothing.
func (w *writer) modifyField() Lock {
	pairs, ok := w.pairs()
	if !ok {
		return BadLength
	}
	if c := &w.b.cells[w.at]; c.isAttribute {
		c.setAll(pairs)
		w.at = w.b.next(w.at)
	}
	return Unlocked
}

// pairs reads a count and that many pairs of a type and a value.
func (w *writer) pairs() (pairs []byte, ok bool) {
	count, ok := w.take(1)
	if !ok {
		return nil, false
	}
	return w.take(2 * int(count[0]))
}

// setAll sets the attributes of pairs.
func (c *cell) setAll(pairs []byte) {
	for ; len(pairs) > 0; pairs = pairs[2:] {
		if pairs[0] == typeField {
			c.attribute = attribute(pairs[1] & 0x3F)
		} else {
			c.look.set(pairs[0], pairs[1])
		}
	}
}

func (w *writer) setAttribute() Lock {
	pair, ok := w.take(2)
	if !ok {
		return BadLength
	}
	w.look.set(pair[0], pair[1])
	return Unlocked
}

// repeat fills the positions before an address with one character.
func (w *writer) repeat() Lock {
	var stop int
	if fault := w.address(&stop); fault != Unlocked {
		return fault
	}
	c := cell{look: w.look}
	if len(w.in) > 0 && w.in[0] == orderGE {
		w.in = w.in[1:]
		c.look.isGraphic = true
	}
	data, ok := w.take(1)
	if !ok {
		return BadLength
	}
	c.code = data[0]
	if !isCharacter(c.code) {
		return BadCode
	}
	for w.put(c); w.at != stop; {
		w.put(c)
	}
	return Unlocked
}

// erase erases the unprotected positions before an address.
func (w *writer) erase() Lock {
	var stop int
	if fault := w.address(&stop); fault != Unlocked {
		return fault
	}
	w.b.eraseInput(w.at, stop)
	w.at = stop
	return Unlocked
}

// escape writes one character of the graphic escape set.
func (w *writer) escape() Lock {
	data, ok := w.take(1)
	if !ok {
		return BadLength
	}
	if data[0] < space {
		return BadCode
	}
	c := cell{code: data[0], look: w.look}
	c.look.isGraphic = true
	w.put(c)
	w.afterText = true
	return Unlocked
}

// tab moves to the next unprotected field, or to the first position if there is none
// before the end. After a character it erases the rest of the field. If such a tab
// has reached the end, the next tab continues to erase.
func (w *writer) tab() {
	if c := w.b.cells[w.at]; c.isAttribute && !c.attribute.isProtected() {
		w.at, w.afterText = w.b.next(w.at), false
		return
	}
	to, _ := w.b.nextInput(w.at)
	if to <= w.at {
		to = 0
	}
	if w.afterText {
		for at := w.at; !w.b.cells[at].isAttribute; {
			w.b.cells[at] = cell{}
			if at = w.b.next(at); at == 0 {
				break
			}
		}
	}
	w.at, w.afterText = to, w.afterText && to == 0
}
