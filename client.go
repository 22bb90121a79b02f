// Package locus opens every URL.
//
// A [Client] is all that most programs need:
//
//	var dialer net.Dialer
//	c := &locus.Client{Dial: dialer.DialContext}
//	r, err := c.Open(ctx, "gopher://gopher.example/1/")
//
// For URLs of strangers, set Public and Limits. Then the Client dials only public
// addresses, opens only schemes that fetch something, and bounds what it reads.
//
// Other packages can be used alone. locus/url parses and formats URLs. locus/scheme
// knows what the URLs of each scheme mean. locus/access defines the interface of the
// engines in locus/proto/…. Importing a package grants nothing: a Client reaches the
// network by its Dial and files by its Root.
//
// Notable divergences:
//   - RFC 1738 §4: there is no registry of schemes, nor of gateways for them. A
//     program adds its own by the Engines of its Client.
package locus

import (
	"context"
	"errors"
	"maps"
	"net"
	"reflect"
	"slices"
	"sync"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/cache"
	"locus/guard"
	"locus/limit"
	"locus/proto"
	"locus/proto/file"
	"locus/proto/ftp"
	"locus/proto/gopher"
	"locus/proto/mail"
	"locus/proto/nfs"
	"locus/proto/nntp"
	"locus/proto/prospero"
	"locus/proto/rlogin"
	"locus/proto/telnet"
	"locus/proto/tn3270"
	"locus/proto/wais"
	"locus/proto/web"
	"locus/proto/z3950"
	"locus/url"
)

// Dial connects to an address: it has the type of net.Dialer's DialContext.
type Dial = proto.Dial

// A Scheme is an engine with the facts that a Client needs to open its URLs safely:
//
//	locus.Scheme{Engine: finger{dial}, Port: 79, Remote: true}
type Scheme = access.Scheme

// A Client opens every URL. It is an access.Engine. The zero Client opens nothing: each
// capability is a field. Use a Client by pointer, and change no field after its first
// use. Several goroutines may use it at once.
//
// A URL, also the target of a redirect, is refused if its port belongs to another protocol
// (see guard.Ports). access.Schemes.AllowRedirect says which redirects are followed.
type Client struct {
	// Capabilities. Without one, requests that need it are refused.

	// Dial connects to the network; nil: no network.
	Dial Dial
	// Root is "/" of file URLs, a folder opened by os.OpenRoot; nil: no files.
	Root *file.Root
	// AFS is the folder where this machine mounts the tree of afs URLs, "/afs"; "": none.
	AFS string
	// Mail is searched for mid and cid URLs, in this order; nil: no mail.
	Mail []mail.Source
	// NewsServer is the host, or host:port, for news URLs without one; "": none.
	NewsServer string
	// Login returns user and password for a server; nil: none. It must check the
	// host of the Challenge, because redirects lead to other hosts.
	Login access.Login
	// Warn is called about a resource that was read to its end and may not be whole, as a
	// gopher text without its period; nil: nobody is told. Several goroutines may call it
	// at once.
	Warn func(u url.URL, err error)
	// Header returns fields for the header of requests of http and https for u, by their
	// names; nil: none. It is asked again for the target of each redirect, so it must
	// check the host. It cannot be used with Cache.
	Header func(u url.URL) map[string]string
	// Engines returns schemes to add or to replace, by their names in lower case; a Scheme
	// without an Engine removes a scheme. A replaced scheme keeps the facts that it had.
	// The engines must connect with dial. Engines is called twice: dial may be for requests
	// that are PublicOnly, and then refuses addresses that are not public. nil: none.
	Engines func(dial Dial) map[string]Scheme

	// Trace has hooks that are called for each request and each attempt; nil: none.
	Trace *Trace

	// Policy.

	// Public is for URLs of strangers. The Client dials only public addresses. It
	// opens only schemes that fetch something over a network by its dial, and schemes of
	// Engines that are Shared.
	// It refuses a URL that programs read as leading to different places (see
	// compare.Agree).
	// It cannot be used with Proxy, which resolves names itself, nor with Root or AFS.
	Public bool
	// AllowPorts are dialled although they belong to another protocol; nil: none.
	AllowPorts []uint16
	// Proxy returns the proxy for u, an http, socks5 or socks5h URL; ok is false for
	// no proxy. nil: no proxy.
	Proxy func(u url.URL) (proxy url.URL, ok bool)
	// Resolver resolves host names for Public and for a socks5 Proxy; nil: the
	// system's.
	Resolver guard.Resolver
	// NoRedirects returns a redirect as an *access.Moved error instead of following
	// it.
	NoRedirects bool

	// Bounds.

	// Idle is how long a server may send nothing before the request fails; 0: a
	// minute, negative: no limit. If it is positive it also ends an interactive session
	// whose server is silent for so long.
	Idle time.Duration
	// MinRate is how many bytes a second a server must send, over 30 seconds; 0: one,
	// negative: no limit. It does not end an interactive session.
	MinRate int64
	// Retries is how often a request is retried after a temporary failure (see
	// retry.Engine); 0: three times (retry.DefaultRetries), negative: never, because
	// nobody wants a request without an end. Set it to -1 for an engine that is wrapped
	// in another retry.Engine, and for transfer and check, which repeat requests
	// themselves.
	Retries int
	// Limits bounds each request; the zero Limits sets no bound.
	Limits Limits
	// Limiter bounds how many requests run at once at each server; nil: no limit.
	Limiter *limit.Limiter
	// Rate bounds how many bytes a second are read; nil: no limit.
	Rate *limit.Rate
	// Cache stores resources from the network; nil: nothing is stored. The Client
	// sets its Engine. Requests with a Login bypass it, so with Login it is unused.
	Cache *cache.Cache

	// Archives.

	// Record returns an Engine that opens with engine and records what it fetches from the
	// network, such as the method Record of an archive.Writer; nil: nothing is recorded.
	Record func(engine access.Engine) access.Engine
	// Archive opens everything instead of the network, of all schemes that fetch over a
	// network, such as an archive.Archive; nil: the network. It cannot be used with Record.
	Archive access.Engine

	once    sync.Once
	stack   access.Engine
	schemes access.Schemes
	invalid error // the fields contradict each other; then there is no stack
	idlers  []idler
	files   ftp.Pool
	shares  nfs.Pool
	habits  gopher.Habits

	mu     sync.Mutex
	closed bool
}

// An idler keeps idle connections.
type idler interface{ CloseIdleConnections() }

// ErrClosed says that the Client is closed.
var ErrClosed = errors.New("the client is closed")

// Do does what req asks. The other methods call it.
func (c *Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	c.once.Do(c.build)
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	switch {
	case c.invalid != nil:
		return nil, engine.Fail(req.Op.String(), req.URL, c.invalid)
	case closed:
		return nil, engine.Fail(req.Op.String(), req.URL, ErrClosed)
	}
	return c.stack.Do(ctx, req)
}

// dialler returns the Dial of the engines.
func (c *Client) dialler() Dial {
	if c.Dial == nil {
		return nil
	}
	dial := c.Dial
	if c.Proxy != nil {
		dial = routed{c.Dial, c.resolver()}.DialContext
	}
	if c.Public {
		return c.onlyPublic(dial)
	}
	return dial
}

// onlyPublic returns a Dial that refuses addresses that are not public; nil if dial is nil.
func (c *Client) onlyPublic(dial Dial) Dial {
	if dial == nil {
		return nil
	}
	return guard.Public{Dial: dial, Resolver: c.resolver(), TellMissing: !c.Public}.DialContext
}

func (c *Client) resolver() guard.Resolver {
	if c.Resolver == nil {
		return new(net.Resolver)
	}
	return c.Resolver
}

// schemesWith returns the schemes of c, with engines that connect with dial.
func (c *Client) schemesWith(dial Dial) access.Schemes {
	http := &web.Client{Dial: dial, Idle: c.Idle, Header: c.Header}
	if c.Proxy != nil {
		http.Proxy = c.httpProxy
	}
	files := ftp.Client{Dial: dial, Idle: c.Idle, Pool: &c.files}
	news := nntp.Client{Dial: dial, Idle: c.Idle, Server: c.NewsServer}
	received := mail.Client{Sources: c.Mail}
	own := access.Table{
		"http":     http,
		"https":    http,
		"ftp":      files,
		"ftps":     files,
		"gopher":   gopher.Client{Dial: dial, Idle: c.Idle, Habits: &c.habits, Warn: c.Warn},
		"wais":     wais.Client{Dial: dial, Idle: c.Idle},
		"z39.50s":  z3950.Client{Dial: dial, Idle: c.Idle},
		"z39.50r":  z3950.Client{Dial: dial, Idle: c.Idle},
		"prospero": prospero.Client{Dial: dial, Idle: c.Idle},
		"nfs":      nfs.Client{Dial: dial, Idle: c.Idle, Pool: &c.shares},
		"news":     news,
		"snews":    news,
		"nntp":     news,
		"nntps":    news,
		"mailto":   mail.Address{}, "mailserver": mail.Address{},
		"telnet": telnet.Client{Dial: dial, Idle: c.Idle},
		"rlogin": rlogin.Client{Dial: dial, Idle: c.Idle},
		"tn3270": tn3270.Client{Dial: dial, Idle: c.Idle},
		"file":   file.System{Root: c.Root},
		"afs":    file.AFS{Folder: c.AFS},
		"mid":    received,
		"cid":    received,
	}
	schemes := own.Schemes()
	if c.Engines != nil {
		schemes = schemes.With(c.Engines(dial))
	}
	if c.Public {
		maps.DeleteFunc(schemes, func(_ string, s Scheme) bool { return !s.Fetches() && !s.Shared })
	}
	c.addIdlers(schemes)
	return schemes
}

// addIdlers remembers the engines that keep idle connections, each once.
func (c *Client) addIdlers(schemes access.Schemes) {
	for _, s := range schemes {
		i, ok := s.Engine.(idler)
		if ok && !slices.ContainsFunc(c.idlers, func(known idler) bool { return isSameIdler(known, i) }) {
			c.idlers = append(c.idlers, i)
		}
	}
}

// isSameIdler reports whether a and b are the same engine. Engines that cannot be compared
// are taken for different ones.
func isSameIdler(a, b idler) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// DialContext connects as the engines do: if c is Public, only to public addresses. It
// uses no proxy.
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
	for name, s := range c.schemes {
		if s.Engine != nil {
			schemes = append(schemes, name)
		}
	}
	slices.Sort(schemes)
	return schemes
}

// CloseIdleConnections closes idle connections. Later requests open new ones.
func (c *Client) CloseIdleConnections() {
	c.once.Do(c.build)
	for _, engine := range c.idlers {
		engine.CloseIdleConnections()
	}
}

// Close closes idle connections. Later requests fail with [ErrClosed]. Pending requests
// continue; their connections are closed afterwards.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.CloseIdleConnections()
	return errors.Join(c.files.Close(), c.shares.Close())
}
