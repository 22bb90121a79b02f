package tn3270d

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Bytes of Telnet (RFC 854, RFC 885).
const (
	endOfRecord = 239
	se          = 240
	sb          = 250
	will        = 251
	wont        = 252
	do          = 253
	dont        = 254
	iac         = 255
)

// Options of Telnet.
const (
	optionBinary = 0
	optionType   = 24
	optionEOR    = 25
)

const (
	longest = 8 << 10 // bytes of a record, or of a subnegotiation
	most    = 100     // commands before the display is a 3270
)

var (
	errNo3270  = errors.New("not a 3270")
	errTooLong = errors.New("too long a record")
)

// A wire is the connection to a display.
type wire struct {
	r *bufio.Reader
	w *bufio.Writer
}

// negotiate asks the display for the options of RFC 1576.
func (w *wire) negotiate() error {
	if err := w.send(iac, do, optionType); err != nil {
		return err
	}
	if err := w.expect([]byte{will, optionType}); err != nil {
		return err
	}
	if err := w.send(iac, sb, optionType, 1, iac, se); err != nil {
		return err
	}
	name, err := w.command()
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(name, []byte("\xfa\x18\x00IBM-327")) {
		return errNo3270
	}
	for _, option := range []byte{optionEOR, optionBinary} {
		if err := w.send(iac, do, option, iac, will, option); err != nil {
			return err
		}
		if err := w.expect([]byte{will, option}, []byte{do, option}); err != nil {
			return err
		}
	}
	return nil
}

// expect reads commands until all of wanted have come, in any order. A display that
// refuses one is not a 3270.
func (w *wire) expect(wanted ...[]byte) error {
	for range most {
		if len(wanted) == 0 {
			return nil
		}
		command, err := w.command()
		if err != nil {
			return err
		}
		if slices.ContainsFunc(wanted, func(c []byte) bool { return refuses(command, c) }) {
			return errNo3270
		}
		wanted = slices.DeleteFunc(wanted, func(c []byte) bool { return bytes.Equal(c, command) })
	}
	return errNo3270
}

func refuses(command, wanted []byte) bool {
	return len(command) == 2 && command[1] == wanted[1] && command[0] == wanted[0]+1
}

// command reads the next command, without its IAC. It skips data.
func (w *wire) command() ([]byte, error) {
	for range longest {
		c, err := w.r.ReadByte()
		if err != nil {
			return nil, err
		}
		if c != iac {
			continue
		}
		command, err := w.afterIAC()
		if err != nil || len(command) > 0 && command[0] != iac {
			return command, err
		}
	}
	return nil, errTooLong
}

// afterIAC reads what follows IAC: an option with its verb, a subnegotiation, or a
// command of one byte.
func (w *wire) afterIAC() ([]byte, error) {
	c, err := w.r.ReadByte()
	if err != nil {
		return nil, err
	}
	command := []byte{c}
	switch c {
	case will, wont, do, dont:
		option, err := w.r.ReadByte()
		return append(command, option), err
	case sb:
		return w.subnegotiation(command)
	}
	return command, nil
}

func (w *wire) subnegotiation(command []byte) ([]byte, error) {
	for len(command) < longest {
		c, err := w.r.ReadByte()
		if err != nil {
			return nil, err
		}
		if c == iac {
			if c, err = w.r.ReadByte(); err != nil || c == se {
				return command, err
			}
		}
		command = append(command, c)
	}
	return nil, errTooLong
}

// send sends bytes unchanged.
func (w *wire) send(data ...byte) error {
	_, _ = w.w.Write(data) // Flush gives the error
	return w.w.Flush()
}

// text sends text to a terminal that may not be a 3270.
func (w *wire) text(text string) error { return w.send([]byte(text)...) }

// record sends a record.
func (w *wire) record(data []byte) error {
	return w.send(append(bytes.ReplaceAll(data, []byte{iac}, []byte{iac, iac}), iac, endOfRecord)...)
}

// input reads the record of a key.
func (w *wire) input() (input, error) {
	var record []byte
	for len(record) < longest {
		c, err := w.r.ReadByte()
		if err != nil {
			return input{}, err
		}
		if c != iac {
			record = append(record, c)
			continue
		}
		switch command, err := w.afterIAC(); {
		case err != nil:
			return input{}, err
		case command[0] == endOfRecord:
			return parseInput(record), nil
		case command[0] == iac:
			record = append(record, iac)
		case command[0] == do && len(command) == 2: // further options are ignored
			err = w.send(iac, wont, command[1])
			if err != nil {
				return input{}, err
			}
		}
	}
	return input{}, errTooLong
}

// An input is a key, and the fields that were changed: the text of each by its
// address.
type input struct {
	attention byte
	fields    map[int]string
}

const (
	attentionEnter = 0x7D
	attentionClear = 0x6D
	attentionPF3   = 0xF3
)

// key is the name of the key.
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

// parseInput reads a key, the address of the cursor, and fields.
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
