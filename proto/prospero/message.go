package prospero

import (
	"fmt"

	"locus/access"
)

// A message puts the packets of one message into their order.
type message struct {
	most     int            // octets that are accepted
	text     []byte         // of the packets 1 to received
	received int            // packets in text
	total    int            // packets in the message; 0 if not yet known
	highest  int            // number seen
	later    map[int][]byte // packets after a gap
	held     int            // octets in later
}

// maxAhead is how far ahead of a gap packets are kept: the largest window that
// a server has.
const maxAhead = 256

// complete reports whether text is the whole message.
func (m *message) complete() bool { return m.total > 0 && m.received == m.total }

// add takes a packet with a number. It reports whether text could be continued.
// A packet that cannot be part of this message is left out, and so is one that
// is there already.
func (m *message) add(p packet) (advanced bool, err error) {
	if p.number <= m.received || p.number > m.received+maxAhead || !m.learn(p) {
		return false, nil
	}
	if _, have := m.later[p.number]; have {
		return false, nil
	}
	text := p.text
	if p.flags&flagControl != 0 {
		text = nil
	}
	if len(m.text)+m.held+len(text) > m.most {
		return false, fmt.Errorf("%w: a message of more than %d octets", access.ErrTooLong, m.most)
	}
	if p.number > m.received+1 {
		m.keep(p.number, text)
		return false, nil
	}
	m.text = append(m.text, text...)
	m.received++
	m.catchUp()
	return true, nil
}

// learn takes the number and the total of a packet, and reports whether they
// agree with those before.
func (m *message) learn(p packet) bool {
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

func (m *message) keep(number int, text []byte) {
	if m.later == nil {
		m.later = make(map[int][]byte)
	}
	m.later[number] = append([]byte(nil), text...)
	m.held += len(text)
}

// catchUp moves what follows text from later.
func (m *message) catchUp() {
	for {
		text, ok := m.later[m.received+1]
		if !ok {
			return
		}
		delete(m.later, m.received+1)
		m.held -= len(text)
		m.text = append(m.text, text...)
		m.received++
	}
}
