package retry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"syscall"
	"time"

	"locus/access"
	"locus/internal/errno"
)

// A Policy says how often a request is repeated, and after how long. The zero Policy repeats it up to three times in
// up to five minutes.
type Policy struct {
	// Retries is the number of retries after a failure. Each 4096 bytes received reset the count. 0: [DefaultRetries],
	// negative: no retries. There is no value for unlimited retries, because every request must end.
	Retries int

	// Time is the time after the first failure in which a retry may begin. 0: [DefaultTime], negative: no limit. Each
	// 4096 bytes received reset it.
	Time time.Duration

	// Wait is the pause before the first retry. 0: [DefaultWait], negative: no pause. Each further pause is twice as
	// long, up to 30 times Wait. Each pause is shortened at random, to no less than half. If the server asks for a
	// longer pause, that pause is used. If Time does not allow it, the request fails at once with a [LongPause].
	Wait time.Duration

	// Random returns numbers in [0, 1) for the pauses. Nil means math/rand.
	Random func() float64
}

// The values that the zero Policy uses.
const (
	DefaultRetries = 3
	DefaultTime    = 5 * time.Minute
	DefaultWait    = time.Second
)

const longestWait = 30 // times Policy.Wait

// Do calls do until it succeeds or the retries end; then it returns the error of the last call, which may be wrapped
// in a [GaveUp] or a [LongPause]. A failed attempt may have done part of its work, so do must be safe to repeat.
// notify, if not nil, is called before each wait.
func (p Policy) Do(ctx context.Context, do func(context.Context) error, notify func(err error, wait time.Duration)) error {
	a := attempts{Policy: p, notify: notify}
	return a.repeat(ctx, func() error { return do(ctx) })
}

// attempts counts the failures of one request.
type attempts struct {
	Policy
	notify   func(err error, wait time.Duration) // is called before each wait; may be nil
	failures int                                 // since the last reset
	since    time.Time                           // of the first failure since the last reset
	total    int                                 // all failures
	received bool                                // the server has sent bytes, so a refused connection is transient
}

// reset forgets the failures. It is called after progress.
func (a *attempts) reset() { a.failures, a.since = 0, time.Time{} }

// repeat calls do until it succeeds or wait ends the retries; then it returns the error of wait.
func (a *attempts) repeat(ctx context.Context, do func() error) error {
	for {
		err := do()
		if err == nil {
			return nil
		}
		if err := a.wait(ctx, err); err != nil {
			return err
		}
	}
}

// wait counts the failure err, calls notify, and waits before the next attempt. It returns nil if the caller should
// try again. If there is no further attempt, or ctx ends, it returns err or an error that wraps err.
func (a *attempts) wait(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	pause, stop := a.nextPause(err)
	if stop != nil {
		return stop
	}
	if a.notify != nil {
		a.notify(err, pause)
	}
	if Sleep(ctx, pause) != nil {
		return err
	}
	return nil
}

// nextPause counts the failure err and returns the pause before the next attempt, which is at least as long as the
// server asked for. If there is no further attempt, it returns err, which may be wrapped in a LongPause and a GaveUp.
func (a *attempts) nextPause(err error) (time.Duration, error) {
	if !Transient(err) && (!a.received || !errno.Is(err, syscall.ECONNREFUSED)) {
		return 0, err
	}
	if a.since.IsZero() {
		a.since = time.Now()
	}
	retries := cmp.Or(a.Retries, DefaultRetries)
	var asked time.Duration
	if e, ok := errors.AsType[*access.Error](err); ok {
		asked = e.RetryAfter
	}
	wait := max(a.pause(), asked)
	left := a.left()
	if a.failures >= max(retries, 0) || wait > left {
		if a.failures < retries && asked > left {
			err = wrapReason(err, func(why error) error { return &LongPause{Asked: asked, Left: left, Err: why} })
		}
		if a.total > 0 {
			err = wrapReason(err, func(why error) error { return &GaveUp{Tries: a.total + 1, Err: why} })
		}
		return 0, err
	}
	a.failures++
	a.total++
	return wait, nil
}

// wrapReason returns wrap(err). If err is an *access.Error, it returns a copy whose reason is wrapped instead, so that
// the engines around this one find the operation and the URL, and do not add them to the message again.
func wrapReason(err error, wrap func(error) error) error {
	e, ok := err.(*access.Error) //nolint:errorlint // only the outermost one has the operation
	if !ok {
		return wrap(err)
	}
	outer := *e
	outer.Err = wrap(e.Err)
	return &outer
}

// left returns how much of Time is left since the first failure: 0 if it has passed, and math.MaxInt64 if there is no
// limit.
func (a *attempts) left() time.Duration {
	if a.Time < 0 {
		return math.MaxInt64
	}
	return max(cmp.Or(a.Time, DefaultTime)-time.Since(a.since), 0)
}

// pause returns the pause before the next attempt if the server does not ask for one. It doubles with each failure, up
// to longestWait times Wait, and is shortened at random by up to a half.
func (a *attempts) pause() time.Duration {
	first, random := max(cmp.Or(a.Wait, DefaultWait), 0), a.Random
	if random == nil {
		random = rand.Float64
	}
	wait := min(first<<min(a.failures, 10), longestWait*first)
	return wait - time.Duration(random()*float64(wait)/2)
}

// A LongPause says that a server asked for a longer pause than Policy.Time allows. If the request failed with an
// *access.Error, the LongPause is the Err of that error.
type LongPause struct {
	Asked time.Duration // by the server
	Left  time.Duration // of Policy.Time
	Err   error         // why the last attempt failed
}

// Error returns "the server is busy; the server asks for a pause of 1h0m0s, and 5m0s is left".
func (l *LongPause) Error() string {
	return fmt.Sprintf("%v; the server asks for a pause of %v, and %v is left", l.Err, l.Asked, l.Left.Round(time.Second))
}

// Unwrap returns the error of the last attempt.
func (l *LongPause) Unwrap() error { return l.Err }

// GaveUp says that all attempts failed. If the last attempt failed with an *access.Error, the GaveUp is the Err of
// that error.
type GaveUp struct {
	Tries int   // the number of attempts
	Err   error // why the last one failed
}

// Error returns "the server is busy (after 6 tries)".
func (g *GaveUp) Error() string { return fmt.Sprintf("%v (after %d tries)", g.Err, g.Tries) }

// Unwrap returns the error of the last attempt.
func (g *GaveUp) Unwrap() error { return g.Err }

// Sleep waits for d and returns nil. If ctx is done first, Sleep returns the cause of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
