package telnet

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"locus/proto/internal/nvt"
)

// Of the parameters of options: RFC 1091 and RFC 1572.
const (
	is      = 0
	send    = 1
	varName = 0 // VAR, in RFC 1572
	value   = 1
	escape  = 2
	userVar = 3
)

// maxName is how long the name of a terminal may be (RFC 1091 has 40).
const maxName = 40

// agree reports whether an option that the server wants may be in force.
func (s *session) agree(o nvt.Option, side nvt.Side) bool {
	switch o {
	case nvt.Binary, nvt.SuppressGoAhead:
		return true
	case nvt.Echo:
		return side == nvt.Them
	case nvt.TerminalType, nvt.WindowSize:
		return side == nvt.Us
	case nvt.NewEnviron:
		return side == nvt.Us && s.client.SendUser && s.view.User.Present
	}
	return false
}

// changed does what goes with the begin of an option. What cannot be sent will
// be found out by the next Read.
func (s *session) changed(o nvt.Option, side nvt.Side, on bool) {
	if o == nvt.WindowSize && side == nvt.Us && on {
		_ = s.sendSize()
	}
	s.offerSize()
}

// offerSize offers to tell the size of the screen, once, to a server that has
// agreed on something: few ask for it by themselves.
func (s *session) offerSize() {
	s.mu.Lock()
	first := !s.spoken
	s.spoken = true
	s.mu.Unlock()
	if first {
		_ = s.nvt.Want(nvt.WindowSize, nvt.Us, true)
	}
}

// sendSize sends the size of the screen (RFC 1073): two numbers of 16 bits.
func (s *session) sendSize() error {
	s.mu.Lock()
	columns, rows := s.columns, s.rows
	s.mu.Unlock()
	p := binary.BigEndian.AppendUint16(nil, side(columns))
	return s.nvt.Subnegotiate(nvt.WindowSize, binary.BigEndian.AppendUint16(p, side(rows)))
}

func side(n int) uint16 { return uint16(max(0, min(n, math.MaxUint16))) } //nolint:gosec // it fits

// parameters answers the questions of options.
func (s *session) parameters(o nvt.Option, p []byte) {
	if len(p) == 0 || p[0] != send {
		return
	}
	switch o {
	case nvt.TerminalType:
		_ = s.nvt.Subnegotiate(o, append([]byte{is}, s.client.terminal()...))
	case nvt.NewEnviron:
		_ = s.nvt.Subnegotiate(o, s.environ(p[1:]))
	}
}

// terminal returns the name of the terminal.
func (c Client) terminal() string {
	printable := func(r rune) bool { return r > ' ' && r < 0x7F }
	if c.Terminal == "" || len(c.Terminal) > maxName || strings.TrimFunc(c.Terminal, printable) != "" {
		return "VT100"
	}
	return c.Terminal
}

// environ answers a question for variables: with the user, if that or
// everything is asked for, and with nothing of anything else.
//
//	SEND  VAR "USER"  USERVAR "X"     what is asked for; nothing asks for all
//	IS    VAR "USER"  VALUE "user"
func (s *session) environ(asked []byte) []byte {
	answer := []byte{is}
	if !asksForUser(asked) {
		return answer
	}
	answer = append(answer, varName)
	answer = append(answer, "USER"...)
	answer = append(answer, value)
	for _, b := range []byte(s.view.User.Text) {
		if b <= userVar {
			answer = append(answer, escape)
		}
		answer = append(answer, b)
	}
	return answer
}

// asksForUser reports whether USER is one of the variables asked for. VAR without
// a name is all of those that RFC 1572 names.
func asksForUser(asked []byte) bool {
	if len(asked) == 0 {
		return true
	}
	for len(asked) > 0 {
		kind, rest := asked[0], asked[1:]
		end := bytes.IndexAny(rest, "\x00\x03") // VAR and USERVAR
		if end < 0 {
			end = len(rest)
		}
		if name := string(rest[:end]); kind == varName && (name == "" || name == "USER") {
			return true
		}
		asked = rest[end:]
	}
	return false
}
