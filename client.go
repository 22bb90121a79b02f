// Package locus opens every URL.
//
// Most programs need only a [Client]:
//
//	var dialer net.Dialer
//	c := &locus.Client{Dial: dialer.DialContext}
//	r, err := c.Open(ctx, "gopher://gopher.example/1/")
//
// For URLs of strangers, set Public and Limits. Then the Client dials only public
// addresses, opens only schemes that fetch over the network, and limits the bytes and the
// time of each request.
//
// Other packages can be used alone. locus/url parses and formats URLs. locus/scheme parses
// the parts that are specific to each scheme. locus/access defines the interface of the
// engines in locus/proto/…. Importing a package grants no access by itself, because a
// Client reaches the network only by its Dial and files only by its Root.
//
// # Errors
//
// Most errors are an [*access.Error], with the URL, the reply of the server and a Remedy. errors.Is tells their
// meanings apart: fs.ErrNotExist, fs.ErrPermission, errors.ErrUnsupported, and the errors of package access, such as
// access.ErrPassword, access.ErrNotPublic, access.ErrRedirect and access.ErrTemporary. [*guard.PortError] and
// [*guard.AddressError] say which port or address was refused.
//
// # How the pieces work together
//
// A verb (verbs.go), the file system (fs.go) or the http.Client (http.go, translate.go,
// response.go) makes a Request. Client.Do passes it through a stack of engines, which build
// makes once (stack.go). From the outside in:
//
//   - facts.Alias names the URL that a URL such as webcal://h/x stands for.
//   - engine.Recover turns a panic into an error, and [Trace] reports the request (trace.go).
//   - Request.PublicOnly and [Limits] are enforced for the whole request (bounded.go).
//   - web.Lister reads listings out of pages, and access.Follow follows redirects.
//   - guard.Ports and compare.Agree are inside access.Follow, so that they check each target.
//   - Client.Login is added to requests without a login.
//   - Client.Cache answers from its folder, and otherwise continues.
//   - retry.Engine repeats a failed attempt, and limit.Engine waits for a turn at the server.
//   - Client.Archive takes the place of the network, or Client.Record records the traffic.
//   - Client.Proxy chooses how to connect (proxy.go, proxies.go).
//   - access.Table chooses the engine of the scheme.
//
// Notable divergences:
//   - RFC 1738 §4: the package does not keep a registry of schemes or gateways. A program
//     adds its own by the Engines of its Client.
package locus

import (
	"cmp"
	"context"
	"crypto/tls"
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
	"locus/internal/facts"
	"locus/limit"
	"locus/proto"
	"locus/proto/cso"
	"locus/proto/data"
	"locus/proto/dict"
	"locus/proto/file"
	"locus/proto/finger"
	"locus/proto/ftp"
	"locus/proto/gemini"
	"locus/proto/gopher"
	"locus/proto/imap"
	"locus/proto/mail"
	"locus/proto/nfs"
	"locus/proto/nntp"
	"locus/proto/pin"
	"locus/proto/prospero"
	"locus/proto/rlogin"
	"locus/proto/sftp"
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

// A Client opens every URL. It is an access.Engine. Each capability is a field, so the zero
// Client refuses every request. Use a Client by pointer, and do not change its fields after
// the first request. Several goroutines may use it at once.
//
// A URL is refused if its port belongs to another protocol, because the server might take
// the request for commands (see guard.Ports). The same holds for the target of a redirect.
// access.Schemes.AllowRedirect says which redirects are followed.
type Client struct {
	// Capabilities. Without one, requests that need it are refused.

	// Dial connects to the network; nil: the Client does not use the network.
	Dial Dial
	// Root is "/" of file URLs, a folder opened by os.OpenRoot; nil: file URLs are refused.
	Root *file.Root
	// AFS is the folder where this machine mounts the tree of afs URLs, "/afs"; "": afs
	// URLs are refused.
	AFS string
	// Mail is searched for mid and cid URLs, in this order; nil: these URLs are refused.
	Mail []mail.Source
	// NewsServer is the host, or host:port, for news URLs without a server; "": these URLs
	// are refused.
	NewsServer string
	// Login returns user and password for a server; nil: servers that want a login refuse
	// the request. It must check the host of the Challenge, because redirects lead to other
	// hosts.
	Login access.Login
	// Pins has the certificates of gemini servers, which sign their own, and of gophers
	// servers whose certificates no authority has signed; nil: the Client remembers the
	// certificates of gemini servers as long as it lives.
	Pins *pin.Pins
	// Certificate returns the client certificate for the server of u, which is a gemini
	// server; nil: none. It must check the host, because redirects lead to other hosts. A
	// nil Certificate shows servers no certificate.
	Certificate func(u url.URL) *tls.Certificate
	// Warn, if not nil, is called about a resource that was read to its end and may not be
	// whole, such as a gopher text without its period. Several goroutines may call it at
	// once.
	Warn func(u url.URL, err error)
	// Header returns fields for the header of requests of http and https for u, by their
	// names; nil: requests get the usual fields only. It is called again for the target of
	// each redirect, so it must check the host. It cannot be used with Cache, because the
	// fields may change the response.
	Header func(u url.URL) map[string]string
	// Engines returns schemes to add or to replace, by their names in lower case; a Scheme
	// without an Engine removes a scheme. A replaced scheme keeps the facts that it had.
	// The engines must connect with dial. Engines is called twice, because requests that
	// are PublicOnly need a dial that refuses other addresses. nil: the Client has the
	// schemes of this module.
	Engines func(dial Dial) map[string]Scheme

	// Trace has hooks that are called for each request and each attempt; it may be nil.
	Trace *Trace

	// Policy.

	// Public is for URLs of strangers. The Client dials only public addresses. It opens
	// only schemes that fetch over the network with its Dial, and schemes of Engines that
	// are Shared. It opens sftp URLs only if Engines has an engine for them. It refuses a URL
	// if programs in use read different hosts in it, because a filter may have checked another
	// host (see compare.Agree). It cannot be used with Proxy, because a proxy resolves names
	// itself, nor with Root or AFS.
	Public bool
	// AllowPorts are dialled although they belong to another protocol; it may be nil.
	AllowPorts []uint16
	// Proxy returns the proxy for u, an http, socks5 or socks5h URL; ok is false if the
	// Client connects to the server of u itself. nil: it does so for every u.
	Proxy func(u url.URL) (proxy url.URL, ok bool)
	// Resolver resolves host names for Public and for a socks5 Proxy; nil: the
	// system's.
	Resolver guard.Resolver
	// Interfaces returns the addresses of this machine with their networks, as
	// net.InterfaceAddrs does. Public, and requests that are PublicOnly, do not reach these
	// networks, because a firewall may protect them from strangers; nil: they are not known.
	Interfaces func() ([]net.Addr, error)
	// NoRedirects returns a redirect as an *access.Moved error instead of following
	// it.
	NoRedirects bool

	// Bounds.

	// Idle is how long a server may be silent before the request fails. 0 means a minute,
	// and a negative value means no limit. If it is positive it also ends an interactive
	// session whose server is silent for so long.
	Idle time.Duration
	// MinRate is how many bytes a second a server must send, over 30 seconds. 0 means one,
	// and a negative value means no limit. It does not end an interactive session.
	MinRate int64
	// Retries is how often a request is retried after a temporary failure (see
	// retry.Engine). 0 means three times (retry.DefaultRetries), and a negative value means
	// never, because a request must end. Set it to -1 for an engine that is wrapped in
	// another retry.Engine, and for transfer and check, because they repeat requests
	// themselves.
	Retries int
	// Limits bounds each request; the zero Limits sets no bound.
	Limits Limits
	// PerHost bounds the connections of http and https to one host and port, idle ones
	// included: a request waits until it can have one of them. 0 means no
	// limit; a negative value means no limit, too. It does not apply with a Proxy.
	PerHost int
	// Limiter bounds how many requests run at once at each server; nil: no limit.
	Limiter *limit.Limiter
	// Rate bounds how many bytes a second are read; nil: no limit.
	Rate *limit.Rate
	// Cache stores resources from the network; nil: the Client asks the network each time.
	// The Client sets its Engine. Requests with a Login bypass the Cache, so a Client with
	// a Login does not use it.
	Cache *cache.Cache

	// Archives.

	// Record returns an Engine that opens with engine and records the traffic, such as the
	// method Record of an archive.Writer. It may be nil.
	Record func(engine access.Engine) access.Engine
	// Archive, if not nil, takes the place of the network: it opens the URLs of all schemes
	// except local files and addresses. An archive.Archive is one. It cannot be used with
	// Record.
	Archive access.Engine

	once    sync.Once
	stack   access.Engine
	schemes access.Schemes
	invalid error // the fields contradict each other, so stack is nil
	idlers  []idler
	files   ftp.Pool
	shares  nfs.Pool
	hosts   sftp.Pool
	habits  gopher.Habits
	trips   prospero.RoundTrips
	pins    pin.Pins

	mu     sync.Mutex
	closed bool
}

// An idler keeps idle connections.
type idler interface{ CloseIdleConnections() }

// ErrClosed says that the Client is closed.
var ErrClosed = errors.New("the client is closed")

// Do carries out req and returns the resource; see access.Engine. The other methods call Do. It returns an error if
// fields of c contradict each other. The error wraps ErrClosed after Close.
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

// dialler returns the Dial of the engines, which obeys Proxy and Public. It is nil if Dial is nil.
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
	return guard.Public{Dial: dial, Resolver: c.resolver(), Interfaces: c.Interfaces, TellMissing: !c.Public}.DialContext
}

// resolver returns c.Resolver, or the resolver of package net if c.Resolver is nil.
func (c *Client) resolver() guard.Resolver {
	if c.Resolver == nil {
		return new(net.Resolver)
	}
	return c.Resolver
}

// schemesWith returns the schemes of c, with new engines that connect with dial, and adds the engines with idle
// connections to c.idlers. A Public client has only schemes that are safe for URLs of strangers.
func (c *Client) schemesWith(dial Dial) access.Schemes {
	http := &web.Client{Dial: dial, Idle: c.Idle, Header: c.Header, PerHost: c.PerHost}
	if c.Proxy != nil {
		http.Proxy = c.httpProxy
	}
	files := ftp.Client{Dial: dial, Idle: c.Idle, Pool: &c.files}
	news := nntp.Client{Dial: dial, Idle: c.Idle, Server: c.NewsServer}
	received := mail.Client{Sources: c.Mail}
	mailboxes := imap.Client{Dial: dial, Idle: c.Idle}
	pins := cmp.Or(c.Pins, &c.pins)
	menus := gopher.Client{Dial: dial, Idle: c.Idle, Habits: &c.habits, Warn: c.Warn, Pins: pins}
	pages := gemini.Client{Dial: dial, Idle: c.Idle, Pins: pins, Certificate: c.Certificate}
	own := access.Table{
		"cso":      cso.Client{Dial: dial, Idle: c.Idle},
		"data":     data.Client{},
		"dict":     dict.Client{Dial: dial, Idle: c.Idle},
		"finger":   finger.Client{Dial: dial, Idle: c.Idle},
		"http":     http,
		"https":    http,
		"ftp":      files,
		"ftps":     files,
		"ftpes":    files,
		"gemini":   pages,
		"titan":    pages,
		"gopher":   menus,
		"gophers":  menus,
		"wais":     wais.Client{Dial: dial, Idle: c.Idle},
		"z39.50s":  z3950.Client{Dial: dial, Idle: c.Idle},
		"z39.50r":  z3950.Client{Dial: dial, Idle: c.Idle},
		"prospero": prospero.Client{Dial: dial, Idle: c.Idle, Trips: &c.trips},
		"nfs":      nfs.Client{Dial: dial, Idle: c.Idle, Pool: &c.shares},
		"sftp":     sftp.Client{Dial: dial, Idle: c.Idle, Pool: &c.hosts},
		"news":     news,
		"snews":    news,
		"nntp":     news,
		"nntps":    news,
		"imap":     mailboxes,
		"imaps":    mailboxes,
		"mailto":   mail.Address{}, "mailserver": mail.Address{},
		"telnet": telnet.Client{Dial: dial, Idle: c.Idle},
		"rlogin": rlogin.Client{Dial: dial, Idle: c.Idle},
		"tn3270": tn3270.Client{Dial: dial, Idle: c.Idle},
		"file":   file.System{Root: c.Root},
		"afs":    file.AFS{Folder: c.AFS},
		"mid":    received,
		"cid":    received,
	}
	if c.Public {
		maps.DeleteFunc(own, func(name string, _ access.Engine) bool { return facts.Of(name).Has(facts.Personal) })
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

// addIdlers adds the engines that keep idle connections to c.idlers, each once.
func (c *Client) addIdlers(schemes access.Schemes) {
	for _, s := range schemes {
		i, ok := s.Engine.(idler)
		if ok && !slices.ContainsFunc(c.idlers, func(known idler) bool { return isSameIdler(known, i) }) {
			c.idlers = append(c.idlers, i)
		}
	}
}

// isSameIdler reports whether a and b are the same engine. It returns false for engines that cannot be compared.
func isSameIdler(a, b idler) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// DialContext connects with Dial, as the engines do. If c is Public, it connects only to public addresses. It does not
// use the Proxy, because the Proxy depends on a URL. If Dial is nil, the error is access.ErrNoDial.
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
	return errors.Join(c.files.Close(), c.shares.Close(), c.hosts.Close())
}
