package server

import (
	"io"
	"net/http"
)

// WithoutRobots returns a handler that answers requests for /robots.txt itself and passes other requests to h. The
// file keeps robots out of h (RFC 9309). Through a gateway they could crawl every URL. A Server with this
// Handler answers such requests without a login.
func WithoutRobots(h http.Handler) http.Handler { return withoutRobots{h} }

type withoutRobots struct{ http.Handler }

// ServeHTTP answers requests for /robots.txt, and passes all others to Handler.
func (h withoutRobots) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !isRobots(r) {
		h.Handler.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "User-agent: *\nDisallow: /\n") // the client may be gone
}

// isRobots reports whether r is a request for /robots.txt.
func isRobots(r *http.Request) bool { return r.RequestURI == "/robots.txt" }
