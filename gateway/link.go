package gateway

import (
	"net/http"
	neturl "net/url"
	"strings"

	"locus/extract"
	"locus/scheme"
	"locus/url"
)

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

// isFolded reports whether u has lost a slash before its host, as it does where
// something on its way took it for a path of files.
func isFolded(u url.URL) bool {
	s, _ := scheme.Lookup(u.Scheme())
	_, has := u.Host()
	return s.Port != 0 && !has && strings.HasPrefix(u.Path(), "/")
}

// isSession reports whether u names an interactive service.
func isSession(u url.URL) bool {
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags.Has(scheme.Session)
}

// typed answers for what somebody typed into the field for URLs: it sends the
// browser to the URL's own path, unless that would not arrive as it is.
func (v *visit) typed() {
	u, err := parseTyped(v.query("url"))
	if err != nil {
		v.fail(url.URL{}, err)
		return
	}
	if hasDots(u.Path()) {
		v.open(u)
		return
	}
	v.redirect(v.href(u))
}

// search sends the browser to the result of a search.
func (v *visit) search() {
	u, err := url.Parse(v.query("url"))
	if err != nil {
		v.fail(url.URL{}, err)
		return
	}
	result, ok := scheme.SearchURL(u, v.query("words"))
	if !ok {
		v.fail(u, errNoSearch)
		return
	}
	v.redirect(v.href(result))
}

// redirect is http.Redirect without its cleaning of paths.
func (v *visit) redirect(path string) {
	v.w.Header().Set("Location", path)
	v.w.WriteHeader(http.StatusSeeOther)
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
