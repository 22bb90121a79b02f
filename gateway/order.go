package gateway

import (
	"net/http"
	neturl "net/url"
	"strings"
	"time"

	"locus/gateway/internal/content"
	"locus/gateway/internal/entry"
	"locus/url"
)

// The browser remembers in a cookie in which order the user wants directories. Other listings, such as
// menus and newsgroups, keep the order of their servers, because that order has a meaning.

// orderCookie is the name of the cookie. Its value is the query of a Display.
const orderCookie = "locus-order"

// displayOf returns how the page of the listing at u is shown if its URL does not say more.
func (r request) displayOf(u url.URL) content.Display {
	d := content.Display{IsDirectory: entry.IsHierarchical(u)}
	cookie, err := r.Cookie(orderCookie)
	if err != nil || r.isProxied() || !d.IsDirectory {
		return d
	}
	q, err := neturl.ParseQuery(cookie.Value)
	if err != nil {
		return d
	}
	if kept, ok := content.ParseDisplay(q); ok {
		kept = kept.Order()
		d.Sort, d.Folders = kept.Sort, kept.Folders
	}
	return d
}

// rememberOrder lets the browser remember the order of d for every directory, if the user chose it at
// the gateway. For the usual order it removes the cookie.
func (x handler) rememberOrder(d content.Display) {
	if !d.IsDirectory || x.g.Shared || !x.r.isAtGateway() {
		return
	}
	var pairs []string
	for _, p := range d.Order().Query() {
		pairs = append(pairs, p[0]+"="+neturl.QueryEscape(p[1]))
	}
	value, age := strings.Join(pairs, "&"), 365*24*time.Hour
	if cookie, err := x.r.Cookie(orderCookie); err != nil && value == "" || err == nil && cookie.Value == value {
		return
	}
	if value == "" {
		age = -time.Second // removes it
	}
	http.SetCookie(x.w, &http.Cookie{
		Name: orderCookie, Value: value, Path: "/", MaxAge: int(age / time.Second), HttpOnly: true, Secure: x.r.TLS != nil, SameSite: http.SameSiteLaxMode,
	})
}
