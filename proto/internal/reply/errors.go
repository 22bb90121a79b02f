package reply

import "locus/access"

// Refused returns r as an error, without [Conn.Secrets]. means may be nil.
func (c *Conn) Refused(r access.Reply, means error) *access.Refusal {
	r.Text = Hide(r.Text, c.Secrets)
	return &access.Refusal{Reply: r, Means: means}
}

// Is reports whether the code of r starts with want: 2 matches 2yz, 33 matches
// 33z, and 331 matches 331.
func Is(r access.Reply, want int) bool {
	got := r.Code
	for got > want {
		got /= 10
	}
	return got == want
}
