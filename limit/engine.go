package limit

import (
	"cmp"
	"context"
	"io"
	"sync"
	"time"

	"locus/access"
)

// An Engine takes a turn of Limiter at the server for each request, and keeps it
// until Body is closed. Wrap it in these, not the other way round:
//
//   - access.Follow, so that a redirect takes a turn at the new server
//   - a cache, so that a hit takes no turn
//   - retry.Engine, so that a wait between attempts takes no turn
type Engine struct {
	Engine  access.Engine // does the requests; nil refuses them all
	Limiter *Limiter      // nil: no limit
	Rate    *Rate         // bounds how fast bodies are read; nil: no limit

	// MinRate is how many bytes a second a server must send, over 30 seconds of
	// waiting for it. If it sends fewer, Body and List fail with [ErrTooSlow]. Only
	// arriving data is measured: a silent server is ended by the engine's idle
	// timeout. A session is not measured. 0: one, negative: no limit.
	MinRate int64
}

// Do waits for a turn and does req.
func (e Engine) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	release := func() {}
	if e.Limiter != nil {
		var err error
		if release, err = e.Limiter.Wait(ctx, req.Client, Server(req.URL)); err != nil {
			return nil, access.Fail(req.Op.String(), req.URL, err)
		}
	}
	engine := e.Engine
	if engine == nil {
		engine = access.Table(nil)
	}
	bodyOpen := false // Body holds the turn
	defer func() {
		if !bodyOpen { // after a panic, too
			release()
		}
	}()
	r, err := engine.Do(ctx, req)
	if err != nil || !req.Op.HasBody() {
		return r, err
	}
	bodyOpen = true
	if e.MinRate >= 0 && r.Session == nil {
		measure(r, cmp.Or(e.MinRate, 1))
	}
	if e.Rate != nil && e.Rate.PerSecond > 0 {
		r.Body = &ratedBody{ReadCloser: r.Body, ctx: ctx, rate: e.Rate}
	}
	r.OnClose(release)
	return r, nil
}

// A ratedBody reads no faster than its Rate.
type ratedBody struct {
	io.ReadCloser
	ctx  context.Context
	rate *Rate
}

func (b *ratedBody) Read(p []byte) (int, error) {
	steady := max(b.rate.PerSecond/8, 1) // a slow Rate reads small pieces
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), steady)])
	if n == 0 {
		return 0, err
	}
	if waitErr := b.rate.wait(b.ctx, n); err == nil {
		err = waitErr
	}
	return n, err
}

// A Rate bounds how many bytes a second are read by all requests that share it. The
// zero Rate and nil set no limit. Several goroutines may use a Rate at once; do not copy
// it.
type Rate struct {
	// PerSecond is how many bytes may be read per second; 0: the default, no limit;
	// negative: no limit.
	PerSecond int64

	mu   sync.Mutex
	free time.Time // when the next byte may be read
}

// wait counts n bytes that were read, and waits until the next may be.
func (r *Rate) wait(ctx context.Context, n int) error {
	r.mu.Lock()
	now := time.Now()
	if r.free.Before(now) {
		r.free = now
	}
	r.free = r.free.Add(time.Duration(float64(n) / float64(r.PerSecond) * float64(time.Second)))
	wait := r.free.Sub(now)
	r.mu.Unlock()
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
