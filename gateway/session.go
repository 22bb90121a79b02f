package gateway

import (
	"net/http"

	"locus/url"
)

// session answers with the page of an interactive service.
func (v *visit) session(u url.URL) {
	v.write(http.StatusOK, "session", v.page(u, titleOf(u)))
}
