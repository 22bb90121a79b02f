package gateway

import (
	"io/fs"

	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
)

// helpPath is the path of the documentation, below page.OwnPath. Every file there comes from
// Gateway.Documentation.
const helpPath = "help/"

// documentation answers with a file of Gateway.Documentation, such as "doc/serve.html". The name ""
// stands for "index.html". It returns refuse.ErrNoPage if the file is missing, or is not of a type that
// pages use. Pages of every site may load the files, because helpPolicy makes the documentation another
// site to the browser.
func (x handler) documentation(name string) error {
	if name == "" {
		name = "index.html"
	}
	mediaType := page.MediaType(name)
	if x.g.Documentation == nil || mediaType == "" {
		return refuse.ErrNoPage
	}
	content, err := fs.ReadFile(x.g.Documentation, name)
	if err != nil {
		return refuse.ErrNoPage
	}
	x.w.setPolicy(helpPolicy)
	x.w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	x.w.file(content, mediaType)
	return nil
}
