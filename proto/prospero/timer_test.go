package prospero

import (
	"testing"
	"time"
)

// The timeout follows the round trips (RFC 6298 §2).
func TestTimer(t *testing.T) {
	const ms = time.Millisecond
	now := time.Unix(0, 0)
	var r timer
	check := func(when string, want time.Duration) {
		t.Helper()
		if got := r.timeout(); got != want {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	trip := func(d time.Duration) {
		r.recordSend(now)
		now = now.Add(d)
		r.recordProgress(now)
	}
	check("at first", time.Second)
	r.backOff()
	check("after a retry", 2*time.Second)
	for range 10 {
		r.backOff()
	}
	check("after many", 8*time.Second)
	trip(400 * ms)
	check("after a round trip", 400*ms+4*200*ms)
	trip(400 * ms)
	check("after another", 400*ms+4*150*ms)
	trip(1200 * ms)
	check("after a slow one", 500*ms+4*(150*ms+(800*ms-150*ms)/4))
	before := r
	r.recordSend(now)
	r.recordResend() // the reply may be to either
	now = now.Add(time.Hour)
	r.recordProgress(now)
	check("after an ambiguous one", before.timeout())
	for range 100 {
		trip(ms)
	}
	check("on a fast network", 200*ms)
	r.isReplying = true
	for range 10 {
		r.backOff()
	}
	check("in the middle of a reply", time.Second)
	r = timer{smoothed: time.Minute}
	r.backOff()
	check("of a network slower than the back-off", time.Minute)
}
