package gateway

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"

	"locus/access"
	"locus/answer"
	locusurl "locus/url"
)

// failed answers with what became of an access to u.
func (g *Gateway) failed(w http.ResponseWriter, r *http.Request, u locusurl.URL, err error) {
	switch {
	case errors.Is(err, access.ErrNotModified):
		w.WriteHeader(http.StatusNotModified)
	case errors.Is(err, access.ErrForm):
		g.form(w, r, u)
	case errors.Is(err, access.ErrPassword):
		w.Header().Set("WWW-Authenticate", `Basic realm="`+realm(u)+`", charset="UTF-8"`)
		g.fail(w, r, u, err)
	default:
		g.fail(w, r, u, err)
	}
}

// fail answers with a page that says what failed, where, and what to do.
func (g *Gateway) fail(w http.ResponseWriter, r *http.Request, u locusurl.URL, err error) {
	status := answer.Status(err)
	if own, ok := asRefusal(err); ok {
		status = own.status
	} else {
		g.log(r, u, err)
	}
	h := w.Header()
	setPolicy(h, pagePolicy)
	h.Set("Cache-Control", "no-store")
	page := g.page(u, http.StatusText(status))
	g.write(w, r, status, "error", errorPage{page, status, err.Error(), access.Hint(err), retry(u, r)})
}

// errorPage is what the page of an error shows.
type errorPage struct {
	page
	Status     int
	Text, Hint string
	Retry      string // the path to try again; "" if that is of no use
}

func retry(u locusurl.URL, r *http.Request) string {
	if u.IsZero() || r.Method == http.MethodPost {
		return ""
	}
	return href(u)
}

// broken ends an answer that cannot be completed, so that it does not look whole
// (RFC 9112 §8): the connection is closed, or the stream reset.
func (g *Gateway) broken(r *http.Request, u locusurl.URL, err error) {
	g.log(r, u, err)
	panic(http.ErrAbortHandler)
}

func (g *Gateway) log(r *http.Request, u locusurl.URL, err error) {
	if g.Log == nil || r.Context().Err() != nil && errors.Is(err, r.Context().Err()) {
		return
	}
	g.Log.LogAttrs(r.Context(), slog.LevelWarn, "access failed",
		slog.String("client", r.RemoteAddr), slog.String("url", u.Redacted()), slog.String("error", err.Error()))
}

// realm names whose password is asked for: scheme, user and host. It is free of
// what ends a quoted string.
func realm(u locusurl.URL) string {
	host, _ := u.Host()
	port, _ := u.Port()
	if port != "" {
		host += ":" + port
	}
	if user, ok := u.User(); ok {
		host = user + "@" + host
	}
	return url.PathEscape(u.Scheme() + " " + host)
}
