package gateway

import (
	"net/http"

	"locus/url"
)

// session answers with the page of an interactive service.
func (g *Gateway) session(w http.ResponseWriter, r *http.Request, u url.URL) {
	g.write(w, r, http.StatusOK, "session", g.page(u, titleOf(u)))
}
