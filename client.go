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
package locus

import (
	"context"
	"errors"
	"io"
	"iter"
	"net"
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

	// NoRedirects returns a redirect as an *access.Moved error, and follows none.
	NoRedirects bool

	// Bounds.

	// Idle is how long a server may send nothing before the access fails; 0: a
	// minute. It does not end an interactive session that has begun.
	Idle time.Duration
	// Limits bounds each access; the zero Limits sets no bound.
	Limits Limits
	// Limiter bounds how many accesses go on at once; nil: no limit.
	Limiter *limit.Limiter
	// Rate bounds how many bytes a second are read; nil: no limit.
	Rate *limit.Rate
	// Cache keeps what comes over the network; nil: nothing is kept. The Client sets
	// its Engine. A Request with a Login is not kept.
	Cache *cache.Cache

	once    sync.Once
	stack   access.Engine
	engines access.Table
	setup   error // why there is no stack
	pools   []interface{ CloseIdleConnections() }

	mu     sync.Mutex
	closed bool
}

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
		engine = &proxied{engine: engine, choose: c.Proxy, web: &web.Client{Dial: dial}}
	}
	if c.Limiter != nil || c.Rate != nil {
		engine = limit.Engine{Engine: engine, Limiter: c.Limiter, Rate: c.Rate}
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
		return guard.Public{Dial: c.Dial, Resolver: net.DefaultResolver}.DialContext
	case c.Proxy != nil:
		return routed{c.Dial}.DialContext
	}
	return c.Dial
}

// table returns the engine of each scheme.
func (c *Client) table(dial Dial) access.Table {
	http := c.web(dial)
	files := ftp.Client{Dial: dial, Pool: &ftp.Pool{}}
	news := nntp.Client{Dial: dial, Server: c.NewsServer}
	received := mail.Client{Sources: c.Mail}
	t := access.Table{
		"http":     http,
		"https":    http,
		"ftp":      files,
		"ftps":     files,
		"gopher":   gopher.Client{Dial: dial},
		"wais":     wais.Client{Dial: dial},
		"prospero": prospero.Client{Dial: dial},
		"news":     news,
		"snews":    news,
		"nntp":     news,
		"nntps":    news,
		"mailto":   mail.Address{},
		"telnet":   telnet.Client{Dial: dial},
		"rlogin":   rlogin.Client{Dial: dial},
		"tn3270":   tn3270.Client{Dial: dial},
		"file":     file.System{Root: c.Root},
		"mid":      received,
		"cid":      received,
	}
	if c.Public {
		keepFetching(t)
	}
	if c.Engines != nil {
		for scheme, engine := range c.Engines(dial) {
			t[scheme] = engine
		}
	}
	for _, engine := range t {
		if pool, ok := engine.(interface{ CloseIdleConnections() }); ok {
			c.pools = append(c.pools, pool)
		}
	}
	return t
}

// keepFetching takes out of t the schemes that strangers may not have opened: the
// files and the mail of this machine, and interactive sessions.
func keepFetching(t access.Table) {
	for scheme := range t {
		if !isRemote(scheme) {
			delete(t, scheme)
		}
	}
}

func (c *Client) web(dial Dial) *web.Client {
	client := &web.Client{Dial: dial}
	if c.Proxy != nil {
		client.Proxy = c.httpProxy
	}
	return client
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

// Open gets what rawurl names, a URL by RFC 3986. The caller closes the Body. A
// text that is no URL is a *url.SyntaxError.
func (c *Client) Open(ctx context.Context, rawurl string) (*access.Resource, error) {
	return c.do(ctx, &access.Request{}, rawurl)
}

// Stat finds the attributes of what rawurl names.
func (c *Client) Stat(ctx context.Context, rawurl string) (access.Entry, error) {
	r, err := c.do(ctx, &access.Request{Op: access.Stat}, rawurl)
	if err != nil {
		return access.Entry{}, err
	}
	return r.Entry, nil
}

// Put makes the bytes of body, which it reads to its end, what rawurl names. A
// body that is an io.Seeker can be sent again where a server wants that.
func (c *Client) Put(ctx context.Context, rawurl string, body io.Reader) error {
	_, err := c.do(ctx, access.Rewindable(&access.Request{Op: access.Put, Body: body, Size: -1}), rawurl)
	return err
}

// Append adds the bytes of body to what rawurl names. It returns the URL of what
// was added; the zero URL if that has none, or the server does not say.
func (c *Client) Append(ctx context.Context, rawurl string, body io.Reader) (url.URL, error) {
	r, err := c.do(ctx, access.Rewindable(&access.Request{Op: access.Append, Body: body, Size: -1}), rawurl)
	if err != nil {
		return url.URL{}, err
	}
	return r.URL, nil
}

// Delete removes what rawurl names.
func (c *Client) Delete(ctx context.Context, rawurl string) error {
	_, err := c.do(ctx, &access.Request{Op: access.Delete}, rawurl)
	return err
}

// MakeDir makes the directory that rawurl names.
func (c *Client) MakeDir(ctx context.Context, rawurl string) error {
	_, err := c.do(ctx, &access.Request{Op: access.MakeDir}, rawurl)
	return err
}

// List gives the entries of the listing that rawurl names, as they come. An error
// is the last thing that it gives; a resource that is no listing is one.
func (c *Client) List(ctx context.Context, rawurl string) iter.Seq2[access.Entry, error] {
	return func(yield func(access.Entry, error) bool) {
		r, err := c.Open(ctx, rawurl)
		if err != nil {
			yield(access.Entry{}, err)
			return
		}
		defer r.Body.Close()
		if r.List == nil {
			yield(access.Entry{}, &access.Error{Op: "list", URL: r.URL, Err: errNoListing})
			return
		}
		for {
			e, err := r.List.Next()
			if err == io.EOF { //nolint:errorlint // a listing that breaks off wraps io.ErrUnexpectedEOF
				return
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

var errNoListing = errors.New("it is no listing")

// do does what req asks with what rawurl names.
func (c *Client) do(ctx context.Context, req *access.Request, rawurl string) (*access.Resource, error) {
	u, err := url.Parse(rawurl)
	if err != nil {
		return nil, err
	}
	req.URL = u
	return c.Do(ctx, req)
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
	for _, pool := range c.pools {
		pool.CloseIdleConnections()
	}
}

// Close closes idle connections. Every later access fails with [ErrClosed];
// accesses that have begun go on.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.CloseIdleConnections()
	return nil
}
