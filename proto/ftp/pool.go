package ftp

import (
	"context"
	"time"

	"locus/access"
	"locus/proto/internal/pool"
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
	// PerHost limits the connections to one host and port. Further requests
	// wait for a free one. A caller that reads several Bodies in turn needs one
	// for each. 0 sets no limit.
	PerHost int

	// Most limits the idle connections; 0 means 16, a negative value no limit.
	Most int

	// Idle is how long an idle connection is kept; 0 means 30 seconds, a negative value
	// no limit.
	Idle time.Duration

	conns pool.Pool[*control]
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

// Close closes every idle connection, with QUIT. Connections in use are closed
// when their request ends. The Pool keeps nothing after Close.
func (p *Pool) Close() error {
	p.shared().Close()
	return nil
}

// shared returns the connections; nil for a nil Pool.
func (p *Pool) shared() *pool.Pool[*control] {
	if p == nil {
		return nil
	}
	return &p.conns
}

// limits returns the settings; the zero Limits for a nil Pool.
func (p *Pool) limits() pool.Limits {
	if p == nil {
		return pool.Limits{}
	}
	return pool.Limits{PerHost: p.PerHost, Most: p.Most, Idle: p.Idle}
}

// acquire returns the idle connection of id that is closest to the directory of o. If both
// results are nil, the caller may dial, and must call forget when that connection is
// gone. With forceNew there is no idle connection. acquire waits while PerHost is reached.
func (p *Pool) acquire(o *operation, id identity, forceNew bool) (*control, error) {
	rank := func(c *control) int {
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

// progressTo returns how many of dirs the connection has already entered, plus
// two. It returns 1 if the connection is elsewhere and must go back first. It returns 0 if
// the connection does not know the way back: then another replaces it.
func (c *control) progressTo(dirs []string) int {
	switch {
	case isPrefix(c.dirs, dirs):
		return 2 + len(c.dirs)
	case c.home != "":
		return 1
	}
	return 0
}

// keep puts a connection into the pool after its request. If it returns false,
// the connection is no longer counted and the caller closes it.
func (p *Pool) keep(c *control) bool {
	if c.broken {
		p.forget(c.Host())
		return false
	}
	return p.shared().Keep(c, p.limits())
}

// forget takes a closed connection to address out of the count.
func (p *Pool) forget(address string) { p.shared().Forget(address) }

// waitForChange waits until a connection to address is free or closed, as [pool.Pool.Wait]
// does.
func (p *Pool) waitForChange(ctx context.Context, address string, delay time.Duration, justClosed bool) bool {
	return p.shared().Wait(ctx, address, delay, justClosed)
}

// hasConn reports whether a connection of this user is idle, with any password.
func (p *Pool) hasConn(id identity) bool {
	return p.shared().Has(func(c *control) bool {
		login := c.login
		login.password = id.password
		return login == id
	})
}

// Host returns the address of the server, for which [Pool.PerHost] holds.
func (c *control) Host() string { return c.login.address }

// Close says QUIT and closes the connection.
func (c *control) Close() error {
	c.quit()
	return nil
}
