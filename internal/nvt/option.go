package nvt

import (
	"cmp"
	"strconv"
)

// An Option is a Telnet option.
type Option byte

// Options and their RFCs.
const (
	Binary          Option = 0  // RFC 856
	Echo            Option = 1  // RFC 857
	SuppressGoAhead Option = 3  // RFC 858
	TimingMark      Option = 6  // RFC 860
	TerminalType    Option = 24 // RFC 1091
	EndOfRecord     Option = 25 // RFC 885
	WindowSize      Option = 31 // RFC 1073
	NewEnviron      Option = 39 // RFC 1572
)

// optionNames returns the names of the options that this package knows, as the registry of IANA
// spells them.
func optionNames() map[Option]string {
	return map[Option]string{
		Binary: "BINARY", Echo: "ECHO", SuppressGoAhead: "SUPPRESS-GO-AHEAD", TimingMark: "TIMING-MARK",
		TerminalType: "TERMINAL-TYPE", EndOfRecord: "END-OF-RECORD", WindowSize: "NAWS", NewEnviron: "NEW-ENVIRON",
	}
}

// String returns the name of the option, such as "ECHO", or its number if the name is unknown.
func (o Option) String() string { return cmp.Or(optionNames()[o], strconv.Itoa(int(o))) }

// A Side is one side of a connection. Each side has its own state of an option.
type Side uint8

const (
	Us   Side = iota // we send WILL and WONT, the peer sends DO and DONT
	Them             // the other way round
)

// A state is the state of an option on one side (RFC 1143). A state with an
// "opposite" request in the queue is a state of its own.
type state uint8

const (
	no              state = iota
	yes                   //
	wantNo                // we requested to turn it off
	wantNoOpposite        // and then to turn it on
	wantYes               // we requested to turn it on
	wantYesOpposite       // and then to turn it off
)

// isActive reports whether the option is on. An option that we have asked to turn off is on
// until the peer agrees.
func (s state) isActive() bool { return s == yes || s == wantNo || s == wantNoOpposite }

// A transition is the reaction to an event: the next state, and the command to send.
type transition struct {
	to    state
	sends bool // a command is sent
	on    bool // the command is DO or WILL; otherwise DONT or WONT
}

// receiveOn returns the transition after the peer has sent DO or WILL. agree says whether the
// option may be on.
func (s state) receiveOn(agree bool) transition {
	switch s {
	case no:
		if agree {
			return transition{to: yes, sends: true, on: true}
		}
		return transition{to: no, sends: true}
	case wantNo: // not a valid answer
		return transition{to: no}
	case wantYesOpposite:
		return transition{to: wantNo, sends: true}
	}
	return transition{to: yes}
}

// receiveOff returns the transition after the peer has sent DONT or WONT.
func (s state) receiveOff() transition {
	switch s {
	case yes:
		return transition{to: no, sends: true}
	case wantNoOpposite:
		return transition{to: wantYes, sends: true, on: true}
	}
	return transition{to: no}
}

// request returns the transition when we want the option to be on, or off. If the option
// already is or becomes so, the state stays and no command is sent.
func (s state) request(on bool) transition {
	switch {
	case s == no && on:
		return transition{to: wantYes, sends: true, on: true}
	case s == yes && !on:
		return transition{to: wantNo, sends: true}
	case s == wantNo && on:
		return transition{to: wantNoOpposite}
	case s == wantNoOpposite && !on:
		return transition{to: wantNo}
	case s == wantYes && !on:
		return transition{to: wantYesOpposite}
	case s == wantYesOpposite && on:
		return transition{to: wantYes}
	}
	return transition{to: s}
}
