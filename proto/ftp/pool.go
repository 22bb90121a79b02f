package ftp

import (
	"context"
	"sync"
	"time"

	"locus/access"
	"locus/proto/internal/pool"
	"locus/url"
)

// A Pool keeps control connections between requests, so that the next request to the same server by
// the same user needs no new login. The zero Pool is ready to use. Several goroutines, and several
// Clients with the same settings, may use it at once.
//
// A connection is kept only if every command on it was answered. It is reused for another directory
// only if the result is provably the same as on a new connection (RFC 1738 §3.2.5). Either its
// directory is on the way, or it goes back to the login directory, and PWD confirms that. The first
// request of a connection sends no PWD, so the first request for another directory may need a new
// connection, on which the client does ask.
//
// A connection whose password was prompted for is reused only for requests that give the same
// password.
type Pool struct {
	// PerHost limits the connections to one host and port. Further requests wait
	// until one is free. 0: the default, no limit, because a caller that reads
	// several Bodies in turn needs a connection for each; negative: no limit.
	PerHost int

	// Most limits the idle connections; 0: 16, negative: no limit.
	Most int

	// Idle is how long an idle connection is kept; 0: 30 seconds, negative: no limit,
	// until the server or Close closes it.
	Idle time.Duration

	conns pool.Pool[*controlConn]

	mu         sync.Mutex
	disordered map[string]bool // the addresses of servers that do not answer queued commands in order
}

// maxDisordered limits the servers that a Pool remembers as disordered. It forgets all of them before it exceeds
// the limit.
const maxDisordered = 1000

// noteDisorder records that connections to address must not pipeline. It first forgets all other addresses if there are
// maxDisordered. It has no effect on a nil Pool.
func (p *Pool) noteDisorder(address string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.disordered == nil || len(p.disordered) >= maxDisordered {
		p.disordered = map[string]bool{}
	}
	p.disordered[address] = true
}

// hasDisorder reports whether p remembers that connections to address must not pipeline. It is false if p is nil.
func (p *Pool) hasDisorder(address string) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.disordered[address]
}

// An identity has the settings that must be equal in a connection and in a request that reuses it.
type identity struct {
	address        string
	implicit       bool // TLS starts before the greeting
	publicOnly     bool // only public addresses were dialled
	security       access.Security
	user, password url.Part
	email, account string
}

// Close closes every idle connection, with QUIT. Connections in use are closed
// when their request ends. The Pool keeps nothing after Close.
func (p *Pool) Close() error {
	p.shared().Close()
	return nil
}

// shared returns the pool that has the connections of p; nil if p is nil.
func (p *Pool) shared() *pool.Pool[*controlConn] {
	if p == nil {
		return nil
	}
	return &p.conns
}

// limits returns the settings of p; zero if p is nil.
func (p *Pool) limits() pool.Limits {
	if p == nil {
		return pool.Limits{}
	}
	return pool.Limits{PerHost: p.PerHost, Most: p.Most, Idle: p.Idle}
}

// acquire returns the idle connection with this identity that is closest to the directory of o. It returns nil if there
// is no such connection, or if forceNew is set. Then the caller may dial, and must call forget when the new connection
// is gone. acquire waits while PerHost is reached. The error is the cause of the context if the context is done first.
func (p *Pool) acquire(o *operation, id identity, forceNew bool) (*controlConn, error) {
	rank := func(c *controlConn) int {
		if c.login != id {
			return -1
		}
		return c.progressTo(o.sent.Dirs)
	}
	if forceNew {
		rank = nil
	}
	c, _, err := p.shared().Acquire(o.ctx, p.limits(), id.address, rank)
	return c, err
}

// progressTo ranks a connection for a request to dirs. It returns two plus the number of dirs that
// the connection has entered, 1 if the connection must go back to the login directory first, and 0
// if it cannot go back because the login directory is unknown. A connection of rank 0 is replaced.
func (c *controlConn) progressTo(dirs []string) int {
	switch {
	case isPrefix(c.dirs, dirs):
		return 2 + len(c.dirs)
	case c.home != "":
		return 1
	}
	return 0
}

// keep puts a connection into the pool after its request. It returns false if the connection is
// broken, or if the pool is closed or nil. Then the pool no longer counts the connection, and the
// caller closes it.
func (p *Pool) keep(c *controlConn) bool {
	if c.broken {
		p.forget(c.Host())
		return false
	}
	return p.shared().Keep(c, p.limits())
}

// forget removes a closed connection to address from the count of connections.
func (p *Pool) forget(address string) { p.shared().Forget(address) }

// waitForChange waits until a connection to address is free or closed, as [pool.Pool.Wait]
// does.
func (p *Pool) waitForChange(ctx context.Context, address string, delay time.Duration, justClosed bool) bool {
	return p.shared().Wait(ctx, address, delay, justClosed)
}

// hasConn reports whether the pool has an idle connection with this identity, whatever its
// password.
func (p *Pool) hasConn(id identity) bool {
	return p.shared().Has(func(c *controlConn) bool {
		login := c.login
		login.password = id.password
		return login == id
	})
}

// Host returns the address of the server, to which [Pool.PerHost] applies.
func (c *controlConn) Host() string { return c.login.address }

// Close sends QUIT and closes the connection.
func (c *controlConn) Close() error {
	c.quit()
	return nil
}
