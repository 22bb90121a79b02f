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

// A consent decides what a request may open: everything, only public addresses, or nothing before
// the user confirms it. asker judges who started the request, and a ticket proves that the user
// wants it. If a request needs a confirmation, the parts work in this order:
//
//	checkTrust  returns errUnconfirmed before anything is opened, or isUnconfirmed finds that
//	            Engine has refused an address that is not public
//	confirm     answers with a page that names the URL and has a button
//	confirmed   answers the request of that button. It checks the page's ticket
//	grant       redirects the browser to the URL, with a cookie that hasTicket accepts once
//
// ticket answers a program of the user, which then opens a URL in a browser without that page.
type consent struct{ *exchange }

// errUnconfirmed is the error of a request that opens nothing before the user confirms it.
var errUnconfirmed = errors.New("the user has not confirmed it")

// checkTrust returns errUnconfirmed if the user must confirm that the request opens url.
// Otherwise it bounds what Engine may open.
func (x consent) checkTrust() error {
	switch x.trustIn(x.url) {
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

// trustIn returns what the request may open of what is at u.
func (x consent) trustIn(u url.URL) trust {
	switch {
	case x.isProxied(), !isBrowser(x.r.Header), x.isWanted:
		return trusted
	case !isPrefetch(x.r.Header) && x.hasTicket(u):
		x.isWanted = true
		return trusted
	}
	level := asker{x.r}.trustIn(u)
	if level == public && x.Harmless != nil && x.Harmless(u) && (x.r.Header.Get("Sec-Fetch-Site") == "none" || asker{x.r}.isAtGateway()) {
		return trusted
	}
	return level
}

// hasTicket reports whether the request has a ticket to open u: of a form of the gateway, of
// a program of the user, or of the redirect after one of them.
func (x consent) hasTicket(u url.URL) bool {
	if cookie, err := x.r.Cookie(grantCookie); err == nil {
		if _, ok := x.tickets.age(cookie.Value, forGrant, withoutFragment(u)); ok {
			return true
		}
	}
	site := x.r.Header.Get("Sec-Fetch-Site")
	ticket := x.query("ticket")
	if ticket == "" || x.r.Method == http.MethodPost || !strings.HasPrefix(x.r.RequestURI, page.OwnPath) {
		return false
	}
	if site == "same-origin" || site == "" {
		if _, ok := x.tickets.age(ticket, forField, ""); ok {
			return true
		}
	}
	if site == "none" || site == "" {
		_, ok := x.tickets.age(ticket, forOpen, withoutFragment(u))
		return ok
	}
	return false
}

// grantCookie is the name of the cookie with which a redirect of the gateway takes the trust
// of a request to its target. It counts once, for this URL, and for 30 seconds.
const grantCookie = "locus-grant"

// grant redirects the browser to x.url, which the user wants.
func (x consent) grant() {
	http.SetCookie(x.w, &http.Cookie{
		Name: grantCookie, Value: x.tickets.issue(forGrant, withoutFragment(x.url)), Path: "/",
		MaxAge: int(forGrant.lifetime / time.Second), HttpOnly: true, Secure: x.r.TLS != nil, SameSite: http.SameSiteLaxMode,
	})
	x.w.Header().Set("Cache-Control", "no-store")
	x.redirectTo(x.url)
}

// isUnconfirmed reports whether err says that the user must confirm the request.
func (x consent) isUnconfirmed(err error) bool {
	return errors.Is(err, errUnconfirmed) || (x.publicOnly || x.publicAway) && errors.Is(err, access.ErrNotPublic)
}

// confirm answers with a page that names the URL, with a button that opens it.
func (x consent) confirm() {
	why := "A page of another site started this without a click."
	host, _ := x.url.Host()
	switch {
	case isPrefetch(x.r.Header):
		why = "The browser asked for this before you did."
	case entry.IsSession(x.url):
		why = "A link leads to a session at " + host + "."
	case x.publicOnly || x.publicAway:
		why = "A link or another site may have led here, and this URL may be on this machine or in its network."
	}
	x.w.Header().Set("Cache-Control", "no-store")
	x.w.Header().Set("X-Frame-Options", "DENY")
	x.write(http.StatusForbidden, page.Confirm(x.links(), why, x.tickets.issue(forConfirm, withoutFragment(x.url))))
}

// sleep is how long the button of the page that asks cannot be pressed. It is as long in
// style.css.
const sleep = time.Second

// confirmed opens the URL of the page that confirm wrote. It redirects the browser to it,
// unless the browser would not say then that it comes from a page of the gateway.
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
	age, ok := x.tickets.age(x.query("ticket"), forConfirm, withoutFragment(u))
	if !ok || hasMetadata && age < sleep {
		x.publicOnly = true
		return errUnconfirmed
	}
	if hasMetadata || (asker{x.r}).referer() != nil {
		x.grant()
		return nil
	}
	x.isWanted = true
	x.r = x.r.WithContext(x.r.Context()) // a copy
	x.r.Method = http.MethodGet
	return x.open()
}

// ticket answers a program of the user, such as "locus open", with a ticket to open a URL in
// a browser. A page cannot ask for one, because browsers say who they are.
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
	x.w.Write([]byte(x.tickets.issue(forOpen, withoutFragment(u)))) //nolint:errcheck // the client has gone
	return nil
}
