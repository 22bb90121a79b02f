package nfs

import (
	"context"
	"sync"
	"time"

	"locus/proto/internal/pool"
)

// A Pool keeps connections, and facts about servers, between requests. The zero Pool is ready
// to use. Several goroutines, and several Clients with the same settings, may use it at once.
type Pool struct {
	// Most limits the number of idle connections; 0: 16, negative: no limit.
	Most int

	// Idle is how long an idle connection is kept; 0: 30 seconds, negative: no limit, so that
	// it is kept until the server or Close closes it.
	Idle time.Duration

	conns pool.Pool[*conn]

	mu      sync.Mutex
	servers map[string]serverInfo
}

const (
	mostServers = 64
	serverTime  = time.Minute // how long a serverInfo is used
)

// A serverInfo has the facts about a server that later requests use.
type serverInfo struct {
	noPublic   bool // the server has no public directory
	noUser     bool // the server refuses AUTH_SYS for nobody
	hasExports bool
	exports    exportList
	roots      map[string]rootDir // by the path of the export; "" is the public directory
	limits     map[handle]limits  // by the handle of the root
	until      time.Time          // when the facts expire
}

// newServerInfo returns a serverInfo without facts, which expires after serverTime.
func newServerInfo() serverInfo {
	return serverInfo{roots: map[string]rootDir{}, limits: map[handle]limits{}, until: time.Now().Add(serverTime)}
}

// clone returns a copy that does not share maps with s.
func (s serverInfo) clone() serverInfo {
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

// recall returns a copy of the facts about a server. They are empty if the Pool is nil or has no
// recent facts.
func (p *Pool) recall(key string) serverInfo {
	if p == nil {
		return newServerInfo()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.servers[key]
	if !ok || time.Now().After(s.until) {
		return newServerInfo()
	}
	return s.clone()
}

// learn stores a copy of the facts about a server, in place of earlier facts. When the Pool is
// full, it first removes the facts about all servers. A nil Pool stores no facts.
func (p *Pool) learn(key string, s serverInfo) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.servers == nil || len(p.servers) >= mostServers {
		p.servers = map[string]serverInfo{}
	}
	p.servers[key] = s.clone()
}

// forget removes the facts about a server.
func (p *Pool) forget(key string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.servers, key)
}

// shared returns the pool of connections, or nil for a nil Pool.
func (p *Pool) shared() *pool.Pool[*conn] {
	if p == nil {
		return nil
	}
	return &p.conns
}

// limits returns the settings. They are zero for a nil Pool.
func (p *Pool) limits() pool.Limits {
	if p == nil {
		return pool.Limits{}
	}
	return pool.Limits{Most: p.Most, Idle: p.Idle}
}

// acquire returns an idle connection with this key, or nil if the caller has to dial. With isNew it
// always returns nil. The error is the cause of ctx if ctx is done.
func (p *Pool) acquire(ctx context.Context, key string, isNew bool) (*conn, error) {
	rank := func(*conn) int { return 0 }
	if isNew {
		rank = nil
	}
	c, ok, err := p.shared().Acquire(ctx, p.limits(), key, rank)
	if ok {
		c.BindAgain(ctx)
		c.replies = 0
	}
	return c, err
}

// release puts a connection into the pool, or closes it if a call is pending.
func (p *Pool) release(c *conn) {
	if !c.isIdle() || !c.Unbind() {
		c.Close()
		p.shared().Forget(c.key)
		return
	}
	c.spare = nil
	if !p.shared().Keep(c, p.limits()) {
		c.Close()
	}
}

// Close closes every idle connection. A Pool that was closed keeps no more connections.
func (p *Pool) Close() error {
	p.shared().Close()
	return nil
}
