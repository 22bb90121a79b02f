package gateway

import (
	"context"
	"net"
	"net/http"
	"strings"

	"locus/access"
	"locus/gateway/internal/dav"
	"locus/gateway/internal/page"
	"locus/internal/weburl"
	"locus/url"
)

// A request is a request of a client. Its methods say what the client asks for, as far as the
// request itself shows. trust.go has the methods that judge who started it.
type request struct {
	*http.Request
	client string // the client to which limits and memory count
}

// isProxied reports whether the client uses the gateway as a proxy.
func (r request) isProxied() bool { return !strings.HasPrefix(r.RequestURI, "/") }

// query returns the first value of a name in the query of the path, or "". It does not read the body of the
// request, because only forms bound the body.
func (r request) query(name string) string { return r.URL.Query().Get(name) }

// parse parses the value of a name in the query as a URL, in the way authors of the web write URLs. The URL may
// be relative.
func (r request) parse(name string) (url.URL, error) { return weburl.Parse(r.query(name)) }

// origin returns the prefix of links to the gateway's own paths. It is "" for a browser at the
// gateway. For the client of a proxy it is the gateway's scheme and address. With TLS it is the
// first of names, because the certificate has that name and not the address.
func (r request) origin(names []string) string {
	if !r.isProxied() {
		return ""
	}
	host := r.Host
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		host = at.String()
	}
	if r.TLS == nil {
		return "http://" + host
	}
	if _, port, err := net.SplitHostPort(host); err == nil && len(names) > 0 {
		host = net.JoinHostPort(names[0], port)
	}
	return "https://" + host
}

// address returns the scheme and the host by which the browser reaches the gateway, such as
// "http://localhost:8080".
func (r request) address() string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// wantsPage reports whether the user navigates to the URL with a browser, and therefore gets a
// page around the content, also after sending a form. Programs, and pages that embed the content, get its bytes.
func (r request) wantsPage() bool {
	h := r.Header
	switch {
	case r.isProxied() || r.Method != http.MethodGet && r.Method != http.MethodPost:
		return false
	case h.Get("Range") != "" || h.Get("Authorization") != "": // the browser sends a password only with the URL itself: see mayAskPassword
		return false
	case h.Get("Sec-Fetch-Mode") != "":
		return isNavigation(h)
	}
	return acceptsPage(h)
}

// mayAskPassword reports whether the response may ask the browser for a password for u. The path must
// be a URL with more than a host, or a mounted folder of such a URL, because a browser sends the
// password to all paths of the same folder, and "/-/" and "/ftp://" have paths of many servers.
// A picture in a page must not ask. If the URL has a password, asking is useless, because the
// password of the URL is used instead of the browser's.
func (r request) mayAskPassword(u url.URL) bool {
	if _, known := u.Password(); known {
		return false
	}
	path, isMounted := strings.CutPrefix(r.RequestURI, page.OwnPath+dav.Path)
	if r.isProxied() || strings.HasPrefix(r.RequestURI, page.OwnPath) && !isMounted {
		return false
	}
	if dest := r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" && r.Header.Get("Authorization") == "" {
		return false
	}
	_, afterScheme, _ := strings.Cut(path, ":/")
	if isMounted { // a client may have escaped its ":" or merged its slashes
		_, afterScheme, _ = strings.Cut(path, "/")
	}
	return strings.Contains(strings.TrimLeft(afterScheme, "/"), "/")
}

// login returns an access.Request.Login that gives the server of u the password that the browser sent, for the
// user in the URL. It returns nil if the browser sent no password, or if mayAskPassword forbids to use the
// password for u.
func (r request) login(u url.URL) access.Login {
	_, password, ok := r.BasicAuth()
	if !ok || !r.mayAskPassword(u) {
		return nil
	}
	return func(_ context.Context, c access.Challenge) (access.Credentials, error) {
		if c.User == "" {
			return access.Credentials{}, nil
		}
		return access.Credentials{Password: password}, nil
	}
}
