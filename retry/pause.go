package retry

import (
	"cmp"
	"errors"
	"math"
	"time"

	"locus/access"
)

// Attempts returns the largest number of attempts for a request: the first one and the retries. It is at least 1.
func (p Policy) Attempts() int { return 1 + max(cmp.Or(p.Retries, DefaultRetries), 0) }

// Pause returns how long to wait before the next attempt at a request, for callers that wait themselves. err is the
// error of the last attempt, and failures is the number of attempts that have failed in a row. ok is false if there is
// no further attempt, because there were enough, err is not transient, or the server asks for a longer pause than
// Time. The pause is at most Time.
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
