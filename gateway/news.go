package gateway

import (
	"net/http"
	"strings"

	"locus/access"
	"locus/gateway/internal/refuse"
	"locus/scheme"
	"locus/url"
)

// A news URL usually does not name a server. If Engine does not know one either, the page of the
// error has a form that asks for one. The browser remembers the server in a cookie until it is
// closed, and the gateway then redirects such URLs to URLs with the server.

// newsCookie is the name of the cookie with the news server of the session. The gateway sets it only
// for its own form. Its value is a ticket of forNews, "@", and a host or host:port. The gateway does not
// trust a server without a valid ticket, because a server at another port or subdomain can set the cookie, too.
const newsCookie = "locus-news"

var errNewsServer = refuse.New(http.StatusBadRequest, "this is not the name of a news server", "write it like news.example.org or news.example.org:119")

// needsNewsServer reports whether err says that a news URL needs the name of a server.
func needsNewsServer(err error) bool { return access.RemedyFor(err) == access.NeedNewsServer }

// atNewsServer returns the news URL u with a server, which is host or host:port. The error is
// errNewsServer if server is something else.
func atNewsServer(u url.URL, server string) (url.URL, error) {
	if strings.ContainsAny(server, "/?#@\\ ;") {
		return url.URL{}, errNewsServer
	}
	all, err := url.Parse("news://" + server + "/")
	if err != nil {
		return url.URL{}, errNewsServer
	}
	named, err := scheme.ParseNews(all)
	if err != nil {
		return url.URL{}, errNewsServer
	}
	v, err := scheme.ParseNews(u)
	v.Host = named.Host
	return v.URL(), err
}

// newsServer answers the form that asks for a news server. It redirects the browser to the URL with
// the server. If the form is the gateway's own, the browser also remembers the server in newsCookie.
func (x handler) newsServer() error {
	u, err := x.r.parse("url")
	if err != nil {
		return err
	}
	server := strings.TrimSpace(x.r.query("server"))
	t, err := x.admit(atNewsServer(u, server))
	if err != nil {
		return err
	}
	if !t.isWanted() {
		x.redirectTo(t.url)
		return nil
	}
	value := x.g.tickets.issue(forNews, server) + "@" + server
	http.SetCookie(x.w, &http.Cookie{Name: newsCookie, Value: value, Path: "/", HttpOnly: true, Secure: x.r.TLS != nil, SameSite: http.SameSiteLaxMode})
	x.grant(t, forTyped)
	return nil
}

// toNewsServer redirects the browser from t, which needs a news server, to the same URL at the server
// in newsCookie. The trust in t passes to that URL only if the cookie has a valid ticket. It returns
// false, and does not answer, if the browser does not send such a server.
func (x handler) toNewsServer(t target) bool {
	cookie, err := x.r.Cookie(newsCookie)
	if err != nil || x.r.isProxied() {
		return false
	}
	ticket, server, ok := strings.Cut(cookie.Value, "@")
	if !ok {
		ticket, server = "", cookie.Value
	}
	at, err := atNewsServer(t.url, server)
	if err != nil {
		return false
	}
	if _, isOwn := x.g.tickets.redeem(ticket, forNews, server); isOwn && t.isWanted() {
		x.grant(t.at(at), forTyped)
	} else {
		x.redirectTo(at)
	}
	return true
}
