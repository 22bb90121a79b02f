package url

import "locus/internal/ascii"

// A Set is a set of bytes. It is a comparable value. The zero Set is empty, and Set{}.With("abc") has three bytes.
type Set struct{ bytes ascii.Set }

// Has reports whether c is in the set.
func (s Set) Has(c byte) bool { return s.bytes.Has(c) }

// With returns the set with bytes added.
func (s Set) With(bytes string) Set { return Set{s.bytes.With(bytes)} }

// Without returns the set with bytes removed.
func (s Set) Without(bytes string) Set { return Set{s.bytes.Without(bytes)} }

// Intersect returns the set of the bytes that are in both sets.
func (s Set) Intersect(t Set) Set { return Set{s.bytes.Intersect(t.bytes)} }

// union returns the set of the bytes that are in either set.
func (s Set) union(t Set) Set { return Set{s.bytes.Union(t.bytes)} }

// setOf returns the set of the bytes that belong to at least one of the classes in bits.
func setOf(bits class) Set {
	var set Set
	for c, in := range classes {
		if in&bits != 0 {
			set.bytes.Add(byte(c))
		}
	}
	return set
}
