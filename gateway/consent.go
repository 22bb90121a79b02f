package gateway

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/url"
)

// A consent decides whether a request may open every address, public addresses only, or must be
// confirmed by the user first. The request shows who started it, and a ticket proves that the user
// wants it. A request that needs a confirmation takes these steps:
//
//	admit       returns errUnconfirmed before Engine opens the URL. Or Engine opens it, and refuses
//	            an address that is not public: failure.isUnconfirmed
//	confirm     answers with a page that names the URL and has a button
//	confirmed   answers the request of the button, after it has checked the ticket of that page
//	grant       redirects the browser to the URL, with a cookie that redeem accepts once
//
// handler.ticket answers a program of the user. The program then opens a URL in a browser, and the
// user does not have to confirm it.
type consent struct {
	r        request
	tickets  *tickets
	servers  *confirmedServers
	harmless func(u url.URL) bool // Gateway.Harmless; may be nil
}

// errUnconfirmed is the error of a request that the user must confirm first.
var errUnconfirmed = errors.New("the user has not confirmed the request")

// admit returns the target for u, or errUnconfirmed if the user must confirm that the request opens
// u. It redeems a ticket for u, which may be valid only once. If the user has typed a name into the field and has not
// confirmed it, the target is public only. The target of an alias has the URL for which the alias stands, because that
// URL decides what the request may open.
func (c consent) admit(u url.URL) (target, error) {
	u = unaliased(u)
	t := target{url: u}
	if !c.r.isProxied() && isBrowser(c.r.Header) && !isPrefetch(c.r.Header) {
		t.ticket = c.redeem(u)
	}
	if t.ticket == forGrant {
		c.servers.add(c.r.RemoteAddr, u)
	}
	switch c.level(u, t.isWanted()) {
	case trusted:
		// The user may not know that the name leads to a private address. After locus open, the URL opens without a
		// question, because the user has just typed all of it.
		t.publicOnly = t.isWanted() && t.ticket != forOpen && !c.mayLend(u)
		t.publicAway = t.isWanted() && !isInner(u) // the user has not decided about a private address to which u redirects
		return t, nil
	case sameServer:
		t.publicAway = true
		return t, nil
	case public:
		t.publicOnly = true
		if !entry.IsSession(u) && !isInner(u) {
			return t, nil
		}
	}
	return target{}, t.fails(errUnconfirmed)
}

// level returns how much the request may open at u. isWanted says that it has a ticket.
func (c consent) level(u url.URL, isWanted bool) trust {
	if isWanted || c.r.isProxied() || !isBrowser(c.r.Header) {
		return trusted
	}
	level := c.r.trustIn(u)
	if level == sameServer && !c.mayLend(u) {
		level = public
	}
	if level == public && c.harmless != nil && c.harmless(u) && (c.r.Header.Get("Sec-Fetch-Site") == "none" || c.r.isAtGateway()) {
		return trusted
	}
	return level
}

// mayLend reports whether a page at u has the trust in its server: whether the server is an address, or a name that
// the user has confirmed or that only this machine or its network can have.
func (c consent) mayLend(u url.URL) bool { return !mayMove(u) || c.servers.has(c.r.RemoteAddr, u) }

// redeem returns the purpose of the request's ticket, if the ticket is valid for u or for every URL. Otherwise it returns
// the zero purpose. It uses up a ticket that is valid once. A form of the gateway has a ticket, a program of the user gets one, and a redirect
// of the gateway passes one on.
func (c consent) redeem(u url.URL) purpose {
	if c.isOfField() { // before the cookie, so that content is not shown at an address with the ticket of the field
		return forField
	}
	if cookie, err := c.r.Cookie(grantCookie); err == nil {
		if p := c.redeemFor(u, cookie.Value, forGrant, forTyped, forOpen); p.isSet() {
			return p
		}
	}
	site := c.r.Header.Get("Sec-Fetch-Site")
	if !c.mayHaveTicket() || site != "none" && site != "" {
		return purpose{}
	}
	return c.redeemFor(u, c.r.query("ticket"), forTyped, forOpen)
}

// redeemFor returns the first purpose in purposes for which ticket is valid to open u, and uses up the ticket. It returns
// the zero purpose if there is none.
func (c consent) redeemFor(u url.URL, ticket string, purposes ...purpose) purpose {
	for _, p := range purposes {
		if _, ok := c.tickets.redeem(ticket, p, withoutFragment(u)); ok {
			return p
		}
	}
	return purpose{}
}

// isOfField reports whether the user has sent a form of the gateway for any URL. A browser must have shown the form for
// as long as the button of the page that asks sleeps, because a page of another site may have been in front of it, and
// its field may have a URL already.
func (c consent) isOfField() bool {
	h := c.r.Header
	site := h.Get("Sec-Fetch-Site")
	if !c.mayHaveTicket() || site != "" && (site != "same-origin" || !isNavigation(h)) {
		return false
	}
	age, ok := c.tickets.redeem(c.r.query("ticket"), forField, "")
	return ok && (age >= sleep || !c.r.mayDoubleClick())
}

// mayHaveTicket reports whether a ticket in the query of the request counts. Forms with a ticket lead to the gateway's
// own pages by GET.
func (c consent) mayHaveTicket() bool {
	return c.r.query("ticket") != "" && c.r.Method != http.MethodPost && strings.HasPrefix(c.r.RequestURI, page.OwnPath)
}

// grantCookie is the name of the cookie by which a redirect of the gateway passes the trust in a
// request on to the next request. It is valid once, for one URL, and for the lifetime of its purpose.
const grantCookie = "locus-grant"

// grant redirects the browser to t with a cookie that proves once that the user wants t. p is forTyped, forOpen or
// forGrant.
func (x handler) grant(t target, p purpose) {
	http.SetCookie(x.w, &http.Cookie{
		Name: grantCookie, Value: x.g.tickets.issue(p, withoutFragment(t.url)), Path: "/",
		MaxAge: int(p.lifetime / time.Second), HttpOnly: true, Secure: x.r.TLS != nil, SameSite: http.SameSiteLaxMode,
	})
	x.w.Header().Set("Cache-Control", "no-store")
	x.redirectTo(t.url)
}

// confirm answers 403 with a page that names the URL of t, says why the gateway asks, and has a button that opens the
// URL.
func (x handler) confirm(t target) {
	why := "A page of another site started this request without a click."
	host, _ := t.url.Host()
	switch {
	case isPrefetch(x.r.Header):
		why = "The browser asked for this page before you did."
	case entry.IsSession(t.url):
		why = "A link leads to an interactive session at " + host + "."
	case t.publicOnly || t.publicAway:
		why = "You may have come here by a link of another site, and this URL may be on this machine or in its network."
	}
	x.w.Header().Set("Cache-Control", "no-store")
	x.w.Header().Set("X-Frame-Options", "DENY")
	x.w.page(http.StatusForbidden, page.Confirm(x.links(t), why, x.g.tickets.issue(forConfirm, withoutFragment(t.url))))
}

// sleep is how long the button of the page that asks cannot be pressed. style.css has the same
// time.
const sleep = time.Second

// lead redirects a browser from t to a URL of another server to which t redirects, and reports whether it has answered.
// It does so only if a page at t has the trust in the server of t, because the content of the other server would have
// this trust, too.
func (x handler) lead(t target, to url.URL) bool {
	host, _ := t.url.Host()
	if host == "" || x.r.isProxied() || !isBrowser(x.r.Header) || isSameServer(t.url, to) || !x.consent().mayLend(t.url) {
		return false
	}
	if t.isWanted() {
		x.grant(t.at(to), forTyped)
	} else {
		x.redirectTo(to)
	}
	return true
}

// confirmed answers the POST of the button on a page that confirm wrote. It checks the ticket of that page, and
// redirects the browser to the URL. Some browsers send neither Fetch Metadata nor the path of this page as their Referer,
// and may not accept cookies. They get the resource at once, because their next request would not show that the user has
// confirmed it.
func (x handler) confirmed() error {
	if x.r.Method != http.MethodPost {
		x.w.Header().Set("Allow", "POST")
		return errMethod
	}
	u, err := x.r.parse("url")
	if err == nil && !u.IsAbs() {
		err = errNoScheme
	}
	if err != nil {
		return err
	}
	t := target{url: u}
	hasMetadata := x.r.Header.Get("Sec-Fetch-Site") != ""
	age, ok := x.g.tickets.redeem(x.r.query("ticket"), forConfirm, withoutFragment(u))
	if !ok || age < sleep && x.r.mayDoubleClick() {
		t.publicOnly = true
		return t.fails(errUnconfirmed)
	}
	x.g.servers.add(x.r.RemoteAddr, unaliased(u))
	if from := x.r.referer(); hasMetadata || from != "" && from != "/" { // Dillo sends "/" instead of the path
		x.grant(t, forGrant)
		return nil
	}
	x.r.Request = x.r.WithContext(x.r.Context()) // a copy
	x.r.Method = http.MethodGet
	return t.fails(x.open(t))
}

// ticket answers a program of the user, such as "locus open", with a ticket to open a URL in
// a browser. A page cannot get a ticket, because isBrowser recognizes requests of browsers.
func (x handler) ticket() error {
	if x.r.Method != http.MethodPost {
		x.w.Header().Set("Allow", "POST")
		return errMethod
	}
	if isBrowser(x.r.Header) || x.r.Header.Get("Origin") != "" {
		return errPost
	}
	u, err := x.r.parse("url")
	if err != nil {
		return err
	}
	h := x.w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	x.w.Write([]byte(x.g.tickets.issue(forOpen, withoutFragment(unaliased(u))))) //nolint:errcheck // the client has gone
	return nil
}
