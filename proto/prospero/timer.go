package prospero

import "time"

// The limits of the time after which a request is sent again (RFC 6298 §2).
const (
	firstTimeout = time.Second // before a round trip is measured
	minTimeout   = 200 * time.Millisecond
	maxBackOff   = 8 * time.Second // of a timeout that was doubled
	replyBackOff = time.Second     // the same, in the middle of a reply
)

// A timer says when to send again, from the round trips to one server (RFC 6298).
//
// Notable divergences:
//   - RFC 6298 §2.4: the shortest timeout is 200 ms, not 1 s. A server that is slow
//     says so in its packets.
//   - RFC 6298 §5.7: progress ends the back-off, as in Linux. So a network that loses
//     one packet in five does not slow down an exchange further and further.
type timer struct {
	smoothed   time.Duration // SRTT; 0 before a round trip is measured
	variation  time.Duration // RTTVAR
	isReplying bool          // the server has begun to reply
	doubled    int           // how often the timeout was doubled since the last progress
	sentAt     time.Time     // of what the server replies to next; zero if that is ambiguous
}

// timeout returns how long to wait for the server before sending again.
func (t *timer) timeout() time.Duration {
	limit := firstTimeout
	if t.smoothed > 0 {
		limit = max(minTimeout, t.smoothed+4*t.variation)
	}
	most := maxBackOff
	if t.isReplying {
		most = replyBackOff // the server of 1994 sends the same packets once a second
	}
	for n := 0; n < t.doubled && limit < most; n++ {
		limit = min(2*limit, most)
	}
	return limit
}

// reordering returns how long to wait for a packet that others have overtaken.
func (t *timer) reordering() time.Duration {
	return max(t.smoothed/4+t.variation, 5*time.Millisecond)
}

// sent records a transmission.
func (t *timer) sent(now time.Time) { t.sentAt = now }

// sentAgain records a transmission whose reply may be that of an earlier one. It
// measures nothing (Karn's algorithm).
func (t *timer) sentAgain() { t.sentAt = time.Time{} }

// progress records that the server replied with something new. This ends the back-off.
func (t *timer) progress(now time.Time) {
	t.doubled = 0
	if t.sentAt.IsZero() {
		return
	}
	t.measure(max(now.Sub(t.sentAt), 1))
	t.sentAt = time.Time{}
}

// measure adds a round trip (RFC 6298 §2.2 and §2.3).
func (t *timer) measure(trip time.Duration) {
	if t.smoothed == 0 {
		t.smoothed, t.variation = trip, trip/2
		return
	}
	t.variation += ((t.smoothed - trip).Abs() - t.variation) / 4
	t.smoothed += (trip - t.smoothed) / 8
}

// backOff doubles the timeout until there is progress.
func (t *timer) backOff() { t.doubled++ }
