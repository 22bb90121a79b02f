// Package retry repeats requests that fail for a while.
//
// A [Policy] says how often and after how long. [Engine] is an access.Engine that
// repeats what fails, and reads on where a connection broke. [Transient] says
// which errors may pass.
package retry

import (
	"context"
	"time"

	"locus/access"
	"locus/url"
)

// An Engine repeats a request whose failure may pass (see [Transient]), and reads
// a Body on where its connection broke.
//
// It reads on only if the resource is the same: its validator and its size must
// not have changed, and the last bytes that were read, up to 4096, are read again
// and compared. Without a validator and a size the failure stands. A listing and a
// session are opened again, but never read on. A change, and the answers of a
// form, are sent once.
//
// It must stand outside a limit.Engine, so that it has no turn while it waits.
type Engine struct {
	Engine access.Engine // does the access; nil does nothing
	Policy Policy
	Notify func(u url.URL, err error, wait time.Duration) // is called before each wait; may be nil
}

// Do does what req asks, more than once if need be.
func (e Engine) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if e.Engine == nil {
		e.Engine = access.Table(nil)
	}
	if req.Op.Changes() || req.Answers != nil {
		return e.Engine.Do(ctx, req)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	b := &body{engine: e, ctx: ctx, cancel: cancel, req: *req, attempts: attempts{Policy: e.Policy}}
	b.rememberLogin()
	r, err := b.open()
	switch {
	case err != nil || req.Op != access.Get:
		cancel(nil)
	case r.List != nil || r.Session != nil:
		r.OnClose(func() { cancel(nil) })
	default:
		r.Body = b
	}
	return r, err
}
