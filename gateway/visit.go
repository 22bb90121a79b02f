package gateway

import (
	"context"
	"html/template"
	"net"
	"net/http"
	"strings"

	"locus/access"
	"locus/url"
)

// A visit is one request while it is answered.
type visit struct {
	*Gateway
	w http.ResponseWriter
	r *http.Request
}

// proxied reports whether the gateway is a proxy to who visits.
func (v *visit) proxied() bool { return !strings.HasPrefix(v.r.RequestURI, "/") }

// origin is what the gateway's own paths come after: "" for a browser at the
// gateway, whose links stay inside it; where the gateway is a proxy, its address,
// and links are the URLs themselves. Where it speaks TLS, its certificate has a name.
func (v *visit) origin() string {
	if !v.proxied() {
		return ""
	}
	host := v.r.Host
	if at, ok := v.r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		host = at.String()
	}
	if v.r.TLS == nil {
		return "http://" + host
	}
	if _, port, err := net.SplitHostPort(host); err == nil && len(v.Names) > 0 {
		host = net.JoinHostPort(v.Names[0], port)
	}
	return "https://" + host
}

// own returns where one of the gateway's own pages is: "open?url=…".
func (v *visit) own(page string) string { return v.origin() + own + page }

// query returns what the query of the path has under a name. The body of a request
// is for forms alone, which bound it.
func (v *visit) query(name string) string { return v.r.URL.Query().Get(name) }

// href returns where u is for who visits.
func (v *visit) href(u url.URL) string {
	switch {
	case v.proxied():
		return u.String()
	case hasDots(u.Path()):
		return v.own("open?url=" + escaped(u))
	}
	return "/" + u.String()
}

// link returns href for a template; "" for a URL that does not say how it is
// opened. What it leads to, the gateway opens or a proxy's client asked for: it
// is no script and no data, as those are no schemes of the gateway.
func (v *visit) link(u url.URL) template.URL {
	if !u.IsAbs() || v.proxied() && isScript(u.Scheme()) {
		return ""
	}
	return template.URL(v.href(u)) //nolint:gosec // see above
}

// mayAsk reports whether the visitor may be asked for a password: by a page that
// they went to, not by a picture in one, and where the path is a URL that has
// more than a host. Below "/-/" and "/ftp://" there are those of others.
func (v *visit) mayAsk() bool {
	if v.proxied() || strings.HasPrefix(v.r.RequestURI, own) {
		return false
	}
	if dest := v.r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" && v.r.Header.Get("Authorization") == "" {
		return false
	}
	_, afterHost, _ := strings.Cut(v.r.RequestURI, "://")
	return strings.Contains(afterHost, "/")
}

// isScript reports whether a browser would run what such a URL says.
func isScript(scheme string) bool {
	switch scheme {
	case "javascript", "vbscript", "data", "blob":
		return true
	}
	return false
}

// login gives the password that the browser sent to a server that wants one, for
// the user that the URL names; nil if the browser sent none.
func (v *visit) login() func(context.Context, access.Challenge) (access.Credentials, error) {
	_, password, ok := v.r.BasicAuth()
	if !ok || !v.mayAsk() {
		return nil
	}
	return func(_ context.Context, c access.Challenge) (access.Credentials, error) {
		if c.User == "" {
			return access.Credentials{}, nil
		}
		return access.Credentials{Password: password}, nil
	}
}
