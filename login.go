package locus

import (
	"context"

	"locus/access"
)

// defaultLogin is an Engine that sets the Login of requests without one.
type defaultLogin struct {
	engine access.Engine
	login  func(ctx context.Context, c access.Challenge) (access.Credentials, error)
}

func (l defaultLogin) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Login != nil {
		return l.engine.Do(ctx, req)
	}
	next := *req
	next.Login = l.login
	return l.engine.Do(ctx, &next)
}

// remoteOnly is an Engine that uses engine for schemes that fetch over a network, and
// local for all others.
type remoteOnly struct{ engine, local access.Engine }

func (r remoteOnly) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if isRemote(req.URL.Scheme()) {
		return r.engine.Do(ctx, req)
	}
	return r.local.Do(ctx, req)
}
