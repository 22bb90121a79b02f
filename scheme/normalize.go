package scheme

import (
	"strings"

	"locus/internal/facts"
	"locus/url"
)

// Normalize returns u with the rewrites in how, as far as its scheme allows them. It removes the default port, and
// replaces an empty path by "/" if the two mean the same. It removes dot segments only if "/" separates the levels of
// a hierarchy, so a gopher selector and the name of a Prospero object keep them. See [url.URL.Normalize].
func Normalize(u url.URL, how url.Rewrite) url.URL { return u.Normalize(how, factsOf(u, u)) }

// Difference reports whether a and b differ in meaning, by a's standard and by the facts about their scheme. It returns
// the first part that differs, and the offset of the difference in each text. See [url.URL.Difference].
func Difference(a, b url.URL) (part url.PartName, atA, atB int, differ bool) {
	return a.Difference(b, factsOf(a, b))
}

// factsOf returns the facts about the scheme of both URLs for URLs of a's standard, or the zero Facts if their schemes
// differ. A scheme that Lookup does not know may still have a default port, as ws, ssh and ldap do.
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

// Facts returns the facts about s that [url.URL.Normalize] and [url.URL.Difference] need for URLs of the standard std.
// If s lacks a Parse function, the facts allow none of the bytes ";/?:@=&" to be rewritten, because they may have a
// meaning. The same is true for wais by RFC 1738 and for z39.50r and z39.50s by RFC 2056, which allow these bytes in
// names only as escapes.
func (s Scheme) Facts(std url.Standard) url.Facts {
	known := facts.Of(s.Name)
	f := url.Facts{
		DefaultPort:  s.Port,
		Hierarchical: s.Flags.Has(Hierarchical) && !(std == url.RFC1738 && known.Has(facts.LiteralDots1738)),
		EmptyHost:    known.Has(facts.EmptyHost),
		TypeCode:     known.Protocol == "ftp",
		Fields:       known.Protocol == "prospero",
		PlusIsSpace:  known.Has(facts.PlusIsSpace) || std == url.RFC1630 && known.Has(facts.Web),
		Mailboxes:    known.Has(facts.Mailboxes),
	}
	switch {
	case s.Flags.Has(EmptyPathIsRoot):
		f.Roots = rootIsSlash
	case known.Protocol == "gopher":
		f.Roots = gopherRoot
	case s.Name == "telnet" && std != url.RFC1630: // RFC 1630 allows no "/" there
		f.Roots = rootIsSlash
	}
	if s.Parse == nil || std == url.RFC1738 && (known.Protocol == "wais" || known.Protocol == "z39.50") {
		return f
	}
	f.Free = url.Set{}.With(";/?:@=&").Without(s.Delims)
	return f
}

var (
	rootIsSlash = []string{"/", ""}
	gopherRoot  = []string{"/1", "/", ""} // RFC 1738 §3.4.1
)
