package url

// Rules are the operations of a standard that another package implements. This package calls them for the URLs of that
// standard, so that every operation works on every URL.
type Rules interface {
	// Name returns the name of the standard, such as "URL Standard".
	Name() string
	// Parse reads an absolute URL.
	Parse(text string) (URL, error)
	// Resolve reads a reference in the context of base, which is a URL of the standard.
	Resolve(base URL, ref string) (URL, error)
	// Set changes the part n of u, or removes it if value is absent.
	Set(u URL, n PartName, value Part) (URL, error)
}

// Hrefs make URLs from hrefs, which are the texts that the standard's serializer writes. [NewStandard] returns them to
// the package that implements the standard.
type Hrefs struct {
	// Divide makes a URL from an href that is also valid by RFC 3986, as most hrefs are. It returns false if the href
	// is not. It does not allocate.
	Divide func(href string) (u URL, ok bool)
	// DivideWeb is like Divide for a text whose scheme, "//" and host are known to be valid. The host starts at
	// href[host]. The path follows it, and starts at href[path].
	DivideWeb func(href string, host, path int) (u URL, ok bool)
	// Parse makes a URL from any href.
	Parse func(href string) (URL, error)
}

// NewStandard makes a Standard from the rules of another package. It also returns functions with which that package
// makes URLs. Package locus/url/whatwg uses NewStandard; programs do not need it.
func NewStandard(foreign Rules) (Standard, Hrefs) {
	own := rulesHref
	own.name, own.foreign = foreign.Name(), foreign
	std := Standard{&own}
	divide := func(href string) (u URL, ok bool) {
		u.text, u.std = href, std
		if u.parseFast() && u.scheme != 0 {
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
