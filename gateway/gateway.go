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
// JSON or text/uri-list get a listing in that format. The paths that start with "/-/" lead to the
// gateway's own pages.
//
// A gateway does not know schemes by name, because its Engine opens every URL and
// describes the resource.
//
// # How the pieces work together
//
// Each request runs in a goroutine of net/http. [Gateway].ServeHTTP refuses a request for another
// host name, a request that a page of another site has started (check.go), and a client that has
// too many requests (limit.go). Then a handler answers (handler.go). It has the request, which does
// not change (request.go), and the reply, which owns the ResponseWriter with its deadlines, memory,
// compression and policies (reply.go, policy.go). A consent judges who started the request
// (trust.go, ticket.go) and makes a target of the URL, or asks the user (consent.go). A target says
// how far the access may reach. Each step gets it as a value, so that no step can open more
// (target.go).
//
// An opener opens targets by Engine (open.go). A viewer makes a page of the resource with package
// page (view.go, list.go). A second goroutine sends a long page (sendbuffer.go), because its maker
// should not wait for a slow client. A sender sends bytes instead (send.go), and a forwarder
// answers a proxy's clients for the web (proxy.go, tunnel.go). A step may return an error until the
// first byte of the response, and fail explains it (fail.go, sentence.go). After that, reply.abort
// breaks the connection, because half a resource must not look whole.
//
// Notable divergences:
//   - RFC 9110 §4.2.3: the gateway does not normalize paths. Because browsers
//     normalize "/../" and "/./" before they ask, links to URLs that have such
//     segments go through "/-/open?url=…" instead. So do links to URLs that have a "%"
//     without two digits in their path, because net/http refuses such paths.
package gateway

import (
	"cmp"
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/memory"
	"locus/limit"
	"locus/proto"
	"locus/proto/web"
	"locus/url"
)

// A Gateway is an http.Handler. Do not change a field once it serves, and do not copy
// it. Several gateways with the same Secret may stand behind one load balancer, because
// a gateway keeps little state between requests: a ticket which is valid once is valid once at each
// gateway, and each gateway remembers for 12 hours which servers a client has confirmed.
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
	// Places are more links on the front page, below the user's own places. They are public
	// servers of the kinds that their groups name. "/-/places" shows them in the format of
	// ParseFrontLinks, so that a person can edit them.
	Places []FrontLink
	// Documentation has the pages of the documentation site, with "index.html" at its root. The
	// gateway serves them below "/-/help/". Their scripts run in a sandbox, without the gateway's
	// origin, so that they cannot read its pages. The files are public, because pages of every site
	// may load them. If Documentation is nil, the page "/-/help" names the commands that explain
	// locus instead.
	Documentation fs.FS
	// Replay describes the archive that Engine opens. It is nil if Engine opens servers.
	Replay *Replay
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

	once       sync.Once
	turns      *limit.Limiter // Limiter, or the default
	recovers   access.Engine  // Engine with panics turned into errors
	viaField   string         // the Via field for requests with HTTP/1.1
	requests   counter
	sessions   counter
	archives   counter
	memory     *memory.Budget // of listings and pages
	formMemory *memory.Budget // of the answers to forms
	formFiles  *memory.Budget // of their temporary files
	tickets    tickets
	servers    confirmedServers
}

// ServeHTTP answers one request.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.once.Do(g.prepare)
	r = g.asOrigin(r)
	r, cancel := g.bound(r)
	defer cancel()
	x := handler{g, request{r, clientName(r.RemoteAddr)}, nil}
	x.w = &reply{ResponseWriter: w, r: x.r, budget: g.memory, idle: lasting(g.ClientIdle, time.Minute), logger: g.Log}
	defer x.w.releaseMemory()
	defer x.w.extendDeadline() // net/http sends a short response after the handler returned
	x.w.setPolicy(pagePolicy)
	isCounted, err := g.enter(x.r)
	if isCounted {
		defer g.requests.leave(x.r.client)
	}
	if err == nil {
		err = x.serve()
	}
	if err != nil {
		x.fail(err)
	}
}

// prepare sets the fields that all requests share. ServeHTTP calls it once.
func (g *Gateway) prepare() {
	g.turns = cmp.Or(g.Limiter, DefaultLimiter())
	g.recovers = engine.Recover{Engine: g.Engine}
	g.viaField = g.via(1, 1)
	g.memory, g.formMemory, g.formFiles = newBudget(), newBudget(), newFileBudget()
	g.tickets.setKey(g.Secret)
}

// enter returns an error for a foreign request, and for a request that is one too many. isCounted reports whether it
// has counted the request, so that the caller must uncount it. A session and a tunnel that ends in the gateway are not
// counted, because other limits bound them.
func (g *Gateway) enter(r request) (isCounted bool, err error) {
	if err := g.refuseForeign(r); err != nil {
		return false, err
	}
	if isSessionSocket(r.Request) || r.Method == http.MethodConnect && g.TunnelsEndHere {
		return false, nil // the requests in such a tunnel are counted instead
	}
	err = g.requests.enter(r.client, or(g.MaxRequests, 1024), or(g.MaxPerClient, 128))
	return err == nil, err
}

// bound returns r with a context that ends after Timeout, and that has the Via field for the
// requests to servers. A tunnel or a session may last longer, because tunnelIdle and Sessions bound
// it. The caller must call the CancelFunc.
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
