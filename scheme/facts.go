package scheme

import "locus/url"

// Facts returns what a rewriting or a comparison must know about the scheme:
// see [url.URL.Normalize] and [url.Standard.Equivalent]. Those of a scheme
// whose grammar is not known let nothing be rewritten that may mean something.
func (s Scheme) Facts() url.Facts {
	f := url.Facts{
		DefaultPort:  s.Port,
		Hierarchical: s.Flags.Has(Hierarchical),
		EmptyPath:    s.Flags.Has(EmptyPathIsRoot),
	}
	if s.Parse != nil {
		f.Free = url.Octets(";/?:@=&").Without(s.Octets)
	}
	return f
}
