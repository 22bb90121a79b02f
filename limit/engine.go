package limit

import (
	"context"
	"io"

	"locus/access"
)

// An Engine takes a turn of Limiter at the server for each request, and keeps it
// until Body is closed. It does not call Limiter.Enter, so Total and PerClient are not
// its limits. Wrap it in these, not the other way round:
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
	// timeout. A session is not measured. 0: no limit.
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
	if err != nil || req.Op != access.Get {
		return r, err
	}
	bodyOpen = true
	if e.MinRate > 0 && r.Session == nil {
		measure(r, e.MinRate)
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
	n, err := b.ReadCloser.Read(b.rate.piece(p))
	if waitErr := b.rate.wait(b.ctx, n); err == nil {
		err = waitErr
	}
	return n, err
}
