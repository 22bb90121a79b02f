// Package limit bounds how much goes on at once: in all, for one client, with one
// server, and how many bytes a second.
//
// A [Limiter] hands out turns. [Engine] is an access.Engine that takes a turn for
// each access. The name of a client is whatever the caller puts into
// access.Request.Client; a server is a scheme, a host and a port ([Server]).
package limit

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/internal/facts"
	"locus/url"
)

// A Limiter hands out turns. The zero Limiter sets no limit. Several goroutines
// may use it at once. No field may be changed after its first use, and it may not
// be copied.
type Limiter struct {
	// Total is how many turns there may be at once; 0: no limit. One more is
	// refused with [ErrTotal].
	Total int

	// PerClient is how many of them one client may have; 0: no limit. One more is
	// refused with [ErrClient].
	PerClient int

	// PerServer is how many turns there may be at once at one server; 0: no
	// limit. One more waits.
	PerServer int

	// Share is how many of these one client may have; 0: all. One more waits, so
	// that nobody keeps a server from others.
	Share int

	// MaxWait is how long a turn at a server is waited for; 0: as long as the
	// context allows. Then it is refused with [ErrServer].
	MaxWait time.Duration

	mu    sync.Mutex
	total int
	pools map[string]*pool
}

var (
	// ErrTotal says that too much goes on already.
	ErrTotal = access.Reason("too many accesses at once", access.ErrTemporary)
	// ErrClient says that a client has too much going on already.
	ErrClient = access.Reason("too many accesses of this client at once", access.ErrTemporary)
	// ErrServer says that a server was busy for too long.
	ErrServer = access.Reason("too many accesses to this server at once", access.ErrTemporary)
)

// A pool is the turns of one client or at one server.
type pool struct {
	turns chan struct{}
	users int // who has a turn or waits for one; at 0 the pool is forgotten
}

// Server names the server of u: its scheme, host and port, or the scheme's default
// port if u names none.
func Server(u url.URL) string {
	host, _ := u.Host()
	port, _ := u.Port()
	if port == "" {
		port = strconv.Itoa(int(facts.Of(u.Scheme()).Port))
	}
	return u.Scheme() + "://" + strings.ToLower(host) + ":" + port
}

// Enter counts an access of client in; release counts it out, and may be called
// more than once. The error is ErrTotal or ErrClient. It does not wait.
func (l *Limiter) Enter(client string) (release func(), err error) {
	if !l.enterTotal() {
		return nil, ErrTotal
	}
	leave := func() {}
	if l.PerClient > 0 {
		p := l.join("client "+client, l.PerClient)
		select {
		case p.turns <- struct{}{}:
			leave = func() { l.leave("client "+client, p, true) }
		default:
			l.leave("client "+client, p, false)
			l.leaveTotal()
			return nil, ErrClient
		}
	}
	return sync.OnceFunc(func() { leave(); l.leaveTotal() }), nil
}

// Wait waits for a turn of client at server; release ends it, and may be called
// more than once. The error is ErrServer, or that of ctx.
func (l *Limiter) Wait(ctx context.Context, client, server string) (release func(), err error) {
	if l.MaxWait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.MaxWait, ErrServer)
		defer cancel()
	}
	own, err := l.wait(ctx, "share "+client+" "+server, l.Share)
	if err != nil {
		return nil, err
	}
	all, err := l.wait(ctx, "server "+server, l.PerServer)
	if err != nil {
		own()
		return nil, err
	}
	return sync.OnceFunc(func() { all(); own() }), nil
}

func (l *Limiter) wait(ctx context.Context, name string, most int) (release func(), err error) {
	if most <= 0 {
		return func() {}, nil
	}
	p := l.join(name, most)
	select {
	case p.turns <- struct{}{}:
		return func() { l.leave(name, p, true) }, nil
	case <-ctx.Done():
		l.leave(name, p, false)
		return nil, context.Cause(ctx)
	}
}

func (l *Limiter) join(name string, most int) *pool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.pools[name]
	if !ok {
		if l.pools == nil {
			l.pools = make(map[string]*pool)
		}
		p = &pool{turns: make(chan struct{}, most)}
		l.pools[name] = p
	}
	p.users++
	return p
}

func (l *Limiter) leave(name string, p *pool, hadTurn bool) {
	if hadTurn {
		<-p.turns
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.users--; p.users == 0 {
		delete(l.pools, name)
	}
}

func (l *Limiter) enterTotal() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Total > 0 && l.total >= l.Total {
		return false
	}
	l.total++
	return true
}

func (l *Limiter) leaveTotal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
}

// IsBusy reports whether err says that a limit was reached.
func IsBusy(err error) bool {
	return errors.Is(err, ErrTotal) || errors.Is(err, ErrClient) || errors.Is(err, ErrServer)
}
