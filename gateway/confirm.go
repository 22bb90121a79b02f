package gateway

import (
	"errors"
	"net/http"
	"net/netip"
	neturl "net/url"
	"strings"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/internal/facts"
	"locus/url"
)

// errUnconfirmed is the error of a request that opens nothing before the user confirms it.
var errUnconfirmed = errors.New("the user has not confirmed it")

// A trust says what a request may open, by who started it.
type trust int

const (
	untrusted trust = iota // nothing: no user asked for it
	linked                 // public addresses, but no session: a user followed a link elsewhere
	trusted                // everything: a user of the gateway, or a program
)

// An asker tells who started a request, as far as its header shows.
type asker struct {
	r         *http.Request
	isProxied bool
}

func (x *exchange) asker() asker { return asker{x.r, x.isProxied()} }

// trustIn returns what the request may open, of what is at u.
//
// Browsers say where a request started in Fetch Metadata, except to an http gateway that
// is not on loopback. Old browsers and text browsers never say it. Then only a Referer shows
// that it started at the gateway.
func (a asker) trustIn(u url.URL) trust {
	h := a.r.Header
	switch {
	case a.isProxied || a.r.Method == http.MethodPost: // check refuses forms of other pages
		return trusted
	case isPrefetch(h):
		return untrusted
	case !isBrowser(h):
		return trusted
	}
	switch site := h.Get("Sec-Fetch-Site"); {
	case site == "none":
		return trusted
	case site == "same-origin", site == "" && a.ownReferer() != nil:
		if isPart(h) && !a.isOfSameHost(u) {
			return linked
		}
		return trusted
	case site == "", h.Get("Sec-Fetch-User") == "?1":
		return linked
	}
	return untrusted
}

// isPrefetch reports whether a browser loads a page that its user may never see. The last
// two fields are of older browsers.
func isPrefetch(h http.Header) bool {
	return h.Get("Sec-Purpose") != "" || h.Get("Purpose") == "prefetch" || h.Get("X-Moz") == "prefetch"
}

// isBrowser reports whether the request is of a browser, which pages of other sites can lead
// here. Every browser wants pages, and some send no Fetch Metadata.
func isBrowser(h http.Header) bool {
	return h.Get("Sec-Fetch-Site") != "" || acceptsPage(h) || strings.HasPrefix(h.Get("User-Agent"), "Mozilla/")
}

func acceptsPage(h http.Header) bool { return strings.Contains(h.Get("Accept"), "text/html") }

// isPart reports whether a browser loads a part of a page, such as a picture. The page
// may be content of another server, or a menu that another server sent.
func isPart(h http.Header) bool {
	switch h.Get("Sec-Fetch-Dest") {
	case "image", "audio", "video", "track", "style", "font":
		return true
	case "":
		return !acceptsPage(h)
	}
	return false
}

// ownReferer returns the page of the gateway that the request started at; nil if it
// started elsewhere, or the browser does not say.
func (a asker) ownReferer() *neturl.URL {
	at, err := neturl.Parse(a.r.Header.Get("Referer"))
	if err != nil || at.Host == "" || !strings.EqualFold(at.Host, a.r.Host) {
		return nil
	}
	return at
}

// isOfSameHost reports whether u has the host of the page that the request started at. All of
// the user's mail counts as one host.
func (a asker) isOfSameHost(u url.URL) bool {
	at := a.ownReferer()
	if at == nil {
		return false
	}
	text := strings.TrimPrefix(at.RequestURI(), "/")
	if strings.HasPrefix(at.Path, page.OwnPath) {
		text = at.Query().Get("url")
	}
	page, err := url.Parse(text)
	if err != nil {
		return false
	}
	if isMail(page) {
		return isMail(u)
	}
	here, has := page.Host()
	host, _ := u.Host()
	return has && strings.EqualFold(here, host)
}

// isMail reports whether u names a received message or a part of one: by its id, not by a host.
func isMail(u url.URL) bool {
	s := facts.Of(u.Scheme())
	return s.Has(facts.Object|facts.AtIsData) && !s.Has(facts.Host)
}

// checkTrust returns errUnconfirmed if the user must confirm that the request opens url.
// For a link of another site it lets Engine open public addresses only.
func (x *exchange) checkTrust() error {
	switch x.asker().trustIn(x.url) {
	case trusted:
		return nil
	case linked:
		x.publicOnly = true
		if !entry.IsSession(x.url) && !isInner(x.url) {
			return nil
		}
	}
	return errUnconfirmed
}

// isUnconfirmed reports whether err says that the user must confirm the request.
func (x *exchange) isUnconfirmed(err error) bool {
	return errors.Is(err, errUnconfirmed) || x.publicOnly && errors.Is(err, access.ErrNotPublic)
}

// isInner reports whether u names a file, or its host is this machine or in a private
// network, as far as its text shows.
func isInner(u url.URL) bool {
	if facts.Of(u.Scheme()).Has(facts.EmptyHost) {
		return true
	}
	host, has := u.Host()
	name, err := url.Unescape(host)
	if err != nil || !has {
		return err != nil
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if addr, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		addr = addr.Unmap()
		return !addr.IsGlobalUnicast() || addr.IsPrivate()
	}
	if !strings.Contains(name, ".") { // "localhost", "router", "2130706433"
		return true
	}
	for _, end := range []string{".localhost", ".local", ".internal", ".intranet", ".lan", ".home.arpa"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// confirm answers with a page that names the URL, with a button that opens it.
func (x *exchange) confirm() {
	why := "A page of another site started this without a click."
	host, _ := x.url.Host()
	switch {
	case isPrefetch(x.r.Header):
		why = "The browser asked for this before you did."
	case entry.IsSession(x.url):
		why = "A page of another site leads to a session at " + host + "."
	case x.publicOnly:
		why = "A page of another site may lead here, and this URL may be on this machine or in its network."
	}
	x.w.Header().Set("Cache-Control", "no-store")
	x.write(http.StatusForbidden, page.Confirm(x.links(), why))
}

// confirmed opens the URL of the page that confirm wrote. It redirects the browser to it,
// unless the browser would not say then that it comes from a page of the gateway.
func (x *exchange) confirmed() error {
	if x.r.Method != http.MethodPost {
		x.w.Header().Set("Allow", "POST")
		return errMethod
	}
	if err := x.readURL(); err != nil {
		return err
	}
	if x.r.Header.Get("Sec-Fetch-Site") != "" || x.asker().ownReferer() != nil {
		x.redirectTo(x.url)
		return nil
	}
	x.r = x.r.WithContext(x.r.Context()) // a copy
	x.r.Method = http.MethodGet
	return x.open()
}
