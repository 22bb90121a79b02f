package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
)

var (
	errNoScheme      = refuse.New(http.StatusBadRequest, "the path is not a complete URL", "a URL starts with its scheme: /ftp://ftp.example.org/")
	errMergedSlashes = refuse.New(http.StatusBadRequest, "the URL has one slash before its host, not two", "if a server before the gateway merges slashes, type the URL into the field above")
	errMethod        = refuse.New(http.StatusMethodNotAllowed, "this page does not accept that method", "")
	errHost          = refuse.New(http.StatusMisdirectedRequest, "the gateway does not answer for this host name", "use an IP address of the gateway, such as 127.0.0.1 on the same machine, or restart it with locus serve --name HOST")
	errCross         = refuse.New(http.StatusForbidden, "pages of other sites may link to the gateway, but may not load parts of it", "")
	errScript        = refuse.New(http.StatusForbidden, "scripts of other servers do not run here", "")
	errPost          = refuse.New(http.StatusForbidden, "forms on pages of other sites are not accepted", "")
)

// crossOrigin refuses a POST from a page of another site.
var crossOrigin http.CrossOriginProtection

// refuseForeign returns an error for a request for a host name that is not the gateway's, and for
// a request that a page of another site makes the browser send, because the browser may reach
// servers that the site cannot reach. A user may follow a link from another site, and every page may load
// the documentation. Requests to the proxy are not refused.
func (g *Gateway) refuseForeign(r request) error {
	if r.isProxied() {
		return nil // a page cannot make a browser send such a request
	}
	if !g.IsOwnHost(r.Host) {
		return errHost
	}
	if err := crossOrigin.Check(r.Request); err != nil {
		return errPost
	}
	if isScriptDest(r.Header.Get("Sec-Fetch-Dest")) && !isOwnFile(r.Request) {
		return errScript
	}
	if isForeignPart(r) && !isDocumentation(r.Request) {
		return errCross
	}
	return nil
}

// isForeignPart reports whether a page of another site requests a part of itself, such as a picture. Chromium sends no
// Fetch Metadata with the request of a WebSocket, but it sends the origin, which a link does not have. session itself
// checks the origin of its WebSocket.
func isForeignPart(r request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return !isNavigation(r.Header)
	case "":
		return !sameOrigin(r.Request) && !isSessionSocket(r.Request)
	}
	return false
}

// isNavigation reports whether the user navigates to the page. It is false for a part of another
// page, such as a frame.
func isNavigation(h http.Header) bool {
	dest := h.Get("Sec-Fetch-Dest")
	return h.Get("Sec-Fetch-Mode") == "navigate" && (dest == "" || dest == "document")
}

// isScriptDest reports whether a browser runs content that it requests with this destination.
// Content-Security-Policy forbids such requests already. This is a second defence.
func isScriptDest(dest string) bool {
	switch dest {
	case "script", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet", "xslt":
		return true
	}
	return false
}

// isOwnFile reports whether r asks for a file of the gateway, or of its documentation. It is false
// for a page with content of others, such as "/-/raw?url=…".
func isOwnFile(r *http.Request) bool {
	if isDocumentation(r) {
		return true
	}
	if !strings.HasPrefix(r.RequestURI, page.OwnPath) {
		return false
	}
	_, _, ok := page.Asset(strings.TrimPrefix(r.URL.Path, page.OwnPath))
	return ok
}

// isDocumentation reports whether r asks for a file of Gateway.Documentation.
func isDocumentation(r *http.Request) bool {
	return strings.HasPrefix(r.RequestURI, page.OwnPath+helpPath)
}

// IsOwnHost reports whether host, the Host field of a request, names the gateway: an IP
// address, "localhost" or one of Names. It is true for "" too, because HTTP/1.0 does not have the
// field. Browsers always send it. It is false for 0.0.0.0, [::] and IPv4 addresses that are mapped to IPv6,
// because browsers connect to this machine there, but do not send Fetch Metadata.
func (g *Gateway) IsOwnHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if addr, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil && !addr.IsUnspecified() && !addr.Is4In6() {
		return true
	}
	return name == "" || name == "localhost" || slices.ContainsFunc(g.Names, func(n string) bool { return strings.EqualFold(n, name) })
}
