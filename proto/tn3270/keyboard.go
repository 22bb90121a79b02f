package tn3270

import "slices"

// A Key is a key of the terminal: a character as its Unicode code point, one of the
// constants below, or a result of [PF] or [PA].
type Key rune

// Keys other than characters.
const (
	Enter      Key = -1 - iota // sends the input
	Clear                      // clears the screen, sets it to 24 rows of 80, and tells the host
	Reset                      // unlocks the keyboard, ends insert mode, discards pending keys
	Tab                        // to the next input field
	BackTab                    // to the previous input field or the start of this one
	Home                       // to the first input field
	NewLine                    // to the first input field on a later line
	Up                         // moves only the cursor
	Down                       // same
	Left                       // same
	Right                      // same
	Backspace                  // deletes the character to the left
	Delete                     // deletes the character at the cursor
	Insert                     // toggles insert mode
	EraseEOF                   // erases the rest of the field
	EraseInput                 // erases all input fields
	Redraw                     // only redraws the screen
	programKeys
)

// PF returns the program function key n, from 1 to 24.
func PF(n int) Key { return programKeys - Key(n) }

// PA returns the program attention key n, from 1 to 3.
func PA(n int) Key { return programKeys - 24 - Key(n) }

// Attention identifiers tell the host which key was pressed.
const (
	attentionNone  = 0x60
	attentionEnter = 0x7D
	attentionClear = 0x6D
)

const (
	attentionsPF = "\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8\xF9\x7A\x7B\x7C\xC1\xC2\xC3\xC4\xC5\xC6\xC7\xC8\xC9\x4A\x4B\x4C"
	attentionsPA = "\x6C\x6E\x6B"
)

// attentionOf returns the attention identifier of k. ok is false if k is not an attention key,
// which is Enter, Clear, a PF or a PA key.
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

// isShort reports whether the key with this attention identifier sends no fields, only the
// identifier.
func isShort(attention byte) bool {
	return attention == attentionClear || slices.Contains([]byte(attentionsPA), attention)
}

// A Lock is the reason for which the keyboard is locked. Reset unlocks it.
type Lock uint8

const (
	Unlocked   Lock = iota // not locked
	Waiting                // the host has not replied yet; keys are pending until it does
	Protected              // input at a protected position
	Numeric                // input that is not numeric in a numeric field
	Overflow               // the field is full in insert mode
	NoFunction             // unknown key, or a character that the code page lacks
	BadCode                // the host sent a code that is neither an order nor a character
	BadAddress             // the host sent an address beyond the screen
	BadCommand             // the host sent an unknown command
	BadLength              // the host sent an incomplete order or structured field
	BadField               // the host sent an unsupported structured field
)

// String returns the text of a 3270's status line, such as "X SYSTEM"; "" for Unlocked.
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

// maxPendingKeys limits the pending keys.
const maxPendingKeys = 1024

// press executes the key k. It returns the record to send, or nil. While the keyboard is locked
// by Waiting, press keeps up to maxPendingKeys keys for pressPending; in other locks it ignores
// all keys except Reset.
func (t *display) press(k Key) (record []byte) {
	if k == Reset {
		t.lock, t.insertMode, t.pendingKeys = Unlocked, false, nil
		return nil
	}
	switch {
	case t.lock == Waiting && len(t.pendingKeys) < maxPendingKeys:
		t.pendingKeys = append(t.pendingKeys, k)
		return nil
	case t.lock != Unlocked:
		return nil
	}
	if code, ok := attentionOf(k); ok {
		return t.sendAttention(code)
	}
	t.lock = t.edit(k)
	return nil
}

// pressPending presses the pending keys until the keyboard is locked again, and returns the
// records to send.
func (t *display) pressPending() (records [][]byte) {
	for len(t.pendingKeys) > 0 && t.lock == Unlocked {
		k := t.pendingKeys[0]
		t.pendingKeys = t.pendingKeys[1:]
		if record := t.press(k); record != nil {
			records = append(records, record)
		}
	}
	return records
}

// sendAttention returns the record for an attention key. It ends insert mode, and locks the
// keyboard until the host replies. Clear also clears the screen and resets its size.
func (t *display) sendAttention(attention byte) (record []byte) {
	t.attention = attention
	t.lock = Waiting
	t.insertMode = false
	if attention == attentionClear { // resets the screen size
		t.resize(t.model.primary())
	}
	return t.readModified(false)
}

// edit executes a key that is not an attention key. It returns Unlocked, or the reason for
// which the key was not possible.
func (t *display) edit(k Key) Lock {
	b := &t.buffer
	switch k {
	case Tab:
		b.cursor, _ = b.nextInput(b.cursor)
		return Unlocked
	case BackTab:
		b.cursor, _ = b.previousInput(b.cursor)
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
		t.insertMode = !t.insertMode
	case EraseEOF:
		return b.eraseEOF()
	case EraseInput:
		b.eraseAllInput()
	default:
		return t.typeCharacter(rune(k))
	}
	return Unlocked
}

// typeCharacter puts r at the cursor, and moves the cursor on. It returns Unlocked, or the
// reason for which the field does not accept r.
func (t *display) typeCharacter(r rune) Lock {
	code, ok := t.page.code(r)
	b := &t.buffer
	at := b.cursor
	switch field, hasFields := b.fieldAt(at); {
	case !ok:
		return NoFunction
	case b.isProtected(at):
		return Protected
	case hasFields && b.cells[field].attribute.isNumeric() && !isNumeric(r):
		return Numeric
	case t.insertMode && !b.makeRoom(at):
		return Overflow
	}
	c := &b.cells[at]
	c.code, c.look.isGraphic = code, false
	b.markModified(at)
	b.cursor = b.afterTyping(at)
	return Unlocked
}

// isNumeric reports whether a numeric field accepts r. It accepts a comma, because that is the
// decimal sign of many countries.
func isNumeric(r rune) bool {
	return r >= '0' && r <= '9' || r == '-' || r == '.' || r == ','
}

// afterTyping returns the position to which the cursor moves after input at the position at:
// the next position. At the end of the field that is the start of the next field, or of the
// next input field if the next field must be skipped.
func (b *buffer) afterTyping(at int) int {
	at = b.next(at) // at itself is a character
	for ; b.cells[at].isAttribute; at = b.next(at) {
		if b.cells[at].attribute.isSkipped() {
			to, _ := b.nextInput(at)
			return to
		}
	}
	return at
}
