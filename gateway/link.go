package gateway

import (
	"net/http"
	neturl "net/url"
	"strings"

	"locus/extract"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
)

// escaped returns u escaped for a query.
func escaped(u url.URL) string { return neturl.QueryEscape(u.String()) }

// hasDots reports whether a segment of the path is "." or "..", encoded or not. A
// browser would rewrite such a path.
func hasDots(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".", "..":
			return true
		}
	}
	return false
}

// hasMergedSlashes reports whether u has lost a slash before its host. Some servers
// before a gateway merge slashes.
func hasMergedSlashes(u url.URL) bool {
	s, _ := scheme.Lookup(u.Scheme())
	_, has := u.Host()
	return s.Port != 0 && !has && strings.HasPrefix(u.Path(), "/")
}

// isSession reports whether u names an interactive service.
func isSession(u url.URL) bool {
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags.Has(scheme.Session)
}

// openTyped opens the URL that somebody typed into the field. It redirects the browser
// to the path of the URL. If a browser would rewrite that path, it opens the URL here.
func (x *exchange) openTyped() {
	u, err := parseTyped(x.query("url"))
	if err != nil {
		x.fail(url.URL{}, err)
		return
	}
	if hasDots(u.Path()) {
		x.open(u)
		return
	}
	x.redirect(x.href(u))
}

// search redirects the browser to the result of a search.
func (x *exchange) search() {
	u, err := url.Parse(x.query("url"))
	if err != nil {
		x.fail(url.URL{}, err)
		return
	}
	result, ok := scheme.SearchURL(u, x.query("words"))
	if !ok {
		x.fail(u, errNoSearch)
		return
	}
	x.redirect(x.href(result))
}

// redirect is http.Redirect, but does not clean the path.
func (x *exchange) redirect(path string) {
	x.w.Header().Set("Location", path)
	x.w.WriteHeader(http.StatusSeeOther)
}

// parseTyped parses a URL that a person typed, perhaps with brackets around it.
func parseTyped(text string) (url.URL, error) {
	u, err := iri.ParseTyped(scheme.Unprefix(extract.Unwrap(strings.TrimSpace(text))))
	if err == nil && !u.IsAbs() {
		err = errNoScheme
	}
	return u, err
}
