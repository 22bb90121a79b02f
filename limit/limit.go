// Package limit bounds how many requests run at once at a server, and how many bytes a
// second are read.
//
// A [Limiter] hands out turns at servers. An [Engine] is an access.Engine that takes a
// turn for each request. A server is a scheme, a host and a port ([Server]). A client is
// any name that the caller puts into access.Request.Client.
package limit

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/internal/facts"
	"locus/internal/sentinel"
	"locus/url"
)

// A Limiter hands out turns at servers: one for each request that runs. The zero
// Limiter sets no limit. Several goroutines may use it at once. Do not copy it, nor
// change a field after its first use.
type Limiter struct {
	// PerServer is how many turns there are at one server; 0: no limit. One more
	// request waits.
	PerServer int

	// Share is how many turns one client may have at one server; 0: all. One more
	// request waits. So no client keeps a server from the others.
	Share int

	// MaxWait is how long a request waits for a turn; 0: as long as its context
	// allows. Then it is refused with [ErrServer].
	MaxWait time.Duration

	mu      sync.Mutex
	taken   map[pool]int // turns; a pool without any is not in it
	waiting []*request   // in the order in which they came
}

// ErrServer says that a request waited too long for a turn at a server. It wraps
// access.ErrBusy.
var ErrServer = sentinel.New("too many requests to this server at once", access.ErrBusy)

// Server names the server of u: its scheme, host and port. Without a port in u it
// has the default port of the scheme. Schemes of one protocol, such as z39.50s and
// z39.50r, name the same server; those over TLS name another.
func Server(u url.URL) string {
	s := facts.Of(u.Scheme())
	name := u.Scheme()
	if s.Protocol != "" && !s.Has(facts.Encrypted) {
		name = s.Protocol
	}
	host, _ := u.Host()
	port, _ := u.Port()
	if port == "" {
		port = strconv.Itoa(int(s.Port))
	}
	return name + "://" + strings.ToLower(host) + ":" + port
}

// Wait waits for a turn of client at server. The error is ErrServer or the cause of
// ctx. release ends the turn, and may be called more than once.
func (l *Limiter) Wait(ctx context.Context, client, server string) (release func(), err error) {
	r := &request{limiter: l, pools: [2]pool{{server: server}, {server, client, true}}}
	l.mu.Lock()
	if r.canRun() {
		r.take()
	} else {
		r.ready = make(chan struct{})
		l.waiting = append(l.waiting, r)
	}
	l.mu.Unlock()
	if r.ready == nil {
		return r.release, nil
	}
	var late <-chan time.Time
	if l.MaxWait > 0 {
		late = time.After(l.MaxWait)
	}
	select {
	case <-r.ready:
		return r.release, nil
	case <-late:
		err = ErrServer
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	r.release()
	return nil, err
}

// A pool names the turns at a server: all of them, or those of one client.
type pool struct {
	server, client string
	isShare        bool // those of the client
}

// isFree reports whether a turn of p is free. The caller holds mu.
func (l *Limiter) isFree(p pool) bool {
	size := l.PerServer
	if p.isShare {
		size = l.Share
	}
	return size <= 0 || l.taken[p] < size
}

// A request has a turn of two pools, or waits for both. The limiter's mu guards it.
type request struct {
	limiter *Limiter
	pools   [2]pool
	running bool          // it has its turns
	ready   chan struct{} // closed when it gets them; nil if it did not wait
}

// take takes a turn of both pools. The caller holds mu.
func (r *request) take() {
	if r.limiter.taken == nil {
		r.limiter.taken = make(map[pool]int)
	}
	for _, p := range r.pools {
		r.limiter.taken[p]++
	}
	r.running = true
}

// canRun reports whether a turn of both pools is free. The caller holds mu.
func (r *request) canRun() bool { return r.limiter.isFree(r.pools[0]) && r.limiter.isFree(r.pools[1]) }

// release ends the turns, or the wait for them. Waiting requests get what is free, the
// first one first.
func (r *request) release() {
	l := r.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.running {
		r.running = false
		for _, p := range r.pools {
			if l.taken[p]--; l.taken[p] == 0 {
				delete(l.taken, p)
			}
		}
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(w *request) bool {
		if w != r && w.canRun() {
			w.take()
			close(w.ready)
		}
		return w == r || w.running
	})
}
