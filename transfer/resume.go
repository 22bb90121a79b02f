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
	Opener access.Opener

	// Retry says how often, and after how long.
	Retry Retry

	// Notify, if not nil, is called before each wait.
	Notify func(u url.URL, err error, wait time.Duration)
}

// Open opens req, trying again if need be.
func (o Resuming) Open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	b := o.newBody(ctx, req)
	r, err := b.open()
	if err != nil {
		b.Close()
		return nil, err
	}
	outer := *r
	if l, ok := r.Lister(); ok {
		outer.Body = &listing{body: b, lister: l}
		return &outer, nil
	}
	outer.Body = b
	return &outer, nil
}

// Stat finds the attributes of what req names, trying again if need be.
func (o Resuming) Stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	b := o.newBody(ctx, req)
	defer b.Close()
	var e access.Entry
	err := b.persist(func(ctx context.Context) (err error) {
		e, err = access.Stat(ctx, o.opener(), req)
		return err
	})
	return e, err
}

func (o Resuming) opener() access.Opener {
	if o.Opener == nil {
		return access.Table(nil)
	}
	return o.Opener
}

func (o Resuming) newBody(ctx context.Context, req *access.Request) *body {
	ctx, cancel := context.WithCancelCause(ctx)
	return &body{Resuming: o, ctx: ctx, cancel: cancel, req: *req, patience: patience{Retry: o.Retry}}
}
