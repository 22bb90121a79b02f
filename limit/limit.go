// Package limit bounds how many requests run at once: in all, per client and per
// server. It also bounds how many bytes a second are read.
//
// A [Limiter] hands out turns. An [Engine] is an access.Engine that takes a turn
// at the server for each request. A program that accepts requests from clients, such
// as a gateway, calls Enter for each of them. A client is any name that the caller
// puts into access.Request.Client. A server is a scheme, a host and a port ([Server]).
package limit

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/internal/facts"
	"locus/url"
)

// A Limiter hands out turns: one for each request that runs. The zero Limiter sets
// no limit. Several goroutines may use it at once. Do not copy it, nor change a
// field after its first use.
type Limiter struct {
	// Total is how many turns Enter gives at once; 0: no limit. One more request is
	// refused with [ErrTotal].
	Total int

	// PerClient is how many turns Enter gives one client; 0: no limit. One more
	// request is refused with [ErrClient].
	PerClient int

	// PerServer is how many turns Wait gives at one server; 0: no limit. One more
	// request waits.
	PerServer int

	// Share is how many turns one client may have at one server; 0: all. One more
	// request waits. So no client keeps a server from the others.
	Share int

	// MaxWait is how long a request waits for a turn at a server; 0: as long as
	// its context allows. Then it is refused with [ErrServer].
	MaxWait time.Duration

	mu    sync.Mutex
	pools map[string]*pool
}

// Each of these errors wraps access.ErrBusy.
var (
	// ErrTotal says that there are too many requests in all.
	ErrTotal = access.Reason("too many requests at once", access.ErrBusy)
	// ErrClient says that a client has too many requests.
	ErrClient = access.Reason("too many requests of this client at once", access.ErrBusy)
	// ErrServer says that a request waited too long for a turn at a server.
	ErrServer = access.Reason("too many requests to this server at once", access.ErrBusy)
)

// Server names the server of u: its scheme, host and port. Without a port in u it
// has the default port of the scheme.
func Server(u url.URL) string {
	host, _ := u.Host()
	port, _ := u.Port()
	if port == "" {
		port = strconv.Itoa(int(facts.Of(u.Scheme()).Port))
	}
	return u.Scheme() + "://" + strings.ToLower(host) + ":" + port
}

// Enter takes a turn of client, without a server. It does not wait: the error is
// ErrTotal or ErrClient. release ends the turn, and may be called more than once.
func (l *Limiter) Enter(client string) (release func(), err error) {
	releaseTotal, ok := l.try("total", l.Total)
	if !ok {
		return nil, ErrTotal
	}
	releaseClient, ok := l.try("client "+client, l.PerClient)
	if !ok {
		releaseTotal()
		return nil, ErrClient
	}
	return sync.OnceFunc(func() { releaseClient(); releaseTotal() }), nil
}

// Wait waits for a turn of client at server. The error is ErrServer or the cause of
// ctx. release ends the turn, and may be called more than once.
func (l *Limiter) Wait(ctx context.Context, client, server string) (release func(), err error) {
	if l.MaxWait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.MaxWait, ErrServer)
		defer cancel()
	}
	releaseShare, err := l.wait(ctx, "share "+client+" "+server, l.Share)
	if err != nil {
		return nil, err
	}
	releaseServer, err := l.wait(ctx, "server "+server, l.PerServer)
	if err != nil {
		releaseShare()
		return nil, err
	}
	return sync.OnceFunc(func() { releaseServer(); releaseShare() }), nil
}

// A pool is the turns of one client, or at one server. It exists while it has users.
type pool struct {
	turns chan struct{}
	users int // requests that have a turn or wait for one
}

// try takes a turn from a pool of size turns. ok is false if none is free.
func (l *Limiter) try(name string, size int) (release func(), ok bool) {
	if size <= 0 {
		return func() {}, true
	}
	p := l.join(name, size)
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns; l.leave(name, p) }, true
	default:
		l.leave(name, p)
		return nil, false
	}
}

// wait waits for a turn from a pool of size turns. The error is the cause of ctx.
func (l *Limiter) wait(ctx context.Context, name string, size int) (release func(), err error) {
	if size <= 0 {
		return func() {}, nil
	}
	p := l.join(name, size)
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns; l.leave(name, p) }, nil
	case <-ctx.Done():
		l.leave(name, p)
		return nil, context.Cause(ctx)
	}
}

// join adds a user to a pool, which it makes if need be.
func (l *Limiter) join(name string, size int) *pool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.pools[name]
	if !ok {
		if l.pools == nil {
			l.pools = make(map[string]*pool)
		}
		p = &pool{turns: make(chan struct{}, size)}
		l.pools[name] = p
	}
	p.users++
	return p
}

// leave removes a user from a pool.
func (l *Limiter) leave(name string, p *pool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.users--; p.users == 0 {
		delete(l.pools, name)
	}
}
