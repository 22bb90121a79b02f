package prosperod

import (
	"bytes"
	"encoding/binary"
	"time"
)

const (
	maxText   = 1250 // bytes of text in a packet
	window    = 16   // packets that are sent without an acknowledgement
	maxWindow = 256
	flagSize  = 0x08 // the client sends the size of its window
	flagAsk   = 0x80 // the peer asks for an acknowledgement
	cancel    = 1    // the option by which a client cancels
)

// A header is the header of a client's packet.
type header struct {
	id       uint16
	number   int // 0 if the packet does not belong to the request
	total    int // 0 if not given
	received int // the client has received the packets of the reply up to this one
	flags    byte
	option   byte
	window   int // packets that the client wants in flight; 0 if not given
}

// parse divides a datagram into its header, with the fields that the datagram has, and its text. ok
// is false if the datagram is not ARDP version 0.
func parse(d []byte) (h header, text []byte, ok bool) {
	if len(d) == 0 || d[0] == 0 || d[0] > 63 || int(d[0]) > len(d) {
		return header{}, nil, false
	}
	head := d[:d[0]]
	field := func(at, absent int) int {
		if len(head) < at+2 {
			return absent
		}
		return int(binary.BigEndian.Uint16(head[at:]))
	}
	h = header{id: uint16(field(1, 0)), number: field(3, 1), received: field(7, 0)}
	if h.total = field(5, 0); len(head) < 5 {
		h.total = 1
	}
	if len(head) > 11 {
		h.flags = head[11]
	}
	if len(head) > 12 {
		h.option = head[12]
	}
	if h.flags&^(flagAsk|0x40) == flagSize {
		h.window = field(13, 0)
	}
	return h, d[d[0]:], true
}

// header returns the first 9 bytes of a header whose whole length is length. number is the number
// of the packet, and total is the number of all packets.
func (c *conn) header(length byte, number, total int) []byte {
	h := []byte{length}
	for _, n := range []int{int(c.id), number, total, c.request.received} {
		h = binary.BigEndian.AppendUint16(h, uint16(n))
	}
	return h
}

// A conn is one request of a client, and the reply.
type conn struct {
	id      uint16
	request assembly
	reply   [][]byte // packets; nil until the request is complete
	size    int      // bytes of reply
	window  int
	acked   int // the client has received the packets up to this one
	sent    int // last packet that was ever sent
	from    int // first packet of the last transmission
	sentAt  time.Time
	swapsID bool // in packets that are sent again
}

// send returns the packets of the reply that the client has not acknowledged, as many as the window
// allows. The last packet of a window asks for an acknowledgement. It returns nil if it has sent
// the same packets in the same second of the clock before, because the server of 1994 does so. A
// reply of one packet is always sent again.
func (c *conn) send(now time.Time) [][]byte {
	if len(c.reply) == 1 {
		return c.sendOnly()
	}
	last := min(c.acked+c.window, len(c.reply))
	if c.from == c.acked+1 && last <= c.sent && now.Unix() == c.sentAt.Unix() {
		return nil
	}
	var packets [][]byte
	for n := c.acked + 1; n <= last; n++ {
		h := c.header(9, n, len(c.reply))
		if n == last && n < len(c.reply) {
			h = append(c.header(12, n, len(c.reply)), 0, 0, flagAsk)
		}
		if n <= c.sent {
			c.swap(h)
		}
		packets = append(packets, append(h, c.reply[n-1]...))
	}
	c.from, c.sent, c.sentAt = c.acked+1, max(last, c.sent), now
	return packets
}

// sendOnly returns the only packet of a reply. Its header is as short as possible, except that a
// packet that is sent again has a full header.
func (c *conn) sendOnly() [][]byte {
	h := []byte{1}
	switch {
	case c.sent > 0:
		h = c.header(9, 1, 1)
		c.swap(h)
	case c.id != 0:
		h = binary.BigEndian.AppendUint16([]byte{3}, c.id)
	}
	c.sent = 1
	return [][]byte{append(h, c.reply[0]...)}
}

// swap swaps the bytes of the connection id in a header if swapsID is true.
func (c *conn) swap(h []byte) {
	if c.swapsID {
		h[1], h[2] = h[2], h[1]
	}
}

// An assembly is an incomplete request.
type assembly struct {
	packets  map[int][]byte
	received int // all packets up to this one have arrived
	total    int // 0 if unknown
	bytes    int
}

// maxRequest is the maximum number of bytes of a request.
const maxRequest = 64 << 10

// add adds a packet of the request. It returns false, and ignores the packet, if the packet has
// arrived before or makes the request too long.
func (a *assembly) add(h header, text []byte) bool {
	if h.total > 0 {
		a.total = h.total
	}
	if _, have := a.packets[h.number]; have || a.bytes+len(text) > maxRequest || len(a.packets) >= maxWindow {
		return false
	}
	if a.packets == nil {
		a.packets = make(map[int][]byte)
	}
	a.packets[h.number] = bytes.Clone(text)
	a.bytes += len(text)
	for {
		if _, have := a.packets[a.received+1]; !have {
			return true
		}
		a.received++
	}
}

// complete returns the text of the request. ok is false if packets of it are missing.
func (a *assembly) complete() (text []byte, ok bool) {
	if a.total == 0 || a.received < a.total {
		return nil, false
	}
	for n := 1; n <= a.total; n++ {
		text = append(text, a.packets[n]...)
	}
	return text, true
}
