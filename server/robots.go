package server

import (
	"io"
	"net/http"
)

// WithoutRobots returns a handler that keeps robots out of h (RFC 9309): through a gateway they
// could crawl every URL. It answers requests for /robots.txt itself. A Server with this Handler
// wants no login for these.
func WithoutRobots(h http.Handler) http.Handler { return withoutRobots{h} }

type withoutRobots struct{ http.Handler }

func (h withoutRobots) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !isRobots(r) {
		h.Handler.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "User-agent: *\nDisallow: /\n") // the client may have gone
}

// isRobots reports whether a robot asks what it may crawl.
func isRobots(r *http.Request) bool { return r.RequestURI == "/robots.txt" }
