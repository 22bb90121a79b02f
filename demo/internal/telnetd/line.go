package telnetd

import (
	"encoding/binary"
	"io"

	"locus/internal/nvt"
)

// Keys that are not bytes.
const (
	enter = -1 - iota
	up
	down
	resized // the size of the client's screen has changed
)

// A line reads the keys that a client types.
type line struct {
	in            io.Reader // its Read may return 0 and nil
	columns, rows int
	isResized     bool // since the last key
	afterCR       bool
}

// newLine returns a line for a screen of 80 columns and 24 rows. The caller sets in.
func newLine() *line { return &line{columns: 80, rows: 24} }

// key waits for the next key and returns it: a byte, or one of the constants. It returns resized
// when the size of the screen has changed.
func (l *line) key() (int, error) {
	var b [1]byte
	for {
		if l.isResized {
			l.isResized = false
			return resized, nil
		}
		n, err := l.in.Read(b[:])
		if n == 0 {
			if err != nil {
				return 0, err
			}
			continue
		}
		after := l.afterCR
		l.afterCR = b[0] == '\r'
		switch {
		case after && (b[0] == '\n' || b[0] == 0): // the rest of CR LF or CR NUL
		case b[0] == '\r' || b[0] == '\n':
			return enter, nil
		case b[0] == 0x1B:
			return l.arrow()
		default:
			return int(b[0]), nil
		}
	}
}

// arrow reads the bytes after an ESC. It returns up or down for the sequence of an arrow key, and
// otherwise the last byte that it read.
func (l *line) arrow() (int, error) {
	var b [1]byte
	if _, err := io.ReadFull(l.in, b[:]); err != nil || b[0] != '[' && b[0] != 'O' {
		return int(b[0]), err
	}
	_, err := io.ReadFull(l.in, b[:])
	switch b[0] {
	case 'A':
		return up, err
	case 'B':
		return down, err
	}
	return int(b[0]), err
}

// A telnet reads and writes the data of a Telnet connection.
type telnet struct{ *nvt.Conn }

// Read returns 0 and nil when the client has negotiated an option.
func (t telnet) Read(p []byte) (int, error) {
	n, _, err := t.Conn.Read(p)
	return n, err
}

// Write sends p as data.
func (t telnet) Write(p []byte) (int, error) {
	if err := t.Send(p, 0); err != nil {
		return 0, err
	}
	return len(p), nil
}

// startTelnet returns a Telnet connection over rw, from which l reads from now on. It offers Echo and
// SuppressGoAhead, and asks for the size of the window.
func (l *line) startTelnet(rw io.ReadWriter) telnet {
	t := telnet{nvt.New(rw, nvt.Config{Agree: agree, Parameters: l.parameters})}
	l.in = t
	for _, o := range []nvt.Option{nvt.Echo, nvt.SuppressGoAhead} {
		_ = t.Want(o, nvt.Us, true) // if it fails, reading fails too
	}
	_ = t.Want(nvt.WindowSize, nvt.Them, true)
	return t
}

// agree reports whether the server accepts an option: the client may report the size of its window,
// and the server may echo and suppress go-aheads.
func agree(o nvt.Option, side nvt.Side) bool {
	if side == nvt.Them {
		return o == nvt.WindowSize
	}
	return o == nvt.Echo || o == nvt.SuppressGoAhead
}

// parameters stores the size of the client's screen from a subnegotiation of NAWS (RFC 1073), and
// ignores other options.
func (l *line) parameters(o nvt.Option, p []byte) {
	if o != nvt.WindowSize || len(p) != 4 {
		return
	}
	l.columns = size(p[:2], 80)
	l.rows = size(p[2:], 24)
	l.isResized = true
}

// size returns the number of 16 bits in p, or usual if the number is not between 4 and 1000.
func size(p []byte, usual int) int {
	n := int(binary.BigEndian.Uint16(p))
	if n < 4 || n > 1000 {
		return usual
	}
	return n
}
