package gateway

import (
	"html/template"
	"net/http"
	neturl "net/url"
	"strings"

	"locus/access"
	"locus/extract"
	"locus/scheme"
	"locus/url"
)

// href returns the path at which the gateway has u.
func href(u url.URL) string {
	if hasDots(u.Path()) {
		return own + "open?url=" + escaped(u)
	}
	return "/" + u.String()
}

// link returns href for a template; "" for the zero URL. It starts with "/", and
// then comes a scheme: it can be neither a script nor another host's.
func link(u url.URL) template.URL {
	if u.IsZero() || !u.IsAbs() {
		return ""
	}
	return template.URL(href(u)) //nolint:gosec // see above
}

// escaped returns u as the value of a query.
func escaped(u url.URL) string { return neturl.QueryEscape(u.String()) }

// hasDots reports whether a browser would rewrite the path: whether "." or ".."
// is among its segments, encoded or not.
func hasDots(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".", "..":
			return true
		}
	}
	return false
}

// isSession reports whether u names an interactive service.
func isSession(u url.URL) bool {
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags.Has(scheme.Session)
}

// typed answers for what somebody typed into the field for URLs: it sends the
// browser to the URL's own path, unless that would not arrive as it is.
func (g *Gateway) typed(w http.ResponseWriter, r *http.Request) {
	u, err := parseTyped(r.FormValue("url"))
	if err != nil {
		g.fail(w, r, url.URL{}, err)
		return
	}
	if hasDots(u.Path()) {
		g.open(w, r, u)
		return
	}
	redirect(w, r, href(u))
}

// search sends the browser to the result of a search.
func (g *Gateway) search(w http.ResponseWriter, r *http.Request) {
	u, err := url.Parse(r.FormValue("url"))
	if err != nil {
		g.fail(w, r, url.URL{}, err)
		return
	}
	result, ok := access.SearchURL(g.opener(), u, r.FormValue("words"))
	if !ok {
		g.fail(w, r, u, errNoSearch)
		return
	}
	redirect(w, r, href(result))
}

// redirect is http.Redirect without its cleaning of paths.
func redirect(w http.ResponseWriter, _ *http.Request, path string) {
	w.Header().Set("Location", path)
	w.WriteHeader(http.StatusSeeOther)
}

// parseTyped reads a URL as people type it: wrapped, with blanks around it, or
// without its scheme, which the name of the host then tells.
func parseTyped(text string) (url.URL, error) {
	text = extract.Unwrap(strings.TrimSpace(text))
	u, err := url.Parse(text)
	if err == nil && u.IsAbs() && !looksLikeHost(u) {
		return u, nil
	}
	if guess, ok := guessed(text); ok {
		return guess, nil
	}
	if err == nil {
		err = errNoScheme
	}
	return url.URL{}, err
}

// looksLikeHost reports whether u is "host:port" rather than a URL.
func looksLikeHost(u url.URL) bool {
	_, known := scheme.Lookup(u.Scheme())
	path := u.Path()
	return !known && path != "" && strings.Trim(path, "0123456789") == ""
}

// guessed adds the scheme that the first label of a host names, or http.
func guessed(text string) (url.URL, bool) {
	host, _, _ := strings.Cut(text, "/")
	if !strings.Contains(host, ".") && !strings.HasPrefix(host, "localhost") || strings.ContainsAny(host, "@ ") {
		return url.URL{}, false
	}
	name, _, _ := strings.Cut(host, ".")
	s, ok := scheme.Lookup(strings.ToLower(name))
	if !ok || s.Port == 0 || s.Flags.Has(scheme.Session) {
		s.Name = "http"
	}
	u, err := url.Parse(s.Name + "://" + text)
	return u, err == nil
}
