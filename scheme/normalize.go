package scheme

import (
	"strings"

	"locus/url"
)

// Normalize returns u rewritten in the ways asked for, as far as they are right
// for its scheme: the default port goes, an empty path becomes "/" where the
// scheme says so, dots are removed where "/" separates levels, never from a
// gopher selector or the name of a Prospero object. See [url.URL.Normalize].
func Normalize(u url.URL, how url.Rewrite) url.URL { return u.Normalize(how, factsOf(u, u)) }

// Difference returns the first place where a and b do not mean the same by a's
// standard and by what is known of their scheme. ok is false if they are equivalent.
// See [url.Standard.Difference].
func Difference(a, b url.URL) (d url.Difference, ok bool) {
	return a.Standard().Difference(a, b, factsOf(a, b))
}

// factsOf returns the facts about the scheme of both URLs; none if they have not the
// same.
func factsOf(a, b url.URL) url.Facts {
	if !strings.EqualFold(a.Part(url.Scheme).Text, b.Part(url.Scheme).Text) {
		return url.Facts{}
	}
	s, _ := Lookup(a.Scheme())
	return s.Facts(a.Standard())
}
