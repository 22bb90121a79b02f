package telnet

import (
	"bytes"
	"encoding/binary"
	"strings"

	"locus/internal/nvt"
)

// Bytes in the parameters of TERMINAL-TYPE (RFC 1091) and NEW-ENVIRON (RFC 1572).
const (
	is      = 0
	send    = 1
	varName = 0 // VAR, in RFC 1572
	value   = 1
	escape  = 2
	userVar = 3
)

// maxName is the maximum length of a terminal type (RFC 1091).
const maxName = 40

// agree reports whether to accept the option o for side, which the server requests. It accepts
// NEW-ENVIRON, which sends the user name, only if SendUser is set and the URL has a user.
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

// changed is called when the option o of side has become active (on) or inactive. It sends the
// size of the screen when the window size option becomes active, and offers that option at the
// first call. It ignores write errors, because the next Read returns them.
func (s *session) changed(o nvt.Option, side nvt.Side, on bool) {
	if o == nvt.WindowSize && side == nvt.Us && on {
		_ = s.sendSize()
	}
	s.offerSize()
}

// offerSize offers the server the window size option, because few servers ask for it. Only the
// first call makes the offer. It is called after the server has negotiated, because a server
// without Telnet would show the offer as text.
func (s *session) offerSize() {
	if !s.hasNegotiated.Swap(true) {
		_ = s.nvt.Want(nvt.WindowSize, nvt.Us, true)
	}
}

// sendSize sends the size of the screen (RFC 1073): two numbers of 16 bits.
func (s *session) sendSize() error {
	columns, rows := s.Size()
	p := binary.BigEndian.AppendUint16(nil, columns)
	return s.nvt.Subnegotiate(nvt.WindowSize, binary.BigEndian.AppendUint16(p, rows))
}

// parameters answers p, the subnegotiation of the option o, if it is a SEND of TERMINAL-TYPE
// or NEW-ENVIRON. It ignores other subnegotiations, and write errors, because the next Read
// returns them.
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

// terminal returns the terminal type to send: Terminal, or "VT100" if Terminal is empty,
// longer than maxName, or not printable ASCII.
func (c Client) terminal() string {
	printable := func(r rune) bool { return r > ' ' && r < 0x7F }
	if c.Terminal == "" || len(c.Terminal) > maxName || strings.TrimFunc(c.Terminal, printable) != "" {
		return "VT100"
	}
	return c.Terminal
}

// environ returns the answer to request, a request for variables: the value of USER if request
// includes USER, and otherwise no variable.
//
//	SEND  VAR "USER"  USERVAR "X"     the request; an empty list requests all
//	IS    VAR "USER"  VALUE "user"    the answer
func (s *session) environ(request []byte) []byte {
	answer := []byte{is}
	if !requestsUser(request) {
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

// requestsUser reports whether request, the list of variables in a SEND of NEW-ENVIRON,
// includes USER. An empty list, and VAR without a name, request all variables.
func requestsUser(request []byte) bool {
	if len(request) == 0 {
		return true
	}
	for len(request) > 0 {
		kind, rest := request[0], request[1:]
		end := bytes.IndexAny(rest, "\x00\x03") // VAR and USERVAR
		if end < 0 {
			end = len(rest)
		}
		if name := string(rest[:end]); kind == varName && (name == "" || name == "USER") {
			return true
		}
		request = rest[end:]
	}
	return false
}
