// Package limit bounds the number of requests that run at once at a server, and the number of bytes a second that are
// read.
//
// A [Limiter] hands out turns at servers. An [Engine] is an access.Engine that takes a turn for each request. A server
// is a scheme, a host and a port ([Server]). A client is any name that the caller puts into access.Request.Client.
// [Timed] and [Within] bound the time of a request.
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

// A Limiter hands out turns at servers, one for each running request. The zero Limiter sets no limit. Several
// goroutines may use a Limiter at once. Do not copy it, and do not change its fields after the first use.
type Limiter struct {
	// PerServer is the number of turns at one server. A further request waits. 0: the default, no limit, because a
	// caller that reads several Bodies alternately needs a turn for each; negative: no limit.
	PerServer int

	// Share is the number of turns that one client may have at one server. A further request of the client waits, so
	// that one client cannot keep a server from the others. 0: the default, no limit but PerServer; negative: no limit
	// but PerServer.
	Share int

	// MaxWait is the time that a request waits for a turn before it is refused with [ErrServer]. 0: the default, no
	// limit but the request's context; negative: no limit but the request's context.
	MaxWait time.Duration

	mu      sync.Mutex
	taken   map[pool]int // the number of turns taken; a pool without taken turns is absent
	waiting []*request   // in the order of their arrival
}

// ErrServer says that a request waited too long for a turn at a server. It wraps
// access.ErrBusy.
var ErrServer = sentinel.New("too many requests to this server at once", access.ErrBusy)

// Server returns a name for the server of u: its scheme, host and port. A URL without a port gets the default port of
// the scheme. Schemes with the same protocol, such as z39.50s and z39.50r, name the same server; a scheme over TLS
// names another server.
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

// Wait waits for a turn of client at server. release ends the turn and may be called more than once. The error is
// ErrServer after MaxWait, or the cause of ctx; then release is nil.
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

// A pool identifies a set of turns at a server: all of them, or the turns of one client.
type pool struct {
	server, client string
	isShare        bool // the turns of the client
}

// isFree reports whether fewer turns of p are taken than the limiter allows. The caller holds mu.
func (l *Limiter) isFree(p pool) bool {
	size := l.PerServer
	if p.isShare {
		size = l.Share
	}
	return size <= 0 || l.taken[p] < size
}

// A request has a turn of each of two pools, or waits for both. The limiter's mu guards it.
type request struct {
	limiter *Limiter
	pools   [2]pool
	running bool          // it has its turns
	ready   chan struct{} // closed when the request gets its turns; nil if it did not wait
}

// take records that r runs, and takes one turn of each pool of r. The caller holds mu, and has checked canRun.
func (r *request) take() {
	if r.limiter.taken == nil {
		r.limiter.taken = make(map[pool]int)
	}
	for _, p := range r.pools {
		r.limiter.taken[p]++
	}
	r.running = true
}

// canRun reports whether a turn of each pool of r is free. The caller holds mu.
func (r *request) canRun() bool { return r.limiter.isFree(r.pools[0]) && r.limiter.isFree(r.pools[1]) }

// release ends the turns of r, or its wait for them. The turns that become free go to the waiting requests, in the
// order of their arrival. A second call has no effect.
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
