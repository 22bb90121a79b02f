package gateway

import (
	_ "embed"
	"net/http"

	"locus/scheme"
)

//go:embed pages/handlers.js
var handlersScript []byte

// safelisted are the schemes for which a page may be a handler (HTML Standard
// §8.9.1.1), as far as locus knows them.
var safelisted = []string{"ftp", "ftps", "mailto", "news", "nntp", "urn"}

// handlersPage has the data of the page of handlers.
type handlersPage struct {
	page
	Schemes []scheme.Scheme
}

// handlers answers with the page that registers the gateway as a handler of links.
func (x *exchange) handlers() {
	p := handlersPage{page: page{Title: "Open links here", Origin: x.origin()}}
	for _, name := range safelisted {
		if s, ok := scheme.Lookup(name); ok {
			p.Schemes = append(p.Schemes, s)
		}
	}
	x.w.Header().Set("Cache-Control", "no-cache")
	x.write(http.StatusOK, "handlers", p)
}
