// Package gateway shows what an access.Engine opens to web browsers (RFC 1738 §4,
// RFC 1630): a path is a URL, and its resource is the answer.
//
//	GET /ftp://ftp.example.org/pub/a%2Fb;type=i?x
//	    |\____________________________________/
//	   one slash         a whole URL, as it is
//
// Bytes stream as they are. Listings, menus, newsgroups, articles, searches and
// forms become pages, whose links stay inside the gateway. Programs that ask for
// JSON or text/uri-list get those. Every path that starts with "/-/" is the
// gateway's own.
//
// A gateway knows no scheme by name: the Engine says what a resource is.
//
// Notable divergences:
//   - RFC 9110 §4.2.3: paths are not normalized. Browsers normalize "/../" and
//     "/./" before they ask. Links to URLs that have such segments go through
//     "/-/open?url=…" instead.
package gateway

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/gateway/internal/dav"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/limit"
	"locus/proto"
	"locus/proto/web"
	"locus/url"
)

// A Gateway is an http.Handler. Change no field once it serves, and do not copy
// it. It keeps nothing between requests, so several gateways with the same Secret may
// stand behind one load balancer.
//
// No ServeMux may stand before it: a mux folds the "//" of URLs.
type Gateway struct {
	// What it opens.

	// Engine opens URLs, usually a *locus.Client; nil opens nothing. It follows
	// redirects itself, and decides what may be opened at all.
	Engine access.Engine
	// Web sends the requests of a proxy's clients for http and https URLs,
	// whatever their method; nil leaves these to Engine, which knows GET and
	// HEAD. It must change nothing: see Transport.
	Web http.RoundTripper
	// Tunnel connects for the CONNECT of a proxy's clients; nil refuses it. It
	// may take Timeout. A tunnel ends if it is idle for 10 minutes. MaxSize does not
	// bound it.
	Tunnel proto.Dial
	// TunnelsEndHere says that Tunnel connects to no server, such as that of a
	// server.Interceptor: then a tunnel takes no turn.
	TunnelsEndHere bool
	// TunnelPorts are the ports that tunnels go to besides 443 and 70. curl asks
	// a proxy for a tunnel to port 70 to use gopher.
	TunnelPorts []uint16

	// What it shows.

	// FrontLinks are links on the front page, below its field for any URL.
	FrontLinks []FrontLink
	// Archive is where error pages look for a copy of a URL, such as
	// "https://web.archive.org/web/{url}"; "" offers none.
	Archive string
	// GopherSearch is a search of gopherspace for words that are no URL, such as
	// "gopher://gopher.floodgap.com/7/v2/vs"; the zero URL offers none.
	GopherSearch url.URL
	// Charset is the charset of texts that declare none and are not UTF-8, by its name for
	// browsers, such as "koi8-r"; "" is Latin-1. An unknown name is as "".
	Charset string
	// Shared says that several people use one browser, or that the gateway is for
	// strangers: its pages let the browser remember nothing.
	Shared bool
	// Names are the host names that browsers may reach the gateway by, besides
	// "localhost" and every IP address. Other names are refused: a page of another
	// site may let its own name resolve to the gateway's address ("DNS rebinding").
	Names []string
	// Harmless reports whether a browser may open a URL without asking its user, although
	// the URL is at a private address or a session, such as a server that the program
	// itself has started; nil: it asks for each. The user must have typed the URL or
	// clicked at the gateway.
	Harmless func(u url.URL) bool
	// Secret is the key of the tickets by which the gateway knows its own forms and
	// redirects. Gateways behind one load balancer need the same one; nil: a random key.
	Secret []byte
	// Via is the gateway's name in the Via field of what it passes on (RFC 9110
	// §7.6.3); "" is "locus". A request that has the name already goes round in
	// a circle and is refused. Gateways behind one another need different names.
	Via string

	// Bounds.

	// Timeout bounds one access, the reading of its resource included. For a session it
	// bounds the opening. 0: the default, no limit; negative: no limit.
	Timeout time.Duration
	// ClientIdle is how long a client may read nothing before its response is
	// aborted; 0: a minute, negative: no limit.
	ClientIdle time.Duration
	// MaxSize is how many bytes of one resource are passed on. The answer is broken off
	// if a resource turns out to be longer. 0: the default, no limit; negative: no
	// limit.
	MaxSize int64
	// MaxEntries is how many entries of a listing a page has; 0: 1000, negative: no
	// limit. The rest is on the next pages.
	MaxEntries int
	// MaxArchive is how many bytes the files in a zip or tar of a folder may have; 0: 4
	// GiB, negative: no limit. The archive is broken off if they turn out to have more.
	MaxArchive int64
	// MaxRequests is how many requests are answered at once; 0: 1024, negative: no
	// limit. One more is answered with 503. A tunnel is one request as long as it lasts.
	// Sessions are bounded by Sessions instead.
	MaxRequests int
	// MaxPerClient is how many of them one client may have; 0: 128, negative: no limit.
	// One more is answered with 429. A client is an IPv4 address or an IPv6 /64.
	MaxPerClient int
	// Limiter bounds accesses to each server at once; nil: DefaultLimiter. A request
	// that waited MaxWait for its turn is answered with 503. Tunnels and sessions take
	// turns too.
	//
	// The Gateway takes the turns at servers for Web and Tunnel. Engine must
	// take its own, inside its cache, so that a hit takes none: give a
	// locus.Client the same Limiter.
	Limiter *limit.Limiter
	// Sessions bounds interactive sessions.
	Sessions Sessions

	// Log gets failed requests; nil logs nothing. URLs are without their passwords.
	Log *slog.Logger

	once     sync.Once
	turns    *limit.Limiter // Limiter, or the default
	recovers access.Engine  // Engine, whose panics become errors
	viaField string         // via of HTTP/1.1
	requests counter
	sessions counter
	archives counter
	memory   memoryBudget
	tickets  tickets
}

// A FrontLink is a link on the front page.
type FrontLink struct {
	Group string // the heading above it; "" for none
	Title string // the text of the link
	URL   url.URL
	About string // a sentence; "" for none
}

// ServeHTTP answers one request.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.once.Do(g.prepare)
	r = g.asOrigin(r)
	r, cancel := g.bound(r)
	defer cancel()
	x := &exchange{Gateway: g, output: output{w: w, r: r, client: clientName(r.RemoteAddr), budget: &g.memory, idle: lasting(g.ClientIdle, time.Minute)}}
	defer x.freeMemory()
	x.setPolicy(pagePolicy)
	isCounted, err := x.enter()
	if isCounted {
		defer x.requests.leave(x.client)
	}
	if err == nil {
		err = x.serve()
	}
	if err != nil {
		x.fail(err)
	}
}

// prepare sets what all requests use.
func (g *Gateway) prepare() {
	g.turns = cmp.Or(g.Limiter, DefaultLimiter())
	g.recovers = engine.Recover{Engine: g.Engine}
	g.viaField = g.via(1, 1)
	g.tickets.setKey(g.Secret)
}

// enter counts the request, if it counts. It returns an error if the request is refused, or
// is one too many.
func (x *exchange) enter() (isCounted bool, err error) {
	if err := x.check(); err != nil {
		return false, err
	}
	if isSessionSocket(x.r) || x.r.Method == http.MethodConnect && x.TunnelsEndHere {
		return false, nil // the requests in such a tunnel are counted
	}
	err = x.requests.enter(x.client, or(x.MaxRequests, 1024), or(x.MaxPerClient, 128))
	return err == nil, err
}

// serve answers the request. If it returns an error, it has not begun to answer.
func (x *exchange) serve() error {
	switch {
	case x.isLoop(x.r.Header):
		return errLoop
	case x.r.Method == http.MethodConnect:
		return forwarder{x}.connect()
	case x.r.RequestURI == "/":
		ownPages{x}.front()
		return nil
	case x.r.RequestURI == "/favicon.ico": // browsers ask for it if a page names no icon
		return ownPages{x}.asset("icon.svg")
	case strings.HasPrefix(x.r.RequestURI, page.OwnPath):
		return x.ownPage()
	case forwarder{x}.forwards():
		return forwarder{x}.forward()
	}
	u, err := url.Parse(strings.TrimPrefix(x.r.RequestURI, "/"))
	if err == nil && dav.HasMergedSlashes(u) {
		err = errMergedSlashes
	}
	if (u.IsZero() || !u.IsAbs()) && (ownPages{x}).guessPath(strings.TrimPrefix(x.r.RequestURI, "/")) {
		return nil
	}
	if err := x.setURL(u, err); err != nil {
		return err
	}
	return x.open()
}

// bound returns r with the context of its answer, which Timeout bounds. Tunnels and
// sessions have bounds of their own.
func (g *Gateway) bound(r *http.Request) (*http.Request, context.CancelFunc) {
	via := g.viaField
	if r.ProtoMajor != 1 || r.ProtoMinor != 1 {
		via = g.via(r.ProtoMajor, r.ProtoMinor)
	}
	if before := r.Header["Via"]; len(before) > 0 {
		via = strings.Join(before, ", ") + ", " + via
	}
	ctx, cancel := web.WithVia(r.Context(), via), func() {}
	if g.Timeout > 0 && r.Method != http.MethodConnect && !isSessionSocket(r) {
		ctx, cancel = context.WithTimeout(ctx, g.Timeout)
	}
	return r.WithContext(ctx), cancel
}

// ownPage answers a request for one of the gateway's own pages.
func (x *exchange) ownPage() error {
	name := strings.TrimPrefix(x.r.URL.Path, page.OwnPath)
	if strings.HasPrefix(x.r.RequestURI, page.OwnPath+dav.Path) {
		return mounted{x}.serve()
	}
	if err := x.checkMethod(name); err != nil {
		return err
	}
	switch name {
	case "":
		ownPages{x}.tools()
	case "compare":
		return ownPages{x}.compare()
	case "session":
		return socket{x}.serve()
	case "handlers":
		ownPages{x}.handlers()
	case "schemes":
		ownPages{x}.schemes()
	case "open":
		return ownPages{x}.openTyped()
	case "confirmed":
		return consent{x}.confirmed()
	case "ticket":
		return consent{x}.ticket()
	case "search":
		return ownPages{x}.search()
	case "raw":
		return sender{x}.raw()
	case "download":
		return sender{x}.download()
	case "list":
		return viewer{x}.listed()
	case "beside":
		return viewer{x}.beside()
	case "archive":
		return x.archive()
	case "about":
		return ownPages{x}.about()
	default:
		return ownPages{x}.asset(name)
	}
	return nil
}

// checkMethod returns errMethod if one of the gateway's own pages does not have the method
// of the request.
func (x *exchange) checkMethod(name string) error {
	switch x.r.Method {
	case http.MethodGet, http.MethodHead:
		return nil
	case http.MethodPost:
		if name == "open" || name == "confirmed" || name == "ticket" {
			return nil
		}
	}
	x.w.Header().Set("Allow", "GET, HEAD")
	return errMethod
}

// open answers with the resource at x.url.
func (x *exchange) open() error {
	switch {
	case x.r.Method == http.MethodPost:
		return viewer{x}.answered()
	case x.r.Method != http.MethodGet && x.r.Method != http.MethodHead:
		x.w.Header().Set("Allow", "GET, HEAD, POST")
		return errMethod
	case entry.IsSession(x.url):
		x.w.Header().Set("Cache-Control", "no-store")
		x.write(http.StatusOK, page.Session(x.links()))
		return nil
	case x.r.Method == http.MethodHead:
		return sender{x}.head()
	}
	return x.get()
}
