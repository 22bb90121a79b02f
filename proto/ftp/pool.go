package ftp

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/url"
)

// A Pool keeps control connections between requests. The next request to the
// same server by the same user then needs no new login. The zero Pool is ready
// to use. Several goroutines, and several Clients with the same settings, may
// use it at once.
//
// A connection is kept only if every command on it was answered. It is reused
// for another directory only if the result is provably the same as on a new
// connection (RFC 1738 §3.2.5). Either its directory is on the way, or it goes
// back to the login directory, and PWD confirms that. The first request of a
// connection sends no PWD. So the first that goes to another directory may need
// a new connection, which then asks.
//
// A connection with a prompted password is reused only for requests that give
// the same password.
type Pool struct {
	// PerHost limits the connections to one host and port. Further requests wait for
	// a free one. 0: the default, no limit, because a caller that reads several
	// Bodies in turn needs one for each; negative: no limit.
	PerHost int

	// Most limits the idle connections; 0: 16, negative: no limit.
	Most int

	// Idle is how long an idle connection is kept; 0: 30 seconds, negative: no limit,
	// until the server or Close closes it.
	Idle time.Duration

	mu      sync.Mutex
	idle    []*idleConn    // the most recently used one is last
	open    map[string]int // connections by address, idle or not
	changed chan struct{}  // closed when a connection is free or gone; nil if nobody waits
	closed  bool
}

// An idleConn is a connection in the pool.
type idleConn struct {
	*control
	expire *time.Timer
}

// An identity is what two connections must share to replace each other.
type identity struct {
	address        string
	implicit       bool // TLS from the start
	publicOnly     bool // it was dialled at a public address
	security       access.Security
	user, password url.Part
	email, account string
}

const (
	defaultMost = 16
	defaultIdle = 30 * time.Second
)

// Close closes every idle connection, with QUIT. Connections in use are closed
// when their request ends. The Pool keeps nothing after Close.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.closeIdle()
	return nil
}

func (p *Pool) closeIdle() {
	if p == nil {
		return
	}
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, k := range idle {
		p.closeConn(k)
	}
}

// closeConn closes a connection that was taken out of p.idle.
func (p *Pool) closeConn(k *idleConn) {
	k.expire.Stop()
	k.quit()
	p.connClosed(k.login.address)
}

// acquire returns the best idle connection for o. If both results are nil, the
// caller may dial, and must call connClosed when that connection is gone. With
// forceNew there is no idle connection. acquire waits while PerHost is reached.
func (p *Pool) acquire(o *operation, id identity, forceNew bool) (*control, error) {
	ctx := o.ctx
	if p == nil {
		return nil, ctx.Err()
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.mu.Lock()
		var k *idleConn
		if !forceNew {
			k = p.takeBest(o, id)
		}
		if k != nil {
			p.mu.Unlock()
			k.expire.Stop()
			return k.control, nil
		}
		if p.PerHost <= 0 || p.open[id.address] < p.PerHost {
			if p.open == nil {
				p.open = map[string]int{}
			}
			p.open[id.address]++
			p.mu.Unlock()
			return nil, nil
		}
		other := p.take(slices.IndexFunc(p.idle, func(k *idleConn) bool { return k.login.address == id.address }))
		changed := p.nextChange()
		p.mu.Unlock()
		if other != nil {
			p.closeConn(other)
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// takeBest removes and returns an idle connection of id; nil if there is none.
// It prefers the one that is closest to the directory of o.
func (p *Pool) takeBest(o *operation, id identity) *idleConn {
	best, most := -1, -1
	for i, k := range p.idle {
		if k.login != id {
			continue
		}
		if n := k.progressTo(o.sent.Dirs); n >= most {
			best, most = i, n
		}
	}
	return p.take(best)
}

// take removes and returns an idle connection; nil if i is negative.
func (p *Pool) take(i int) *idleConn {
	if i < 0 {
		return nil
	}
	k := p.idle[i]
	p.idle = slices.Delete(p.idle, i, i+1)
	return k
}

// progressTo returns how many of dirs the connection has already entered, plus
// one. It returns 0 if the connection is elsewhere and must go back first, and
// -1 if it does not know the way.
func (c *control) progressTo(dirs []string) int {
	switch {
	case isPrefix(c.dirs, dirs):
		return 1 + len(c.dirs)
	case c.home != "":
		return 0
	}
	return -1
}

// keep puts a connection into the pool after its request. If it returns false,
// the connection is no longer counted and the caller closes it.
func (p *Pool) keep(c *control) bool {
	if p == nil {
		return false
	}
	k := &idleConn{control: c}
	p.mu.Lock()
	if p.closed || c.broken {
		p.mu.Unlock()
		p.connClosed(c.login.address)
		return false
	}
	k.expire = time.AfterFunc(p.keepsFor(), func() { p.closeExpired(k) })
	p.idle = append(p.idle, k)
	var oldest *idleConn
	if len(p.idle) > p.most() {
		oldest = p.take(0) // the least recently used one
	}
	p.signalChange()
	p.mu.Unlock()
	if oldest != nil {
		p.closeConn(oldest)
	}
	return true
}

func (p *Pool) closeExpired(k *idleConn) {
	p.mu.Lock()
	found := p.take(slices.Index(p.idle, k))
	p.mu.Unlock()
	if found != nil {
		p.closeConn(k)
	}
}

// connClosed takes a closed connection to address out of the count, and wakes the
// requests that wait for one.
func (p *Pool) connClosed(address string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[address]--; p.open[address] == 0 {
		delete(p.open, address)
	}
	p.signalChange()
}

// waitForChange waits until a connection is free or closed, but at most for
// delay. Then it returns true. It returns false if ctx is done. If no connection
// to address is open, it returns false at once: nothing can change. With
// justClosed it waits even then, because the server may still count the
// connection that was closed.
func (p *Pool) waitForChange(ctx context.Context, address string, delay time.Duration, justClosed bool) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	others := p.open[address]
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

// hasConn reports whether a connection of this user is idle, with any password.
func (p *Pool) hasConn(id identity) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.idle, func(k *idleConn) bool {
		login := k.login
		login.password = id.password
		return login == id
	})
}

// nextChange returns a channel that is closed at the next change.
func (p *Pool) nextChange() <-chan struct{} {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

func (p *Pool) signalChange() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// keepsFor returns Idle, or its default.
func (p *Pool) keepsFor() time.Duration {
	if p.Idle < 0 {
		return wire.NoIdle
	}
	return cmp.Or(p.Idle, defaultIdle)
}

// most returns Most, or its default.
func (p *Pool) most() int {
	if p.Most < 0 {
		return math.MaxInt
	}
	return cmp.Or(p.Most, defaultMost)
}
