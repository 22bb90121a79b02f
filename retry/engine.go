// Package retry repeats requests after transient failures.
//
// A [Policy] says how often and after how long to repeat a request. An [Engine] is an access.Engine that repeats
// requests and resumes a Body whose connection broke. [Transient] reports whether an error is transient.
package retry

import (
	"context"
	"time"

	"locus/access"
	"locus/url"
)

// An Engine repeats a request after a transient failure (see [Transient]), and resumes a Body or List whose connection
// broke.
//
// It resumes only if the resource is the same: the validator and the size must be unchanged, and it reads the last
// bytes again, up to 4096, and compares them. Without a validator and a size, it reads all bytes again and compares
// them. For a listing it reads all entries again and compares them. A session is never resumed. A request that changes
// something, that has answers of a form, or that is a Send, is executed once, because repeating it could repeat its
// effect.
//
// The Engine must be outside a limit.Engine, so that it does not hold a turn while it waits.
type Engine struct {
	Engine access.Engine // executes the requests; nil refuses all requests
	Policy Policy
	Notify func(u url.URL, err error, wait time.Duration) // is called before each wait; may be nil
}

// Do executes req until it succeeds or the Policy ends the retries; then it returns the error of the last attempt,
// which may be wrapped in a [GaveUp] or a [LongPause]. It executes a change, and a request with Answers, only once.
// The caller closes the Body, which resumes after transient failures.
func (e Engine) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if e.Engine == nil {
		e.Engine = access.Table(nil)
	}
	if req.Op.Changes() || req.Answers != nil {
		return e.Engine.Do(ctx, req)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	b := &body{ctx: ctx, cancel: cancel, engine: e.Engine, req: *req, attempts: attempts{Policy: e.Policy}}
	if e.Notify != nil {
		b.attempts.notify = func(err error, wait time.Duration) { e.Notify(req.URL, err, wait) }
	}
	b.rememberLogin()
	r, err := b.open()
	switch {
	case err != nil || req.Op != access.Get:
		cancel(nil)
	case r.Session != nil:
		r.OnClose(func() { cancel(nil) })
	case r.List != nil:
		list := &listing{body: b, list: r.List}
		r.Body, r.List = list, list
	default:
		r.Body = b
	}
	return r, err
}
