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
	number   int // from 1; 0 if the packet has no part of the message
	total    int // how many packets the message has; 0 if not yet known
	received int // the sender has all of the peer's packets up to this number
	wait     int // how many seconds the peer needs; -1 if not given
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
	flagControl  = 0x40 // the text is no part of the message, although the packet has a number
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

// The lengths of headers that end with the field of the name.
const (
	endID       = 3
	endNumber   = 5
	endReceived = 9
	endWait     = 11
	endFlags    = 12
	endOption   = 13
)

// parsePacket parses a datagram. The error is errNotARDP if it is not ARDP
// version 0, and errHeader if the header ends within a field or is too long.
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

// parseRedirect parses the target if the option is a redirect. The arguments of
// the option follow those of the flags.
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

// datagram encodes the packet with the header of nine bytes that clients send.
func (p packet) datagram() []byte {
	d := append(make([]byte, 0, endReceived+len(p.text)), endReceived)
	for _, n := range []int{int(p.id), p.number, p.total, p.received} {
		d = binary.BigEndian.AppendUint16(d, uint16(n))
	}
	return append(d, p.text...)
}

// A message reassembles a message from its packets.
type message struct {
	limit    int            // how many bytes text and later may have
	held     int            // how many bytes they have
	text     []byte         // the text of packets in order that take has not returned
	taken    []byte         // the buffer of what take returned last
	received int            // the packets 1 to received have come
	total    int            // how many packets the message has; 0 if not yet known
	highest  int            // the highest packet number seen
	later    map[int][]byte // the text of packets after a gap, by number
}

// maxAhead is how far ahead of a gap packets are kept. No server has a larger
// window.
const maxAhead = 256

// isComplete reports whether all packets have come.
func (m *message) isComplete() bool { return m.total > 0 && m.received == m.total }

// hasGap reports whether a packet is probably lost: three later ones have come.
func (m *message) hasGap() bool { return len(m.later) >= 3 }

// take returns the next text of the message, which is valid until the next call.
func (m *message) take() []byte {
	m.text, m.taken = m.taken[:0], m.text
	m.held -= len(m.taken)
	return m.taken
}

// add adds a packet. It reports whether the packet is new. It ignores packets that cannot
// be part of the message.
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
		m.keep(p)
		return true, nil
	}
	for next, ok := p.text, true; ok; next, ok = m.later[m.received+1] {
		m.received++
		delete(m.later, m.received)
		m.text = append(m.text, next...)
	}
	return true, nil
}

// keep keeps a packet until those before it have come.
func (m *message) keep(p packet) {
	if m.later == nil {
		m.later = make(map[int][]byte)
	}
	m.later[p.number] = bytes.Clone(p.text)
}

func tooLong(limit int) error {
	return fmt.Errorf("%w: a reply of more than %d bytes", access.ErrTooLong, limit)
}

// setTotal updates total and highest. It returns false if the packet contradicts
// earlier packets.
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
