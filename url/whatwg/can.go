package whatwg

import (
	"errors"

	"locus/url"
)

// CanParse reports whether [Parse] would read text. It allocates only if the text
// holds tabs or line ends, or a host with escapes or beyond ASCII.
func CanParse(text string) bool {
	if _, _, ok := plainWeb(text); ok && len(text) <= maxText {
		return true // whatever the path is
	}
	return CanResolve(url.URL{}, text)
}

// CanResolve reports whether [Resolve] would read ref. base must be a result of
// this package. It allocates no more than CanParse.
func CanResolve(base url.URL, ref string) bool {
	m := machine{probe: true}
	if !base.IsZero() {
		m.hasBase = true
		m.base.setScheme(base.Scheme())
		_, m.base.hasHost = base.Host()
		path := base.Path()
		m.base.opaque = !m.base.hasHost && (path == "" || path[0] != '/')
	}
	return len(ref) <= maxText && m.parse(ref) == nil
}

// maxText is the length of the longest URL that package url takes.
const maxText = 1<<31 - 1

// errProbe is the error of a probing machine for every text that is no URL.
var errProbe = errors.New("no URL")
