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

// displayOf returns how the page of the listing at u is shown if the query does not say it: in the order that the
// browser remembers if u is a directory, and otherwise in the order of the server.
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

// rememberOrder returns the cookie by which the browser remembers the order of d for every directory, if the user chose
// it at the gateway. For the usual order it is a cookie that removes the earlier cookie. It is nil if the browser needs
// no change.
func (r request) rememberOrder(d content.Display) *http.Cookie {
	if !d.IsDirectory || !r.isAtGateway() {
		return nil
	}
	var pairs []string
	for _, p := range d.Order().Query() {
		pairs = append(pairs, p[0]+"="+neturl.QueryEscape(p[1]))
	}
	value, age := strings.Join(pairs, "&"), 365*24*time.Hour
	if cookie, err := r.Cookie(orderCookie); err != nil && value == "" || err == nil && cookie.Value == value {
		return nil
	}
	if value == "" {
		age = -time.Second // removes it
	}
	return &http.Cookie{
		Name: orderCookie, Value: value, Path: "/", MaxAge: int(age / time.Second), HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode,
	}
}
