// Package pool keeps idle connections of an engine between requests, so that the next request to
// the same server needs no new connection.
//
//	c, ok, err := p.Acquire(ctx, limits, host, rank) // an idle connection, or the caller dials
//	…
//	if !p.Keep(c, limits) { … } // after the request: idle again, or the caller closes it
//
// A Pool counts the connections of each host, in use or idle, to enforce Limits.PerHost. Each
// Acquire without an error counts one connection: one call of Keep or Forget ends that.
package pool

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// A Conn is a connection that a Pool keeps.
type Conn interface {
	comparable

	// Host returns the host, or another name of the server, whose connections are limited
	// together. It never changes.
	Host() string

	// Close sends the protocol's command for the end of a connection, if there is one, and
	// closes the connection. The Pool calls it only while the connection is idle.
	Close() error
}

// Limits are the settings of a Pool.
type Limits struct {
	PerHost int           // connections to one host, in use or idle; not positive: no limit
	Most    int           // idle connections; 0: 16, negative: no limit
	Idle    time.Duration // the time after which an idle connection is closed; 0: 30 seconds, negative: never
}

const (
	defaultMost = 16
	defaultIdle = 30 * time.Second
)

// A Pool keeps idle connections. The zero Pool is ready to use. A nil Pool keeps no connections.
// Several goroutines may use a Pool at once.
type Pool[C Conn] struct {
	mu      sync.Mutex
	idle    []idle[C]      // the most recently used one is last
	open    map[string]int // the number of connections by host, in use or idle
	changed chan struct{}  // closed when a connection is idle or gone; nil if no call waits
	closed  bool
}

// An idle is an idle connection in the Pool.
type idle[C Conn] struct {
	conn   C
	expire *time.Timer // closes the connection; nil if it never expires
}

// Acquire returns the idle connection of host for which rank is greatest, and at least 0. If rank is equal for several
// connections, it returns the most recently used one. If no connection qualifies, ok is false and the caller dials; the
// Pool already counts the new connection. A nil rank asks for a new connection.
//
// While PerHost connections to host are open, Acquire closes an idle one or waits until one is idle or gone. It returns
// the cause of ctx when ctx is done. With a nil Pool it does not wait, and ok is always false.
func (p *Pool[C]) Acquire(ctx context.Context, limits Limits, host string, rank func(C) int) (c C, ok bool, err error) {
	for {
		if ctx.Err() != nil {
			return c, false, context.Cause(ctx)
		}
		if p == nil {
			return c, false, nil
		}
		k, changed := p.try(limits, host, rank)
		if changed == nil {
			k.stop()
			return k.conn, k.isSet(), nil
		}
		if k.isSet() { // closed to make room for another connection
			p.closeIdle(k)
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// try is one attempt of Acquire. If changed is nil it has succeeded: k is an idle connection, or it is zero, the caller
// may dial, and the new connection is counted. If not, the host has as many connections as PerHost allows; the caller
// closes k if it is not zero, or waits for changed.
func (p *Pool[C]) try(limits Limits, host string, rank func(C) int) (k idle[C], changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := p.best(host, rank); i >= 0 {
		return p.take(i), nil
	}
	if limits.PerHost <= 0 || p.open[host] < limits.PerHost {
		if p.open == nil {
			p.open = make(map[string]int)
		}
		p.open[host]++
		return k, nil
	}
	changed = p.nextChange()
	if i := slices.IndexFunc(p.idle, func(k idle[C]) bool { return k.conn.Host() == host }); i >= 0 {
		k = p.take(i)
	}
	return k, changed
}

// best returns the index in p.idle of the connection of host with the greatest rank, the last one if several are equal.
// It returns -1 if all ranks are negative or if rank is nil. The caller holds mu.
func (p *Pool[C]) best(host string, rank func(C) int) int {
	best, most := -1, 0
	if rank == nil {
		return best
	}
	for i, k := range p.idle {
		if k.conn.Host() != host {
			continue
		}
		if n := rank(k.conn); n >= most {
			best, most = i, n
		}
	}
	return best
}

// take removes p.idle[i] and returns it. Its timer still runs. The caller holds mu.
func (p *Pool[C]) take(i int) idle[C] {
	k := p.idle[i]
	p.idle = slices.Delete(p.idle, i, i+1)
	return k
}

// Keep makes a connection idle after its request. If it returns false, because the Pool is closed or nil, the
// connection is no longer counted and the caller closes it. Otherwise it wakes the calls that wait for a connection. If
// the Pool then has more idle connections than Limits.Most, it closes the least recently used one.
func (p *Pool[C]) Keep(c C, limits Limits) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		p.Forget(c.Host())
		return false
	}
	k := idle[C]{conn: c}
	if after := cmp.Or(limits.Idle, defaultIdle); after > 0 {
		k.expire = time.AfterFunc(after, func() { p.closeExpired(c) })
	}
	p.idle = append(p.idle, k)
	var oldest idle[C]
	if most := cmp.Or(limits.Most, defaultMost); most > 0 && len(p.idle) > most {
		oldest = p.take(0) // the least recently used one
	}
	p.signalChange()
	p.mu.Unlock()
	p.closeIdle(oldest)
	return true
}

// closeExpired closes an idle connection whose time has passed. It does nothing if the connection is in use again.
func (p *Pool[C]) closeExpired(c C) {
	p.mu.Lock()
	var k idle[C]
	if i := slices.IndexFunc(p.idle, func(k idle[C]) bool { return k.conn == c }); i >= 0 {
		k = p.take(i)
	}
	p.mu.Unlock()
	p.closeIdle(k)
}

// Forget removes a connection to host from the count, because the caller has closed it or could not
// dial it. It wakes the calls that wait for a connection.
func (p *Pool[C]) Forget(host string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[host]--; p.open[host] <= 0 {
		delete(p.open, host)
	}
	p.signalChange()
}

// Wait waits until any connection is idle or gone, but at most for delay, and returns true. It returns false if ctx is
// done. It also returns false, at once, if p is nil or no connection to host is open, because then a wait could not
// help. With justClosed it waits even then, because the server may still count a connection that was closed.
func (p *Pool[C]) Wait(ctx context.Context, host string, delay time.Duration, justClosed bool) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	others := p.open[host]
	changed := p.nextChange()
	p.mu.Unlock()
	if others == 0 && !justClosed {
		return false
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-changed:
		return true
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Has reports whether match returns true for at least one idle connection. match must not call methods of p, because p
// is locked.
func (p *Pool[C]) Has(match func(C) bool) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.idle, func(k idle[C]) bool { return match(k.conn) })
}

// Close closes every idle connection. Connections in use are closed when their request ends,
// because Keep returns false from now on.
func (p *Pool[C]) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.CloseIdle()
}

// CloseIdle closes every idle connection, all at the same time, because each Close may wait for its server. The Pool
// keeps connections that become idle later.
func (p *Pool[C]) CloseIdle() {
	if p == nil {
		return
	}
	p.mu.Lock()
	all := p.idle
	p.idle = nil
	p.mu.Unlock()
	var closing sync.WaitGroup
	for _, k := range all {
		closing.Go(func() { p.closeIdle(k) })
	}
	closing.Wait()
}

// closeIdle closes a connection that was removed from p.idle, stops its timer and uncounts it. It does nothing for the
// zero idle. The caller must not hold mu.
func (p *Pool[C]) closeIdle(k idle[C]) {
	if !k.isSet() {
		return
	}
	k.stop()
	_ = k.conn.Close() // the error does not matter because the connection is not used again
	p.Forget(k.conn.Host())
}

// isSet reports whether k is not the zero idle.
func (k idle[C]) isSet() bool {
	var none C
	return k.conn != none
}

// stop stops the timer of an idle connection, if it has one.
func (k idle[C]) stop() {
	if k.expire != nil {
		k.expire.Stop()
	}
}

// nextChange returns a channel that is closed as soon as a connection becomes idle or is gone. The caller holds mu.
func (p *Pool[C]) nextChange() <-chan struct{} {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// signalChange closes the channel that nextChange returned, and so wakes the calls that wait for it. The caller holds
// mu.
func (p *Pool[C]) signalChange() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}
