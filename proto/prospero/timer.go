package prospero

import "time"

// The limits of the timeout, after which a request is sent again (RFC 6298 §2).
const (
	firstTimeout = time.Second // before a round trip is measured
	minTimeout   = 200 * time.Millisecond
	maxBackOff   = 8 * time.Second // the maximum of a timeout that was doubled
	replyBackOff = time.Second     // the same maximum in the middle of a reply
)

// A timer measures the round trips to one server, and computes from them when to send again
// (RFC 6298). The zero timer has measured none.
//
// Notable divergences:
//   - RFC 6298 §2.4: the shortest timeout is 200 ms, not 1 s. A server that is slow
//     says so in its packets.
//   - RFC 6298 §5.7: progress ends the back-off, as in Linux. So a network that loses
//     one packet in five does not slow down a request further and further.
type timer struct {
	smoothed   time.Duration // SRTT; 0 before a round trip is measured
	variation  time.Duration // RTTVAR
	isReplying bool          // the server has begun to reply
	doubled    int           // how often the timeout was doubled since the last progress
	sentAt     time.Time     // when the packet was sent that the server replies to next; zero if that is ambiguous
}

// timeout returns how long to wait for the server before sending again: the estimate from
// the measured round trips, doubled for each backOff since the last progress.
func (t *timer) timeout() time.Duration {
	limit := firstTimeout
	if t.smoothed > 0 {
		limit = max(minTimeout, t.smoothed+4*t.variation)
	}
	most := maxBackOff
	if t.isReplying {
		most = replyBackOff // because the server of 1994 sends the same packets once a second
	}
	for n := 0; n < t.doubled && limit < most; n++ {
		limit = min(2*limit, most)
	}
	return limit
}

// reordering returns how long a packet may still arrive after packets that were sent
// later. After that time it counts as lost.
func (t *timer) reordering() time.Duration {
	return max(t.smoothed/4+t.variation, 5*time.Millisecond)
}

// recordSend records that something was sent for the first time at now, so that the reply
// to it measures a round trip.
func (t *timer) recordSend(now time.Time) { t.sentAt = now }

// recordResend records that something was sent again. The next reply measures no round trip,
// because it may be the reply to the earlier transmission (Karn's algorithm).
func (t *timer) recordResend() { t.sentAt = time.Time{} }

// recordProgress records that the server replied with something new. It ends the back-off,
// and measures a round trip unless that is ambiguous.
func (t *timer) recordProgress(now time.Time) {
	t.doubled = 0
	if t.sentAt.IsZero() {
		return
	}
	t.measure(max(now.Sub(t.sentAt), 1))
	t.sentAt = time.Time{}
}

// measure updates the averages with the duration of a round trip (RFC 6298 §2.2 and §2.3).
func (t *timer) measure(trip time.Duration) {
	if t.smoothed == 0 {
		t.smoothed, t.variation = trip, trip/2
		return
	}
	t.variation += ((t.smoothed - trip).Abs() - t.variation) / 4
	t.smoothed += (trip - t.smoothed) / 8
}

// backOff doubles the timeout until the next progress, up to the limit in timeout.
func (t *timer) backOff() { t.doubled++ }
