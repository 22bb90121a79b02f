package scheme

import (
	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/url"
)

// Facts returns what a rewriting or a comparison by a standard must know about
// the scheme: see [url.URL.Normalize] and [url.URL.Difference]. Those of a scheme
// whose grammar is not known let nothing be rewritten that may mean something.
func (s Scheme) Facts(std url.Standard) url.Facts {
	known := facts.Of(s.Name)
	f := url.Facts{
		DefaultPort:  s.Port,
		Hierarchical: s.Flags.Has(Hierarchical) && !(std == url.RFC1738 && known.Has(facts.LiteralDots1738)),
		EmptyHost:    known.Has(facts.EmptyHost),
		TypeCode:     known.Protocol == "ftp",
		PlusIsSpace:  known.Has(facts.PlusIsSpace),
	}
	switch {
	case s.Flags.Has(EmptyPathIsRoot):
		f.Roots = rootIsSlash
	case s.Name == "gopher":
		f.Roots = gopherRoot
	case s.Name == "telnet" && std != url.RFC1630: // which has no "/" there
		f.Roots = rootIsSlash
	}
	if s.Parse != nil {
		f.Free = ascii.Bytes(";/?:@=&").Without(s.Delims)
	}
	return f
}

var (
	rootIsSlash = []string{"/", ""}
	gopherRoot  = []string{"/1", "/", ""} // RFC 1738 §3.4.1
)
