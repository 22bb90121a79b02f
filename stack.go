package locus

import (
	"context"
	"errors"

	"locus/access"
	"locus/compare"
	"locus/guard"
	"locus/internal/sentinel"
	"locus/limit"
	"locus/proto/web"
	"locus/retry"
)

// build makes the stack of Engines, from the inside out.
func (c *Client) build() {
	if c.Public && (c.Proxy != nil || c.Root != nil || c.AFS != "") {
		c.invalid = errors.New("a public client has neither a proxy nor a folder of files")
		return
	}
	if c.Header != nil && c.Cache != nil {
		c.invalid = errors.New("a client with a cache has no headers of its own")
		return
	}
	if c.Archive != nil && c.Record != nil {
		c.invalid = errors.New("a client that opens an archive records nothing")
		return
	}
	dial := c.dialler()
	c.engines = c.table(dial)
	var engine access.Engine = c.engines
	if c.Proxy != nil {
		gateways := &web.Client{Dial: dial, Idle: c.Idle}
		c.idlers = append(c.idlers, gateways)
		engine = &proxied{engine: engine, proxyFor: c.Proxy, web: gateways}
	}
	if c.Record != nil {
		engine = c.Record(engine)
	}
	if c.Archive != nil {
		engine = replayed{engine: engine, archive: c.Archive}
	}
	engine = limit.Engine{Engine: engine, Limiter: c.Limiter, Rate: c.Rate, MinRate: c.MinRate}
	if c.Retries >= 0 {
		engine = retry.Engine{Engine: engine, Policy: retry.Policy{Retries: c.Retries}}
	}
	if c.Cache != nil {
		c.Cache.Engine = engine
		engine = remoteOnly{engine: c.Cache, local: engine, public: c.Public}
	}
	if c.Login != nil {
		engine = defaultLogin{engine: engine, login: c.Login}
	}
	engine = guard.Ports{Engine: engine, Allow: c.AllowPorts}
	if c.Public {
		engine = agreed{engine}
	}
	if !c.NoRedirects {
		engine = access.Follow{Engine: engine}
	}
	engine = web.Lister{Engine: engine}
	engine = publicOnly{bounded{engine: engine, limits: c.Limits}}
	c.stack = access.Recover{Engine: engine}
}

// publicOnly is an Engine that obeys Request.PublicOnly and guard.OnlyPublic. It refuses
// files and received mail, and lets the dialler refuse addresses. No redirect leads to a
// file or to mail.
type publicOnly struct{ engine access.Engine }

func (p publicOnly) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if !req.PublicOnly && !guard.IsOnlyPublic(ctx) {
		return p.engine.Do(ctx, req)
	}
	switch req.URL.Scheme() {
	case "file", "afs", "mid", "cid":
		return nil, access.Fail(req.Op.String(), req.URL, errOwn)
	}
	public := *req
	public.PublicOnly = true // engines keep its connections apart from others
	return p.engine.Do(guard.OnlyPublic(ctx), &public)
}

var errOwn error = &sentinel.Error{Text: "it belongs to this machine, and is at no public address", Kinds: []*error{&access.ErrNotPublic}}

// agreed is an Engine that refuses a URL if programs in use read it as leading to
// different places: a program that has checked the URL may have read another host
// than the one that is dialled. It stands inside access.Follow, so that it sees the
// targets of redirects.
type agreed struct{ engine access.Engine }

func (a agreed) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if _, err := compare.Agree(req.URL.String()); err != nil {
		return nil, access.Fail(req.Op.String(), req.URL, err)
	}
	return a.engine.Do(ctx, req)
}

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

// replayed is an Engine that opens from an archive what engine would fetch over a network.
type replayed struct {
	engine  access.Engine
	archive access.Engine
}

func (r replayed) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if isLocal(req.URL.Scheme()) {
		return r.engine.Do(ctx, req)
	}
	return r.archive.Do(ctx, req)
}

// isLocal reports whether URLs of the scheme need no network.
func isLocal(scheme string) bool {
	switch scheme {
	case "file", "afs", "mailto", "mailserver":
		return true
	}
	return false
}

// remoteOnly is an Engine that uses engine for schemes that fetch over a network, and
// local for all others.
type remoteOnly struct {
	engine, local access.Engine
	public        bool // all requests are PublicOnly, as the dialler dials nothing else
}

func (r remoteOnly) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if !isRemote(req.URL.Scheme()) {
		return r.local.Do(ctx, req)
	}
	if r.public && !req.PublicOnly {
		public := *req
		public.PublicOnly = true
		req = &public
	}
	return r.engine.Do(ctx, req)
}
