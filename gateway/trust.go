package gateway

import (
	"net/http"
	"net/netip"
	neturl "net/url"
	"slices"
	"strconv"
	"strings"

	"locus/gateway/internal/page"
	"locus/internal/facts"
	"locus/internal/weburl"
	"locus/url"
)

// A trust is how much a request may open. It depends on who started the request:
//
//	who started it, as far as its header shows                     trust
//	the client of a proxy, a program that is not a browser         trusted
//	a form or a redirect of the gateway, with a ticket             trusted, see consent.admit
//	a page of the gateway about a URL of the same server           sameServer, see confirmedServers
//	a user, by typing, a bookmark, another program, a link         public
//	any other page of the gateway: it may be content of others     public
//	a page of another site without a click, the browser itself     untrusted
//
// Browsers send Fetch Metadata, except to an http gateway that is not on loopback, and except Chromium for a WebSocket
// (isForeignPart). Old browsers and text browsers never send it. Without Fetch Metadata, only a Referer shows that a
// request started at the gateway. Chromium sends "Sec-Fetch-Site: none" for all requests that a user starts outside of
// pages, and keeps it when another site redirects. It sends same-origin for links in content that the gateway shows, too.
// Therefore neither value opens private addresses. See doc/threats.md.
type trust int

const (
	untrusted  trust = iota // the user must confirm the request
	public                  // public addresses, but not a session
	sameServer              // every URL at this server, but redirects lead to public addresses only
	trusted                 // every URL
)

// trustIn returns how much a request without a ticket may open at the server of u. It returns untrusted for a prefetch,
// for a form that a page of another site may have sent, and for any other request that such a page caused, unless the
// user clicked a link. It returns sameServer if the request started at a page of the gateway about the same server, and
// otherwise public.
func (r request) trustIn(u url.URL) trust {
	h := r.Header
	site := h.Get("Sec-Fetch-Site")
	from, isPage := r.page()
	switch {
	case isPrefetch(h):
		return untrusted
	case r.Method == http.MethodPost && site == "" && h.Get("Origin") == "" && (!isPage || withoutFragment(from) != withoutFragment(u)):
		return untrusted // the form may be on a page of another site
	case site == "cross-site" || site == "same-site":
		if h.Get("Sec-Fetch-User") == "?1" {
			return public
		}
		return untrusted
	case site != "none" && isPage && isSameServer(from, u):
		return sameServer
	}
	return public
}

// isPrefetch reports whether a browser loads a page in advance, which its user may never see. Older browsers send
// Purpose or X-Moz, and Safari sends X-Purpose for the previews of its pages.
func isPrefetch(h http.Header) bool {
	return h.Get("Sec-Purpose") != "" || h.Get("Purpose") == "prefetch" || h.Get("X-Purpose") == "preview" || h.Get("X-Moz") == "prefetch"
}

// isBrowser reports whether a browser sent the request. Pages of other sites can make a browser
// send requests. Browsers that do not send Fetch Metadata show themselves by other fields: some
// accept HTML, most name a language or the page of the link, and the others are known by their name.
func isBrowser(h http.Header) bool {
	return h.Get("Sec-Fetch-Site") != "" || acceptsPage(h) || namesLanguage(h) || h.Get("Referer") != "" || hasBrowserName(h)
}

// hasBrowserName reports whether the User-Agent field begins with the name of a browser.
func hasBrowserName(h http.Header) bool {
	return hasGraphicalName(h) || isNamed(h, "ELinks", "Links (", "URL/Emacs", "edbrowse/")
}

// hasGraphicalName reports whether the User-Agent field begins with the name of a browser that has a mouse.
func hasGraphicalName(h http.Header) bool {
	return isNamed(h, "Mozilla/", "Dillo/", "NetSurf/", "Opera/")
}

// isNamed reports whether the User-Agent field begins with one of the names.
func isNamed(h http.Header, names ...string) bool {
	agent := h.Get("User-Agent")
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(agent, name) })
}

// namesLanguage reports whether the request asks for a language that its user reads. It is false for the file manager
// of GNOME and for VLC, which name a language, too, and for programs that accept every language.
func namesLanguage(h http.Header) bool {
	language := h.Get("Accept-Language")
	return language != "" && language != "*" && !isNamed(h, "gvfs/", "VLC/")
}

// isTextBrowser reports whether a text browser such as lynx, or a small graphical one such as Dillo, sent the request.
// These browsers send neither Fetch Metadata nor the name that the other graphical browsers share.
func (r request) isTextBrowser() bool {
	return r.Header.Get("Sec-Fetch-Site") == "" && acceptsPage(r.Header) && !strings.HasPrefix(r.Header.Get("User-Agent"), "Mozilla/")
}

// mayDoubleClick reports whether the second click of a double-click may press a button of the page to which the first
// click led. It is true for all browsers except text browsers.
func (r request) mayDoubleClick() bool { return !r.isTextBrowser() || hasGraphicalName(r.Header) }

// acceptsPage reports whether the Accept field names HTML.
func acceptsPage(h http.Header) bool { return strings.Contains(h.Get("Accept"), "text/html") }

// isAtGateway reports whether the request started at a page of the gateway. That page may show
// content of others.
func (r request) isAtGateway() bool {
	return r.Header.Get("Sec-Fetch-Site") == "same-origin" || r.referer() != ""
}

// referer returns the path and the query of the page of the gateway where the request started, as the browser sent
// them when it asked for that page. It returns "" if the request started elsewhere, or if the browser does not say.
func (r request) referer() string {
	_, address, ok := strings.Cut(r.Header.Get("Referer"), "://")
	host, target, hasPath := strings.Cut(address, "/")
	if !ok || !hasPath || host == "" || !strings.EqualFold(host, r.Host) {
		return ""
	}
	target, _, _ = strings.Cut(target, "#") // browsers leave it out
	return "/" + target
}

// page returns the URL of the resource whose page at the gateway caused the request. ok is false if the request started
// elsewhere, or if that page does not show a whole URL.
func (r request) page() (u url.URL, ok bool) {
	target := r.referer()
	if mounted, isMounted, err := MountTarget(target); isMounted {
		return mounted, err == nil
	}
	text := strings.TrimPrefix(target, "/")
	if own, isOwn := strings.CutPrefix(target, page.OwnPath); isOwn {
		name, query, _ := strings.Cut(own, "?")
		values, _ := neturl.ParseQuery(query) // without the malformed pairs, which request.query ignores, too
		shown := shownValue(name)
		if shown == "" {
			return url.URL{}, false
		}
		text = values.Get(shown)
	}
	u, err := weburl.Parse(text)
	return unaliased(u), err == nil && u.IsAbs()
}

// shownValue returns the name of the value in the query of a page of the gateway that has the URL that the page shows.
// The page has opened this URL, so its links may lead to the server of the URL. shownValue returns "" for pages that
// everybody may show for any URL, such as a comparison. name is the name of the page.
func shownValue(name string) string {
	switch name {
	case "about", "download", "list", "open", "raw", "text":
		return "url"
	case "beside":
		return "in"
	}
	return ""
}

// unaliased returns the URL that u stands for: telnet://h/ for view-source:telnet://h/. It returns a URL
// that is not an alias unchanged.
func unaliased(u url.URL) url.URL {
	text := u.String()
	for plain, ok := facts.Alias(text); ok; plain, ok = facts.Alias(text) {
		text = plain
	}
	if text == u.String() {
		return u
	}
	plain, err := weburl.Parse(text) // once, because a stranger may write thousands of aliases
	if err != nil {
		return u // Engine refuses it
	}
	return plain
}

// withoutFragment returns the text of u without its fragment, because requests do not have it.
func withoutFragment(u url.URL) string {
	text, _, _ := strings.Cut(u.String(), "#")
	return text
}

// isSameServer reports whether a and b have the same scheme, host and port. All of the user's
// mail counts as one server, and all newsgroups of the user's own news server do too.
func isSameServer(a, b url.URL) bool {
	if isMail(a) {
		return isMail(b)
	}
	hostA, hasA := a.Host()
	hostB, hasB := b.Host()
	if !hasA && !hasB {
		protocol := facts.Of(a.Scheme()).Protocol
		return protocol != "" && protocol == facts.Of(b.Scheme()).Protocol
	}
	return hasA && hasB && a.Scheme() == b.Scheme() && strings.EqualFold(hostA, hostB) && portOf(a) == portOf(b)
}

// portOf returns the port of u in decimal digits, or the default port of its scheme.
func portOf(u url.URL) string {
	if port, _ := u.Port(); port != "" {
		return port
	}
	return strconv.Itoa(int(facts.Of(u.Scheme()).Port))
}

// mayMove reports whether the host of u is a name that may lead to a public address now, and to a private one later.
func mayMove(u url.URL) bool {
	host, has := u.Host()
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return has && host != "" && err != nil && !isInner(u)
}

// isUpgrade reports whether to is at the same host as from, at the default port of the encrypted protocol that replaces
// the protocol of from, also at its default port.
func isUpgrade(from, to url.URL) bool {
	before, after := facts.Of(from.Scheme()), facts.Of(to.Scheme())
	hostA, _ := from.Host()
	hostB, _ := to.Host()
	return before.Has(facts.Web) && after.Has(facts.Web) && !before.Has(facts.Encrypted) && after.Has(facts.Encrypted) &&
		strings.EqualFold(hostA, hostB) && portOf(from) == strconv.Itoa(int(before.Port)) && portOf(to) == strconv.Itoa(int(after.Port))
}

// isMail reports whether u names a received message, or a part of it, by the id of the message.
func isMail(u url.URL) bool { return facts.Of(u.Scheme()).Has(facts.Message) }

// isInner reports whether u names a file or received mail, or whether its host seems to be this machine or in a private
// network, as a name without a dot does. It judges by the text of u.
func isInner(u url.URL) bool {
	if facts.Of(u.Scheme()).Has(facts.EmptyHost) || isMail(u) {
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
