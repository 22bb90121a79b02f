package ascii

// A Set is a set of bytes. It is a comparable value; the zero Set is empty.
type Set struct{ bits [4]uint64 }

// Bytes returns the set of the bytes in s.
func Bytes(s string) Set {
	var set Set
	for i := range len(s) {
		set.Add(s[i])
	}
	return set
}

// All returns the set of all bytes below 0x80.
func All() Set { return Set{[4]uint64{1<<64 - 1, 1<<64 - 1}} }

// Has reports whether c is in the set.
func (s Set) Has(c byte) bool { return s.bits[c>>6]>>(c&63)&1 != 0 }

// With returns the union of s and the bytes of a string. It does not change s.
func (s Set) With(bytes string) Set {
	for i := range len(bytes) {
		s.Add(bytes[i])
	}
	return s
}

// Without returns the set of the bytes of s that are not in a string. It does not change s.
func (s Set) Without(bytes string) Set {
	for i, out := range Bytes(bytes).bits {
		s.bits[i] &^= out
	}
	return s
}

// Intersect returns the set of the bytes that are both in s and in t.
func (s Set) Intersect(t Set) Set {
	for i, both := range t.bits {
		s.bits[i] &= both
	}
	return s
}

// Add adds c to the set.
func (s *Set) Add(c byte) { s.bits[c>>6] |= 1 << (c & 63) }

// Union returns the set of the bytes that are in s or in t.
func (s Set) Union(t Set) Set {
	for i, more := range t.bits {
		s.bits[i] |= more
	}
	return s
}
