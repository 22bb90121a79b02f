package prospero

import (
	"fmt"

	"locus/access"
)

// A message reassembles a message from its packets.
type message struct {
	limit     int            // how many bytes are accepted
	text      []byte         // the text of the packets 1 to received
	received  int            // how many packets text has
	total     int            // how many packets the message has; 0 if not yet known
	highest   int            // the highest packet number seen
	later     map[int][]byte // packets after a gap, by number
	laterSize int            // bytes in later
}

// maxAhead is how far ahead of a gap packets are kept. No server has a larger
// window.
const maxAhead = 256

// isComplete reports whether text is the whole message.
func (m *message) isComplete() bool { return m.total > 0 && m.received == m.total }

// add adds a packet. It reports whether text has become longer. It ignores
// duplicates, and packets that cannot be part of the message.
func (m *message) add(p packet) (advanced bool, err error) {
	if p.number <= m.received || p.number > m.received+maxAhead || !m.setTotal(p) {
		return false, nil
	}
	if _, isKnown := m.later[p.number]; isKnown {
		return false, nil
	}
	text := p.text
	if p.flags&flagControl != 0 {
		text = nil
	}
	if len(m.text)+m.laterSize+len(text) > m.limit {
		return false, fmt.Errorf("%w: a message of more than %d bytes", access.ErrTooLong, m.limit)
	}
	if p.number > m.received+1 {
		m.keep(p.number, text)
		return false, nil
	}
	m.text = append(m.text, text...)
	m.received++
	m.moveLater()
	return true, nil
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

// keep stores a packet after a gap.
func (m *message) keep(number int, text []byte) {
	if m.later == nil {
		m.later = make(map[int][]byte)
	}
	m.later[number] = append([]byte(nil), text...)
	m.laterSize += len(text)
}

// moveLater moves packets from later to text as long as there is no gap.
func (m *message) moveLater() {
	for {
		text, ok := m.later[m.received+1]
		if !ok {
			return
		}
		delete(m.later, m.received+1)
		m.laterSize -= len(text)
		m.text = append(m.text, text...)
		m.received++
	}
}
