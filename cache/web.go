package cache

import (
	"net/http"
	neturl "net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"locus/access"
)

// A Web is an http.RoundTripper around another that remembers what servers
// answered: the shared cache of a proxy (RFC 9111). Whoever passes requests on
// takes out first what is for one connection alone (RFC 9110 §7.6.1).
//
// Remembered are answers to GET, each for the requests that its Vary allows. They
// answer GET and HEAD, conditions, and one range. Everything else is asked for as
// it is; a method that may change something forgets what was remembered of it.
// Those who ask for the same with the same header at once are one who asks.
//
// Notable divergences:
//   - RFC 9111 §3.5: what was asked for with a Cookie is held to what that section
//     says of Authorization, and neither is given anything that is not public.
//     Nothing with Set-Cookie is stored.
//   - RFC 9111 §3: a request with a field that proxies do not know is passed on:
//     a server may answer by it and not say so, and everyone would have that.
//   - RFC 9111 §3.3: parts are neither stored nor put together; a HEAD tells the
//     cache nothing. Announced trailers are passed on, and their answer not stored.
//   - RFC 9111 §4.3.2: who asks with a condition for what is not stored asks the
//     server with it.
type Web struct {
	// Transport asks for what is not remembered. It follows no redirect, and
	// takes no coding off.
	Transport http.RoundTripper

	// Cache has the folder and the clock, and counts; nil, or without a Folder,
	// nothing is remembered. Its Engine has no part in this.
	Cache *Cache

	// Name is what the cache calls itself in Cache-Status (RFC 9211), which
	// says what became of a GET or a HEAD; "" says nothing.
	Name string

	varying sync.Mutex // held while it is written by what answers vary
}

// RoundTrip answers one request.
func (w *Web) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case w.Cache == nil || w.Cache.Folder == nil:
		return w.Transport.RoundTrip(r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return w.change(r)
	case !isPlain(r):
		return w.pass(r, "fwd=bypass")
	}
	return w.asking(r).answer()
}

// Remembers reports whether r would be answered without asking its server.
func (w *Web) Remembers(r *http.Request) bool {
	isGet := r.Method == http.MethodGet || r.Method == http.MethodHead
	return isGet && w.Cache != nil && w.Cache.Folder != nil && isPlain(r) && w.asking(r).look() == ""
}

// CloseIdleConnections closes those of the Transport, if it can.
func (w *Web) CloseIdleConnections() {
	if i, ok := w.Transport.(interface{ CloseIdleConnections() }); ok {
		i.CloseIdleConnections()
	}
}

func (w *Web) asking(r *http.Request) *asking {
	a := &asking{web: w, r: r, primary: primaryKey(r.URL), rules: directives(joined(r.Header, "Cache-Control"))}
	if r.Header["Cache-Control"] == nil && strings.Contains(r.Header.Get("Pragma"), "no-cache") {
		a.rules["no-cache"] = ""
	}
	return a
}

// pass asks the server and keeps nothing of it; why says for what reason.
func (w *Web) pass(r *http.Request, why string) (*http.Response, error) {
	resp, err := w.Transport.RoundTrip(r)
	if err == nil {
		w.tell(resp.Header, why)
	}
	return resp, err
}

// tell says in a header what became of a request.
func (w *Web) tell(h http.Header, what string) {
	if w.Name != "" {
		h.Add("Cache-Status", w.Name+"; "+what)
	}
}

// safe are the methods that change nothing (RFC 9110 §9.2.1) of those that are
// not remembered.
var safe = []string{http.MethodOptions, http.MethodTrace, "PROPFIND", "REPORT", "SEARCH"}

// change asks for what may change something, and forgets what may have changed
// (RFC 9111 §4.4).
func (w *Web) change(r *http.Request) (*http.Response, error) {
	resp, err := w.Transport.RoundTrip(r)
	if err != nil || slices.Contains(safe, r.Method) || resp.StatusCode < 200 || resp.StatusCode >= 400 {
		return resp, err
	}
	w.forget(r.URL)
	for _, name := range []string{"Location", "Content-Location"} {
		u, err := r.URL.Parse(resp.Header.Get(name))
		if err == nil && u.Scheme == r.URL.Scheme && strings.EqualFold(u.Host, r.URL.Host) { // no other's
			w.forget(u)
		}
	}
	return resp, nil
}

func (w *Web) forget(u *neturl.URL) {
	w.Cache.forgetKey(primaryKey(u))
	w.Cache.forgetKey(u.String()) // under which an Engine's is stored
}

// primaryKey is what the answers to requests for u are stored under (RFC 9111 §2).
func primaryKey(u *neturl.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host += ":" + port
	}
	return "GET " + u.Scheme + "://" + host + " " + u.RequestURI()
}

// plain are the fields of requests that a cache knows, in the form of
// http.CanonicalHeaderKey. What else a server is told it may answer by, and not
// say so in Vary.
var plain = map[string]bool{
	"Accept": true, "Accept-Charset": true, "Accept-Encoding": true, "Accept-Language": true, "Authorization": true, "Cache-Control": true,
	"Cookie": true, "Dnt": true, "From": true, "If-Modified-Since": true, "If-None-Match": true, "If-Range": true, "Pragma": true,
	"Priority": true, "Range": true, "Referer": true, "Te": true, "Upgrade-Insecure-Requests": true, "User-Agent": true, "Via": true,

	"Connection": true, "Keep-Alive": true, "Proxy-Connection": true, // which are taken out before anything is asked
}

// isPlain reports whether r asks for nothing but a resource, which others may ask
// for as well.
func isPlain(r *http.Request) bool {
	if r.URL.User != nil || r.Body != nil && r.Body != http.NoBody {
		return false
	}
	for name := range r.Header {
		if !plain[name] && !strings.HasPrefix(name, "Sec-") {
			return false
		}
	}
	return true
}

// An asking is one plain request. As a source of a flight it asks for all whose
// header is the same.
type asking struct {
	web     *Web
	r       *http.Request
	rules   ruleset // of the request
	primary string
	stored  *record // what may answer it, now or once its server was asked; nil for nothing
}

// answer answers from what is stored, if that may be, or asks the server.
func (a *asking) answer() (*http.Response, error) {
	c := a.web.Cache
	why := a.look()
	if why == "" {
		if resp, err := a.respond(a.stored, nil, "hit"); err == nil {
			c.hits.Add(1)
			return resp, nil
		}
		why = "fwd=uri-miss"
	}
	if a.rules.has("only-if-cached") {
		return a.gatewayTimeout(), nil
	}
	c.misses.Add(1)
	has := func(name string) bool { return a.r.Header[name] != nil }
	isCondition := has("If-None-Match") || has("If-Modified-Since")
	if a.r.Method != http.MethodGet || has("Range") || a.rules.has("no-store") || isCondition && a.stored == nil {
		return a.web.pass(a.r, why)
	}
	return a.fetch(why)
}

// look looks for what is stored, and says why the server is asked all the same; ""
// if it need not be.
func (a *asking) look() (why string) {
	a.stored = nil
	stored, ok := a.web.Cache.Folder.find(a.primary)
	why = "fwd=uri-miss"
	if ok && stored.Vary != nil {
		stored, ok = a.web.Cache.Folder.find(variantKey(stored, a.r.Header))
		why = "fwd=vary-miss"
	}
	switch {
	case !ok:
		return why
	case a.isPrivate() && !stored.Public:
		return "fwd=bypass"
	}
	a.stored = stored
	return a.refuses(stored, a.web.Cache.now())
}

// refuses says why stored does not answer the request as it is (RFC 9111 §4, §5.2.1);
// "" if it does.
func (a *asking) refuses(stored *record, now time.Time) (why string) {
	left := stored.Expires.Sub(now)
	if now.Before(stored.Received) { // the clock has been set back
		left = -forever
	}
	longest, bounded := a.rules["max-age"]
	switch {
	case a.rules.has("no-cache"), a.rules.has("no-store"):
		return "fwd=request"
	case bounded && (seconds(longest) == 0 || a.web.Cache.age(stored) > seconds(longest)):
		return "fwd=request"
	case left > 0 && left >= seconds(a.rules["min-fresh"]):
		return ""
	case left > 0:
		return "fwd=request"
	case stored.NoStale || !a.rules.has("max-stale"):
		return "fwd=stale"
	}
	if most := a.rules["max-stale"]; most != "" && -left > seconds(most) {
		return "fwd=stale"
	}
	return ""
}

// isPrivate reports whether the answer may depend on who asks.
func (a *asking) isPrivate() bool {
	return a.r.Header["Authorization"] != nil || a.r.Header["Cookie"] != nil
}

// fetch asks the server together with all whose request is the same.
func (a *asking) fetch(why string) (*http.Response, error) {
	r, err := a.web.Cache.fetch(a.r.Context(), a.flightKey(), a, &access.Request{})
	if err != nil {
		return nil, err
	}
	if hit, ok := r.Sys.(*Hit); ok {
		return a.respond(hit.stored, r.Body, why)
	}
	resp := *r.Sys.(*reply).Response
	resp.Header, resp.Body, resp.Request = resp.Header.Clone(), r.Body, a.r
	a.web.tell(resp.Header, why)
	return &resp, nil
}

// flightKey is the same for requests that are.
func (a *asking) flightKey() string {
	var b strings.Builder
	b.WriteString(a.primary + "\n")
	_ = a.r.Header.WriteSubset(&b, conditions) // a Builder takes everything
	return b.String()
}

// conditions are the fields of a request that are the cache's own business.
var conditions = map[string]bool{"If-None-Match": true, "If-Modified-Since": true, "If-Range": true}

// joined returns the values of a field as one.
func joined(h http.Header, name string) string { return strings.Join(h[name], ", ") }
