package tn3270

import (
	"bytes"

	"locus/proto/internal/nvt"
)

// A negotiation is what is agreed on with the host, by answering what it asks
// for. It belongs to the goroutine that reads the connection.
type negotiation struct {
	types []string // terminal types, in the order in which they are told
	told  int      // how many were, this time around
	typed bool     // one was
	on    [2]map[nvt.Option]bool
}

func newNegotiation(types []string) negotiation {
	return negotiation{types: types, on: [2]map[nvt.Option]bool{{}, {}}}
}

// agree reports whether an option may be in force.
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

// is3270 reports whether everything is agreed on that RFC 1576 §3 wants: the
// terminal's type, and in both directions records and binary data.
func (n *negotiation) is3270() bool {
	us, them := n.on[nvt.Us], n.on[nvt.Them]
	return n.typed && us[nvt.TerminalType] && us[nvt.EndOfRecord] && them[nvt.EndOfRecord] && us[nvt.Binary] && them[nvt.Binary]
}

// nextType returns the answer to the host's question for the terminal's type
// (RFC 1091): each time another one until there are no more, when the last is
// told again, and then the first. ok is false if the host asks for something else.
func (n *negotiation) nextType(o nvt.Option, parameters []byte) (answer []byte, ok bool) {
	const is, send = 0, 1
	if o != nvt.TerminalType || !n.on[nvt.Us][o] || !bytes.Equal(parameters, []byte{send}) {
		return nil, false
	}
	name := n.types[min(n.told, len(n.types)-1)]
	n.told = (n.told + 1) % (len(n.types) + 1)
	n.typed = true
	return append([]byte{is}, name...), true
}
