package limit

import (
	"context"
	"io"

	"locus/access"
)

// An Engine takes a turn of Limiter at the server for each access, and keeps it
// until Body is closed. It must stand inside access.Follow, or a redirect to
// another server costs no turn there, and inside a cache and a retry.Engine, or
// what is kept, and waiting, cost one.
type Engine struct {
	Engine  access.Engine // does the access; nil does nothing
	Limiter *Limiter      // nil: no limit
	Rate    *Rate         // no more bytes a second are read; nil: no limit

	// MinRate is how many bytes a second a server must send, over 30 seconds of
	// waiting for it. If it sends fewer, Body and List fail with an error that wraps
	// [ErrTooSlow]. They are measured when something arrives: silence is for the idle
	// limit of the engine. A session is not measured. 0: no limit.
	MinRate int64
}

// Do does what req asks when it is its turn.
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
	reading := false // whether Body holds the turn now
	defer func() {
		if !reading { // after a panic, too
			release()
		}
	}()
	r, err := engine.Do(ctx, req)
	if err != nil || req.Op != access.Get {
		return r, err
	}
	reading = true
	if e.MinRate > 0 && r.Session == nil {
		measure(r, e.MinRate)
	}
	if e.Rate != nil && e.Rate.PerSecond > 0 {
		r.Body = &ratedBody{ReadCloser: r.Body, ctx: ctx, rate: e.Rate}
	}
	r.OnClose(release)
	return r, nil
}

// A ratedBody reads no faster than its rate.
type ratedBody struct {
	io.ReadCloser
	ctx  context.Context
	rate *Rate
}

func (b *ratedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(b.rate.piece(p))
	if late := b.rate.wait(b.ctx, n); late != nil && err == nil {
		err = late
	}
	return n, err
}
