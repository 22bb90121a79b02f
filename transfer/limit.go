package transfer

import (
	"context"
	"io"
	"sync"
	"time"

	"locus/access"
	"locus/url"
)

// A Limiter is an Opener around an Opener that keeps to limits, over all
// accesses made through it: it is shared, and never copied after its first use.
// An access waits for its turn before it connects, and has it until its Body is
// closed. It may be used by several goroutines at once.
type Limiter struct {
	// Opener is asked. nil opens nothing.
	Opener access.Opener

	// PerHost is how many accesses to one host and port there may be at once; 0
	// sets no limit.
	PerHost int

	// Rate is how many octets a second may be read in all; 0 sets no limit.
	Rate int64

	mu    sync.Mutex
	hosts map[string]*seats
	free  time.Time // when the octets read so far are paid for
}

// seats are the turns at one host.
type seats struct {
	turns chan struct{}
	users int // who holds a turn or waits for one; at none the seats are forgotten
}

// Open opens req when it is its turn.
func (l *Limiter) Open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	leave, err := l.enter(ctx, req.URL)
	if err != nil {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: err}
	}
	r, err := l.opener().Open(ctx, req)
	if err != nil {
		leave()
		return nil, err
	}
	limited := *r
	b := &limitedBody{ReadCloser: r.Body, ctx: ctx, limiter: l, leave: sync.OnceFunc(leave)}
	limited.Body = b
	if lister, ok := r.Lister(); ok {
		limited.Body = &limitedListing{limitedBody: b, Lister: lister}
	}
	return &limited, nil
}

// Stat finds the attributes of what req names when it is its turn.
func (l *Limiter) Stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	leave, err := l.enter(ctx, req.URL)
	if err != nil {
		return access.Entry{}, &access.Error{Op: "stat", URL: req.URL, Err: err}
	}
	defer leave()
	return access.Stat(ctx, l.opener(), req)
}

func (l *Limiter) opener() access.Opener {
	if l.Opener == nil {
		return access.Table(nil)
	}
	return l.Opener
}

// enter waits for a turn at the host of u. The function that it returns gives
// the turn back.
func (l *Limiter) enter(ctx context.Context, u url.URL) (leave func(), err error) {
	if l.PerHost <= 0 {
		return func() {}, nil
	}
	host, _ := u.Host()
	port, _ := u.Port()
	key := u.Scheme() + "://" + host + ":" + port
	s := l.sit(key)
	select {
	case s.turns <- struct{}{}:
		return func() { <-s.turns; l.rise(key) }, nil
	case <-ctx.Done():
		l.rise(key)
		return nil, context.Cause(ctx)
	}
}

func (l *Limiter) sit(key string) *seats {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil {
		l.hosts = make(map[string]*seats)
	}
	s := l.hosts[key]
	if s == nil {
		s = &seats{turns: make(chan struct{}, l.PerHost)}
		l.hosts[key] = s
	}
	s.users++
	return s
}

func (l *Limiter) rise(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.hosts[key]
	if s.users--; s.users == 0 {
		delete(l.hosts, key)
	}
}

// pay waits until n more octets are within the rate.
func (l *Limiter) pay(ctx context.Context, n int) error {
	if l.Rate <= 0 || n <= 0 {
		return nil
	}
	l.mu.Lock()
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / float64(l.Rate) * float64(time.Second)))
	wait := l.free.Sub(now)
	l.mu.Unlock()
	return sleep(ctx, wait)
}

// piece is how much may be read at once, so that a slow rate is a steady one.
func (l *Limiter) piece(p []byte) []byte {
	if l.Rate <= 0 {
		return p
	}
	return p[:min(int64(len(p)), max(l.Rate/8, 1))]
}

// A limitedBody gives its turn back when it is closed.
type limitedBody struct {
	io.ReadCloser
	ctx     context.Context
	limiter *Limiter
	leave   func()
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(b.limiter.piece(p))
	if late := b.limiter.pay(b.ctx, n); late != nil && err == nil {
		err = late
	}
	return n, err
}

func (b *limitedBody) Close() error {
	defer b.leave()
	return b.ReadCloser.Close()
}

type limitedListing struct {
	*limitedBody
	access.Lister
}
