package locus

import (
	"cmp"
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
	engine := c.engine()
	if c.Record != nil {
		engine = c.schemewise(Scheme.Fetches, c.Record(engine), engine)
	}
	if c.Archive != nil {
		engine = c.schemewise(isArchived, c.Archive, engine)
	}
	engine = limit.Engine{Engine: engine, Limiter: c.Limiter, Rate: c.Rate, MinRate: cmp.Or(c.MinRate, 1)}
	if c.Retries > 0 {
		engine = retry.Engine{Engine: engine, Policy: retry.Policy{Retries: c.Retries}}
	}
	if c.Cache != nil {
		c.Cache.Engine = engine
		var cached access.Engine = c.Cache
		if c.Public {
			cached = allPublic{cached}
		}
		engine = c.schemewise(Scheme.Fetches, cached, engine)
	}
	if c.Login != nil {
		engine = defaultLogin{engine: engine, login: c.Login}
	}
	engine = guard.Ports{Engine: engine, Allow: c.AllowPorts, Schemes: c.schemes}
	if c.Public {
		engine = agreed{engine}
	}
	if !c.NoRedirects {
		engine = access.Follow{Engine: engine, Schemes: c.schemes}
	}
	engine = web.Lister{Engine: engine}
	engine = publicOnly{bounded{engine: engine, limits: c.Limits}, c.schemes}
	c.stack = access.Recover{Engine: engine}
}

// engine returns the engines of all schemes, and the proxies before them. Requests that are
// PublicOnly have engines of their own, whose dialler refuses other addresses. So no
// connection of theirs serves another request, nor the other way round.
func (c *Client) engine() access.Engine {
	dial := c.dialler()
	if c.Public {
		c.schemes = c.schemesWith(dial)
		return c.schemes.Table()
	}
	public := c.throughProxy(c.schemesWith(c.onlyPublic(dial)), c.onlyPublic(dial))
	c.schemes = c.schemesWith(dial) // the facts are the same
	return divided{public: public, all: c.throughProxy(c.schemes, dial)}
}

// throughProxy returns the engines, with the Proxy of c before them if there is one.
func (c *Client) throughProxy(schemes access.Schemes, dial Dial) access.Engine {
	if c.Proxy == nil {
		return schemes.Table()
	}
	gateways := &web.Client{Dial: dial, Idle: c.Idle}
	c.idlers = append(c.idlers, gateways)
	return &proxied{engine: schemes.Table(), proxyFor: c.Proxy, web: gateways}
}

// divided is an Engine with separate engines for requests that are PublicOnly.
type divided struct{ public, all access.Engine }

func (d divided) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.PublicOnly {
		return d.public.Do(ctx, req)
	}
	return d.all.Do(ctx, req)
}

// schemewise returns an Engine that uses some for the schemes that is selects, and others
// for the rest.
func (c *Client) schemewise(is func(Scheme) bool, some, others access.Engine) access.Engine {
	return schemewise{c.schemes, is, some, others}
}

type schemewise struct {
	schemes      access.Schemes
	is           func(Scheme) bool
	some, others access.Engine
}

func (s schemewise) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if s.is(s.schemes.Of(req.URL.Scheme())) {
		return s.some.Do(ctx, req)
	}
	return s.others.Do(ctx, req)
}

// publicOnly is an Engine that obeys Request.PublicOnly. It refuses a scheme unless its
// facts say that the dialler decides which addresses are reached.
type publicOnly struct {
	engine  access.Engine
	schemes access.Schemes
}

func (p publicOnly) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if s := p.schemes.Of(req.URL.Scheme()); req.PublicOnly && s.Engine != nil && !s.IsPublic() {
		return nil, access.Fail(req.Op.String(), req.URL, errOwn)
	}
	return p.engine.Do(ctx, req)
}

// allPublic is an Engine that marks all requests as PublicOnly, because the dialler of a
// Public Client dials nothing else.
type allPublic struct{ engine access.Engine }

func (a allPublic) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if !req.PublicOnly {
		public := *req
		public.PublicOnly = true
		req = &public
	}
	return a.engine.Do(ctx, req)
}

var errOwn = sentinel.New("it belongs to this machine, and is at no public address", access.ErrNotPublic)

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

// isArchived reports whether an archive opens the URLs of a scheme. It does so for unknown
// schemes, too, because archives of other programs have more schemes.
func isArchived(s Scheme) bool { return !s.Local && !s.Address }
