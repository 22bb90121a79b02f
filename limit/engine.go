package limit

import (
	"cmp"
	"context"
	"io"
	"sync"
	"time"

	"locus/access"
	"locus/access/engine"
)

// An Engine takes a turn of Limiter at the server for each request, and keeps the turn until Body is closed. The
// Engine must be inside these wrappers, not around them:
//
//   - access.Follow, so that a redirect takes a turn at the new server
//   - a cache, so that a hit takes no turn
//   - retry.Engine, so that a wait between attempts takes no turn
type Engine struct {
	Engine  access.Engine // executes the requests; nil refuses all requests
	Limiter *Limiter      // nil means no limit
	Rate    *Rate         // bounds the speed at which bodies are read; nil means no limit

	// MinRate is the number of bytes a second that a server must send, over 30 seconds of waiting for it. If the
	// server sends fewer, Body and List fail with [ErrTooSlow]. Only arriving data is measured, because the engine's
	// idle timeout ends a silent server. A session is not measured. 0: one, negative: no limit.
	MinRate int64
}

// Do waits for a turn at the server, and executes req. The turn ends when Do returns or, if the resource has a Body,
// when the Body is closed. If no turn becomes free in time, the error wraps ErrServer or the cause of ctx. Do also
// applies Rate to the Body, and MinRate to the Body and the List, except for a session.
func (e Engine) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	release := func() {}
	if e.Limiter != nil {
		var err error
		if release, err = e.Limiter.Wait(ctx, req.Client, Server(req.URL)); err != nil {
			return nil, engine.Fail(req.Op.String(), req.URL, err)
		}
	}
	inner := e.Engine
	if inner == nil {
		inner = access.Table(nil)
	}
	bodyOpen := false // Body holds the turn
	defer func() {
		if !bodyOpen { // even after a panic
			release()
		}
	}()
	r, err := inner.Do(ctx, req)
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

// A ratedBody is a Body that reads no faster than its Rate.
type ratedBody struct {
	io.ReadCloser
	ctx  context.Context
	rate *Rate
}

// Read reads at most as many bytes as the rate allows in an eighth of a second, and then waits until the next byte may
// be read. If ctx ends meanwhile, it returns the bytes with the cause of ctx.
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

// A Rate bounds the number of bytes a second that all requests that share it read together. The zero Rate and nil set
// no limit. Several goroutines may use a Rate at once. Do not copy it.
type Rate struct {
	// PerSecond is the number of bytes that may be read per second. 0: the default, no limit; negative: no limit.
	PerSecond int64

	mu   sync.Mutex
	free time.Time // when the next byte may be read
}

// wait counts n bytes that have been read, and waits until the next byte may be read. If ctx is done first, it
// returns the cause of ctx. PerSecond must be positive.
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
