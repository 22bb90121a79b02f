package sftp

import (
	"time"

	"locus/proto/internal/pool"
	"locus/url"
)

// A Pool keeps connections between requests, so that the next request to the same server by the same user needs no
// login. The zero Pool is ready to use. Several goroutines, and several Clients with the same settings, may use it at
// once.
//
// A connection whose password was prompted for is reused only for requests that give the same password.
type Pool struct {
	// PerHost limits the connections to one host and port. Further requests wait until one is free. 0: the
	// default, no limit, because a caller that reads several Bodies in turn needs a connection for each; negative: no
	// limit.
	PerHost int

	// Most limits the idle connections; 0: 16, negative: no limit.
	Most int

	// Idle is how long an idle connection is kept; 0: 30 seconds, negative: no limit, so that it is kept until the
	// server or Close closes it.
	Idle time.Duration

	conns pool.Pool[*conn]
}

// An identity has the settings that must be equal in a connection and in a request that reuses it.
type identity struct {
	address     string // host:port in lower case, as known hosts are
	publicOnly  bool   // only public addresses were dialled
	user        string // the user who logs in
	password    url.Part
	fingerprint string // of the URL
}

// Close closes every idle connection. Connections in use are closed when their request ends. The Pool keeps no
// connections after Close.
func (p *Pool) Close() error {
	p.shared().Close()
	return nil
}

// shared returns the connections of the Pool, or nil if p is nil.
func (p *Pool) shared() *pool.Pool[*conn] {
	if p == nil {
		return nil
	}
	return &p.conns
}

// limits returns the settings of the Pool, as package pool needs them. They are zero for a nil Pool.
func (p *Pool) limits() pool.Limits {
	if p == nil {
		return pool.Limits{}
	}
	return pool.Limits{PerHost: p.PerHost, Most: p.Most, Idle: p.Idle}
}

// hasConn reports whether the pool has an idle connection that differs from id at most in its password, and whose
// login used a password.
func (p *Pool) hasConn(id identity) bool {
	return p.shared().Has(func(c *conn) bool {
		login := c.login
		login.password = id.password
		return login == id && c.login.password.Present
	})
}

// acquire returns an idle connection with the login of o, bound to the context of o. It returns nil, nil if the
// caller must dial, because no such connection is idle or isNew is true. While p.PerHost connections to the server
// are in use, acquire waits. The error is the cause of the context of o if that is done first.
func (p *Pool) acquire(o *operation, isNew bool) (*conn, error) {
	rank := func(c *conn) int {
		if c.login != o.login {
			return -1
		}
		return 0
	}
	if isNew {
		rank = nil
	}
	c, ok, err := p.shared().Acquire(o.ctx, p.limits(), o.login.address, rank)
	if ok {
		c.bind(o.ctx, true)
	}
	return c, err
}

// release puts a connection back into the pool, or closes it if it cannot be used again. p may be nil.
func (p *Pool) release(c *conn) {
	if !c.unbind() || !c.isIdle() {
		c.Close()
		p.shared().Forget(c.Host())
		return
	}
	if !p.shared().Keep(c, p.limits()) {
		c.Close()
	}
}
