package locus

import (
	"context"
	"errors"

	"locus/access"
	"locus/access/engine"
	"locus/compare"
	"locus/guard"
	"locus/internal/facts"
	"locus/internal/sentinel"
	"locus/internal/weburl"
	"locus/limit"
	"locus/proto/web"
	"locus/retry"
	"locus/url"
)

// build sets c.stack to the stack of Engines, which it makes from the inside out, and c.schemes. If
// the fields of c contradict each other, it sets c.invalid instead.
func (c *Client) build() {
	if c.Public && (c.Proxy != nil || c.Root != nil || c.AFS != "") {
		c.invalid = errors.New("a Public client must not have a Proxy, a Root or an AFS folder")
		return
	}
	if c.Header != nil && c.Cache != nil {
		c.invalid = errors.New("a client with a Cache must not have a Header")
		return
	}
	if c.Archive != nil && c.Record != nil {
		c.invalid = errors.New("a client with an Archive must not have a Record")
		return
	}
	e := c.engine()
	if c.Record != nil {
		e = c.schemewise(Scheme.Fetches, c.Record(e), e)
	}
	if c.Archive != nil {
		e = c.schemewise(isArchived, c.Archive, e)
	}
	e = limit.Engine{Engine: c.Trace.traceAttempts(e), Limiter: c.Limiter, Rate: c.Rate, MinRate: c.MinRate}
	if c.Retries >= 0 {
		e = retry.Engine{Engine: e, Policy: retry.Policy{Retries: c.Retries}}
	}
	if c.Cache != nil {
		c.Cache.Engine = e
		var cached access.Engine = c.Cache
		if c.Public {
			cached = allPublic{cached}
		}
		e = c.schemewise(Scheme.Fetches, cached, e)
	}
	if c.Login != nil {
		e = defaultLogin{engine: e, login: c.Login}
	}
	e = guard.Ports{Engine: e, Allow: c.AllowPorts, Schemes: c.schemes}
	if c.Public {
		e = agreed{e}
	}
	if !c.NoRedirects {
		e = access.Follow{Engine: e, Schemes: c.schemes}
	}
	e = &web.Lister{Engine: e}
	e = publicOnly{bounded{engine: e, limits: c.Limits}, c.schemes}
	c.stack = aliased{c.Trace.traceRequests(engine.Recover{Engine: e}), c.schemes}
}

// engine returns the engines of all schemes, and the proxies before them, and sets c.schemes.
// Requests that are PublicOnly have separate engines, whose dialler refuses other addresses,
// because they must not use an idle connection of another request.
func (c *Client) engine() access.Engine {
	dial := c.dialler()
	if c.Public {
		c.schemes = c.schemesWith(dial)
		return c.schemes.Table()
	}
	public := c.throughProxy(c.schemesWith(c.onlyPublic(dial)), c.onlyPublic(dial))
	c.schemes = c.schemesWith(dial) // with the same facts as above
	return divided{public: public, all: c.throughProxy(c.schemes, dial)}
}

// throughProxy returns an Engine for the schemes. If c has a Proxy, requests go through it, and an
// HTTP proxy that gets whole URLs is reached with dial. throughProxy adds the client of such
// proxies to c.idlers.
func (c *Client) throughProxy(schemes access.Schemes, dial Dial) access.Engine {
	if c.Proxy == nil {
		return schemes.Table()
	}
	gateways := &web.Client{Dial: dial, Idle: c.Idle}
	c.idlers = append(c.idlers, gateways)
	return &proxied{engine: schemes.Table(), schemes: schemes, proxyFor: c.Proxy, web: gateways}
}

// divided is an Engine with separate engines for requests that are PublicOnly.
type divided struct{ public, all access.Engine }

// Do executes req with d.public if it is PublicOnly, and otherwise with d.all.
func (d divided) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.PublicOnly {
		return d.public.Do(ctx, req)
	}
	return d.all.Do(ctx, req)
}

// schemewise returns an Engine that uses some for the schemes for which is returns true, and others
// for all other schemes.
func (c *Client) schemewise(is func(Scheme) bool, some, others access.Engine) access.Engine {
	return schemewise{c.schemes, is, some, others}
}

type schemewise struct {
	schemes      access.Schemes
	is           func(Scheme) bool
	some, others access.Engine
}

// Do executes req with s.some if s.is accepts the scheme of the URL, and otherwise with s.others.
func (s schemewise) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if s.is(s.schemes.Of(req.URL.Scheme())) {
		return s.some.Do(ctx, req)
	}
	return s.others.Do(ctx, req)
}

// publicOnly is an Engine that obeys Request.PublicOnly. It refuses schemes that do not
// connect with the dialler, because only the dialler checks addresses. A URL that contains
// its resource needs no address.
type publicOnly struct {
	engine  access.Engine
	schemes access.Schemes
}

// Do executes req. It returns errOwn for a PublicOnly request whose scheme does not connect with
// the dialler.
func (p publicOnly) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if s := p.schemes.Of(req.URL.Scheme()); req.PublicOnly && s.Engine != nil && !s.IsPublic() && !s.Inline {
		return nil, engine.Fail(req.Op.String(), req.URL, errOwn)
	}
	return p.engine.Do(ctx, req)
}

// allPublic is an Engine that marks all requests as PublicOnly, because the dialler of a
// Public Client dials nothing else.
type allPublic struct{ engine access.Engine }

// Do executes req, or a copy of it with PublicOnly set.
func (a allPublic) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if !req.PublicOnly {
		public := *req
		public.PublicOnly = true
		req = &public
	}
	return a.engine.Do(ctx, req)
}

var errOwn = sentinel.New("it belongs to this machine, and is at no public address", access.ErrNotPublic)

// agreed is an Engine that refuses a URL if programs in use read different hosts in it,
// because a program that has checked the URL may have checked another host. It stands
// inside access.Follow, so that it sees the targets of redirects.
type agreed struct{ engine access.Engine }

// Do executes req, unless programs read different hosts in its URL. Then it returns the error of
// compare.Agree.
func (a agreed) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if _, err := compare.Agree(req.URL.String()); err != nil {
		return nil, engine.Fail(req.Op.String(), req.URL, err)
	}
	return a.engine.Do(ctx, req)
}

// defaultLogin is an Engine that sets the Login of requests without one.
type defaultLogin struct {
	engine access.Engine
	login  access.Login
}

// Do executes req. If req has no Login, Do executes a copy of it with l.login.
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

// aliased is an Engine that opens the URL that a URL with an alias stands for, such as
// https://h/x for davs://h/x. A program that adds the scheme of an alias opens it itself.
type aliased struct {
	engine  access.Engine
	schemes access.Schemes
}

// Do executes req with the URL that its URL stands for. It leaves a URL unchanged if it has no
// alias, or if the program has an engine for its scheme.
func (a aliased) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	u, err := unaliased(req.URL, a.schemes)
	if err != nil {
		return nil, engine.Fail(req.Op.String(), req.URL, err)
	}
	other := *req
	other.URL = u
	return a.engine.Do(ctx, &other)
}

// unaliased returns the URL that u stands for. It returns u if u has no alias, or if schemes has an
// engine for the scheme of u. After an error it returns u, too.
func unaliased(u url.URL, schemes access.Schemes) (url.URL, error) {
	text, ok := facts.Alias(u.String())
	if !ok || schemes.Of(u.Scheme()).Engine != nil {
		return u, nil
	}
	plain, err := weburl.Parse(text)
	if err != nil {
		return u, err
	}
	return plain, nil
}
