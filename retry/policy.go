package retry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"syscall"
	"time"

	"locus/access"
)

// A Policy says how often a request is repeated, and after how long. The zero
// Policy repeats it for up to five minutes.
type Policy struct {
	// Tries is how many more times an access is tried after a failure. Each 4096
	// bytes received begin the count anew. 0 means 5, a negative number none.
	Tries int

	// Time is how long after its first failure an access may be tried again. Each
	// 4096 bytes received begin it anew. 0 means five minutes, a negative duration
	// sets no limit.
	Time time.Duration

	// Wait is the pause before the first try. Each further pause is twice as long,
	// up to 30 times Wait. All are shortened at random, to no less than half. If the
	// server asks for a longer pause, that is how long it is; if Time does not allow
	// that, the access fails at once with a [LongPause]. 0 means a second.
	Wait time.Duration

	// Random returns numbers from 0 up to 1 for the pauses; nil uses math/rand.
	Random func() float64
}

const (
	defaultTries = 5
	defaultTime  = 5 * time.Minute
	defaultWait  = time.Second
	longestWait  = 30 // times Wait
)

// Do calls do until it succeeds, or fails for good. An attempt that failed may have
// done part of its work, so do must be safe to repeat. notify, if not nil, is
// called before each wait.
func (p Policy) Do(ctx context.Context, do func(context.Context) error, notify func(err error, wait time.Duration)) error {
	a := attempts{Policy: p}
	for {
		err := do(ctx)
		if err == nil {
			return nil
		}
		if err := a.wait(ctx, err, notify); err != nil {
			return err
		}
	}
}

// attempts counts the failures of one access.
type attempts struct {
	Policy
	failures int       // since the last progress
	since    time.Time // the first failure since the last progress
	total    int       // failures in all
	reached  bool      // the server has sent something, so it may refuse connections for a while only
}

// progress records that the access got on.
func (a *attempts) progress() { a.failures, a.since = 0, time.Time{} }

// wait waits before another attempt. It returns why there is none: err, or an
// error that wraps it.
func (a *attempts) wait(ctx context.Context, err error, notify func(error, time.Duration)) error {
	if ctx.Err() != nil {
		return err
	}
	pause, stop := a.next(err)
	if stop != nil {
		return stop
	}
	if notify != nil {
		notify(err, pause)
	}
	if sleep(ctx, pause) != nil {
		return err
	}
	return nil
}

// next returns how long to wait after err, or why there is no other attempt.
func (a *attempts) next(err error) (time.Duration, error) {
	if !Transient(err) && (!a.reached || !errors.Is(err, syscall.ECONNREFUSED)) {
		return 0, err
	}
	if a.since.IsZero() {
		a.since = time.Now()
	}
	tries := a.Tries
	if tries == 0 {
		tries = defaultTries
	}
	asked := retryAfter(err)
	wait := max(a.pause(), asked)
	left := a.left()
	if a.failures >= max(tries, 0) || wait > left {
		if a.failures < tries && asked > left {
			err = &LongPause{Asked: asked, Left: left, Err: err}
		}
		if a.total > 0 {
			err = &GaveUp{Tries: a.total + 1, Err: err}
		}
		return 0, err
	}
	a.failures++
	a.total++
	return wait, nil
}

// left returns how much of Time is left.
func (a *attempts) left() time.Duration {
	limit := a.Time
	if limit < 0 {
		return math.MaxInt64
	}
	if limit == 0 {
		limit = defaultTime
	}
	return max(limit-time.Since(a.since), 0)
}

// pause returns how long to wait if the server does not say.
func (a *attempts) pause() time.Duration {
	first, random := a.Wait, a.Random
	if first == 0 {
		first = defaultWait
	}
	if random == nil {
		random = rand.Float64
	}
	wait := min(first<<min(a.failures, 10), longestWait*first)
	return wait - time.Duration(random()*float64(wait)/2)
}

// retryAfter returns the pause that the server asks for.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*access.Error](err); ok {
		return e.RetryAfter
	}
	return 0
}

// A LongPause says that a server asked for a longer pause than Policy.Time allows.
type LongPause struct {
	Asked time.Duration // by the server
	Left  time.Duration // of Policy.Time
	Err   error         // the failure
}

// Error gives "open …: 503 Busy; it asks for a pause of 1h0m0s, and 5m0s is left".
func (l *LongPause) Error() string {
	return fmt.Sprintf("%v; it asks for a pause of %v, and %v is left", l.Err, l.Asked, l.Left.Round(time.Second))
}

// Unwrap returns the failure.
func (l *LongPause) Unwrap() error { return l.Err }

// GaveUp says that the last of several attempts failed.
type GaveUp struct {
	Tries int   // how many attempts there were
	Err   error // why the last one failed
}

// Error gives "open …: 421 too many users: … (after 6 tries)".
func (g *GaveUp) Error() string { return fmt.Sprintf("%v (after %d tries)", g.Err, g.Tries) }

// Unwrap returns why the last attempt failed.
func (g *GaveUp) Unwrap() error { return g.Err }

// sleep waits for d. It returns the cause of ctx if that is done first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
