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
//	grant       redirects the browser to the URL, with a cookie that redeemTicket accepts once
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
// u. It redeems a ticket for u, which may be valid only once. The target of an alias has the URL that
// the alias stands for, because that URL decides what the request may open.
func (c consent) admit(u url.URL) (target, error) {
	u = unaliased(u)
	t := target{url: u}
	t.isWanted = !c.r.isProxied() && isBrowser(c.r.Header) && !isPrefetch(c.r.Header) && c.redeemTicket(u)
	if t.isWanted {
		c.servers.add(c.r.client, u)
	}
	switch c.level(u, t.isWanted) {
	case trusted:
		t.publicAway = t.isWanted && !isInner(u) // the user has not decided about a private address to which u redirects
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
	if level == sameServer && mayMove(u) && !c.servers.has(c.r.client, u) {
		level = public
	}
	if level == public && c.harmless != nil && c.harmless(u) && (c.r.Header.Get("Sec-Fetch-Site") == "none" || c.r.isAtGateway()) {
		return trusted
	}
	return level
}

// redeemTicket reports whether the request has a valid ticket to open u. It uses up a ticket that is valid once. A form
// of the gateway has a ticket, a program of the user gets one, and a redirect of the gateway passes one on.
func (c consent) redeemTicket(u url.URL) bool {
	if cookie, err := c.r.Cookie(grantCookie); err == nil {
		if _, ok := c.tickets.redeem(cookie.Value, forGrant, withoutFragment(u)); ok {
			return true
		}
	}
	if c.isOfField() {
		return true
	}
	site := c.r.Header.Get("Sec-Fetch-Site")
	if !c.mayHaveTicket() || site != "none" && site != "" {
		return false
	}
	_, ok := c.tickets.redeem(c.r.query("ticket"), forOpen, withoutFragment(u))
	return ok
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
// request on to the next request. It is valid once, for one URL, and for 30 seconds.
const grantCookie = "locus-grant"

// grant redirects the browser to t with a cookie that proves once that the user wants t.
func (x handler) grant(t target) {
	http.SetCookie(x.w, &http.Cookie{
		Name: grantCookie, Value: x.g.tickets.issue(forGrant, withoutFragment(t.url)), Path: "/",
		MaxAge: int(forGrant.lifetime / time.Second), HttpOnly: true, Secure: x.r.TLS != nil, SameSite: http.SameSiteLaxMode,
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

// confirmed answers the POST of the button on a page that confirm wrote. It checks the ticket of that page, and
// redirects the browser to the URL. A browser that sends neither Fetch Metadata nor a Referer gets the resource at
// once, because its next request would not show that it comes from a page of the gateway.
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
	if hasMetadata || x.r.referer() != "" {
		x.grant(t)
		return nil
	}
	x.g.servers.add(x.r.client, u)
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
	x.w.Write([]byte(x.g.tickets.toOpen(u))) //nolint:errcheck // the client has gone
	return nil
}
