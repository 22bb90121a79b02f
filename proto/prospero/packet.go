package prospero

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"locus/access"
	"locus/internal/sentinel"
)

// A packet is one datagram of ARDP version 0. Its header may end after any field:
//
//	 0    1  2   3  4   5  6    7  8      9 10   11    12     13 …
//	len |  id  |number|total| received | wait |flags|option|arguments | text
//	     \____________ big-endian ____________/            |of flags, then option
//
// The top two bits of len are the version, the others the length of the header.
type packet struct {
	id       uint16
	number   int // from 1; 0 if the packet carries no part of the message
	total    int // the number of packets of the message; 0 if the sender does not know it yet
	received int // the sender has received the peer's packets 1 to received
	wait     int // the number of seconds that the sender needs; -1 if the packet does not say
	flags    byte
	option   byte
	to       netip.AddrPort // the target of a redirect
	text     []byte         // shares memory with the datagram
}

const (
	flagAddress  = 0x01
	flagPriority = 0x02
	flagProtocol = 0x04
	flagWindow   = 0x08
	flagControl  = 0x40 // the text does not belong to the message, although the packet has a number
	flagAck      = 0x80 // the sender wants an acknowledgement

	optionRefused  = 1
	optionReset    = 2
	optionRedirect = 4
	optionMoved    = 5 // a permanent redirect
)

var (
	errNotARDP = sentinel.New("the server does not speak ARDP version 0: the server broke the protocol", access.ErrProtocol)
	errHeader  = errors.New("malformed ARDP header")
)

// The lengths of headers that end with the named field.
const (
	endID       = 3
	endNumber   = 5
	endReceived = 9
	endWait     = 11
	endFlags    = 12
	endOption   = 13
)

// parsePacket parses a datagram. It returns errNotARDP if the version is not 0 or the header has no
// bytes, and errHeader if d is empty, if the header ends within a field, or if it is longer than d.
func parsePacket(d []byte) (packet, error) {
	if len(d) == 0 {
		return packet{}, errHeader
	}
	n := int(d[0])
	if n == 0 || n >= 1<<6 {
		return packet{}, errNotARDP
	}
	if n > len(d) || n < endWait && n%2 == 0 {
		return packet{}, errHeader
	}
	p := packet{number: 1, total: 1, wait: -1, text: d[n:]}
	h := d[:n]
	if n >= endID {
		p.id = binary.BigEndian.Uint16(h[1:])
	}
	for i, field := range []*int{&p.number, &p.total, &p.received, &p.wait} {
		if at := endID + 2*i; n >= at+2 {
			*field = int(binary.BigEndian.Uint16(h[at:]))
		}
	}
	if n == endNumber {
		p.total = 0
	}
	if n >= endFlags {
		p.flags = h[11]
	}
	if n < endOption {
		return p, nil
	}
	p.option = h[12]
	return p, p.parseRedirect(h[endOption:])
}

// parseRedirect sets p.to to the new address if the option of p is a redirect. arguments are the
// bytes of the header after the option: the arguments of the flags, which parseRedirect skips,
// and then the arguments of the option. The error is errHeader if they are too short.
func (p *packet) parseRedirect(arguments []byte) error {
	if p.option != optionRedirect && p.option != optionMoved {
		return nil
	}
	skip := 0
	if p.flags&flagAddress != 0 {
		if len(arguments) < 2 {
			return errHeader
		}
		skip = 2 + int(arguments[1])
	}
	for _, flag := range []byte{flagPriority, flagProtocol, flagWindow} {
		if p.flags&flag != 0 {
			skip += 2
		}
	}
	if len(arguments) < skip+6 {
		return errHeader
	}
	a := arguments[skip:]
	p.to = netip.AddrPortFrom(netip.AddrFrom4([4]byte(a)), binary.BigEndian.Uint16(a[4:]))
	return nil
}

// datagram returns the encoded packet, with a header of nine bytes, as clients send it. The
// header omits the fields after received.
func (p packet) datagram() []byte {
	d := append(make([]byte, 0, endReceived+len(p.text)), endReceived)
	for _, n := range []int{int(p.id), p.number, p.total, p.received} {
		d = binary.BigEndian.AppendUint16(d, uint16(n))
	}
	return append(d, p.text...)
}

// A message reassembles a message from packets that may arrive in any order and more than
// once. take returns its text piece by piece, so that a long message needs little memory.
type message struct {
	limit    int            // the maximum of held
	held     int            // the number of bytes in text and later
	text     []byte         // the text that is in order and that take has not returned yet
	taken    []byte         // the text that take has returned last; its memory is used again
	received int            // the packets 1 to received have arrived
	total    int            // the number of packets of the message; 0 if it is not known yet
	highest  int            // the highest packet number that has arrived
	later    map[int][]byte // the text of the packets after a gap, by packet number
}

// maxAhead is how far a packet may be ahead of a gap to be kept. No server has a larger
// window.
const maxAhead = 256

// isComplete reports whether all packets of the message have arrived. It is false while their
// number is unknown.
func (m *message) isComplete() bool { return m.total > 0 && m.received == m.total }

// hasGap reports whether a packet is probably lost, because three later packets have arrived.
func (m *message) hasGap() bool { return len(m.later) >= 3 }

// take removes and returns the text that has arrived in order since the last call. The text is
// valid until the next call, and empty if there is no new text.
func (m *message) take() []byte {
	m.text, m.taken = m.taken[:0], m.text
	m.held -= len(m.taken)
	return m.taken
}

// add adds the packet p, and reports whether it is new. It ignores a packet that has arrived
// before, that is too far ahead, or that contradicts earlier packets. The error wraps
// access.ErrTooLong if more than m.limit bytes must be held.
func (m *message) add(p packet) (isNew bool, err error) {
	if p.number <= m.received || p.number > m.received+maxAhead || !m.setTotal(p) {
		return false, nil
	}
	if _, isKnown := m.later[p.number]; isKnown {
		return false, nil
	}
	if p.flags&flagControl != 0 {
		p.text = nil
	}
	if m.held += len(p.text); m.held > m.limit {
		return false, tooLong(m.limit)
	}
	if p.number > m.received+1 {
		m.store(p)
		return true, nil
	}
	for next, ok := p.text, true; ok; next, ok = m.later[m.received+1] {
		m.received++
		delete(m.later, m.received)
		m.text = append(m.text, next...)
	}
	return true, nil
}

// store keeps a copy of the text of p, which has arrived before an earlier packet. add uses the
// text when the earlier packets have arrived.
func (m *message) store(p packet) {
	if m.later == nil {
		m.later = make(map[int][]byte)
	}
	m.later[p.number] = bytes.Clone(p.text)
}

// tooLong returns the error for a reply of more than limit bytes.
func tooLong(limit int) error {
	return fmt.Errorf("%w: a reply of more than %d bytes", access.ErrTooLong, limit)
}

// setTotal updates total and highest from a packet. It returns false and changes nothing if
// the packet contradicts earlier packets.
func (m *message) setTotal(p packet) bool {
	total := m.total
	if p.total > 0 {
		total = p.total
	}
	if total > 0 && (m.total > 0 && total != m.total || max(p.number, m.highest) > total) {
		return false
	}
	m.total, m.highest = total, max(p.number, m.highest)
	return true
}
