package url

// Rules are what a standard of another package does by rules of its own. This package calls
// them for the URLs of that standard, so that every operation works on every URL.
type Rules interface {
	// Name returns the name of the standard, such as "URL Standard".
	Name() string
	// Parse reads an absolute URL.
	Parse(text string) (URL, error)
	// Resolve reads a reference in the context of base, a URL of the standard.
	Resolve(base URL, ref string) (URL, error)
	// Set changes a part of u, or takes it out if value is not present.
	Set(u URL, n PartName, value Part) (URL, error)
}

// Hrefs make URLs of hrefs, the texts that a standard writes. [NewStandard] makes them for
// the package that implements the standard.
type Hrefs struct {
	// Divide makes a URL of an href that RFC 3986 takes too, as it does most; false
	// says that it does not. It allocates nothing.
	Divide func(href string) (u URL, ok bool)
	// DivideWeb is Divide for a text whose scheme, host and "//" are good. The host
	// starts at href[host]; the path follows it, and starts at href[path].
	DivideWeb func(href string, host, path int) (u URL, ok bool)
	// Parse makes a URL of any href.
	Parse func(href string) (URL, error)
}

// NewStandard makes a Standard of the rules of another package. It also returns functions
// with which that package makes URLs. Package locus/url/whatwg uses it; programs do not
// need it.
func NewStandard(foreign Rules) (Standard, Hrefs) {
	own := rulesHref
	own.name, own.foreign = foreign.Name(), foreign
	std := Standard{&own}
	divide := func(href string) (u URL, ok bool) {
		u.text, u.std = href, std
		if u.parseGood() && u.scheme != 0 {
			return u, true
		}
		return URL{}, false
	}
	divideWeb := func(href string, host, path int) (u URL, ok bool) {
		u.text, u.std = href, std
		return u, u.parseFrom(host, path)
	}
	parse := func(href string) (URL, error) {
		if u, ok := divide(href); ok {
			return u, nil
		}
		return std.parseSlowly(href)
	}
	return std, Hrefs{Divide: divide, DivideWeb: divideWeb, Parse: parse}
}
