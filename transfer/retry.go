package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"syscall"
	"time"

	"locus/access"
)

// Retry says how to go on after failures that may pass; see [Transient]. The
// zero Retry is a patient one.
type Retry struct {
	// Tries is how many more times an access is tried after a failure. Each
	// octet gained begins the count anew. 0 means 5, a negative number none.
	Tries int

	// Time is how long after its first failure an access may be tried again. Each
	// byte received begins the count anew. 0 means five minutes, a negative
	// duration sets no limit.
	Time time.Duration

	// Wait is the pause before the first try. Each further one is twice as long,
	// up to 30 times Wait, and all are shortened by chance to as little as half.
	// A server that asks for a longer pause gets it, if Time allows it; if not,
	// the access fails at once with a [LongPause]. 0 means a second.
	Wait time.Duration

	// Stall is how long a server may be silent before the access has failed; 0
	// means a minute, a negative duration for ever.
	Stall time.Duration

	// Random gives numbers from 0 up to 1 for the pauses; nil uses math/rand.
	Random func() float64
}

// Transient reports whether err may pass, so that the same access may succeed
// if it is tried again: time-outs, connections that break off or are reset, and
// replies that say so: 4yz of FTP, and of HTTP 408, 425, 429, 502, 503 and 504.
// What is refused, not found, changed, without room on the server (452), or
// against the protocol is not.
func Transient(err error) bool {
	for _, permanent := range []error{
		context.Canceled, fs.ErrNotExist, fs.ErrPermission, errors.ErrUnsupported, access.ErrPassword,
		access.ErrChanged, access.ErrRange, access.ErrNotModified, access.ErrProtocol, access.ErrTooLong, access.ErrFull,
		access.ErrRedirect, access.ErrForm,
	} {
		if errors.Is(err, permanent) {
			return false
		}
	}
	if errors.Is(err, errStalled) {
		return true
	}
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return false // the caller's own
	}
	e, known := errors.AsType[*access.Error](err)
	if known && e.Reply != nil && e.Reply.Code > 0 && !errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.Is(err, access.ErrTemporary) || temporary(e.URL.Scheme(), e.Reply.Code)
	}
	return isBroken(err) || known && e.Op == "read"
}

// temporary reports whether a reply says that the server may do later what it
// does not do now.
func temporary(scheme string, code int) bool {
	switch scheme {
	case "http", "https":
		return code == 408 || code == 425 || code == 429 || code == 502 || code == 503 || code == 504
	}
	return code/100 == 4
}

// isBroken reports whether err is that of a connection which broke.
func isBroken(err error) bool {
	for _, broken := range []error{
		io.ErrUnexpectedEOF, io.EOF, io.ErrClosedPipe, access.ErrTemporary,
		syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, syscall.ETIMEDOUT,
	} {
		if errors.Is(err, broken) {
			return true
		}
	}
	late, ok := errors.AsType[timeout](err)
	return ok && late.Timeout()
}

// A timeout is what package net calls an Error.
type timeout interface {
	error
	Timeout() bool
}

var errStalled = errors.New("the server fell silent")

// Do does something, and again after failures that may pass, as r says. What it
// does may be done twice: a failure does not say how much was done. notify, if
// not nil, is called before each wait.
func (r Retry) Do(ctx context.Context, do func(context.Context) error, notify func(err error, wait time.Duration)) error {
	p := patience{Retry: r}
	for {
		err := do(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		wait, giveUp := p.next(err)
		if giveUp != nil {
			return giveUp
		}
		if notify != nil {
			notify(err, wait)
		}
		if sleep(ctx, wait) != nil {
			return err
		}
	}
}

// A patience counts the failures of one access.
type patience struct {
	Retry
	failures int // since an octet was gained
	total    int
	since    time.Time // the first failure since a byte was received
	reached  bool      // the server answered before: that it refuses a connection may pass
}

// gained tells that bytes were received.
func (p *patience) gained() { p.failures, p.reached, p.since = 0, true, time.Time{} }

// next returns how long to wait before another try after err; if there is to be
// none it returns err and why.
func (p *patience) next(err error) (time.Duration, error) {
	if !Transient(err) && (!p.reached || !errors.Is(err, syscall.ECONNREFUSED)) {
		return 0, err
	}
	if p.since.IsZero() {
		p.since = time.Now()
	}
	tries := p.Tries
	if tries == 0 {
		tries = 5
	}
	asked := retryAfter(err)
	wait := max(p.pause(), asked)
	left := p.left()
	if p.failures >= max(tries, 0) || wait > left {
		if p.failures < tries && asked > left {
			err = &LongPause{Asked: asked, Left: left, Err: err}
		}
		if p.total > 0 {
			err = &GaveUp{Tries: p.total + 1, Err: err}
		}
		return 0, err
	}
	p.failures++
	p.total++
	return wait, nil
}

// left returns how much of Time is left.
func (p *patience) left() time.Duration {
	switch {
	case p.Time < 0:
		return math.MaxInt64
	case p.Time == 0:
		return max(defaultRetryTime-time.Since(p.since), 0)
	}
	return max(p.Time-time.Since(p.since), 0)
}

// defaultRetryTime is what a Retry.Time of 0 means.
const defaultRetryTime = 5 * time.Minute

// pause returns how long to wait before the next try.
func (p *patience) pause() time.Duration {
	first, random := p.Wait, p.Random
	if first == 0 {
		first = time.Second
	}
	if random == nil {
		random = rand.Float64
	}
	wait := min(first<<min(p.failures, 10), 30*first)
	return wait - time.Duration(random()*float64(wait)/2)
}

// retryAfter returns how long the server wants to be left alone.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*access.Error](err); ok {
		return e.RetryAfter
	}
	return 0
}

// A LongPause says that a server asked for a longer pause than Retry.Time allows.
type LongPause struct {
	Asked time.Duration // by the server
	Left  time.Duration // of Retry.Time
	Err   error         // the failure
}

// Error gives "open …: 503 Busy; it asks for a pause of 1h0m0s, and 5m0s is left".
func (l *LongPause) Error() string {
	return fmt.Sprintf("%v; it asks for a pause of %v, and %v is left", l.Err, l.Asked, l.Left.Round(time.Second))
}

// Unwrap returns the failure.
func (l *LongPause) Unwrap() error { return l.Err }

// GaveUp says that an access was tried again in vain.
type GaveUp struct {
	Tries int   // how often in all
	Err   error // what happened the last time
}

// Error gives "open …: 421 too many users: … (after 6 tries)".
func (g *GaveUp) Error() string { return fmt.Sprintf("%v (after %d tries)", g.Err, g.Tries) }

// Unwrap returns what happened the last time.
func (g *GaveUp) Unwrap() error { return g.Err }

// sleep waits, unless ctx is done first.
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
