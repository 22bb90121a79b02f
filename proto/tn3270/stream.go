package tn3270

// Orders of the data stream (GA23-0059 §"Orders"); what is none of them is a
// character.
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

// A writer carries out the orders and characters of one write command. Nothing
// that it is given makes it leave the buffer, or do more than go once around
// it for each order.
type writer struct {
	b    *buffer
	in   []byte // what is still to be done
	at   int    // where
	look look   // of characters, as SA has set it

	written bool // the last thing was a character, or a tab that goes on erasing
}

// write carries out everything, or what comes before a fault, and returns the
// fault; Unlocked if there is none.
func (w *writer) write() Lock {
	for len(w.in) > 0 {
		if fault := w.step(); fault != Unlocked {
			return fault
		}
	}
	return Unlocked
}

// step carries out one order or character.
func (w *writer) step() Lock {
	code := w.in[0]
	w.in = w.in[1:]
	if isCharacter(code) {
		w.put(cell{code: code, look: w.look})
		w.written = true
		return Unlocked
	}
	if code == orderPT {
		w.tab()
		return Unlocked
	}
	w.written = false
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

// isCharacter reports whether a code has a place on the screen by itself.
func isCharacter(code byte) bool {
	switch code {
	case null, formFeed, return_, newLine, endMedium, duplicate, fieldMark, substitute:
		return true
	}
	return code >= space
}

// take returns the next n bytes; ok is false if there are not as many.
func (w *writer) take(n int) (octets []byte, ok bool) {
	if len(w.in) < n {
		return nil, false
	}
	octets, w.in = w.in[:n], w.in[n:]
	return octets, true
}

// address reads an address of the buffer.
func (w *writer) address(to *int) Lock {
	octets, ok := w.take(2)
	if !ok {
		return BadLength
	}
	address := decodeAddress(octets[0], octets[1])
	if address >= len(w.b.cells) {
		return BadAddress
	}
	*to = address
	return Unlocked
}

// put fills the current position and goes on to the next.
func (w *writer) put(c cell) {
	w.b.cells[w.at] = c
	w.at = w.b.next(w.at)
}

func (w *writer) startField() Lock {
	octets, ok := w.take(1)
	if !ok {
		return BadLength
	}
	w.put(cell{field: true, attribute: attribute(octets[0] & 0x3F)})
	return Unlocked
}

func (w *writer) startFieldExtended() Lock {
	pairs, ok := w.pairs()
	if !ok {
		return BadLength
	}
	c := cell{field: true}
	c.setAll(pairs)
	w.put(c)
	return Unlocked
}

// modifyField changes the attribute at the current position; if there is none
// it does nothing.
func (w *writer) modifyField() Lock {
	pairs, ok := w.pairs()
	if !ok {
		return BadLength
	}
	if c := &w.b.cells[w.at]; c.field {
		c.setAll(pairs)
		w.at = w.b.next(w.at)
	}
	return Unlocked
}

// pairs reads a count, and as many pairs of a type and a value.
func (w *writer) pairs() (pairs []byte, ok bool) {
	count, ok := w.take(1)
	if !ok {
		return nil, false
	}
	return w.take(2 * int(count[0]))
}

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

// repeat fills what is before an address with one character.
func (w *writer) repeat() Lock {
	var stop int
	if fault := w.address(&stop); fault != Unlocked {
		return fault
	}
	c := cell{look: w.look}
	if len(w.in) > 0 && w.in[0] == orderGE {
		w.in = w.in[1:]
		c.look.graphic = true
	}
	octets, ok := w.take(1)
	if !ok {
		return BadLength
	}
	c.code = octets[0]
	if !isCharacter(c.code) {
		return BadCode
	}
	for w.put(c); w.at != stop; {
		w.put(c)
	}
	return Unlocked
}

// erase erases what is before an address and not protected.
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
	octets, ok := w.take(1)
	if !ok {
		return BadLength
	}
	if octets[0] < space {
		return BadCode
	}
	c := cell{code: octets[0], look: w.look}
	c.look.graphic = true
	w.put(c)
	w.written = true
	return Unlocked
}

// tab goes to the next field in which something may be typed, or to the first
// position if there is none before the end. After a character it erases the
// rest of the field; a tab after one that came to the end so erases on.
func (w *writer) tab() {
	if c := w.b.cells[w.at]; c.field && !c.attribute.protected() {
		w.at, w.written = w.b.next(w.at), false
		return
	}
	to, _ := w.b.input(w.at)
	if to <= w.at {
		to = 0
	}
	if w.written {
		for at := w.at; !w.b.cells[at].field; {
			w.b.cells[at] = cell{}
			if at = w.b.next(at); at == 0 {
				break
			}
		}
	}
	w.at, w.written = to, w.written && to == 0
}
