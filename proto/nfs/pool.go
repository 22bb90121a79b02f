package nfs

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"locus/proto/internal/wire"
)

// A Pool keeps connections, and what is known of servers, between requests. The zero
// Pool is ready to use. Several goroutines, and several Clients with the same settings,
// may use it at once.
type Pool struct {
	// Most limits the idle connections; 0: 16, negative: no limit.
	Most int

	// Idle is how long an idle connection is kept; 0: 30 seconds, negative: no limit,
	// until the server or Close closes it.
	Idle time.Duration

	mu      sync.Mutex
	idle    []*idleConn // the most recently used one is last
	servers map[string]server
	closed  bool
}

const (
	defaultMost = 16
	defaultIdle = 30 * time.Second
	mostServers = 64
	serverTime  = time.Minute // how long what is known of a server is used
)

// An idleConn is a connection in the pool.
type idleConn struct {
	*conn
	key    string
	expire *time.Timer
}

// A server is what is known of one.
type server struct {
	noPublic   bool // it has no public directory
	noUser     bool // it refuses AUTH_SYS of nobody
	hasExports bool
	exports    exportList
	roots      map[string]rootDir // by the path of the export; "" is the public directory
	limits     map[handle]limits  // by the handle of the root
	until      time.Time          // when to ask again
}

func newServer() server {
	return server{roots: map[string]rootDir{}, limits: map[handle]limits{}, until: time.Now().Add(serverTime)}
}

// clone returns a copy that another goroutine may change.
func (s server) clone() server {
	c := s
	c.roots, c.limits = map[string]rootDir{}, map[handle]limits{}
	for k, v := range s.roots {
		c.roots[k] = v
	}
	for k, v := range s.limits {
		c.limits[k] = v
	}
	return c
}

// known returns what is known of a server.
func (p *Pool) known(key string) server {
	if p == nil {
		return newServer()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.servers[key]
	if !ok || time.Now().After(s.until) {
		return newServer()
	}
	return s.clone()
}

// learn keeps what is known of a server.
func (p *Pool) learn(key string, s server) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.servers == nil || len(p.servers) >= mostServers {
		p.servers = map[string]server{}
	}
	p.servers[key] = s.clone()
}

// forget drops what is known of a server.
func (p *Pool) forget(key string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.servers, key)
}

// take returns an idle connection; nil if there is none.
func (p *Pool) take(ctx context.Context, key string) *conn {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	i := len(p.idle) - 1
	for i >= 0 && p.idle[i].key != key {
		i--
	}
	if i < 0 {
		p.mu.Unlock()
		return nil
	}
	k := p.idle[i]
	p.idle = slices.Delete(p.idle, i, i+1)
	p.mu.Unlock()
	k.expire.Stop()
	k.Bind(ctx)
	k.replies = 0
	return k.conn
}

// keep puts a connection into the pool, or closes it.
func (p *Pool) keep(key string, c *conn) {
	if p == nil || !c.isIdle() || !c.Unbind() {
		c.Close()
		return
	}
	c.spare = nil
	k := &idleConn{conn: c, key: key}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		c.Close()
		return
	}
	k.expire = time.AfterFunc(p.keepsFor(), func() { p.drop(k) })
	p.idle = append(p.idle, k)
	var oldest *idleConn
	if len(p.idle) > p.most() {
		oldest = p.idle[0]
		p.idle = slices.Delete(p.idle, 0, 1)
	}
	p.mu.Unlock()
	if oldest != nil {
		oldest.expire.Stop()
		oldest.Close()
	}
}

// drop closes an idle connection, unless it is in use again.
func (p *Pool) drop(k *idleConn) {
	p.mu.Lock()
	i := slices.Index(p.idle, k)
	if i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
	}
	p.mu.Unlock()
	if i >= 0 {
		k.Close()
	}
}

// Close closes every idle connection. The Pool keeps nothing after Close.
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
		k.expire.Stop()
		k.Close()
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
