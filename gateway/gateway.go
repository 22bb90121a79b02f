// Package gateway opens URLs of every scheme for web browsers (RFC 1738 §4,
// RFC 1630). The path of a request is a URL, and the response is the resource at
// that URL:
//
//	GET /ftp://ftp.example.org/pub/a%2Fb;type=i?x
//	    |\____________________________________/
//	   one slash      a whole URL, unchanged
//
// Files stream unchanged. Listings, menus, newsgroups, articles, searches and
// forms become pages, whose links stay inside the gateway. Programs that ask for
// JSON or text/uri-list get those. The paths that start with "/-/" lead to the
// gateway's own pages.
//
// A gateway does not know schemes by name, because its Engine opens every URL and
// describes the resource.
//
// Notable divergences:
//   - RFC 9110 §4.2.3: the gateway does not normalize paths. Because browsers
//     normalize "/../" and "/./" before they ask, links to URLs that have such
//     segments go through "/-/open?url=…" instead.
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

// How the pieces work together:
//
// ServeHTTP makes an exchange of each request. The exchange takes these steps, and each may
// return an error:
//
//	enter    refuses requests for another host name, requests that a page of another site has
//	         started (check.go), and clients that have too many requests (limit.go)
//	serve    chooses by the path who answers: ownPage for a path below "/-/", a forwarder for
//	         the client of a proxy (proxy.go, tunnel.go), and open for a URL
//	admit    asks consent whether the request may open the URL (consent.go, trust.go, ticket.go)
//	open     passes an access.Request to Engine. A sender copies bytes (raw.go). A viewer
//	         gives listings, texts and messages to package page (view.go, list.go), and an
//	         output writes the HTML that page returns (output.go)
//	fail     answers with a page that explains the error (fail.go, sentence.go). After the
//	         first byte of an answer it is too late for a page, so broken aborts the connection

// A Gateway is an http.Handler. Do not change a field once it serves, and do not copy
// it. Several gateways with the same Secret may stand behind one load balancer, because
// a gateway keeps no state between requests.
//
// Do not put a ServeMux in front of it, because a mux merges the "//" of URLs.
type Gateway struct {
	// Access to resources.

	// Engine opens URLs. It is usually a *locus.Client. It follows redirects, and it decides
	// which URLs may be opened at all. A gateway whose Engine is nil refuses every URL.
	Engine access.Engine
	// Web sends the requests of a proxy's clients for http and https URLs with any
	// method. If it is nil, Engine opens these URLs for GET and HEAD. Web must not change
	// requests or responses: see Transport.
	Web http.RoundTripper
	// Tunnel connects for the CONNECT of a proxy's clients. If it is nil, the gateway refuses
	// CONNECT. Timeout bounds the connecting. A tunnel ends after 10 idle minutes. MaxSize
	// does not bound it.
	Tunnel proto.Dial
	// TunnelsEndHere says that Tunnel does not connect to a server, as with a
	// server.Interceptor. Then a tunnel does not take a turn at the server.
	TunnelsEndHere bool
	// TunnelPorts are the ports that tunnels go to besides 443 and 70. Port 70 is allowed
	// because curl asks a proxy for a tunnel in order to use gopher.
	TunnelPorts []uint16

	// Pages.

	// FrontLinks are links on the front page, below its field for any URL.
	FrontLinks []FrontLink
	// Archive is where error pages look for a copy of a URL, such as
	// "https://web.archive.org/web/{url}". If it is "", error pages do not offer a copy.
	Archive string
	// GopherSearch searches gopherspace for words that somebody types instead of a URL, such as
	// "gopher://gopher.floodgap.com/7/v2/vs". The zero URL offers no search.
	GopherSearch url.URL
	// Charset is the charset of texts that do not declare a charset and are not UTF-8, by its
	// name for browsers, such as "koi8-r". "" and unknown names mean Latin-1.
	Charset string
	// Shared says that several people use one browser, or that the gateway is for
	// strangers. Then the browser does not remember URLs.
	Shared bool
	// Names are the host names by which browsers may reach the gateway, besides
	// "localhost" and every IP address. The gateway refuses other names, because a page of
	// another site may let its own name resolve to the gateway's address ("DNS rebinding").
	Names []string
	// Harmless reports whether a browser may open a URL without asking its user, although
	// the URL is a session or at a private address, such as a server that the program
	// itself has started. It is asked only if the user has typed the URL or clicked at the
	// gateway. If it is nil, the gateway asks the user about each such URL.
	Harmless func(u url.URL) bool
	// Secret is the key of the tickets by which the gateway recognizes its own forms and
	// redirects. Gateways behind one load balancer need the same Secret. If it is nil, the
	// gateway makes a random key.
	Secret []byte
	// Via is the gateway's name in the Via field of the messages that it forwards (RFC 9110
	// §7.6.3). "" means "locus". The gateway refuses a request that has the name already,
	// because it has passed the gateway before. A gateway that forwards to another one needs
	// another name.
	Via string

	// Limits.

	// Timeout bounds one access, including the reading of its resource. For a session it
	// bounds the opening alone. 0 means no limit, and a negative value means no limit too.
	Timeout time.Duration
	// ClientIdle is how long a client may stop reading before its response is aborted.
	// 0 means a minute, and a negative value means no limit.
	ClientIdle time.Duration
	// MaxSize is how many bytes of one resource the gateway passes on. It breaks the response
	// off if a resource turns out to be longer. 0 means no limit, and a negative value means
	// no limit too.
	MaxSize int64
	// MaxEntries is how many entries of a listing one page shows. The other entries are on the
	// next pages. 0 means 1000, and a negative value means no limit.
	MaxEntries int
	// MaxArchive is how many bytes the files in a zip or tar of a folder may have together. The
	// gateway breaks the archive off if they turn out to have more. 0 means 4 GiB, and a
	// negative value means no limit.
	MaxArchive int64
	// MaxRequests is how many requests the gateway answers at once. One more gets 503. A tunnel
	// counts as one request as long as it lasts. The field Sessions bounds sessions instead.
	// 0 means 1024, and a negative value means no limit.
	MaxRequests int
	// MaxPerClient is how many requests of one client the gateway answers at once. One more
	// gets 429. A client is an IPv4 address or an IPv6 /64. 0 means 128, and a negative value
	// means no limit.
	MaxPerClient int
	// Limiter bounds how many accesses each server gets at once. nil means DefaultLimiter.
	// A request that has waited MaxWait for its turn gets 503. Tunnels and sessions take
	// turns too.
	//
	// The Gateway takes the turns for Web and Tunnel. Engine must take its turns inside its
	// cache, because a hit of the cache does not need a turn. So give a locus.Client the same
	// Limiter.
	Limiter *limit.Limiter
	// Sessions bounds interactive sessions.
	Sessions Sessions

	// Log gets failed requests, without the passwords of their URLs. If it is nil, the gateway
	// does not log.
	Log *slog.Logger

	once     sync.Once
	turns    *limit.Limiter // Limiter, or the default
	recovers access.Engine  // Engine with panics turned into errors
	viaField string         // the Via field for requests with HTTP/1.1
	requests counter
	sessions counter
	archives counter
	memory   memoryBudget
	tickets  tickets
}

// A FrontLink is a link on the front page.
type FrontLink struct {
	Group string // the heading above it; may be empty
	Title string // the text of the link
	URL   url.URL
	About string // a sentence about it; may be empty
}

// ServeHTTP answers one request.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.once.Do(g.prepare)
	r = g.asOrigin(r)
	r, cancel := g.bound(r)
	defer cancel()
	x := &exchange{Gateway: g, output: output{w: w, r: r, client: clientName(r.RemoteAddr), budget: &g.memory, idle: lasting(g.ClientIdle, time.Minute)}}
	defer x.releaseMemory()
	defer x.toClient().extendDeadline() // net/http sends a short response after the handler returned
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

// prepare sets the fields that all requests share.
func (g *Gateway) prepare() {
	g.turns = cmp.Or(g.Limiter, DefaultLimiter())
	g.recovers = engine.Recover{Engine: g.Engine}
	g.viaField = g.via(1, 1)
	g.tickets.setKey(g.Secret)
}

// enter refuses foreign requests, and requests that are too many. isCounted reports whether it has
// counted the request. A session does not count, because Sessions bounds it.
func (x *exchange) enter() (isCounted bool, err error) {
	if err := x.refuseForeign(); err != nil {
		return false, err
	}
	if isSessionSocket(x.r) || x.r.Method == http.MethodConnect && x.TunnelsEndHere {
		return false, nil // the requests in such a tunnel are counted instead
	}
	err = x.requests.enter(x.client, or(x.MaxRequests, 1024), or(x.MaxPerClient, 128))
	return err == nil, err
}

// serve answers the request. It returns an error only if it has not begun to answer.
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
	if err := x.admit(u, err); err != nil {
		return err
	}
	return x.open()
}

// bound returns r with a context that ends after Timeout. A tunnel or a session may last longer,
// because tunnelIdle and Sessions bound it.
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

// ownPage answers a request for a path below page.OwnPath.
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

// checkMethod returns errMethod unless the gateway's own page with this name accepts the method
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
