// Package urlstd says what a URL standard that package url does not implement must
// provide. Package url calls it for the URLs of that standard, so that every
// operation works on every URL.
package urlstd

// Rules are what a standard does by rules of its own. U is url.URL.
type Rules[U any] interface {
	// Name returns the name of the standard, such as "URL Standard".
	Name() string
	// Parse reads an absolute URL.
	Parse(text string) (U, error)
	// Resolve reads a reference in the context of base, a URL of the standard.
	Resolve(base U, ref string) (U, error)
	// Set changes a part of u, a url.PartName, or takes it out if it is not to be
	// there.
	Set(u U, part int, value string, present bool) (U, error)
}

// Hrefs make URLs of hrefs, the texts that a standard writes. url.NewStandard makes
// them for the package that implements the standard.
type Hrefs[U any] struct {
	// Divide makes a URL of an href that RFC 3986 takes too, as it does most; false
	// says that it does not. It allocates nothing.
	Divide func(href string) (U, bool)
	// DivideWeb is Divide for a text whose scheme, host and "//" are good. The host
	// starts at href[host]; the path follows it, and starts at href[path].
	DivideWeb func(href string, host, path int) (U, bool)
	// Parse makes a URL of any href.
	Parse func(href string) (U, error)
}
