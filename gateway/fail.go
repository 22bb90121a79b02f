package gateway

import (
	"errors"
	"net/http"
	neturl "net/url"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/gateway/internal/dav"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/internal/answer"
	"locus/url"
)

// fail answers a request that ended with err. It answers with a question to the user, a 304, a
// form, a request for a password, a redirect to another URL, or the page of an address, if err
// calls for that. Otherwise it answers with the page of the error.
func (x handler) fail(err error) {
	f := failureOf(err)
	t := f.target
	switch {
	case f.isUnconfirmed():
		to := f.unconfirmed()
		if t.isWanted() && isUpgrade(t.url, to.url) && x.consent().mayLend(t.url) { // the user has confirmed the server
			x.grant(to, forGrant)
			return
		}
		x.confirm(to)
		return
	case errors.Is(err, access.ErrNotModified):
		x.w.notModified()
		return
	case errors.Is(err, access.ErrForm):
		if err = x.form(t); err == nil {
			return
		}
		f = &failure{t, err}
	case errors.Is(err, access.ErrPassword) && x.r.mayAskPassword(t.url):
		x.w.Header().Set("WWW-Authenticate", `Basic realm="`+realm(t.url)+`", charset="UTF-8"`)
	case errors.Is(err, access.ErrPassword) && !x.r.isProxied() && isBare(t.url):
		if strings.HasPrefix(x.r.RequestURI, page.OwnPath+dav.Path) {
			x.w.redirect(x.r.RequestURI + "/")
			return
		}
		x.w.redirect(x.links(t).Href(t.url) + "/")
		return
	case needsNewsServer(err) && x.toNewsServer(t):
		return
	case errors.Is(err, errors.ErrUnsupported) && entry.IsAddress(t.url):
		x.w.page(http.StatusOK, page.Address(x.links(t)))
		return
	}
	x.errorPage(f)
}

// isBare reports whether u has a host, but no path (not even "/"), no query and no fragment.
func isBare(u url.URL) bool {
	_, has := u.Host()
	_, query := u.Query()
	_, fragment := u.Fragment()
	return has && u.Path() == "" && !query && !fragment
}

// errorPage answers with a page that explains f, and links to URLs that may work instead. It logs
// the failure, unless the gateway itself refused the request.
func (x handler) errorPage(f *failure) {
	err := translateBusy(f.err)
	status := answer.Status(err)
	if own, ok := errors.AsType[*refuse.Error](err); ok {
		status = own.Status
	} else {
		x.w.log(f.url, err)
	}
	f = &failure{f.target, translatePanic(err)}
	h := x.w.Header()
	if status == http.StatusUnauthorized && h.Get("WWW-Authenticate") == "" { // a 401 must ask for a login (RFC 9110 §15.5.2)
		status = http.StatusForbidden
	}
	h.Del("Content-Encoding") // the answer that failed may have set it
	isAlone := errors.Is(f.err, errHost)
	switch {
	case isAlone:
		x.w.setPolicy(inlinePolicy("'none'"))
	case x.r.isProxied():
		x.w.setPolicy(inlinePolicy(x.r.origin(x.g.Names)))
	default:
		x.w.setPolicy(pagePolicy)
	}
	h.Set("Cache-Control", "no-store")
	if after := retryAfter(status, err); after > 0 {
		h.Set("Retry-After", strconv.FormatInt(int64((after+time.Second-1)/time.Second), 10))
	}
	title, hint, ways := f.sentence(), adviceOn(f.err), f.ways(x.r, x.g.Archive)
	if x.g.isMiss(f) {
		ways = nil // they lead to other URLs that the archive may lack
		title, hint = "The archive does not have this URL.", "This gateway opens an archive, and does not contact servers."
	}
	x.w.page(status, page.Failed(x.links(f.target), page.Failure{
		Title: title, Status: strconv.Itoa(status) + " " + http.StatusText(status),
		Text: f.Error(), Hint: hint, Ways: ways,
		NeedsNewsServer: needsNewsServer(f.err) && !x.r.isProxied(), IsOfServer: f.isOfServer(), IsAlone: isAlone,
	}))
}

// retryAfter returns how long the client should wait before it tries again (RFC 9110 §10.2.3). It
// returns the time that the server says, or five seconds for a busy gateway. It returns 0 if the
// response should not say a time.
func retryAfter(status int, err error) time.Duration {
	if e, ok := errors.AsType[*access.Error](err); ok && e.RetryAfter > 0 {
		return e.RetryAfter
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		return 5 * time.Second
	}
	return 0
}

// errPanicked replaces a panic for clients, because only the log may show the value of the panic.
var errPanicked = errors.New("the gateway failed because of a bug")

// translatePanic returns errPanicked for the error of a panic. It returns every other error
// unchanged.
func translatePanic(err error) error {
	if isPanic(err) {
		return errPanicked
	}
	return err
}

// isPanic reports whether err comes from a panic.
func isPanic(err error) bool {
	_, ok := errors.AsType[*access.PanicError](err)
	return ok
}

// realm returns the realm of the login that the gateway asks for: the scheme, the user, the host
// and the port of u, escaped for a quoted string.
func realm(u url.URL) string {
	host, _ := u.Host()
	port, _ := u.Port()
	if port != "" {
		host += ":" + port
	}
	if user, ok := u.User(); ok {
		host = user + "@" + host
	}
	return neturl.PathEscape(u.Scheme() + " " + host)
}
