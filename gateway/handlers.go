package gateway

import (
	_ "embed"
	"net/http"

	"locus/scheme"
)

//go:embed pages/handlers.js
var handlersScript []byte

// safelisted are the schemes that the HTML Standard lets a page be the handler of
// (§8.9.1.1 "safelisted scheme"), those among them that locus knows. The others
// are the desktop's: locus install-handlers.
var safelisted = []string{"ftp", "ftps", "mailto", "news", "nntp", "urn"}

// handlersPage is what the page of handlers shows.
type handlersPage struct {
	page
	Schemes []scheme.Scheme
}

// handlers answers with the page by which a browser learns to open links of some
// schemes here.
func (v *visit) handlers() {
	p := handlersPage{page: page{Title: "Open links here", At: v.origin()}}
	for _, name := range safelisted {
		if s, ok := scheme.Lookup(name); ok {
			p.Schemes = append(p.Schemes, s)
		}
	}
	v.w.Header().Set("Cache-Control", "no-cache")
	v.write(http.StatusOK, "handlers", p)
}
