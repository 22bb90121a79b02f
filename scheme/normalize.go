package scheme

import (
	"strings"

	"locus/internal/facts"
	"locus/url"
)

// Normalize returns u with the changes of how, as far as its scheme allows them. The
// default port is removed, and an empty path becomes "/" if the two mean the same.
// Dot segments are removed only if "/" separates the levels of a hierarchy. So a
// gopher selector and the name of a Prospero object keep them. See
// [url.URL.Normalize].
func Normalize(u url.URL, how url.Rewrite) url.URL { return u.Normalize(how, factsOf(u, u)) }

// Difference reports whether a and b differ in meaning by a's standard and by what is
// known of their scheme, and where. See [url.URL.Difference].
func Difference(a, b url.URL) (part url.PartName, atA, atB int, differ bool) {
	return a.Difference(b, factsOf(a, b))
}

// factsOf returns the facts about the scheme of both URLs; none if they have not the
// same. A scheme that is not listed may have a default port: ws, ssh, ldap.
func factsOf(a, b url.URL) url.Facts {
	if !strings.EqualFold(a.Part(url.Scheme).Text, b.Part(url.Scheme).Text) {
		return url.Facts{}
	}
	s, listed := Lookup(a.Scheme())
	if !listed {
		s = fromRow(facts.Of(a.Scheme()))
	}
	return s.Facts(a.Standard())
}

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
		f.Free = url.Set{}.With(";/?:@=&").Without(s.Delims)
	}
	return f
}

var (
	rootIsSlash = []string{"/", ""}
	gopherRoot  = []string{"/1", "/", ""} // RFC 1738 §3.4.1
)
