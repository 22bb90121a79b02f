package guard

import (
	"locus/access"
	"locus/url"
)

// Cite returns the URL of what a text calls a name. It connects to nothing and
// so refuses nothing.
func (p Ports) Cite(base url.URL, name string) (u url.URL, ok bool) {
	return access.Cite(p.opener(), base, name)
}
