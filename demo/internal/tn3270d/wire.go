package tn3270d

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"locus/internal/nvt"
)

const longest = 8 << 10 // bytes of a record, and of the data before the display is in 3270 mode

var errTooLong = errors.New("too long a record")

// A wire is the connection to a display.
type wire struct {
	nvt     *nvt.Conn
	in      io.LimitedReader
	name    string // the terminal type; "" if unknown
	refuses bool   // the display has refused an option
	record  []byte // the incomplete record
}

// newWire returns a wire over c. The caller calls negotiate next.
func newWire(c io.ReadWriteCloser) *wire {
	w := &wire{in: io.LimitedReader{R: c, N: longest}}
	rw := struct {
		io.Reader
		io.WriteCloser
	}{&w.in, c}
	w.nvt = nvt.New(rw, nvt.Config{Agree: agree, Changed: w.changed, Parameters: w.parameters})
	return w
}

// agree reports whether the host accepts an option of the display: only end of record and binary.
func agree(o nvt.Option, _ nvt.Side) bool { return o == nvt.EndOfRecord || o == nvt.Binary }

// changed is called when an option of the display goes on or off. When TERMINAL-TYPE goes on, it
// asks for the terminal type (RFC 1091). An option that goes off sets w.refuses.
func (w *wire) changed(o nvt.Option, _ nvt.Side, on bool) {
	const send = 1
	w.refuses = w.refuses || !on
	if o == nvt.TerminalType && on {
		_ = w.nvt.Subnegotiate(o, []byte{send}) // if it fails, reading fails too
	}
}

// parameters stores the name of the terminal from a subnegotiation of TERMINAL-TYPE, and
// ignores the other options.
func (w *wire) parameters(o nvt.Option, p []byte) {
	const is = "\x00"
	if o == nvt.TerminalType {
		w.name = strings.TrimPrefix(string(p), is)
	}
}

// negotiate asks the display for the options of RFC 1576. It returns false if the
// display is not a 3270.
func (w *wire) negotiate() bool {
	_ = w.nvt.Want(nvt.TerminalType, nvt.Them, true) // if it fails, reading fails too
	if !w.await(func() bool { return w.name != "" }) || !strings.HasPrefix(w.name, "IBM-327") {
		return false
	}
	for _, o := range []nvt.Option{nvt.EndOfRecord, nvt.Binary} {
		_ = w.nvt.Want(o, nvt.Them, true)
		_ = w.nvt.Want(o, nvt.Us, true)
	}
	if !w.await(w.is3270) {
		return false
	}
	w.in.N = math.MaxInt64
	return true
}

// is3270 reports whether the display has agreed to the options of RFC 1576 in both directions.
func (w *wire) is3270() bool {
	active := func(o nvt.Option) bool { return w.nvt.IsActive(o, nvt.Us) && w.nvt.IsActive(o, nvt.Them) }
	return active(nvt.EndOfRecord) && active(nvt.Binary)
}

// await reads until hasAgreed returns true, and discards the data that arrive before that. It
// returns false if the display refuses an option, disconnects, or sends too much.
func (w *wire) await(hasAgreed func() bool) bool {
	var b [1]byte
	for !hasAgreed() {
		n, _, err := w.nvt.Read(b[:])
		if err != nil || w.refuses {
			return false
		}
		if hasAgreed() {
			w.record = append(w.record, b[:n]...)
		}
	}
	return true
}

// text sends text to a terminal that may not be a 3270.
func (w *wire) text(text string) error { return w.nvt.Send([]byte(text), 0) }

// send sends a record to the display.
func (w *wire) send(record []byte) error { return w.nvt.Send(record, nvt.EOR) }

// input waits for the next record of the display, which a key has sent, and returns the parsed
// record. A record longer than longest is errTooLong.
func (w *wire) input() (input, error) {
	var b [512]byte
	for len(w.record) < longest {
		n, command, err := w.nvt.Read(b[:])
		if err != nil {
			return input{}, err
		}
		w.record = append(w.record, b[:n]...)
		if command == nvt.EOR {
			in := parseInput(w.record)
			w.record = w.record[:0]
			return in, nil
		}
	}
	return input{}, errTooLong
}

// An input is a key, and the texts of the fields that were changed, by their addresses.
type input struct {
	attention byte
	fields    map[int]string
}

const (
	attentionEnter = 0x7D
	attentionClear = 0x6D
	attentionPF3   = 0xF3
)

// key returns the name of the key, such as "Enter" or "PF3".
func (in input) key() string {
	const pf = "\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8\xF9\x7A\x7B\x7C\xC1\xC2\xC3\xC4\xC5\xC6\xC7\xC8\xC9\x4A\x4B\x4C"
	const pa = "\x6C\x6E\x6B"
	switch c := in.attention; {
	case c == attentionEnter:
		return "Enter"
	case c == attentionClear:
		return "Clear"
	case strings.IndexByte(pf, c) >= 0:
		return fmt.Sprintf("PF%d", strings.IndexByte(pf, c)+1)
	case strings.IndexByte(pa, c) >= 0:
		return fmt.Sprintf("PA%d", strings.IndexByte(pa, c)+1)
	}
	return fmt.Sprintf("The key %#02x", in.attention)
}

// parseInput parses a record of the display: a key, the address of the cursor, and the changed fields. It ignores
// malformed fields.
//
//	AID  cursor (2)  SBA  address (2)  text …
func parseInput(record []byte) input {
	in := input{fields: map[int]string{}}
	if len(record) == 0 {
		return in
	}
	in.attention = record[0]
	if len(record) < 3 {
		return in
	}
	for _, field := range bytes.Split(record[3:], []byte{setBufferAddress}) {
		if len(field) >= 2 {
			in.fields[address(field[0], field[1])] = decode(field[2:])
		}
	}
	return in
}
