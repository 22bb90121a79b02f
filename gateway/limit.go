package gateway

import (
	"context"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"locus/scheme"
	"locus/url"
)

// Limits bounds how much goes on at once. A tunnel counts as one request for as
// long as it is there; sessions have bounds of their own besides PerHost.
type Limits struct {
	// Total is how many requests are answered at once; 0 means 1024. One more is
	// refused with 503.
	Total int

	// PerClient is how many of them one client may have, which is an IPv4
	// address or an IPv6 /64; 0 means 128. One more is refused with 429. Behind
	// a load balancer that is the only client, it is as much as Total.
	PerClient int

	// PerHost is how many requests for one server go on at once, tunnels and
	// sessions among them, but not what is remembered (access.Rememberer); 0 means
	// 64. One more waits, and so does more than half of them of one client, so that
	// nobody keeps a server from others.
	PerHost int

	// Patience is how long it waits at most; 0 means 10 seconds. Then it is
	// refused with 503.
	Patience time.Duration

	// Stall is for how long a client may take nothing of an answer; 0 means a
	// minute. Then the answer is broken off.
	Stall time.Duration
}

var (
	errFull   = &refusal{http.StatusServiceUnavailable, "the gateway is busy", "try again in a moment"}
	errClient = &refusal{http.StatusTooManyRequests, "you have as many requests as one may have here at once", "let them end first"}
	errHostIn = &refusal{http.StatusServiceUnavailable, "too many are asking that server", "try again in a moment"}
)

// patient returns a Writer of an answer to a client that may be slow, but not
// asleep.
func (g *Gateway) patient(w http.ResponseWriter) io.Writer {
	return &patient{w, or(g.Limits.Stall, time.Minute)}
}

type patient struct {
	answer http.ResponseWriter
	stall  time.Duration
}

func (p *patient) Write(octets []byte) (int, error) {
	// What cannot have a deadline, such as a test's recorder, takes all at once.
	http.NewResponseController(p.answer).SetWriteDeadline(time.Now().Add(p.stall)) //nolint:errcheck // see above
	return p.answer.Write(octets)
}

// A limiter counts what goes on. The zero value is ready.
type limiter struct {
	all      atomic.Int64 // requests
	requests clients
	mu       sync.Mutex
	hosts    map[string]*queue
}

// A queue is who is served by one host, and who waits for that.
type queue struct {
	served chan struct{}
	users  int
}

// enter counts a request in; leave counts it out.
func (v *visit) enter() (leave func(), err error) {
	if all := v.limiter.all.Add(1); all > int64(or(v.Limits.Total, 1024)) {
		v.limiter.all.Add(-1)
		return nil, errFull
	}
	one := v.limiter.requests.enter(clientOf(v.r.RemoteAddr), or(v.Limits.PerClient, 128))
	if one == nil {
		v.limiter.all.Add(-1)
		return nil, errClient
	}
	return func() { one(); v.limiter.all.Add(-1) }, nil
}

// clientOf returns who has an address: for IPv6 a whole /64, which one client
// may well have. It is the zero Prefix for all whose address is not known.
func clientOf(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // an address has so many
	return p
}

// await waits until u's server has time; done ends its time for v. It reports
// false once it has answered that there is none.
func (v *visit) await(u url.URL) (done func(), ok bool) {
	return v.awaitHost(u, hostOf(u))
}

func (v *visit) awaitHost(u url.URL, host string) (done func(), ok bool) {
	done, err := v.turnAt(host)
	if err != nil {
		v.fail(u, err)
		return nil, false
	}
	return done, true
}

// turnAt waits for a turn at a server, which done ends.
func (v *visit) turnAt(host string) (done func(), err error) {
	until := time.Now().Add(or(v.Limits.Patience, 10*time.Second))
	most := or(v.Limits.PerHost, 64)
	one, err := v.limiter.await(v.r.Context(), until, clientOf(v.r.RemoteAddr).String()+" "+host, (most+1)/2)
	if err != nil {
		return nil, errHostIn
	}
	all, err := v.limiter.await(v.r.Context(), until, host, most)
	if err != nil {
		one()
		return nil, errHostIn
	}
	return func() { all(); one() }, nil
}

// hostOf returns who serves u: a host and a port, or all that a scheme names
// without one.
func hostOf(u url.URL) string {
	host, _ := u.Host()
	port, _ := u.Port()
	return serverOf(u.Scheme(), host, port)
}

// serverOf names a server by its scheme, its host and its port, which may be "".
func serverOf(schemeName, host, port string) string {
	if s, ok := scheme.Lookup(schemeName); ok && port == "" {
		port = strconv.Itoa(int(s.Port))
	}
	return schemeName + "://" + strings.ToLower(host) + ":" + port
}

// await takes one of most places at host, for which it waits until ctx is done or
// that time has come.
func (l *limiter) await(ctx context.Context, until time.Time, host string, most int) (done func(), err error) {
	q := l.join(host, most)
	done = func() { <-q.served; l.leave(host, q) }
	select {
	case q.served <- struct{}{}:
		return done, nil
	default: // a timer for those who wait
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	select {
	case q.served <- struct{}{}:
		return done, nil
	case <-ctx.Done():
		l.leave(host, q)
		return nil, context.Cause(ctx)
	}
}

func (l *limiter) join(host string, most int) *queue {
	l.mu.Lock()
	defer l.mu.Unlock()
	q, ok := l.hosts[host]
	if !ok {
		if l.hosts == nil {
			l.hosts = make(map[string]*queue)
		}
		q = &queue{served: make(chan struct{}, most)}
		l.hosts[host] = q
	}
	q.users++
	return q
}

func (l *limiter) leave(host string, q *queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.users--; q.users == 0 {
		delete(l.hosts, host)
	}
}
