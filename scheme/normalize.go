package scheme

import (
	"strings"

	"locus/internal/facts"
	"locus/url"
)

// Normalize returns u rewritten in the ways asked for, as far as they are right
// for its scheme: the default port goes, an empty path becomes "/" where the
// scheme says so, dots are removed where "/" separates levels, never from a
// gopher selector or the name of a Prospero object. See [url.URL.Normalize].
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
