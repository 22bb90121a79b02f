package gateway

import (
	"net/http"
	neturl "net/url"
	"strings"

	"locus/extract"
	"locus/scheme"
	"locus/url"
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

// parseTyped parses a URL that a person typed: perhaps with blanks or brackets around
// it, or without its scheme, which is then guessed from the host.
func parseTyped(text string) (url.URL, error) {
	text = extract.Unwrap(strings.TrimSpace(text))
	u, err := url.Parse(text)
	if err == nil && u.IsAbs() && !looksLikeHost(u) {
		return u, nil
	}
	if guess, ok := guessScheme(text); ok {
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

// guessScheme adds the scheme that the first label of the host names; otherwise http.
func guessScheme(text string) (url.URL, bool) {
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
