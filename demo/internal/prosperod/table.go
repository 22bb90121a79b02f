package prosperod

import (
	"slices"
	"time"
)

// A table has the current and the most recent conns, because lost replies must be sent again.
type table struct {
	answer func(request []byte) []byte
	now    func() time.Time
	conns  map[key]*conn
	order  []key // the oldest first
	bytes  int   // of all replies

	swapsID bool // see Server.SwapID
}

type key struct {
	client string
	id     uint16
}

const (
	maxConns = 64
	maxBytes = 64 << 20 // of all stored replies
)

// newTable returns an empty table. answer returns the reply to a request, and now the time.
func newTable(answer func([]byte) []byte, now func() time.Time) *table {
	return &table{answer: answer, now: now, conns: make(map[key]*conn)}
}

// receive handles a datagram of client, and returns the datagrams to answer with; nil if the
// datagram gets no answer. When the last packet of a request arrives, receive answers the request.
// A repeated request gets the same reply.
func (t *table) receive(client string, datagram []byte) [][]byte {
	h, text, ok := parse(datagram)
	if !ok {
		return nil
	}
	k := key{client, h.id}
	c := t.conns[k]
	if h.number == 0 {
		return t.control(k, c, h)
	}
	if c == nil || h.id == 0 { // a packet without an id is a new request
		t.forget(k)
		c = t.begin(k)
	}
	if c.reply != nil {
		c.acknowledge(h)
		return c.send(t.now())
	}
	if h.window > 0 {
		c.window = min(h.window, maxWindow)
	}
	isNew := c.request.add(h, text)
	request, complete := c.request.complete()
	switch {
	case complete:
		t.storeReply(c, t.answer(request))
		return c.send(t.now())
	case !isNew:
		return [][]byte{c.header(9, 0, 0)}
	}
	return nil
}

// control handles a packet without a number: it cancels the request of c, or acknowledges packets
// of its reply. It returns the packets to send next, or nil. It ignores the packet if c is nil,
// because the request is unknown.
func (t *table) control(k key, c *conn, h header) [][]byte {
	if c == nil || c.reply == nil {
		return nil
	}
	if h.option == cancel {
		t.forget(k)
		return nil
	}
	c.acknowledge(h)
	if c.acked == len(c.reply) {
		return nil
	}
	return c.send(t.now())
}

// acknowledge records which packets of the reply the client has received, as h says. It ignores a
// packet number that was not sent yet.
func (c *conn) acknowledge(h header) {
	if h.received <= c.sent {
		c.acked = max(c.acked, h.received)
	}
}

// storeReply stores text, the reply to the request of c, in packets, and forgets the packets of the
// request. A text that does not fit into 65535 packets becomes a failure. If all stored replies take
// too much memory, storeReply forgets the oldest conns. It sends no packets.
func (t *table) storeReply(c *conn, text []byte) {
	if len(text) > maxText*(1<<16-1) {
		text = []byte("FAILURE TOO-MANY bytes\n")
	}
	c.request.packets = nil
	c.size = len(text)
	c.reply = slices.Collect(slices.Chunk(text, maxText))
	if len(text) == 0 {
		c.reply = [][]byte{nil}
	}
	t.bytes += c.size
	for t.bytes > maxBytes && len(t.order) > 1 {
		t.forget(t.order[0])
	}
}

// begin adds a new conn for k and returns it. If the table is full, it forgets the oldest conn
// first.
func (t *table) begin(k key) *conn {
	if len(t.order) == maxConns {
		t.forget(t.order[0])
	}
	c := &conn{id: k.id, window: window, swapsID: t.swapsID}
	t.conns[k] = c
	t.order = append(t.order, k)
	return c
}

// forget removes the conn of k from the table, if there is one.
func (t *table) forget(k key) {
	c := t.conns[k]
	if c == nil {
		return
	}
	t.bytes -= c.size
	delete(t.conns, k)
	t.order = slices.DeleteFunc(t.order, func(other key) bool { return other == k })
}
