// Package gateway gives what an Opener opens to web browsers (RFC 1738 §4,
// RFC 1630): a path is a URL, and its resource is the answer.
//
//	GET /ftp://ftp.example.org/pub/a%2Fb;type=i?x
//	    |\____________________________________/
//	   one slash         a whole URL, as it is
//
// Octets stream as they are. Listings, menus, newsgroups, articles, searches and
// forms are pages made for reading, whose links stay inside the gateway; or JSON
// and text/uri-list, for programs that ask for these. Everything that starts
// with "/-/" is the gateway's own.
//
// A gateway knows no scheme by name: what a resource is, its Opener says.
//
// Notable divergences:
//   - RFC 9110 §4.2.3: paths are not normalized. Browsers do that to "/../" and
//     "/./" before they ask; where a URL has such segments, links go through
//     "/-/open?url=…" instead.
package gateway

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"locus/access"
	"locus/proto/web"
	"locus/url"
)

// A Gateway is an http.Handler. Its fields are not changed once it serves, nor is
// it copied. It keeps nothing between requests, so that several of them may stand
// behind one load balancer.
//
// No ServeMux may stand before it: a mux folds the "//" of URLs.
type Gateway struct {
	// Opener opens what is asked for; nil opens nothing. It follows redirects
	// itself, and is what decides what may be opened at all.
	Engine access.Engine

	// Places are what the front page leads to besides its field for any URL.
	Places []Place

	// Names are the host names that browsers may reach the gateway by, besides
	// "localhost" and every IP address. A page elsewhere that lets its own name
	// resolve to the gateway's address ("DNS rebinding") is refused.
	Names []string

	// Web passes the requests of a proxy's clients for http and https URLs on,
	// whatever their method; nil leaves these to Opener, which knows GET and
	// HEAD. It must change nothing: see Transport.
	Web http.RoundTripper

	// Via is what the gateway calls itself in the Via of what it passes on (RFC
	// 9110 §7.6.3); "" is "locus". A request that has it already is refused, as
	// it goes round in circles, so gateways behind one another need different
	// names.
	Via string

	// Tunnel connects for the CONNECT of a proxy's clients; nil refuses it.
	// Timeout is how long that may take; a tunnel ends where nothing goes
	// through it for 10 minutes. What goes through it is not bounded by MaxSize:
	// nobody sees how many resources that is.
	Tunnel func(ctx context.Context, network, address string) (net.Conn, error)

	// TunnelPorts are the ports that tunnels go to besides 443 and 70, which is
	// how curl asks a proxy for gopher.
	TunnelPorts []uint16

	// Timeout bounds one access, the reading of its resource included; 0 means
	// no bound.
	Timeout time.Duration

	// MaxSize is how many octets of one resource are passed on; 0 means no
	// bound. A resource that turns out to be longer is broken off.
	MaxSize int64

	// MaxEntries is how many entries of a listing a page has; 0 means 10 000.
	// A page that leaves some out says so and leads to the rest as text.
	MaxEntries int

	// Limits bounds how much goes on at once.
	Limits Limits

	// Sessions bounds interactive sessions. Timeout is for them how long opening
	// one may take.
	Sessions Sessions

	// Log is told of accesses that failed; nil logs nothing. URLs are without
	// their passwords.
	Log *slog.Logger

	clients clients // who has sessions now
	limiter limiter // who has requests now
}

// A Place is something on the front page.
type Place struct {
	Group string // the heading that it stands under; "" for none
	Title string // what to call it
	URL   url.URL
	About string // a sentence; "" for none
}

// own is where the gateway's own resources are.
const own = "/-/"

// ServeHTTP answers one request.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = g.asItself(r)
	r, cancel := g.bound(r)
	defer cancel()
	v := &visit{Gateway: g, w: w, r: r}
	v.setPolicy(pagePolicy)
	if err := v.check(); err != nil {
		v.fail(url.URL{}, err)
		return
	}
	if !isSitting(r) {
		leave, err := v.enter()
		if err != nil {
			v.fail(url.URL{}, err)
			return
		}
		defer leave()
	}
	switch {
	case g.hasPassed(r.Header):
		v.fail(url.URL{}, errLoop)
	case r.Method == http.MethodConnect:
		v.connect()
	case r.RequestURI == "/":
		v.front()
	case r.RequestURI == "/favicon.ico": // where a browser looks that has no page to tell it
		v.serveAsset("image/svg+xml", icon)
	case strings.HasPrefix(r.RequestURI, own):
		v.ownPage()
	default:
		v.serve()
	}
}

// bound returns r with the context that it is answered in. What goes on for as
// long as its user wants sees to its bounds itself.
func (g *Gateway) bound(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, cancel := web.WithVia(r.Context(), strings.Join(r.Header["Via"], ", ")), func() {}
	if g.Timeout > 0 && r.Method != http.MethodConnect && !isSitting(r) {
		ctx, cancel = context.WithTimeout(ctx, g.Timeout)
	}
	if ctx == r.Context() {
		return r, cancel // which ends with the answer by itself
	}
	return r.WithContext(ctx), cancel
}

// ownPage answers for what is the gateway's own.
func (v *visit) ownPage() {
	switch strings.TrimPrefix(v.r.URL.Path, own) {
	case "style.css":
		v.serveAsset("text/css; charset=utf-8", style)
	case "icon.svg":
		v.serveAsset("image/svg+xml", icon)
	case "terminal.js":
		v.serveAsset("text/javascript; charset=utf-8", terminalScript)
	case "terminal.css":
		v.serveAsset("text/css; charset=utf-8", terminalStyle)
	case "recent.js":
		v.serveAsset("text/javascript; charset=utf-8", recentScript)
	case "session":
		v.sit()
	case "handlers.js":
		v.serveAsset("text/javascript; charset=utf-8", handlersScript)
	case "handlers":
		v.handlers()
	case "open":
		v.typed()
	case "search":
		v.search()
	case "raw":
		v.raw()
	case "list":
		v.sorted()
	case "about":
		v.about()
	case "schemes":
		v.schemes()
	default:
		v.fail(url.URL{}, errNoPage)
	}
}

// serve answers with what the path names; as a proxy, with what the whole request
// target does.
func (v *visit) serve() {
	if v.forwards() {
		v.forward()
		return
	}
	u, err := url.Parse(strings.TrimPrefix(v.r.RequestURI, "/"))
	switch {
	case err == nil && !u.IsAbs():
		err = errNoScheme
	case err == nil && isFolded(u):
		err = errFolded
	}
	if err != nil {
		v.fail(url.URL{}, err)
		return
	}
	v.open(u)
}

// open answers with what u names.
func (v *visit) open(u url.URL) {
	if isPage := v.r.Method == http.MethodGet || v.r.Method == http.MethodHead; !isPage || !v.remembers(u) {
		done, ok := v.await(u)
		if !ok {
			return
		}
		defer done()
	}
	switch {
	case v.r.Method == http.MethodPost:
		v.answered(u)
	case v.r.Method != http.MethodGet && v.r.Method != http.MethodHead:
		v.w.Header().Set("Allow", "GET, HEAD, POST")
		v.fail(u, errMethod)
	case isSession(u):
		v.session(u)
	case v.r.Method == http.MethodHead:
		v.head(u)
	default:
		v.get(u)
	}
}

// remembers reports whether no server is asked for u.
func (g *Gateway) remembers(u url.URL) bool {
	return isSession(u)
}

func (g *Gateway) opener() access.Engine {
	if g.Engine == nil {
		return access.Table(nil)
	}
	return g.Engine
}
