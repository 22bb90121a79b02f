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
func Normalize(u url.URL, how url.Rewrite) url.URL { return Table(nil).Normalize(u, how) }

// Normalize is like the function Normalize, with the schemes of t.
func (t Table) Normalize(u url.URL, how url.Rewrite) url.URL {
	return u.Normalize(how, t.facts(u, u))
}

// Equivalent reports whether a and b mean the same by a's standard and by what
// is known of their scheme. See [url.URL.Difference].
func Equivalent(a, b url.URL) bool { return Table(nil).Equivalent(a, b) }

// Equivalent is like the function Equivalent, with the schemes of t.
func (t Table) Equivalent(a, b url.URL) bool {
	_, _, _, differ := t.Difference(a, b)
	return !differ
}

// Difference returns the first place where a and b are not equivalent, and
// whether there is one. See [Equivalent].
func Difference(a, b url.URL) (part url.PartName, atA, atB int, differ bool) {
	return Table(nil).Difference(a, b)
}

// Difference is like the function Difference, with the schemes of t.
func (t Table) Difference(a, b url.URL) (part url.PartName, atA, atB int, differ bool) {
	return a.Difference(b, t.facts(a, b))
}

// facts are those of the scheme of both URLs; none if they have not the same. A
// scheme that is not listed may have a default port: ws, ssh, ldap.
func (t Table) facts(a, b url.URL) url.Facts {
	if !strings.EqualFold(a.Part(url.Scheme).Text, b.Part(url.Scheme).Text) {
		return url.Facts{}
	}
	s, listed := t.Lookup(a.Scheme())
	if !listed {
		s = fromRow(facts.Of(a.Scheme()))
	}
	return s.Facts(a.Standard())
}
