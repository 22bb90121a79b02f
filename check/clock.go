package check

import (
	"cmp"
	"context"
	"time"

	"locus/limit"
	"locus/url"
)

// A clock limits the time of a visit's requests, and waits for the turns of its task at servers. It stops while it waits
// for a turn, because such a wait is not the server's fault.
type clock struct {
	*runner
	policy   Policy // the policy for the host of the job
	task     *task
	limit    time.Duration // the time limit of within
	timer    *time.Timer   // cancels the requests; nil outside of within
	began    time.Time     // when the timer was last set
	waited   time.Duration // how long the visit waited for turns
	timedOut bool          // the last call of within ended because of its limit
	started  bool          // the first request was sent, for which the task already had a turn
}

// noLimit is a time limit that is never reached.
const noLimit = 10 * 365 * 24 * time.Hour

// timeout returns the time limit of an attempt: Timeout, but 30 seconds if Timeout is 0, and noLimit if Timeout is
// negative.
func (p Policy) timeout() time.Duration {
	if p.Timeout < 0 {
		return noLimit
	}
	return cmp.Or(p.Timeout, 30*time.Second)
}

// server returns the server at which the task has its turn, in the form of limit.Server.
func (c *clock) server() string { return serverIn(c.task.pool) }

// within calls do with a context that is cancelled after limit. While untimed runs, the timer is stopped; afterwards it
// starts again with the full limit. within sets timedOut to whether do failed because of the limit, and returns the
// error of do.
func (c *clock) within(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	attempt, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.limit, c.began, c.timedOut = limit, time.Now(), false
	c.timer = time.AfterFunc(limit, func() { cancel(context.DeadlineExceeded) })
	err := do(attempt)
	c.timer.Stop()
	c.timer = nil
	c.timedOut = err != nil && attempt.Err() != nil && ctx.Err() == nil
	return err
}

// untimed calls do while the timer of within is stopped, then restarts the timer with the full limit, and adds the time
// of do to waited. Outside of within it only calls do. If the timer has fired already, untimed does not call do, and
// returns the cause of ctx.
func (c *clock) untimed(ctx context.Context, do func() error) error {
	if c.timer == nil {
		return do()
	}
	if !c.timer.Stop() { // the timer has fired
		<-ctx.Done()
		return context.Cause(ctx)
	}
	start := time.Now()
	defer func() {
		c.began = time.Now()
		c.waited += c.began.Sub(start)
		c.timer.Reset(c.limit)
	}()
	return do()
}

// wait waits until the visit may send a request to the server of u, and moves the turn of the task there. It returns a
// *silentError if the server is given up, and the cause of ctx if ctx is done first.
func (c *clock) wait(ctx context.Context, u url.URL) error {
	if err := c.silences.check(limit.Server(u), c.policy.attempts()); err != nil {
		return err
	}
	pool := c.poolAt(u)
	if pool == c.task.pool && (!c.started || !c.schedule.hasPace(pool)) {
		c.started = true
		return context.Cause(ctx)
	}
	return c.untimed(ctx, func() error { return c.waitAt(ctx, pool) })
}

// poolAt returns the name of the pool in which the task needs a turn for a request to u. At the server of the task this
// is always the pool in which the task has its turn, even if u belongs to another part of the server.
func (c *clock) poolAt(u url.URL) string {
	if limit.Server(u) == c.server() {
		return c.task.pool
	}
	return c.scope.pool(u)
}

// waitAt waits until a request may be sent in the named pool. If the task has its turn in another pool, waitAt moves
// the turn to the named pool. Otherwise it waits for the interval of Policy.Rate, except before the first request of
// the task, for which it sets started.
func (c *clock) waitAt(ctx context.Context, pool string) error {
	switch {
	case pool != c.task.pool:
		return c.schedule.move(ctx, c.task, pool)
	case c.started:
		return c.schedule.pace(ctx, pool)
	}
	c.started = true
	return nil
}
