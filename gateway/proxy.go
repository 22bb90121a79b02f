package gateway

import (
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

	"locus/access"
	"locus/url"
)

var errLoop = &refusal{http.StatusLoopDetected, "the request has been here before", "the gateway is its own gateway, perhaps by way of another"}

// asItself returns what a proxy's client asks of the gateway itself, in absolute
// form, as the request that a browser at the gateway makes.
func (g *Gateway) asItself(r *http.Request) *http.Request {
	if r.URL.Scheme != "http" || r.Method == http.MethodConnect || !g.isAt(r, r.URL.Host) {
		return r
	}
	_, rest, _ := strings.Cut(r.RequestURI, "//")
	r = r.WithContext(r.Context()) // a copy
	r.RequestURI = "/"
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		r.RequestURI = "/" + strings.TrimPrefix(rest[i:], "/")
	}
	return r
}

// isAt reports whether host is where the gateway itself took the request r.
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
	return g.Knows(name)
}

// pseudonym is what the gateway calls itself in Via.
func (g *Gateway) pseudonym() string {
	if g.Via != "" {
		return g.Via
	}
	return "locus"
}

// hasPassed reports whether a message has been through the gateway already (RFC
// 9110 §7.6.3).
func (g *Gateway) hasPassed(h http.Header) bool {
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

// forwards reports whether the request is of a proxy's client for the web.
func (v *visit) forwards() bool {
	asked := v.r.URL
	return v.proxied() && v.Web != nil && asked.Host != "" && (asked.Scheme == "http" || asked.Scheme == "https")
}

// forward passes a request of the web on as it is, and the answer back (RFC 9110
// §7.6): method, header and body are the client's and the server's business, and
// so is what its URL has that no URL may.
func (v *visit) forward() {
	if v.r.Method == http.MethodTrace || v.r.Method == http.MethodOptions {
		if done := v.countForward(); done {
			return
		}
	}
	log := slog.DiscardHandler
	if v.Log != nil {
		log = v.Log.Handler()
	}
	u, _ := url.Parse(v.r.RequestURI) // for what is said of it
	if c, ok := v.Web.(webCache); !ok || !c.HasFresh(v.r) {
		release, ok := v.waitFor(serverAt(v.r.URL.Scheme, v.r.URL.Host), u)
		if !ok {
			return
		}
		defer release()
	}
	clear(v.w.Header()) // the server's policy counts
	// Or net/http closes the client's body once the answer begins, perhaps in the
	// middle of its last read. HTTP/2 and a test's recorder know nothing of it.
	http.NewResponseController(v.w).EnableFullDuplex() //nolint:errcheck // see above
	proxy := httputil.ReverseProxy{
		Transport:      recoverTransport{v.Web},
		FlushInterval:  -1,
		Rewrite:        v.rewrite,
		ModifyResponse: v.passed,
		ErrorLog:       slog.NewLogLogger(log, slog.LevelDebug),
		ErrorHandler:   func(_ http.ResponseWriter, _ *http.Request, err error) { v.fail(u, err) },
	}
	proxy.ServeHTTP(v.w, v.r)
}

// A recoverTransport turns a panic of its RoundTripper into an error.
type recoverTransport struct{ http.RoundTripper }

func (t recoverTransport) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	defer access.CatchPanic(&err)
	return t.RoundTripper.RoundTrip(r)
}

// A webCache is a Web that answers some requests without asking their servers.
type webCache interface {
	HasFresh(r *http.Request) bool
}

// countForward counts Max-Forwards down (RFC 9110 §7.6.2). It answers, and
// reports that, where the request may not be passed on.
func (v *visit) countForward() (done bool) {
	field := v.r.Header.Get("Max-Forwards")
	if field == "" {
		return false
	}
	n, err := strconv.ParseUint(field, 10, 31)
	switch {
	case err != nil:
		return false
	case n > 0:
		v.r.Header.Set("Max-Forwards", strconv.FormatUint(n-1, 10))
		return false
	case v.r.Method == http.MethodTrace:
		v.fail(url.URL{}, errMethod)
	default:
		v.w.Header().Set("Allow", "GET, HEAD, POST, PUT, DELETE, OPTIONS, CONNECT")
		v.w.WriteHeader(http.StatusNoContent)
	}
	return true
}

// forwarding are the fields that say for whom a proxy asks. This one adds none,
// and leaves those of others.
var forwarding = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// rewrite makes the request for the server: the same path and query to the octet,
// and every field but those for the gateway alone.
func (v *visit) rewrite(p *httputil.ProxyRequest) {
	out := p.Out
	out.Host = out.URL.Host
	out.Trailer = p.In.Trailer // which is filled in while the body is read
	out.URL.RawQuery = p.In.URL.RawQuery
	if target := targetOf(v.r.RequestURI); out.URL.RequestURI() != target {
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
	out.Header.Add("Via", v.via(p.In.ProtoMajor, p.In.ProtoMinor))
}

// targetOf returns path and query of an absolute form, as they are.
func targetOf(uri string) string {
	_, rest, _ := strings.Cut(uri, "//")
	i := strings.IndexAny(rest, "/?")
	switch {
	case i < 0:
		return "/"
	case rest[i] == '?':
		return "/" + rest[i:]
	}
	return rest[i:]
}

func (g *Gateway) via(major, minor int) string {
	version := strconv.Itoa(major)
	if major < 2 {
		version += "." + strconv.Itoa(minor)
	}
	return version + " " + g.pseudonym()
}

// passed is told of the server's answer before it is passed on.
func (v *visit) passed(r *http.Response) error {
	r.Header.Add("Via", v.via(r.ProtoMajor, r.ProtoMinor))
	if v.MaxSize <= 0 || r.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	if r.ContentLength > v.MaxSize && v.r.Method != http.MethodHead {
		return errors.Join(errTooLarge, r.Body.Close())
	}
	r.Body = &boundedBody{bounded{r.Body, v.MaxSize}, r.Body}
	return nil
}

// A boundedBody is bounded, and closes what it reads.
type boundedBody struct {
	bounded
	io.Closer
}
