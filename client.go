// Package locus opens every URL.
//
// A [Client] is all that most programs need:
//
//	var dialer net.Dialer
//	c := &locus.Client{Dial: dialer.DialContext}
//	r, err := c.Open(ctx, "gopher://gopher.example/1/")
//
// For URLs that strangers wrote, set Public and Limits. Then only public
// addresses are dialled, only schemes that fetch something are opened, and what
// comes is bounded.
//
// The packages below can be used alone: locus/url reads and writes URLs as text,
// locus/scheme says what the URLs of each scheme mean, locus/access is the
// contract that the engines in locus/proto/… keep. Importing a package grants
// nothing: a Client reaches the network by its Dial and files by its Root.
//
// Notable divergences:
//   - RFC 1738 §4: there is no registry of schemes, nor of gateways for them. A
//     program adds its own by the Engines of its Client.
package locus

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net"
	"reflect"
	"slices"
	"sync"
	"time"

	"locus/access"
	"locus/cache"
	"locus/guard"
	"locus/internal/facts"
	"locus/limit"
	"locus/proto/file"
	"locus/proto/ftp"
	"locus/proto/gopher"
	"locus/proto/mail"
	"locus/proto/nntp"
	"locus/proto/prospero"
	"locus/proto/rlogin"
	"locus/proto/telnet"
	"locus/proto/tn3270"
	"locus/proto/wais"
	"locus/proto/web"
	"locus/retry"
	"locus/url"
)

// Dial connects; it is the type of the method DialContext of a net.Dialer.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// A Client opens every URL. It is an access.Engine. The zero Client opens
// nothing: each capability is a field. Use a Client by pointer, and change no
// field once it was used. Several goroutines may use it at once.
//
// Every URL, that of a redirect too, is refused if its port is known to belong to
// another protocol (see guard.Ports). Redirects are followed as
// access.AllowRedirect says.
type Client struct {
	// Capabilities. Without one, what needs it is refused.

	// Dial is the network; nil: none.
	Dial Dial
	// Root is "/" of file URLs, a folder opened by os.OpenRoot; nil: none.
	Root *file.Root
	// Mail is where mid and cid URLs are looked for, in this order; nil: nowhere.
	Mail []mail.Source
	// NewsServer is the host, or host:port, for news URLs that name none; "": none.
	NewsServer string
	// Login gives user and password to servers that want them; nil: none. It must
	// look at the host that the Challenge names: after a redirect it is another.
	Login func(ctx context.Context, c access.Challenge) (access.Credentials, error)
	// Engines returns more schemes, or other engines for schemes that are here
	// already; a nil engine takes a scheme away. They are given the dialler that
	// they have to connect with. nil: none.
	Engines func(dial Dial) access.Table

	// Policy.

	// Public is for URLs that strangers wrote: it dials public addresses only,
	// and opens only schemes that fetch something over a network, or that Engines
	// adds. It excludes Proxy and Root: a proxy looks up names by itself.
	Public bool
	// AllowPorts are dialled although another protocol has them; nil: none.
	AllowPorts []uint16
	// Proxy returns the proxy through which u is reached (an http, socks5 or
	// socks5h URL); ok is false for none. nil: no proxy.
	Proxy func(u url.URL) (proxy url.URL, ok bool)
	// Resolver looks up the names of hosts for Public, and for a socks5 Proxy; nil:
	// that of this system.
	Resolver guard.Resolver
	// NoRedirects returns a redirect as an *access.Moved error, and follows none.
	NoRedirects bool

	// Bounds.

	// Idle is how long a server may send nothing before the access fails; 0: a
	// minute. It does not end an interactive session that has begun.
	Idle time.Duration
	// MinRate is how many bytes a second a server must send, over 30 seconds; 0: one,
	// negative: any number. It does not end an interactive session.
	MinRate int64
	// Retries is how many more times an access is tried after a failure that may pass
	// (see retry.Engine); 0: none.
	Retries int
	// Limits bounds each access; the zero Limits sets no bound.
	Limits Limits
	// Limiter bounds how many accesses go on at once; nil: no limit.
	Limiter *limit.Limiter
	// Rate bounds how many bytes a second are read; nil: no limit.
	Rate *limit.Rate
	// Cache keeps what comes over the network; nil: nothing is kept. The Client sets
	// its Engine. What a Request with a Login gets is not kept, so with Login nothing
	// is.
	Cache *cache.Cache

	once    sync.Once
	stack   access.Engine
	engines access.Table
	setup   error // why there is no stack
	idlers  []idler
	files   ftp.Pool

	mu     sync.Mutex
	closed bool
}

// An idler keeps connections for its next access.
type idler interface{ CloseIdleConnections() }

// ErrClosed is the error of an access by a Client that was closed.
var ErrClosed = errors.New("the client is closed")

// Do does what req asks. It is the method that all others call.
func (c *Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	c.once.Do(c.build)
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	switch {
	case c.setup != nil:
		return nil, access.Fail(req.Op.String(), req.URL, c.setup)
	case closed:
		return nil, access.Fail(req.Op.String(), req.URL, ErrClosed)
	}
	return c.stack.Do(ctx, req)
}

// build makes the stack, from the inside out. This is the only place where
// engines and the Engines around them are put together.
func (c *Client) build() {
	if c.Public && (c.Proxy != nil || c.Root != nil) {
		c.setup = errors.New("a public client has neither a proxy nor a folder of files")
		return
	}
	dial := c.dialler()
	c.engines = c.table(dial)
	var engine access.Engine = c.engines
	if c.Proxy != nil {
		gateways := &web.Client{Dial: dial, Idle: c.Idle}
		c.idlers = append(c.idlers, gateways)
		engine = &proxied{engine: engine, choose: c.Proxy, web: gateways}
	}
	engine = limit.Engine{Engine: engine, Limiter: c.Limiter, Rate: c.Rate, MinRate: cmp.Or(c.MinRate, 1)}
	if c.Retries > 0 {
		engine = retry.Engine{Engine: engine, Policy: retry.Policy{Tries: c.Retries}}
	}
	if c.Cache != nil {
		c.Cache.Engine = engine
		engine = remote{engine: c.Cache, local: engine}
	}
	if c.Login != nil {
		engine = login{engine: engine, ask: c.Login}
	}
	engine = guard.Ports{Engine: engine, Allow: c.AllowPorts}
	if !c.NoRedirects {
		engine = access.Follow{Engine: engine}
	}
	engine = bounded{engine: engine, limits: c.Limits}
	c.stack = access.Recover{Engine: engine}
}

// dialler returns what the engines connect with.
func (c *Client) dialler() Dial {
	switch {
	case c.Dial == nil:
		return nil
	case c.Public:
		return guard.Public{Dial: c.Dial, Resolver: c.resolver()}.DialContext
	case c.Proxy != nil:
		return routed{c.Dial, c.resolver()}.DialContext
	}
	return c.Dial
}

func (c *Client) resolver() guard.Resolver {
	if c.Resolver == nil {
		return new(net.Resolver)
	}
	return c.Resolver
}

// table returns the engine of each scheme.
func (c *Client) table(dial Dial) access.Table {
	http := &web.Client{Dial: dial, Idle: c.Idle}
	if c.Proxy != nil {
		http.Proxy = c.httpProxy
	}
	files := ftp.Client{Dial: dial, Idle: c.Idle, Pool: &c.files}
	news := nntp.Client{Dial: dial, Idle: c.Idle, Server: c.NewsServer}
	received := mail.Client{Sources: c.Mail}
	t := access.Table{
		"http":     http,
		"https":    http,
		"ftp":      files,
		"ftps":     files,
		"gopher":   gopher.Client{Dial: dial, Idle: c.Idle},
		"wais":     wais.Client{Dial: dial, Idle: c.Idle},
		"prospero": prospero.Client{Dial: dial, Idle: c.Idle},
		"news":     news,
		"snews":    news,
		"nntp":     news,
		"nntps":    news,
		"mailto":   mail.Address{},
		"telnet":   telnet.Client{Dial: dial, Idle: c.Idle},
		"rlogin":   rlogin.Client{Dial: dial, Idle: c.Idle},
		"tn3270":   tn3270.Client{Dial: dial, Idle: c.Idle},
		"file":     file.System{Root: c.Root},
		"mid":      received,
		"cid":      received,
	}
	if c.Public {
		maps.DeleteFunc(t, func(scheme string, _ access.Engine) bool { return !isRemote(scheme) })
	}
	if c.Engines != nil {
		for scheme, engine := range c.Engines(dial) {
			t[scheme] = engine
		}
	}
	c.idlers = append(c.idlers, idlersOf(t)...)
	return t
}

// idlersOf returns the engines of t that keep connections, each one once.
func idlersOf(t access.Table) []idler {
	var all []idler
	seen := map[any]bool{}
	for _, engine := range t {
		keeps, ok := engine.(idler)
		if !ok {
			continue
		}
		if reflect.ValueOf(engine).Comparable() {
			if seen[engine] {
				continue
			}
			seen[engine] = true
		}
		all = append(all, keeps)
	}
	return all
}

// isRemote reports whether URLs of the scheme fetch something over a network.
func isRemote(scheme string) bool {
	s := facts.Of(scheme)
	return s.Has(facts.Fetches) || s.Protocol == "nntp"
}

// DialContext connects as the engines do: if c is Public, to public addresses
// only. It asks no proxy.
func (c *Client) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if dial := c.dialler(); dial != nil {
		return dial(ctx, network, address)
	}
	return nil, access.ErrNoDial
}

// Schemes returns the schemes that c has engines for, sorted.
func (c *Client) Schemes() []string {
	c.once.Do(c.build)
	var schemes []string
	for scheme, engine := range c.engines {
		if engine != nil {
			schemes = append(schemes, scheme)
		}
	}
	slices.Sort(schemes)
	return schemes
}

// CloseIdleConnections closes the connections that are kept for the next access.
// The next access makes others.
func (c *Client) CloseIdleConnections() {
	c.once.Do(c.build)
	for _, engine := range c.idlers {
		engine.CloseIdleConnections()
	}
}

// Close closes idle connections. Every later access fails with [ErrClosed].
// Accesses that have begun go on, and their connections are not kept.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.CloseIdleConnections()
	return c.files.Close()
}
