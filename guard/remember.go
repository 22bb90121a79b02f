package guard

import "locus/access"

// Remembers reports whether req is at hand. What is refused is no less so for
// that.
func (p Ports) Remembers(req *access.Request) bool { return access.Remembers(p.opener(), req) }
