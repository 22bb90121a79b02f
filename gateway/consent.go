package gateway

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/url"
)

// A consent decides whether a request may open every address, public addresses only, or must be
// confirmed by the user first. An asker judges who started the request, and a ticket proves that
// the user wants it. A request that needs a confirmation takes these steps:
//
//	checkTrust  returns errUnconfirmed before Engine opens the URL. Or Engine opens it, and refuses
//	            an address that is not public: isUnconfirmed
//	confirm     answers with a page that names the URL and has a button
//	confirmed   answers the request of the button, after it has checked the ticket of that page
//	grant       redirects the browser to the URL, with a cookie that redeemTicket accepts once
//
// ticket answers a program of the user. The program then opens a URL in a browser, and the user
// does not have to confirm it.
type consent struct{ *exchange }

// errUnconfirmed is the error of a request that the user must confirm first.
var errUnconfirmed = errors.New("the user has not confirmed the request")

// checkTrust returns errUnconfirmed if the user must confirm that the request opens url.
// Otherwise it sets which addresses Engine may open.
func (x consent) checkTrust() error {
	switch x.decideTrust(x.url) {
	case trusted:
		return nil
	case sameServer:
		x.publicAway = true
		return nil
	case public:
		x.publicOnly = true
		if !entry.IsSession(x.url) && !isInner(x.url) {
			return nil
		}
	}
	return errUnconfirmed
}

// decideTrust returns how much the request may open at u. It redeems a ticket for u, which may be
// valid only once, and then sets wanted.
func (x consent) decideTrust(u url.URL) trust {
	switch {
	case x.isProxied(), !isBrowser(x.r.Header), x.wanted == withoutFragment(u):
		return trusted
	case !isPrefetch(x.r.Header) && x.redeemTicket(u):
		x.wanted = withoutFragment(u)
		return trusted
	}
	level := asker{x.r}.trustIn(u)
	if level == public && x.Harmless != nil && x.Harmless(u) && (x.r.Header.Get("Sec-Fetch-Site") == "none" || asker{x.r}.isAtGateway()) {
		return trusted
	}
	return level
}

// redeemTicket reports whether the request has a ticket to open u. If the ticket is valid once, it
// is used up then. A form of the gateway has a ticket, a program of the user gets one, and a redirect
// of the gateway passes one on.
func (x consent) redeemTicket(u url.URL) bool {
	if cookie, err := x.r.Cookie(grantCookie); err == nil {
		if _, ok := x.tickets.redeem(cookie.Value, forGrant, withoutFragment(u)); ok {
			return true
		}
	}
	site := x.r.Header.Get("Sec-Fetch-Site")
	ticket := x.query("ticket")
	if ticket == "" || x.r.Method == http.MethodPost || !strings.HasPrefix(x.r.RequestURI, page.OwnPath) {
		return false
	}
	if site == "same-origin" || site == "" {
		if _, ok := x.tickets.redeem(ticket, forField, ""); ok {
			return true
		}
	}
	if site == "none" || site == "" {
		_, ok := x.tickets.redeem(ticket, forOpen, withoutFragment(u))
		return ok
	}
	return false
}

// grantCookie is the name of the cookie by which a redirect of the gateway passes the trust in a
// request on to the next request. It is valid once, for one URL, and for 30 seconds.
const grantCookie = "locus-grant"

// grant redirects the browser to x.url with a cookie that proves that the user wants it.
func (x consent) grant() {
	http.SetCookie(x.w, &http.Cookie{
		Name: grantCookie, Value: x.tickets.issue(forGrant, withoutFragment(x.url)), Path: "/",
		MaxAge: int(forGrant.lifetime / time.Second), HttpOnly: true, Secure: x.r.TLS != nil, SameSite: http.SameSiteLaxMode,
	})
	x.w.Header().Set("Cache-Control", "no-store")
	x.redirectTo(x.url)
}

// isUnconfirmed reports whether the request failed because the user must confirm it.
func (x consent) isUnconfirmed(err error) bool {
	return errors.Is(err, errUnconfirmed) || (x.publicOnly || x.publicAway) && errors.Is(err, access.ErrNotPublic)
}

// confirm answers with a page that names the URL and has a button that opens it.
func (x consent) confirm() {
	why := "A page of another site started this request without a click."
	host, _ := x.url.Host()
	switch {
	case isPrefetch(x.r.Header):
		why = "The browser asked for this page before you did."
	case entry.IsSession(x.url):
		why = "A link leads to an interactive session at " + host + "."
	case x.publicOnly || x.publicAway:
		why = "You may have come here by a link of another site, and this URL may be on this machine or in its network."
	}
	x.w.Header().Set("Cache-Control", "no-store")
	x.w.Header().Set("X-Frame-Options", "DENY")
	x.write(http.StatusForbidden, page.Confirm(x.links(), why, x.tickets.issue(forConfirm, withoutFragment(x.url))))
}

// sleep is how long the button of the page that asks cannot be pressed. style.css has the same
// time.
const sleep = time.Second

// confirmed opens the URL of a page that confirm wrote. It redirects the browser to the URL. A
// browser that sends neither Fetch Metadata nor a Referer gets the resource at once, because
// its next request would not show that it comes from a page of the gateway.
func (x consent) confirmed() error {
	if x.r.Method != http.MethodPost {
		x.w.Header().Set("Allow", "POST")
		return errMethod
	}
	u, err := url.Parse(x.query("url"))
	if err == nil && !u.IsAbs() {
		err = errNoScheme
	}
	if err != nil {
		return err
	}
	x.url = u
	hasMetadata := x.r.Header.Get("Sec-Fetch-Site") != ""
	age, ok := x.tickets.redeem(x.query("ticket"), forConfirm, withoutFragment(u))
	if !ok || hasMetadata && age < sleep {
		x.publicOnly = true
		return errUnconfirmed
	}
	if hasMetadata || (asker{x.r}).referer() != nil {
		x.grant()
		return nil
	}
	x.r = x.r.WithContext(x.r.Context()) // a copy
	x.r.Method = http.MethodGet
	return x.open()
}

// ticket answers a program of the user, such as "locus open", with a ticket to open a URL in
// a browser. A page cannot get a ticket, because isBrowser recognizes requests of browsers.
func (x consent) ticket() error {
	if x.r.Method != http.MethodPost {
		x.w.Header().Set("Allow", "POST")
		return errMethod
	}
	if isBrowser(x.r.Header) || x.r.Header.Get("Origin") != "" {
		return errPost
	}
	u, err := url.Parse(x.query("url"))
	if err != nil {
		return err
	}
	h := x.w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	x.toClient().Write([]byte(x.tickets.issue(forOpen, withoutFragment(u)))) //nolint:errcheck // the client has gone
	return nil
}
