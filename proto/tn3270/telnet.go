package tn3270

import (
	"bytes"
	"fmt"

	"locus/access"
)

// Octets of Telnet (RFC 854, RFC 885).
const (
	telnetEOR  = 239 // end of record
	telnetSE   = 240
	telnetSB   = 250
	telnetWILL = 251
	telnetWONT = 252
	telnetDO   = 253
	telnetDONT = 254
	telnetIAC  = 255
)

// Options of Telnet.
const (
	optionBinary = 0  // RFC 856
	optionEcho   = 1  // RFC 857
	optionSGA    = 3  // RFC 858
	optionType   = 24 // RFC 1091
	optionEOR    = 25 // RFC 885
)

const (
	maxRecord     = 64 << 10 // octets of a record: far more than fill a screen
	maxSubaddress = 256      // octets of a subnegotiation that are kept
)

// A telnet takes what the host sends apart, and answers its negotiation. It
// asks for nothing by itself and answers only what changes something or cannot
// be had, so it cannot be made to argue without end.
type telnet struct {
	types []string // terminal types, in the order in which they are told
	told  int      // how many were, this time around
	typed bool     // the type was told

	us, host [256]bool // the options that are on

	state  telnetState
	verb   byte   // WILL, WONT, DO or DONT, in state inOption
	sub    []byte // the subnegotiation that comes in
	record []byte // the record, or the text, that comes in
	reply  []byte // what is to be sent
}

type telnetState uint8

const (
	inData telnetState = iota
	afterIAC
	inOption
	inSub
	inSubAfterIAC
)

// A listener is told what the host has sent.
type listener interface {
	record(octets []byte) // a record of 3270
	line(octets []byte)   // text, while 3270 is not agreed on
	mode(is3270 bool)     // what comes next is the one or the other
}

// is3270 reports whether everything is agreed on that RFC 1576 §3 wants: the
// terminal's type, and in both directions records and binary data.
func (t *telnet) is3270() bool {
	return t.typed && t.us[optionType] && t.us[optionEOR] && t.host[optionEOR] && t.us[optionBinary] && t.host[optionBinary]
}

// feed takes in octets, and tells l what they are. The octets are good only
// while l is told.
func (t *telnet) feed(octets []byte, l listener) error {
	for _, c := range octets {
		if t.state == inData && c != telnetIAC {
			if err := t.data(c); err != nil {
				return err
			}
			continue
		}
		if err := t.step(c, l); err != nil {
			return err
		}
	}
	t.flush(l)
	return nil
}

// whole reports whether what has come in ends where something ended.
func (t *telnet) whole() bool { return t.state == inData && len(t.record) == 0 }

func (t *telnet) data(c byte) error {
	if len(t.record) == maxRecord {
		return fmt.Errorf("%w: a record of more than %d octets", access.ErrTooLong, maxRecord)
	}
	t.record = append(t.record, c)
	return nil
}

// flush gives away text, which has no end that one could wait for.
func (t *telnet) flush(l listener) {
	if !t.is3270() && len(t.record) > 0 {
		l.line(t.record)
		t.record = t.record[:0]
	}
}

// step takes in one octet that is not data.
func (t *telnet) step(c byte, l listener) error {
	switch t.state {
	case inData:
		t.state = afterIAC
	case afterIAC:
		return t.command(c, l)
	case inOption:
		t.state = inData
		t.option(c, l)
	case inSub:
		if c == telnetIAC {
			t.state = inSubAfterIAC
		} else if len(t.sub) < maxSubaddress {
			t.sub = append(t.sub, c)
		}
	case inSubAfterIAC:
		t.state = inSub
		if c == telnetSE {
			t.state = inData
			t.subnegotiated(l)
		} else if len(t.sub) < maxSubaddress {
			t.sub = append(t.sub, c)
		}
	}
	return nil
}

// command takes in the octet after IAC. Commands that mean nothing to a
// terminal (NOP, GA, DM …) are passed over.
func (t *telnet) command(c byte, l listener) error {
	t.state = inData
	switch c {
	case telnetIAC:
		return t.data(c)
	case telnetEOR:
		t.flush(l)
		if t.is3270() {
			l.record(t.record)
			t.record = t.record[:0]
		}
	case telnetSB:
		t.state, t.sub = inSub, t.sub[:0]
	case telnetWILL, telnetWONT, telnetDO, telnetDONT:
		t.state, t.verb = inOption, c
	}
	return nil
}

// option answers a WILL, WONT, DO or DONT.
func (t *telnet) option(option byte, l listener) {
	t.changing(l, func() {
		switch t.verb {
		case telnetDO:
			t.answer(&t.us[option], true, performs(option), telnetWILL, telnetWONT, option)
		case telnetDONT:
			t.answer(&t.us[option], false, true, telnetWILL, telnetWONT, option)
		case telnetWILL:
			t.answer(&t.host[option], true, wants(option), telnetDO, telnetDONT, option)
		case telnetWONT:
			t.answer(&t.host[option], false, true, telnetDO, telnetDONT, option)
		}
	})
}

// performs reports whether the terminal does what an option says.
func performs(option byte) bool {
	switch option {
	case optionBinary, optionSGA, optionType, optionEOR:
		return true
	}
	return false
}

// wants reports whether the host may do what an option says.
func wants(option byte) bool {
	switch option {
	case optionBinary, optionEcho, optionSGA, optionEOR:
		return true
	}
	return false
}

// answer turns an option on or off, if that is a change and can be done, and
// says so. A wish that cannot be granted is refused.
func (t *telnet) answer(is *bool, should, can bool, yes, no, option byte) {
	if !can {
		t.reply = append(t.reply, telnetIAC, no, option)
		return
	}
	if *is == should {
		return
	}
	*is = should
	verb := no
	if should {
		verb = yes
	}
	t.reply = append(t.reply, telnetIAC, verb, option)
}

// changing does what may turn 3270 on or off. What came in before it is of the
// mode before; half a record is lost.
func (t *telnet) changing(l listener, do func()) {
	before := t.is3270()
	t.flush(l)
	do()
	if after := t.is3270(); after != before {
		t.record = t.record[:0]
		l.mode(after)
	}
}

// subnegotiated answers the one subnegotiation that is known, in which the host
// asks for the terminal's type: each time it is told another one, until there
// are no more, when the last is told again and then the first.
func (t *telnet) subnegotiated(l listener) {
	if !bytes.Equal(t.sub, []byte{optionType, 1}) || !t.us[optionType] {
		return
	}
	t.changing(l, func() {
		name := t.types[min(t.told, len(t.types)-1)]
		t.typed = true
		if t.told++; t.told > len(t.types) {
			t.told = 0
		}
		t.reply = append(t.reply, telnetIAC, telnetSB, optionType, 0)
		t.reply = append(t.reply, name...)
		t.reply = append(t.reply, telnetIAC, telnetSE)
	})
}

// appendRecord appends a record as it goes over the wire.
func appendRecord(to, record []byte) []byte {
	for _, c := range record {
		if c == telnetIAC {
			to = append(to, telnetIAC)
		}
		to = append(to, c)
	}
	return append(to, telnetIAC, telnetEOR)
}
