package cache

import (
	"net/http"
	neturl "net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/internal/facts"
)

// A Web is the shared cache of a proxy (RFC 9111): an http.RoundTripper around another one
// that stores the responses of servers. The proxy removes the fields of one connection
// first (RFC 9110 §7.6.1).
//
// Responses to GET are stored, each for the requests that its Vary allows. They answer GET
// and HEAD, conditions, and one range. Other requests are forwarded. A method that may
// change a resource removes its stored responses. Requests for the same URL with the same
// header at the same time share one access.
//
// Notable divergences:
//   - RFC 9111 §3.5: a request with a Cookie is treated like one with
//     Authorization. Both are answered only with stored responses that are public.
//     A response with Set-Cookie is not stored.
//   - RFC 9111 §3: a request with a field that proxies do not know is forwarded. A
//     server may choose its response by that field without naming it in Vary.
//   - RFC 9111 §3.3: partial responses are neither stored nor combined, and responses to
//     HEAD are not used. A response with announced trailers is not stored.
//   - RFC 9111 §4.3.2: if the cache lacks the resource, the conditions of a request are
//     forwarded.
type Web struct {
	// Transport sends requests to servers. It must not follow redirects, and must not
	// remove a content coding, because the response is stored as the Transport returns it.
	Transport http.RoundTripper

	// Cache has the folder, the clock and the counts; nil, or without a Folder: every
	// request is forwarded. Transport takes the place of its Engine.
	Cache *Cache

	// Name is the name of the cache in Cache-Status (RFC 9211), a field that says how a GET
	// or HEAD was answered; "": the field is left out.
	Name string

	varying locks // held while the metadata of a Vary are written
}

// RoundTrip answers r from the folder if the rules allow it, and otherwise forwards it to
// Transport. The response to a GET may be stored while it is read.
func (w *Web) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case w.Cache == nil || w.Cache.Folder == nil:
		return w.Transport.RoundTrip(r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return w.change(r)
	case !isPlain(r):
		return w.pass(r, "fwd=bypass")
	}
	return w.newRequest(r).answer()
}

// HasFresh reports whether r would be answered without asking its server, because a stored response
// is fresh, or stale enough for the max-stale of r. It does not send r.
func (w *Web) HasFresh(r *http.Request) bool {
	isGet := r.Method == http.MethodGet || r.Method == http.MethodHead
	return isGet && w.Cache != nil && w.Cache.Folder != nil && isPlain(r) && w.newRequest(r).look() == ""
}

// CloseIdleConnections closes the idle connections of the Transport, if it has that method.
func (w *Web) CloseIdleConnections() {
	if i, ok := w.Transport.(interface{ CloseIdleConnections() }); ok {
		i.CloseIdleConnections()
	}
}

// newRequest returns r as a webRequest. The caller has checked isPlain. "Pragma: no-cache" counts
// as the directive no-cache if r lacks Cache-Control.
func (w *Web) newRequest(r *http.Request) *webRequest {
	a := &webRequest{web: w, r: r, primary: primaryKey(r.URL), rules: directives(joined(r.Header, "Cache-Control"))}
	if r.Header["Cache-Control"] == nil && strings.Contains(r.Header.Get("Pragma"), "no-cache") {
		a.rules["no-cache"] = ""
	}
	return a
}

// pass forwards a request without storing the response. It adds status to the response's
// Cache-Status.
func (w *Web) pass(r *http.Request, status string) (*http.Response, error) {
	resp, err := w.Transport.RoundTrip(r)
	if err == nil {
		w.tell(resp.Header, status)
	}
	return resp, err
}

// tell adds status, which says how the cache treated a request, to the header field
// Cache-Status (RFC 9211). It has no effect if w has no Name.
func (w *Web) tell(h http.Header, status string) {
	if w.Name != "" {
		h.Add("Cache-Status", w.Name+"; "+status)
	}
}

// safe are the methods besides GET and HEAD that leave the server unchanged (RFC 9110
// §9.2.1).
var safe = []string{http.MethodOptions, http.MethodTrace, "PROPFIND", "REPORT", "SEARCH"}

// change forwards a request with a method other than GET and HEAD, and returns the response. If the
// method is not safe and the request succeeds, change removes the stored responses of its URL, and
// of the URLs in Location and Content-Location if they have the same host (RFC 9111 §4.4). If the
// response is lost, it removes the stored responses of r.URL, because the server may have made the
// change.
func (w *Web) change(r *http.Request) (*http.Response, error) {
	resp, err := w.Transport.RoundTrip(r)
	switch {
	case slices.Contains(safe, r.Method):
		return resp, err
	case err != nil, isLost(resp.StatusCode):
		w.forget(r.URL)
		return resp, err
	case resp.StatusCode < 200, resp.StatusCode >= 400:
		return resp, nil
	}
	w.forget(r.URL)
	for _, name := range []string{"Location", "Content-Location"} {
		u, err := r.URL.Parse(resp.Header.Get(name))
		if err == nil && u.Scheme == r.URL.Scheme && strings.EqualFold(u.Host, r.URL.Host) { // a server must not remove responses of another server
			w.forget(u)
		}
	}
	return resp, nil
}

// isLost reports whether a proxy answers with status because the response of the server is missing
// (RFC 9110 §15.6.3, §15.6.5).
func isLost(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}

// forget removes the stored responses for u, and the resource that Cache.Do stored for it.
func (w *Web) forget(u *neturl.URL) {
	w.Cache.forgetKey(primaryKey(u))
	w.Cache.forgetKey(u.String()) // the key of Cache.Do
}

// primaryKey returns the cache key of requests for u (RFC 9111 §2).
func primaryKey(u *neturl.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && port != strconv.Itoa(int(facts.Of(u.Scheme).Port)) {
		host += ":" + port
	}
	return "GET " + u.Scheme + "://" + host + " " + u.RequestURI()
}

// isKnownField reports whether a request that has this field may be answered with a stored
// response. A server may choose its response by any other field without naming it in Vary. name is
// in the form of http.CanonicalHeaderKey.
func isKnownField(name string) bool {
	switch name {
	case "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control",
		"Cookie", "Dnt", "From", "If-Modified-Since", "If-None-Match", "If-Range", "Pragma",
		"Priority", "Range", "Referer", "Te", "Upgrade-Insecure-Requests", "User-Agent", "Via",
		"Connection", "Keep-Alive", "Proxy-Connection": // a proxy has removed the last three before
		return true
	}
	return strings.HasPrefix(name, "Sec-")
}

// isPlain reports whether r may be answered from the cache: it lacks a body and a user, and has
// only fields for which isKnownField is true. isPlain does not check the method.
func isPlain(r *http.Request) bool {
	if r.URL.User != nil || r.Body != nil && r.Body != http.NoBody {
		return false
	}
	for name := range r.Header {
		if !isKnownField(name) {
			return false
		}
	}
	return true
}

// A webRequest is a plain request. As the source of a decision it asks for all requests
// with the same header, because they get the same response.
type webRequest struct {
	web     *Web
	r       *http.Request
	rules   ruleset // of the request
	primary string
	stored  *metadata // of the resource that may answer it, now or after validation; may be nil
}

// answer answers from the folder if a stored response may be used, and otherwise asks the server.
// An only-if-cached request gets 504 instead. The caller closes the Body of the response.
func (a *webRequest) answer() (*http.Response, error) {
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

// look sets a.stored to the stored response for the request, or to nil. It returns the text for
// Cache-Status that says why the server must be asked; "" if the stored response is enough.
func (a *webRequest) look() (why string) {
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

// refuses returns the text for Cache-Status, such as "fwd=stale", that says why stored must be
// validated before it answers the request (RFC 9111 §4, §5.2.1); "" if stored may answer at once.
func (a *webRequest) refuses(stored *metadata, now time.Time) (why string) {
	left := stored.Expires.Sub(now)
	if now.Before(stored.Received) { // the clock was set back
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

// isPrivate reports whether the response may depend on the user, because the request has
// Authorization or a Cookie.
func (a *webRequest) isPrivate() bool {
	return a.r.Header["Authorization"] != nil || a.r.Header["Cookie"] != nil
}

// fetch asks the server, once for all concurrent requests with the same header. The response may be
// stored, or be the stored one after a validation. status goes into its Cache-Status.
func (a *webRequest) fetch(status string) (*http.Response, error) {
	r, err := a.web.Cache.fetch(a.r.Context(), a.fetchKey(), a, &access.Request{})
	if err != nil {
		return nil, err
	}
	if r.stored != nil {
		return a.respond(r.stored, r.Body, status)
	}
	resp := *r.reply.Response
	resp.Header, resp.Body, resp.Request = resp.Header.Clone(), r.Body, a.r
	a.web.tell(resp.Header, status)
	return &resp, nil
}

// fetchKey returns the key under which requests share a decision. It has every field of the header
// except conditions, because requests with another header may get another response.
func (a *webRequest) fetchKey() string {
	var b strings.Builder
	b.WriteString(a.primary + "\n")
	_ = a.r.Header.WriteSubset(&b, conditions) // a Builder does not return errors
	return b.String()
}

// conditions are the request fields that the cache evaluates itself.
var conditions = map[string]bool{"If-None-Match": true, "If-Modified-Since": true, "If-Range": true}

// joined returns the values of the named field, joined by commas; "" if the field is missing. name
// is in the form of http.CanonicalHeaderKey.
func joined(h http.Header, name string) string { return strings.Join(h[name], ", ") }
