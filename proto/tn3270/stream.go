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

// A writer executes the orders and characters of one write command. For any input it stays within
// the buffer, and visits each position at most once for each order.
type writer struct {
	b    *buffer
	in   []byte // not yet executed
	at   int    // the current position
	look look   // of characters, set by SA

	afterText bool // the last code was a character, or a tab that continues to erase
}

// write executes orders and characters up to the end or the first invalid order. It returns
// Unlocked, or the error of that order.
func (w *writer) write() Lock {
	for len(w.in) > 0 {
		if fault := w.step(); fault != Unlocked {
			return fault
		}
	}
	return Unlocked
}

// step removes one order or character from w.in and executes it. It returns Unlocked, or the
// error of the order.
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
	data, ok := w.operands(code)
	if !ok {
		return BadLength
	}
	switch code {
	case orderSBA:
		to, ok := w.address(data)
		if !ok {
			return BadAddress
		}
		w.at = to
	case orderIC:
		w.b.cursor = w.at
	case orderSF:
		w.put(cell{isAttribute: true, attribute: attribute(data[0] & 0x3F)})
	case orderSFE:
		c := cell{isAttribute: true}
		c.setAll(data[1:])
		w.put(c)
	case orderMF: // ignored unless the position has an attribute
		if c := &w.b.cells[w.at]; c.isAttribute {
			c.setAll(data[1:])
			w.at = w.b.next(w.at)
		}
	case orderSA:
		w.look.set(data[0], data[1])
	case orderRA:
		return w.repeat(data)
	case orderEUA:
		to, ok := w.address(data)
		if !ok {
			return BadAddress
		}
		w.b.eraseInput(w.at, to)
		w.at = to
	case orderGE:
		if data[0] < space {
			return BadCode
		}
		c := cell{code: data[0], look: w.look}
		c.look.isGraphic = true
		w.put(c)
		w.afterText = true
	default:
		return BadCode
	}
	return Unlocked
}

// operandSize returns the number of bytes that follow an order, as far as the order alone
// determines it. operands adds the exceptions: SFE, MF, and RA with a GE.
func operandSize(order byte) int {
	switch order {
	case orderSBA, orderSA, orderEUA:
		return 2
	case orderSF, orderGE:
		return 1
	case orderRA:
		return 3
	}
	return 0
}

// operands removes the operands of an order from w.in and returns them. ok is false if the record
// ends before their end. SFE and MF have a count and that many pairs of a type and a value. RA
// has one more byte if its character is a GE.
func (w *writer) operands(order byte) (data []byte, ok bool) {
	size := operandSize(order)
	switch {
	case (order == orderSFE || order == orderMF) && len(w.in) == 0:
		return nil, false
	case order == orderSFE || order == orderMF:
		size = 1 + 2*int(w.in[0])
	case order == orderRA && len(w.in) > 2 && w.in[2] == orderGE:
		size++
	}
	if len(w.in) < size {
		return nil, false
	}
	data, w.in = w.in[:size], w.in[size:]
	return data, true
}

// isCharacter reports whether code is a character, which takes a position on the screen, and
// not an order.
func isCharacter(code byte) bool {
	switch code {
	case null, formFeed, return_, newLine, endMedium, duplicate, fieldMark, substitute:
		return true
	}
	return code >= space
}

// address decodes the buffer address in the first two bytes of data. ok is false if the
// address is beyond the screen.
func (w *writer) address(data []byte) (address int, ok bool) {
	address = decodeAddress(data[0], data[1])
	return address, address < len(w.b.cells)
}

// put stores c at the current position, and moves to the next position.
func (w *writer) put(c cell) {
	w.b.cells[w.at] = c
	w.at = w.b.next(w.at)
}

// setAll sets the attributes in pairs, each a type and a value.
func (c *cell) setAll(pairs []byte) {
	for ; len(pairs) > 0; pairs = pairs[2:] {
		if pairs[0] == typeField {
			c.attribute = attribute(pairs[1] & 0x3F)
		} else {
			c.look.set(pairs[0], pairs[1])
		}
	}
}

// repeat stores one character at the positions from the current one up to, but not including, an
// address. If the address is the current position, it fills the whole screen. It returns
// Unlocked, or the error of the order. data are the operands:
//
//	address (2)  [GE]  character
func (w *writer) repeat(data []byte) Lock {
	stop, ok := w.address(data)
	if !ok {
		return BadAddress
	}
	c := cell{code: data[len(data)-1], look: w.look}
	c.look.isGraphic = c.look.isGraphic || len(data) > 3
	if !isCharacter(c.code) {
		return BadCode
	}
	for w.put(c); w.at != stop; {
		w.put(c)
	}
	return Unlocked
}

// tab moves to the next unprotected field, or to the first position if no such field follows. If
// a character comes directly before the tab in the record, tab first erases the rest of the
// field. If that tab moves to the first position, a second tab after it erases, too.
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

// decodeAddress decodes a buffer address, which may be beyond the screen. It is two
// bytes (GA23-0059 §"Buffer Addressing"):
//
//	0 0 a a a a a a   a a a a a a a a    14 bits
//	x 1 a a a a a a   x x a a a a a a    12 bits; x makes each byte printable
//	1 0                                  reserved; read as 12 bits
//
// Every screen of this package has fewer than 4096 positions, so the client always
// sends 12 bits.
func decodeAddress(high, low byte) int {
	if high&0xC0 == 0 {
		return int(high)<<8 | int(low)
	}
	return int(high&0x3F)<<6 | int(low&0x3F)
}

// appendAddress appends an address below 4096 to to, as two bytes of 6 bits.
func appendAddress(to []byte, address int) []byte {
	return append(to, graphic(byte(address>>6)), graphic(byte(address)))
}

// graphic encodes the six low bits of b as an EBCDIC character that exists in every
// code page.
func graphic(b byte) byte {
	b &= 0x3F
	switch column := b & 0x0F; {
	case b == 0x21:
		return 0x61 // "/", because not every code page has E1
	case b == 0x30, column >= 1 && column <= 9:
		return b | 0xC0
	}
	return b | 0x40
}
