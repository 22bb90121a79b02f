package nvt

import "strconv"

// An Option is one of those of Telnet.
type Option byte

// Options, and the RFCs that describe them.
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

// String returns the name of the option, or its number.
func (o Option) String() string {
	switch o {
	case Binary:
		return "BINARY"
	case Echo:
		return "ECHO"
	case SuppressGoAhead:
		return "SUPPRESS-GO-AHEAD"
	case TimingMark:
		return "TIMING-MARK"
	case TerminalType:
		return "TERMINAL-TYPE"
	case EndOfRecord:
		return "END-OF-RECORD"
	case WindowSize:
		return "NAWS"
	case NewEnviron:
		return "NEW-ENVIRON"
	}
	return strconv.Itoa(int(o))
}

// A Side is whose option it is: each has two states, one for either side.
type Side uint8

const (
	Us   Side = iota // we do it: WILL and WONT are ours, DO and DONT theirs
	Them             // they do it
)

// A state is one of RFC 1143's, for an option of one side. The "opposite" of
// its queue are states of their own.
type state uint8

const (
	no              state = iota
	yes                   //
	wantNo                // we asked for the end of it
	wantNoOpposite        // and then for its begin
	wantYes               // we asked for its begin
	wantYesOpposite       // and then for the end of it
)

// on reports whether the option is in force.
func (s state) on() bool { return s == yes || s == wantNo || s == wantNoOpposite }

// What an event makes of a state: the next one, and whether something is sent,
// to begin the option or to end it.
type move struct {
	to    state
	sends bool
	begin bool // DO or WILL is sent; else DONT or WONT
}

// begins is what becomes of a state when the other side says DO or WILL.
func (s state) begins(agree bool) move {
	switch s {
	case no:
		if agree {
			return move{to: yes, sends: true, begin: true}
		}
		return move{to: no, sends: true}
	case wantNo: // an answer that is none
		return move{to: no}
	case wantYesOpposite:
		return move{to: wantNo, sends: true}
	}
	return move{to: yes}
}

// ends is what becomes of a state when the other side says DONT or WONT.
func (s state) ends() move {
	switch s {
	case yes:
		return move{to: no, sends: true}
	case wantNoOpposite:
		return move{to: wantYes, sends: true, begin: true}
	}
	return move{to: no}
}

// asks is what becomes of a state when we want the option, or do not.
func (s state) asks(on bool) move {
	switch {
	case s == no && on:
		return move{to: wantYes, sends: true, begin: true}
	case s == yes && !on:
		return move{to: wantNo, sends: true}
	case s == wantNo && on:
		return move{to: wantNoOpposite}
	case s == wantNoOpposite && !on:
		return move{to: wantNo}
	case s == wantYes && !on:
		return move{to: wantYesOpposite}
	case s == wantYesOpposite && on:
		return move{to: wantYes}
	}
	return move{to: s}
}
