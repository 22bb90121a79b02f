package lazy_test

import (
	"sync"
	"testing"

	"locus/internal/lazy"
)

var made int

var value = lazy.Value[int]{Make: func() int { made++; return 7 }}

// A value is made once, by the first of several goroutines that want it.
func TestGet(t *testing.T) {
	if made != 0 {
		t.Fatalf("made %d times before it was needed", made)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := value.Get(); got != 7 {
				t.Errorf("Get() = %d, want 7", got)
			}
		})
	}
	all.Wait()
	if made != 1 {
		t.Errorf("made %d times, want 1", made)
	}
	if n := testing.AllocsPerRun(100, func() { value.Get() }); n != 0 {
		t.Errorf("Get allocates %v times, want 0", n)
	}
}
