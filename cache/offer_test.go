package cache

import (
	"io"
	"strings"
	"testing"

	"locus/access"
)

// A closeCount counts how often it is closed.
type closeCount struct {
	io.Reader
	n int
}

func (c *closeCount) Close() error { c.n++; return nil }

// Each offer is taken once or closed once, in every order of events.
func TestOffer(t *testing.T) {
	for _, test := range []struct {
		events string // m: make, t: take, w: withdraw
		taken  int
		closed int
	}{
		{"mt", 1, 0},
		{"mtt", 1, 0},
		{"mtw", 1, 0}, // the member that took it closes it
		{"mw", 0, 1},
		{"mwt", 0, 1},
		{"mww", 0, 1},
		{"wm", 0, 1},
		{"wmt", 0, 1},
		{"t", 0, 0},
	} {
		var o offer
		body := &closeCount{Reader: strings.NewReader("")}
		taken := 0
		for _, event := range test.events {
			switch event {
			case 'm':
				o.make(found{Resource: &access.Resource{Body: body}})
			case 'w':
				o.withdraw()
			case 't':
				if f, ok := o.take(); ok {
					taken++
					if f.Body != body {
						t.Errorf("%s: take gives another body", test.events)
					}
				}
			}
		}
		if taken != test.taken || body.n != test.closed {
			t.Errorf("%s: taken %d times, closed %d times, want %d, %d", test.events, taken, body.n, test.taken, test.closed)
		}
	}
}
