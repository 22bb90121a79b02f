package web

import (
	"strconv"
	"testing"
)

// A remembered is bounded, and has the last value.
func TestRemembered(t *testing.T) {
	var r remembered[int]
	if got := r.get("http://h"); got != 0 {
		t.Errorf("an empty remembered has the value %d", got)
	}
	for i := 1; i <= 3*maxRemembered; i++ {
		name := "http://h" + strconv.Itoa(i)
		r.set(name, i)
		r.set(name, i+1)
		if got := r.get(name); got != i+1 || len(r.values) > maxRemembered {
			t.Fatalf("after %d keys the last has the value %d, want %d, and there are %d", i, got, i+1, len(r.values))
		}
	}
}
