package prospero

import "sync"

// RoundTrips remembers the round trips to servers between the accesses of a program, so that a
// lost datagram costs little from the first request on. The zero RoundTrips is ready to use.
// Several goroutines may use it at once.
type RoundTrips struct {
	mu     sync.Mutex
	timers map[string]timer // by address
}

// maxTrips limits the addresses that are remembered. If there are more, all are forgotten.
const maxTrips = 1000

// recall returns a timer with the round trips to address that learn has recorded. It returns
// the zero timer for an unknown address, and if t is nil.
func (t *RoundTrips) recall(address string) timer {
	if t == nil {
		return timer{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.timers[address]
}

// learn records the averages of measured for address. It has no effect if measured has timed
// no round trip, or if t is nil. A full table is emptied first.
func (t *RoundTrips) learn(address string, measured timer) {
	if t == nil || measured.smoothed == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timers == nil || len(t.timers) >= maxTrips {
		t.timers = make(map[string]timer)
	}
	t.timers[address] = timer{smoothed: measured.smoothed, variation: measured.variation}
}
