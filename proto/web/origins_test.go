package web

import (
	"strconv"
	"testing"
)

// A set of origins is bounded, and has the last origin.
func TestOrigins(t *testing.T) {
	var o origins
	if o.has("http://h") {
		t.Error("an empty set has an origin")
	}
	for i := range 3 * maxOrigins {
		name := "http://h" + strconv.Itoa(i)
		if o.add(name); !o.has(name) || len(o.known) > maxOrigins {
			t.Fatalf("after %d origins the set has %d, and the last: %v", i+1, len(o.known), o.has(name))
		}
	}
}
