package ftp

import (
	"context"
	"slices"
	"sync"
	"time"

	"locus/access"
	"locus/url"
)

// A Pool keeps control connections between accesses, so that the next access to
// the same server by the same user need not log in again. The zero Pool is
// ready to use. It may be used by several goroutines at once, and by several
// Clients if these differ in nothing else.
//
// A connection is kept only if every command on it was answered. It serves
// another directory than before only if its own is a part of the way there, or
// if it goes back, by the name that PWD gave at the login, to a directory of
// which PWD says the same; see RFC 1738 §3.2.5. One that was logged in with a
// password that somebody typed serves those who type the same.
type Pool struct {
	// PerHost is how many connections there may be to one host and port at
	// once; an access beyond that waits for one to be free. Whoever reads several
	// Bodies in turn needs one for each. 0 sets no limit.
	PerHost int

	// Most is how many connections are kept while nobody uses them; 0 means 16.
	Most int

	// Idle is how long a connection is kept while nobody uses it; 0 means 30
	// seconds.
	Idle time.Duration

	mu      sync.Mutex
	idle    []*kept        // the one that was used last comes last
	open    map[string]int // connections by address, idle or not
	changed chan struct{}  // closed when a connection is free or gone; nil if nobody waits
	closed  bool
}

// A kept connection is one that nobody uses.
type kept struct {
	*control
	expire *time.Timer
}

// An identity is what connections must have in common to stand for each other.
type identity struct {
	address        string
	implicit       bool // TLS from the start
	security       access.Security
	user, password url.Part
	email, account string
}

const (
	defaultMost = 16
	defaultIdle = 30 * time.Second
)

// Close says goodbye on every connection that nobody uses. Those in use are
// closed when their access ends. The Pool keeps nothing from then on.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.closeIdle()
	return nil
}

// closeIdle says goodbye on every connection that nobody uses.
func (p *Pool) closeIdle() {
	if p == nil {
		return
	}
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, k := range idle {
		p.end(k)
	}
}

// end closes a connection that is no longer among the idle ones.
func (p *Pool) end(k *kept) {
	k.expire.Stop()
	k.quit()
	p.forget(k.login.address)
}

// take returns a connection for an errand of who, the best for it. If it is nil
// the caller may dial one, and calls forget if it is gone; that is what happens
// if it has to be fresh. It waits while there are as many as there may be.
func (p *Pool) take(e *errand, who identity, fresh bool) (*control, error) {
	ctx := e.ctx
	if p == nil {
		return nil, ctx.Err()
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.mu.Lock()
		var found, other *kept
		if !fresh {
			found = p.pick(e, who)
		}
		full := p.PerHost > 0 && p.open[who.address] >= p.PerHost
		if found == nil && full {
			other = p.remove(func(k *kept) bool { return k.login.address == who.address })
		}
		if found == nil && !full {
			if p.open == nil {
				p.open = map[string]int{}
			}
			p.open[who.address]++
		}
		var changed <-chan struct{}
		if found == nil && full && other == nil {
			changed = p.change()
		}
		p.mu.Unlock()
		switch {
		case found != nil:
			found.expire.Stop()
			return found.control, nil
		case !full:
			return nil, nil
		case other != nil:
			p.end(other)
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// pick takes a connection of who out of the idle ones; nil if there is none. It
// prefers the one that has gone the furthest towards the directory of the errand.
func (p *Pool) pick(e *errand, who identity) *kept {
	best, most := -1, -1
	for i, k := range p.idle {
		if k.login != who {
			continue
		}
		if n := k.onTheWay(e.wire.Dirs); n >= most {
			best, most = i, n
		}
	}
	if best < 0 {
		return nil
	}
	k := p.idle[best]
	p.idle = slices.Delete(p.idle, best, best+1)
	return k
}

// onTheWay returns how many directories towards the last of dirs the connection has
// gone, plus one; 0 if it is somewhere else and has to go back first.
func (c *control) onTheWay(dirs []string) int {
	if !isPrefix(c.dirs, dirs) {
		return 0
	}
	return 1 + len(c.dirs)
}

// remove takes out of the idle connections the one that was used the longest
// time ago of those that fit; nil if none does.
func (p *Pool) remove(fits func(*kept) bool) *kept {
	i := slices.IndexFunc(p.idle, fits)
	if i < 0 {
		return nil
	}
	k := p.idle[i]
	p.idle = slices.Delete(p.idle, i, i+1)
	return k
}

// put keeps a connection whose access has ended. It reports whether it does; if
// not it has forgotten the connection, which the caller closes.
func (p *Pool) put(c *control) bool {
	if p == nil {
		return false
	}
	k := &kept{control: c}
	p.mu.Lock()
	if p.closed || c.spoilt {
		p.mu.Unlock()
		p.forget(c.login.address)
		return false
	}
	k.expire = time.AfterFunc(or(p.Idle, defaultIdle), func() { p.expired(k) })
	p.idle = append(p.idle, k)
	var oldest *kept
	if len(p.idle) > or(p.Most, defaultMost) {
		oldest = p.remove(func(*kept) bool { return true })
	}
	p.wake()
	p.mu.Unlock()
	if oldest != nil {
		p.end(oldest)
	}
	return true
}

func (p *Pool) expired(k *kept) {
	p.mu.Lock()
	found := p.remove(func(other *kept) bool { return other == k })
	p.mu.Unlock()
	if found != nil {
		p.end(k)
	}
}

// forget takes note that a connection is gone.
func (p *Pool) forget(address string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[address]--; p.open[address] == 0 {
		delete(p.open, address)
	}
	p.wake()
}

// wait waits until a connection is free or gone, or for a while. It reports
// false at once if there are no others to wait for, or if the context is done.
func (p *Pool) wait(ctx context.Context, address string, pause time.Duration) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	others := p.open[address]
	changed := p.change()
	p.mu.Unlock()
	if others == 0 {
		return false
	}
	timer := time.NewTimer(pause)
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

// knows reports whether a connection of this user is kept, whatever the
// password.
func (p *Pool) knows(who identity) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.idle, func(k *kept) bool {
		login := k.login
		login.password = who.password
		return login == who
	})
}

// change returns what is closed at the next change.
func (p *Pool) change() <-chan struct{} {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// wake lets those who wait look again.
func (p *Pool) wake() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

func or[T int | time.Duration](n, otherwise T) T {
	if n > 0 {
		return n
	}
	return otherwise
}
