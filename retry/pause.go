package retry

import (
	"cmp"
	"errors"
	"math"
	"time"

	"locus/access"
)

// Attempts returns how many attempts a request gets at most.
func (p Policy) Attempts() int { return 1 + max(cmp.Or(p.Retries, DefaultRetries), 0) }

// Pause returns how long to wait before the next attempt at a request, for a caller that waits
// by itself. err is why the last attempt failed, and failures how many have failed in a row. ok
// is false if there is no further attempt: there were enough, err is not transient, or the
// server asks for a longer pause than Time. No pause is longer than Time.
func (p Policy) Pause(err error, failures int) (wait time.Duration, ok bool) {
	if failures >= p.Attempts() || !Transient(err) {
		return 0, false
	}
	most := cmp.Or(p.Time, DefaultTime)
	if most < 0 {
		most = math.MaxInt64
	}
	a := attempts{Policy: p, failures: failures - 1}
	wait = a.pause()
	if e, isError := errors.AsType[*access.Error](err); isError {
		if e.RetryAfter > most {
			return 0, false
		}
		wait = max(wait, e.RetryAfter)
	}
	return min(wait, most), true
}
