package gateway

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"locus/access/engine"
	"locus/gateway/internal/refuse"
	"locus/internal/facts"
	"locus/internal/weburl"
	"locus/limit"
	"locus/url"
)

var errLoop = refuse.New(http.StatusLoopDetected, "this request has passed the gateway before", "the gateway forwards to itself, perhaps through another gateway")

// asOrigin returns r in origin form if a proxy's client sent it in absolute form and it is for the
// gateway itself. It returns every other request unchanged.
func (g *Gateway) asOrigin(r *http.Request) *http.Request {
	if s := facts.Of(r.URL.Scheme); !s.Has(facts.Web) || s.Has(facts.Encrypted) || r.Method == http.MethodConnect || !g.isAt(r, r.URL.Host) {
		return r
	}
	r = r.WithContext(r.Context()) // a copy
	r.RequestURI = targetOf(r.RequestURI)
	return r
}

// isAt reports whether host, perhaps with a port, leads to the gateway. The port must be the port at which the gateway
// received r. The host must be the address at which it received r, a loopback address, or a name of the gateway.
func (g *Gateway) isAt(r *http.Request, host string) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if at == nil {
		return false
	}
	here, err := netip.ParseAddrPort(at.String())
	if err != nil {
		return false
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80"
	}
	if port != strconv.Itoa(int(here.Port())) {
		return false
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.Unmap() == here.Addr().Unmap() || addr.Unmap().IsLoopback()
	}
	return g.IsOwnHost(name)
}

// pseudonym returns the name of the gateway in Via fields.
func (g *Gateway) pseudonym() string { return cmp.Or(g.Via, "locus") }

// isLoop reports whether a message with the header h has passed the gateway before
// (RFC 9110 §7.6.3).
func (g *Gateway) isLoop(h http.Header) bool {
	for _, field := range h.Values("Via") {
		for one := range strings.SplitSeq(field, ",") {
			words := strings.Fields(one)
			if len(words) > 1 && words[1] == g.pseudonym() {
				return true
			}
		}
	}
	return false
}

// A forwarder is a handler of the requests of a proxy's clients for the web. It has no target, because
// Web and Tunnel get the URL as the client wrote it.
type forwarder handler

// forwards reports whether a proxy's client sent the request, and it is for the web, and the gateway has a Web.
func (x forwarder) forwards() bool {
	asked := x.r.URL
	return x.r.isProxied() && x.g.Web != nil && asked.Host != "" && facts.Of(asked.Scheme).Has(facts.Web)
}

// forward sends the request to the web and the response back to the client (RFC 9110 §7.6). It accepts every method,
// header and body, and does not check the syntax of the URL. It returns an error only if the response has not begun.
func (x forwarder) forward() error {
	if x.r.Method == http.MethodTrace || x.r.Method == http.MethodOptions {
		if done, err := x.countForward(); done {
			return err
		}
	}
	log := slog.DiscardHandler
	if x.g.Log != nil {
		log = x.g.Log.Handler()
	}
	u, _ := weburl.Parse(x.r.RequestURI) // for error pages
	about := target{url: u}
	if c, ok := x.g.Web.(webCache); !ok || !c.HasFresh(x.r.Request) {
		release, err := x.waitFor(serverAt(x.r.URL.Scheme, x.r.URL.Host))
		if err != nil {
			return about.fails(err)
		}
		defer release()
	}
	clear(x.w.Header()) // the response has the server's policy instead
	// Without full duplex, net/http closes the client's body when the answer begins, perhaps
	// during its last read. HTTP/2 and a test's recorder do not support the call.
	http.NewResponseController(x.w).EnableFullDuplex() //nolint:errcheck // see above
	proxy := httputil.ReverseProxy{
		Transport:      recoverTransport{x.g.Web},
		FlushInterval:  -1,
		Rewrite:        x.rewrite,
		ModifyResponse: x.checkResponse,
		ErrorLog:       slog.NewLogLogger(log, slog.LevelDebug),
		ErrorHandler:   func(_ http.ResponseWriter, _ *http.Request, err error) { handler(x).fail(about.fails(err)) },
	}
	proxy.ServeHTTP(x.w, x.r.Request)
	return nil
}

// A recoverTransport turns a panic of its RoundTripper into an error. It removes the name
// servers of this machine from errors.
type recoverTransport struct{ http.RoundTripper }

// RoundTrip sends r with the RoundTripper of t, and returns its response. If that panics, RoundTrip returns the
// panic as an error. Errors do not show the name servers of this machine.
func (t recoverTransport) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	defer engine.CatchPanic(&err)
	resp, err = t.RoundTripper.RoundTrip(r)
	return resp, hideResolver(err)
}

// A webCache is a Web that answers some requests from its cache.
type webCache interface {
	HasFresh(r *http.Request) bool
}

// countForward decrements Max-Forwards (RFC 9110 §7.6.2). done is true if the field was 0, so that the request must not
// be forwarded. Then countForward has answered, or err refuses the request.
func (x forwarder) countForward() (done bool, err error) {
	n, err := strconv.ParseUint(x.r.Header.Get("Max-Forwards"), 10, 31)
	switch {
	case err != nil: // the field is missing or invalid
		return false, nil //nolint:nilerr // see above
	case n > 0:
		x.r.Header.Set("Max-Forwards", strconv.FormatUint(n-1, 10))
		return false, nil
	case x.r.Method == http.MethodTrace:
		return true, errMethod
	}
	x.w.Header().Set("Allow", "GET, HEAD, POST, PUT, DELETE, OPTIONS, CONNECT")
	x.w.WriteHeader(http.StatusNoContent)
	return true, nil
}

// forwarding are the fields in which proxies name the client. The gateway keeps them, although
// httputil.ReverseProxy removes them.
var forwarding = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// rewrite makes p.Out, the request for the server. It keeps the bytes of path and query, and every field except the
// fields for the gateway.
func (x forwarder) rewrite(p *httputil.ProxyRequest) {
	out := p.Out
	out.Host = out.URL.Host
	out.Trailer = p.In.Trailer // net/http fills it while the body is read
	out.URL.RawQuery = p.In.URL.RawQuery
	if target := targetOf(x.r.RequestURI); out.URL.RequestURI() != target {
		out.URL.Opaque = target
		if strings.HasPrefix(target, "//") {
			out.URL.Opaque = "//" + out.URL.Host + target
		}
		out.URL.RawQuery, out.URL.ForceQuery = "", false
	}
	for _, name := range forwarding {
		if values, ok := p.In.Header[name]; ok {
			out.Header[name] = slices.Clone(values)
		}
	}
	out.Header.Del("Upgrade") // the gateway could not check messages of another protocol
	out.Header.Del("Connection")
	out.Header.Add("Via", x.g.via(p.In.ProtoMajor, p.In.ProtoMinor))
}

// targetOf returns the path and the query of uri, a request target in absolute form, byte for byte. It returns "/" if
// uri has neither.
func targetOf(uri string) string {
	_, rest, _ := strings.Cut(uri, "//")
	i := strings.IndexAny(rest, "/?")
	if i < 0 {
		return "/"
	}
	return "/" + strings.TrimPrefix(rest[i:], "/")
}

// via returns an element for the Via field: the version of HTTP with these numbers, and the pseudonym of the gateway.
// An example is "1.1 locus". From version 2 on, it leaves out minor.
func (g *Gateway) via(major, minor int) string {
	version := strconv.Itoa(major)
	if major < 2 {
		version += "." + strconv.Itoa(minor)
	}
	return version + " " + g.pseudonym()
}

// checkResponse adds Via to r, and bounds its body by MaxSize. It returns refuse.ErrTooLarge for a longer
// Content-Length.
func (x forwarder) checkResponse(r *http.Response) error {
	r.Header.Add("Via", x.g.via(r.ProtoMajor, r.ProtoMinor))
	if x.g.MaxSize <= 0 || r.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	if r.ContentLength > x.g.MaxSize && x.r.Method != http.MethodHead {
		return errors.Join(refuse.ErrTooLarge, r.Body.Close())
	}
	r.Body = &boundedBody{bounded{r.Body, x.g.MaxSize}, r.Body}
	return nil
}

// A boundedBody is a bounded reader of the body of a response.
type boundedBody struct {
	bounded
	io.Closer
}

// waitFor waits until Limiter allows one more access to server, because Web and Tunnel do not do that themselves. The
// caller must call release when the access has ended.
func (x forwarder) waitFor(server string) (release func(), err error) {
	return x.g.turns.Wait(x.r.Context(), x.r.client, server)
}

// serverAt returns the name by which a Limiter counts the server at authority, a host and perhaps a port.
func serverAt(scheme, authority string) string {
	u, _ := url.Parse(scheme + "://" + authority + "/") // all invalid authorities share one name
	return limit.Server(u)
}
