package tn3270

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"locus/terminal"
)

// A keyReader decodes the input of a modern terminal into keys.
//
//	UTF-8 text                itself
//	control bytes             controls
//	ESC character             escapes
//	ESC [ …, ESC O …          sequences
//
// Unknown input is ignored.
type keyReader struct {
	partial []byte // an incomplete sequence
}

// maxSequence is the maximum length of a sequence.
const maxSequence = 32

// controls are the keys of the control characters.
var controls = [256]Key{
	'\r': Enter, '\n': NewLine, '\t': Tab, '\b': Backspace, 0x7F: Backspace,
	'A' - '@': Home, 'C' - '@': Clear, 'D' - '@': Delete, 'E' - '@': EraseEOF, 'L' - '@': Redraw, 'R' - '@': Reset, 'U' - '@': EraseInput,
}

// escapes are the keys of a character after ESC.
var escapes = map[rune]Key{
	'c': Clear, 'e': EraseEOF, 'h': Home, 'i': Insert, 'r': Reset, 'u': EraseInput, '\x1b': Reset, '\t': BackTab, '\r': NewLine,
	',': PA(1), '.': PA(2), '/': PA(3),
}

// Keys returns the keys of a 3270 that modern keyboards lack, with the text that Write
// decodes to them.
func (s *Session) Keys() []terminal.Key {
	keys := []terminal.Key{
		{Name: "Enter", Text: "\r"},
		{Name: "Clear", Text: "\x03"},
		{Name: "Reset", Text: "\x12"},
		{Name: "PA1", Text: "\x1b,"},
		{Name: "PA2", Text: "\x1b."},
		{Name: "PA3", Text: "\x1b/"},
	}
	for i := range escapesPF {
		keys = append(keys, terminal.Key{Name: "PF" + strconv.Itoa(i+1), Text: "\x1b" + escapesPF[i:i+1]})
	}
	return append(keys,
		terminal.Key{Name: "Home", Text: "\x01"}, terminal.Key{Name: "Back Tab", Text: "\x1b\t"},
		terminal.Key{Name: "New line", Text: "\n"}, terminal.Key{Name: "Erase EOF", Text: "\x05"},
		terminal.Key{Name: "Erase input", Text: "\x15"}, terminal.Key{Name: "Insert", Text: "\x1bi"})
}

// escapesPF are the characters after ESC for PF1 to PF24: the top row of a US
// keyboard, without and with Shift.
const escapesPF = `1234567890-=!@#$%^&*()_+`

// sequences are the keys of control sequences, without their ESC.
var sequences = map[string]Key{
	"[A": Up, "[B": Down, "[C": Right, "[D": Left, "OA": Up, "OB": Down, "OC": Right, "OD": Left,
	"[H": Home, "OH": Home, "[1~": Home, "[7~": Home, "[F": EraseEOF, "OF": EraseEOF, "[4~": EraseEOF, "[8~": EraseEOF,
	"[2~": Insert, "[3~": Delete, "[5~": PF(7), "[6~": PF(8), "[Z": BackTab, "OM": Enter,

	"OP": PF(1), "OQ": PF(2), "OR": PF(3), "OS": PF(4), "[[A": PF(1), "[[B": PF(2), "[[C": PF(3), "[[D": PF(4), "[[E": PF(5),
	"[11~": PF(1), "[12~": PF(2), "[13~": PF(3), "[14~": PF(4), "[15~": PF(5), "[17~": PF(6), "[18~": PF(7), "[19~": PF(8),
	"[20~": PF(9), "[21~": PF(10), "[23~": PF(11), "[24~": PF(12),

	"[1;2P": PF(13), "[1;2Q": PF(14), "[1;2R": PF(15), "[1;2S": PF(16), "[15;2~": PF(17), "[17;2~": PF(18),
	"[18;2~": PF(19), "[19;2~": PF(20), "[20;2~": PF(21), "[21;2~": PF(22), "[23;2~": PF(23), "[24;2~": PF(24),
	"[25~": PF(13), "[26~": PF(14), "[28~": PF(15), "[29~": PF(16), "[31~": PF(17), "[32~": PF(18), "[33~": PF(19), "[34~": PF(20),
}

// read decodes p, and returns its keys in order. It keeps an incomplete sequence for the
// next call, and drops unknown input.
func (r *keyReader) read(p []byte) []Key {
	r.partial = append(r.partial, p...)
	var keys []Key
	for len(r.partial) > 0 {
		key, n := next(r.partial)
		if n == 0 && len(r.partial) < maxSequence {
			break
		}
		if n == 0 { // longer than any sequence
			n = len(r.partial)
		}
		if key != 0 {
			keys = append(keys, key)
		}
		r.partial = r.partial[n:]
	}
	r.partial = bytes.Clone(r.partial)
	return keys
}

// next decodes the first key of b, which is not empty, and returns its length in bytes. The
// length is 0 if b ends within the sequence. The key is 0 if the sequence is unknown.
func next(b []byte) (key Key, length int) {
	c := b[0]
	switch {
	case c == 0x1B:
		return nextEscaped(b)
	case c < ' ' || c == 0x7F:
		return controls[c], 1
	case !utf8.FullRune(b):
		return 0, 0
	}
	r, n := utf8.DecodeRune(b)
	return Key(r), n
}

// nextEscaped decodes the first key of b, which begins with ESC, and returns its length in
// bytes. The length is 0 if b ends within the sequence. The key is 0 if the sequence is unknown.
func nextEscaped(b []byte) (key Key, length int) {
	if !utf8.FullRune(b[1:]) { // including an empty rest after ESC
		return 0, 0
	}
	if b[1] == '[' || b[1] == 'O' {
		return nextSequence(b[1:])
	}
	r, n := utf8.DecodeRune(b[1:])
	if i := strings.IndexRune(escapesPF, r); i >= 0 {
		return PF(i + 1), 1 + n
	}
	return escapes[r], 1 + n
}

// nextSequence decodes a control sequence (ECMA-48 §5.4): ESC, "[" or "O", parameters and a
// final byte. b begins after the ESC, but the returned length counts the ESC. The length is 0 if
// b ends within the sequence. The key is 0 if the sequence is unknown, or if another character
// interrupts it; the length leaves out that character.
func nextSequence(b []byte) (key Key, length int) {
	for i, c := range b[1:] {
		end := i + 2
		switch {
		case b[0] == '[' && c == '[' && i == 0: // Linux console
		case c < ' ' || c > '~': // interrupted
			return 0, end
		case c >= '@' || b[0] == 'O':
			return sequences[string(b[:end])], 1 + end
		}
	}
	return 0, 0
}
