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

// flagsOf returns the flags of the scheme of u.
func flagsOf(u url.URL) scheme.Flags {
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags
}

// isSession reports whether u names an interactive service.
func isSession(u url.URL) bool { return flagsOf(u).Has(scheme.Session) }

// isAddress reports whether u names an address: people write to it, nothing opens it.
func isAddress(u url.URL) bool { return flagsOf(u).Has(scheme.Address) }

// openTyped opens the URL that somebody typed into the field, perhaps with brackets around
// it. It redirects the browser to the path of the URL. If a browser would rewrite that
// path, it opens the URL here.
func (x *exchange) openTyped() error {
	text := scheme.Unprefix(extract.Unwrap(strings.TrimSpace(x.query("url"))))
	if err := x.setURL(iri.ParseTyped(text)); err != nil {
		return err
	}
	if hasDots(x.url.Path()) {
		return x.open()
	}
	x.redirect(x.href(x.url))
	return nil
}

// search redirects the browser to the result of a search.
func (x *exchange) search() error {
	if err := x.readURL(); err != nil {
		return err
	}
	result, ok := scheme.SearchURL(x.url, x.query("words"))
	if !ok {
		return errNoSearch
	}
	x.redirect(x.href(result))
	return nil
}

// redirect is http.Redirect, but does not clean the path.
func (x *exchange) redirect(path string) {
	x.w.Header().Set("Location", path)
	x.w.WriteHeader(http.StatusSeeOther)
}
