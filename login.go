package locus

import (
	"context"

	"locus/access"
)

// login is an Engine that gives requests without a Login one.
type login struct {
	engine access.Engine
	ask    func(ctx context.Context, c access.Challenge) (access.Credentials, error)
}

func (l login) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Login != nil {
		return l.engine.Do(ctx, req)
	}
	next := *req
	next.Login = l.ask
	return l.engine.Do(ctx, &next)
}

// remote is an Engine that asks one Engine for what comes over a network, and
// another for what this machine has.
type remote struct{ engine, local access.Engine }

func (r remote) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if isRemote(req.URL.Scheme()) {
		return r.engine.Do(ctx, req)
	}
	return r.local.Do(ctx, req)
}
