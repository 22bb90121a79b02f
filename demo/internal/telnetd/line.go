package telnetd

import (
	"bufio"
	"errors"
	"io"
	"net"
)

// Commands and options of Telnet.
const (
	iac, dont, do, wont, will, sb, se = 255, 254, 253, 252, 251, 250, 240

	echo, suppressGoAhead, windowSize = 1, 3, 31
)

// Keys that are not bytes.
const (
	enter = -1 - iota
	up
	down
	resized // the size of the client's screen has changed
)

// A line is what a client types.
type line struct {
	in            *bufio.Reader
	w             io.Writer
	columns, rows int
	answered      [256]bool // options that were refused
	afterCR       bool
}

func newLine(c net.Conn) *line {
	return &line{in: bufio.NewReader(c), w: c, columns: 80, rows: 24}
}

// ask asks for what the server needs.
func (l *line) ask() { l.send(iac, will, echo, iac, will, suppressGoAhead, iac, do, windowSize) }

// send sends bytes. If that fails, reading fails too.
func (l *line) send(p ...byte) { _, _ = l.w.Write(p) }

// key returns the next key: a byte, or one of the constants.
func (l *line) key() (int, error) {
	for {
		b, err := l.in.ReadByte()
		if err != nil {
			return 0, err
		}
		after := l.afterCR
		l.afterCR = b == '\r'
		switch {
		case b == iac:
			if key, err := l.command(); key != 0 || err != nil {
				return key, err
			}
		case b == '\r':
			return enter, nil
		case after && (b == '\n' || b == 0): // the rest of CR LF or CR NUL
		case b == '\n':
			return enter, nil
		case b == 0x1B:
			return l.arrow()
		default:
			return int(b), nil
		}
	}
}

// arrow reads the rest of ESC [ A or ESC O A. For anything else it returns the byte.
func (l *line) arrow() (int, error) {
	if b, err := l.in.ReadByte(); err != nil || b != '[' && b != 'O' {
		return int(b), err
	}
	switch b, err := l.in.ReadByte(); b {
	case 'A':
		return up, err
	case 'B':
		return down, err
	default:
		return int(b), err
	}
}

// command reads a command after IAC. It returns 0 if that is not a key.
func (l *line) command() (int, error) {
	verb, err := l.in.ReadByte()
	if err != nil {
		return 0, err
	}
	switch verb {
	case iac:
		return iac, nil
	case sb:
		return l.parameters()
	case do, dont, will, wont:
		option, err := l.in.ReadByte()
		if err == nil {
			l.refuse(verb, option)
		}
		return 0, err
	}
	return 0, nil
}

// refuse refuses an option, once.
func (l *line) refuse(verb, option byte) {
	ours := option == echo || option == suppressGoAhead
	switch {
	case l.answered[option]:
	case verb == do && !ours:
		l.answered[option] = true
		l.send(iac, wont, option)
	case verb == will && option != windowSize:
		l.answered[option] = true
		l.send(iac, dont, option)
	}
}

// parameters reads a subnegotiation. It returns a key for NAWS.
func (l *line) parameters() (int, error) {
	const most = 64
	var p []byte
	for {
		b, err := l.in.ReadByte()
		if err != nil {
			return 0, err
		}
		if b == iac {
			if b, err = l.in.ReadByte(); err != nil {
				return 0, err
			}
			if b == se {
				break
			}
		}
		if len(p) == most {
			return 0, errTooMuch
		}
		p = append(p, b)
	}
	if len(p) != 5 || p[0] != windowSize {
		return 0, nil
	}
	l.columns = size(p[1], p[2], 80)
	l.rows = size(p[3], p[4], 24)
	return resized, nil
}

// size returns a number of 16 bits, or the default if it is no valid size.
func size(high, low byte, usual int) int {
	n := int(high)<<8 | int(low)
	if n < 4 || n > 1000 {
		return usual
	}
	return n
}

var errTooMuch = errors.New("a subnegotiation without an end")
