package console

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A filter is a Writer that passes text in UTF-8 on to a terminal. It removes the control sequences
// by which a server would act for the user, because they write the clipboard, print, or make the
// terminal answer. The terminal's answer looks like typed text: the session, or later the user's
// shell, may take it for a command. The filter keeps sequences that move the cursor, colour text
// and change modes (ECMA-48, xterm's ctlseqs).
//
// A sequence begins with ESC, or with one character from U+0080 to U+009F. It may be cut between
// two writes, so the filter holds it until it ends.
type filter struct {
	to    io.Writer
	state filterState
	kept  []byte // the beginning of the current sequence
	long  bool   // the current sequence is too long, and is dropped
	cut   []byte // the beginning of a character that the last write cut
	out   []byte // the text to write, during a Write
}

type filterState uint8

const (
	inText        filterState = iota
	afterEscape               // ESC, perhaps with intermediate bytes
	inControl                 // CSI: parameters until a final byte
	inCommand                 // OSC: text until BEL or ST
	inString                  // DCS, SOS, PM, APC: text until ST, which is dropped
	escapeCommand             // ESC in OSC: ST if "\" follows
	escapeString              // ESC in another string
)

// maxSequence is the largest number of bytes in a sequence. The filter removes a longer sequence.
const maxSequence = 4 << 10

// Write writes p without the sequences that would make the terminal print, answer or run a command.
// It keeps an unfinished sequence or character at the end of p for the next Write.
func (f *filter) Write(p []byte) (int, error) {
	text := p
	if len(f.cut) > 0 {
		text = append(f.cut, p...)
		f.cut = nil
	}
	f.out = f.out[:0]
	for len(text) > 0 {
		if !utf8.FullRune(text) {
			f.cut = bytes.Clone(text)
			break
		}
		r, size := utf8.DecodeRune(text)
		f.add(r, text[:size])
		text = text[size:]
	}
	if _, err := f.to.Write(f.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// add processes the next character r, whose UTF-8 encoding is raw. The character may begin,
// continue or end a sequence. add appends to f.out only text and whole sequences that may pass.
func (f *filter) add(r rune, raw []byte) {
	const bel, can, sub, esc = 0x07, 0x18, 0x1a, 0x1b
	if r == utf8.RuneError && raw[0] <= 0x9f { // a byte that begins a sequence in a terminal without UTF-8
		raw = []byte(string(utf8.RuneError))
	}
	if f.state == escapeCommand || f.state == escapeString {
		if r == '\\' {
			f.endString("\x1b\\")
			return
		}
		f.begin(afterEscape, esc) // ESC ended the string
	}
	switch {
	case r == can || r == sub: // they end every sequence
		f.begin(inText)
		f.out = append(f.out, raw...)
		return
	case r == esc && f.state == inCommand:
		f.state = escapeCommand
		return
	case r == esc && f.state == inString:
		f.state = escapeString
		return
	case r == esc:
		f.begin(afterEscape, esc)
		return
	case r == bel && f.state == inCommand:
		f.endString("\a")
		return
	case 0x80 <= r && r <= 0x9f: // one character that stands for ESC and another character
		if r == 0x9c && (f.state == inCommand || f.state == inString) {
			f.endString("\x1b\\")
			return
		}
		f.begin(afterEscape, esc)
		r -= 0x40
		raw = []byte{byte(r)}
	}
	switch f.state {
	case inText:
		f.text(r, raw)
	case afterEscape:
		f.escape(r, raw)
	case inControl:
		f.control(r, raw)
	case inCommand:
		f.keep(raw)
	}
}

// begin drops the current sequence, and goes on in state with the sequence that starts with kept.
func (f *filter) begin(state filterState, kept ...byte) {
	f.state, f.kept, f.long = state, append(f.kept[:0], kept...), false
}

// keep adds raw to the current sequence, or marks the sequence as too long.
func (f *filter) keep(raw []byte) {
	if f.long = f.long || len(f.kept) >= maxSequence; !f.long {
		f.kept = append(f.kept, raw...)
	}
}

// text writes a character that is not part of a sequence, unless the terminal would answer it.
func (f *filter) text(r rune, raw []byte) {
	const enq = 0x05 // the terminal would answer with its name
	if r != enq {
		f.out = append(f.out, raw...)
	}
}

// escape processes the character r after ESC: it begins a longer sequence, or ends this one.
func (f *filter) escape(r rune, raw []byte) {
	isFirst := len(f.kept) == 1
	switch {
	case r < ' ': // the terminal obeys it within the sequence
		f.text(r, raw)
	case isFirst && r == '[':
		f.begin(inControl, 0x1b, '[')
	case isFirst && r == ']':
		f.begin(inCommand, 0x1b, ']')
	case isFirst && (r == 'P' || r == 'X' || r == '^' || r == '_'):
		f.begin(inString)
	case isFirst && r == 'Z': // the terminal would answer with its type
		f.begin(inText)
	case ' ' <= r && r <= '/':
		f.keep(raw)
	case r > '~': // no terminal has such a sequence
		f.begin(inText)
	case !isFirst && f.kept[1] == '%': // another coding, in which the terminal would find other sequences than the filter
		f.begin(inText)
	default:
		f.pass(raw)
	}
}

// pass writes the current sequence, which ends with the bytes last, unless it is too long. The next
// character is text.
func (f *filter) pass(last []byte) {
	if !f.long {
		f.out = append(append(f.out, f.kept...), last...)
	}
	f.begin(inText)
}

// control processes a character of a control sequence (CSI). At the final byte it passes the
// sequence, or drops it if the sequence isActive.
func (f *filter) control(r rune, raw []byte) {
	switch {
	case r < ' ':
		f.text(r, raw)
	case r < '@':
		f.keep(raw)
	case r <= '~':
		if isActive(f.kept[2:], byte(r)) {
			f.begin(inText)
			return
		}
		f.pass(raw)
	case r == 0x7f:
	default: // no terminal has such a sequence
		f.begin(inText)
	}
}

// isActive reports whether a control sequence makes the terminal answer, or send text to a printer.
// params are the bytes between CSI and the final byte.
func isActive(params []byte, final byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimLeft(params, "?>=<"), []byte(";"))
	switch final {
	case 'i', // print: MC
		'c', 'n', 'x': // answer: DA, DSR, DECREQTPARM
		return true
	case 'p', 'w', 'y', '{': // answer: DECRQM, DECSR, DECRQPSR, DECRQCRA
		return bytes.ContainsAny(params, "$*'&+")
	case '|': // answer: DECRQLP, XTREPORTSGR
		return bytes.ContainsAny(params, "$*'&#")
	case 'R': // answer: XTREPORTCOLORS
		return bytes.ContainsAny(params, "#")
	case 'v': // answer: DECRQDE
		return bytes.ContainsAny(params, `"`)
	case 'q': // answer: XTVERSION
		return bytes.HasPrefix(params, []byte(">"))
	case 'u': // answer: the keyboard, DECRQTSR, DECRQUPSS
		return bytes.ContainsAny(params, "?$&")
	case 'S', 'm', 'g': // answer: graphics, the keys with modifiers
		return bytes.HasPrefix(params, []byte("?"))
	case 't': // answer: the state, place, size and title of the window
		n, err := strconv.Atoi(string(first))
		return err == nil && 11 <= n && n <= 21
	}
	return false
}

// passedCommands are the operating system commands that the filter passes, because the terminal
// obeys them without an answer. They set titles and colours, and write links.
var passedCommands = []string{"0", "1", "2", "4", "8", "10", "11", "12", "104", "110", "111", "112"}

// endString ends an operating system command, or another string. It passes only the commands in
// passedCommands, and only if they do not ask the terminal a question. terminator is the end of the
// string.
func (f *filter) endString(terminator string) {
	if f.state == inCommand || f.state == escapeCommand {
		name, data, _ := bytes.Cut(f.kept[2:], []byte(";"))
		isTitle := len(name) == 1 && name[0] <= '2'
		isQuestion := !isTitle && string(name) != "8" && bytes.IndexByte(data, '?') >= 0
		if slices.Contains(passedCommands, string(name)) && !isQuestion {
			f.pass([]byte(terminator))
			return
		}
	}
	f.begin(inText)
}
