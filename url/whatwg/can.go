package whatwg

import (
	"errors"

	"locus/url"
)

// CanParse reports whether [Parse] would read text. It allocates only if the text
// holds tabs or line ends, or a host with escapes or beyond ASCII.
func CanParse(text string) bool {
	if _, ok := plainWebPath(text); ok && len(text) <= maxText {
		return true // whatever the path is
	}
	return CanParseRef(text, url.URL{})
}

// CanParseRef reports whether [ParseRef] would read text in the context of base,
// which must be a result of this package.
func CanParseRef(text string, base url.URL) bool {
	m := machine{probe: true}
	if !base.IsZero() {
		m.hasBase = true
		m.base.setScheme(base.Scheme())
		_, m.base.hasHost = base.Host()
		path := base.Path()
		m.base.opaque = !m.base.hasHost && (path == "" || path[0] != '/')
	}
	return len(text) <= maxText && m.parse(text) == nil
}

// maxText is longer than no href that package url takes.
const maxText = 1<<31 - 1

// errProbe is the error of every text that is no URL, while a machine only probes.
var errProbe = errors.New("no URL")
