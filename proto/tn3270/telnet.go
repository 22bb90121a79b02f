package tn3270

import (
	"bytes"

	"locus/internal/nvt"
)

// A negotiation is the state of the Telnet options.
type negotiation struct {
	types   []string // terminal types in the order in which they are sent
	sent    int      // number of types sent in this round
	hasSent bool     // a type has been sent
	on      [2]map[nvt.Option]bool
}

// newNegotiation returns a negotiation in which no option is active. types are
// the terminal types to send, in this order.
func newNegotiation(types []string) negotiation {
	return negotiation{types: types, on: [2]map[nvt.Option]bool{{}, {}}}
}

// agree reports whether to accept the option o for side, which the host requests.
func agree(o nvt.Option, side nvt.Side) bool {
	switch o {
	case nvt.Binary, nvt.EndOfRecord, nvt.SuppressGoAhead:
		return true
	case nvt.TerminalType:
		return side == nvt.Us
	case nvt.Echo:
		return side == nvt.Them
	}
	return false
}

// is3270 reports whether the session is in 3270 mode (RFC 1576 §3): the terminal
// type has been sent, and END-OF-RECORD and BINARY are active in both directions.
func (n *negotiation) is3270() bool {
	us, them := n.on[nvt.Us], n.on[nvt.Them]
	return n.hasSent && us[nvt.TerminalType] && us[nvt.EndOfRecord] && them[nvt.EndOfRecord] && us[nvt.Binary] && them[nvt.Binary]
}

// nextType returns the answer to a request for the terminal type (RFC 1091): with
// each request the next type, then the last type once more, and then the first
// again. ok is false for the subnegotiation of another option, or if it is not a
// request.
func (n *negotiation) nextType(o nvt.Option, parameters []byte) (answer []byte, ok bool) {
	const is, send = 0, 1
	if o != nvt.TerminalType || !n.on[nvt.Us][o] || !bytes.Equal(parameters, []byte{send}) {
		return nil, false
	}
	name := n.types[min(n.sent, len(n.types)-1)]
	n.sent = (n.sent + 1) % (len(n.types) + 1)
	n.hasSent = true
	return append([]byte{is}, name...), true
}
