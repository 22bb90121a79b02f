package transfer

import (
	"context"
	"time"

	"locus/access"
	"locus/url"
)

// overlap is how many octets are fetched again where a transfer goes on, to see
// that they are the same.
const overlap = 4 << 10

// Resuming is an Opener around an Opener that tries again what fails for a
// while, and goes on reading where a connection broke.
//
// It goes on only with the same resource: its validator and its size must be
// those of before, and the last octets of before, up to 4096, are compared.
// Where the resource has neither a validator nor a size nothing can be proved,
// and the failure stands. A listing is opened again, but never read on.
type Resuming struct {
	// Opener is asked. nil opens nothing.
	Engine access.Engine

	// Retry says how often, and after how long.
	Retry Retry

	// Notify, if not nil, is called before each wait.
	Notify func(u url.URL, err error, wait time.Duration)
}

// Do does what req asks, trying again if need be. A change and the answers of a form
// are sent once.
func (o Resuming) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op.Changes() || req.Answers != nil {
		return o.engine().Do(ctx, req)
	}
	b := o.newBody(ctx, req)
	if req.Op != access.Get {
		defer b.Close()
		var r *access.Resource
		err := b.persist(func(ctx context.Context) (err error) {
			r, err = o.engine().Do(ctx, req)
			return err
		})
		return r, err
	}
	r, err := b.open()
	if err != nil {
		b.Close()
		return nil, err
	}
	outer := *r
	outer.Body = b
	if r.List != nil {
		outer.List = &listing{body: b, lister: r.List}
	}
	return &outer, nil
}

func (o Resuming) engine() access.Engine {
	if o.Engine == nil {
		return access.Table(nil)
	}
	return o.Engine
}

func (o Resuming) newBody(ctx context.Context, req *access.Request) *body {
	ctx, cancel := context.WithCancelCause(ctx)
	return &body{Resuming: o, ctx: ctx, cancel: cancel, req: *req, patience: patience{Retry: o.Retry}}
}
