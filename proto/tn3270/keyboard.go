package tn3270

import "slices"

// A Key is a key of the terminal: a character, which is its Unicode code point,
// or one of the constants below and what [PF] and [PA] give.
type Key rune

// Keys that are no characters.
const (
	Enter      Key = -1 - iota // sends what was typed
	Clear                      // empties the screen, makes it 24 rows of 80, and tells the host
	Reset                      // unlocks the keyboard, ends insert mode, forgets what waits
	Tab                        // to the next field for input
	BackTab                    // to the one before, or to the start of this one
	Home                       // to the first field for input
	NewLine                    // to the first field for input on a later line
	Up                         // the cursor alone
	Down                       //
	Left                       //
	Right                      //
	Backspace                  // erases to the left
	Delete                     // erases under the cursor
	Insert                     // insert mode on and off
	EraseEOF                   // erases the rest of the field
	EraseInput                 // erases every field for input
	Redraw                     // draws the screen anew, and does nothing else
	programKeys
)

// PF returns the program function key n, from 1 to 24.
func PF(n int) Key { return programKeys - Key(n) }

// PA returns the program attention key n, from 1 to 3.
func PA(n int) Key { return programKeys - 24 - Key(n) }

// Attention identifiers: what the host is told that was pressed.
const (
	attentionNone  = 0x60
	attentionEnter = 0x7D
	attentionClear = 0x6D
)

const (
	attentionsPF = "\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8\xF9\x7A\x7B\x7C\xC1\xC2\xC3\xC4\xC5\xC6\xC7\xC8\xC9\x4A\x4B\x4C"
	attentionsPA = "\x6C\x6E\x6B"
)

// attentionOf returns the attention identifier of a key; ok is false if the key
// does not call the host.
func attentionOf(k Key) (code byte, ok bool) {
	switch n := int(programKeys - k); {
	case k == Enter:
		return attentionEnter, true
	case k == Clear:
		return attentionClear, true
	case n >= 1 && n <= len(attentionsPF):
		return attentionsPF[n-1], true
	case n > len(attentionsPF) && n <= len(attentionsPF)+len(attentionsPA):
		return attentionsPA[n-len(attentionsPF)-1], true
	}
	return 0, false
}

// isShort reports whether a key tells the host nothing but itself.
func isShort(attention byte) bool {
	return attention == attentionClear || slices.Contains([]byte(attentionsPA), attention)
}

// A Lock is why the keyboard takes no keys but Reset.
type Lock uint8

const (
	Unlocked   Lock = iota // it takes keys
	Waiting                // for the host; keys are kept until it has answered
	Protected              // something was typed where nothing may be
	Numeric                // something was typed into a field for numbers that is none
	Overflow               // insert mode, and the field is full
	NoFunction             // the key does nothing, or the code page does not have the character
	BadCode                // the host sent a code that is no order and no character
	BadAddress             // the host named a place beyond the screen
	BadCommand             // the host sent a command that does not exist
	BadLength              // the host sent an order, or a structured field, without its end
	BadField               // the host sent a structured field that is not supported
)

// String returns what the status line of a terminal says: "X SYSTEM".
func (l Lock) String() string {
	names := [...]string{
		"", "X SYSTEM", "X Protected", "X NUM", "X >", "X -f",
		"X PROG 755", "X PROG 752", "X PROG 753", "X PROG 754", "X PROG 756",
	}
	if int(l) < len(names) {
		return names[l]
	}
	return "X"
}

// mostWaiting is how many keys are kept while the host has the turn.
const mostWaiting = 1024

// press presses a key and returns the record that it sends; nil if none.
func (t *display) press(k Key) (record []byte) {
	if k == Reset {
		t.lock, t.insert, t.waiting = Unlocked, false, nil
		return nil
	}
	switch {
	case t.lock == Waiting && len(t.waiting) < mostWaiting:
		t.waiting = append(t.waiting, k)
		return nil
	case t.lock != Unlocked:
		return nil
	}
	if code, ok := attentionOf(k); ok {
		return t.call(code)
	}
	t.lock = t.edit(k)
	return nil
}

// resume presses the keys that have waited, as far as the keyboard takes them.
func (t *display) resume() (records [][]byte) {
	for len(t.waiting) > 0 && t.lock == Unlocked {
		k := t.waiting[0]
		t.waiting = t.waiting[1:]
		if record := t.press(k); record != nil {
			records = append(records, record)
		}
	}
	return records
}

// call calls the host.
func (t *display) call(attention byte) (record []byte) {
	t.attention = attention
	t.lock = Waiting
	t.insert = false
	if attention == attentionClear { // the screen has its default size again
		t.resize(t.model.primary())
	}
	return t.readModified(false)
}

// edit carries out a key that does not call the host.
func (t *display) edit(k Key) Lock {
	b := &t.buffer
	switch k {
	case Tab:
		b.cursor, _ = b.input(b.cursor)
		return Unlocked
	case BackTab:
		b.cursor, _ = b.inputBefore(b.cursor)
		return Unlocked
	case Home:
		b.cursor = b.home()
	case NewLine:
		b.cursor = b.newLine()
	case Up:
		b.cursor = (b.cursor + len(b.cells) - b.columns) % len(b.cells)
	case Down:
		b.cursor = (b.cursor + b.columns) % len(b.cells)
	case Left:
		b.cursor = b.previous(b.cursor)
	case Right:
		b.cursor = b.next(b.cursor)
	case Backspace:
		return b.backspace()
	case Delete:
		return b.delete()
	case Insert:
		t.insert = !t.insert
	case EraseEOF:
		return b.eraseEOF()
	case EraseInput:
		b.eraseAllInput()
	default:
		return t.character(rune(k))
	}
	return Unlocked
}

// character types a character.
func (t *display) character(r rune) Lock {
	code, ok := t.page.code(r)
	b := &t.buffer
	at := b.cursor
	switch field, formatted := b.fieldAt(at); {
	case !ok:
		return NoFunction
	case b.protected(at):
		return Protected
	case formatted && b.cells[field].attribute.numeric() && !isNumeric(r):
		return Numeric
	case t.insert && !b.makeRoom(at):
		return Overflow
	}
	c := &b.cells[at]
	c.code, c.look.graphic = code, false
	b.modify(at)
	b.cursor = b.afterTyping(at)
	return Unlocked
}

// isNumeric reports whether a field for numbers takes a character. The comma is
// the decimal sign of many countries.
func isNumeric(r rune) bool {
	return r >= '0' && r <= '9' || r == '-' || r == '.' || r == ','
}

// afterTyping returns where the cursor goes when something was typed at a
// position: to the next one or, where the field ends, into the next field that
// has a position, or over those that are to be skipped.
func (b *buffer) afterTyping(at int) int {
	at = b.next(at) // and there is no attribute where something was typed
	for ; b.cells[at].field; at = b.next(at) {
		if b.cells[at].attribute.skipped() {
			to, _ := b.input(at)
			return to
		}
	}
	return at
}
