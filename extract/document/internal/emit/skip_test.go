package emit

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Ranges may be skipped in any order, and may overlap.
func TestSkip(t *testing.T) {
	const size = 40
	random := rand.New(rand.NewPCG(31, 1))
	for range 500 {
		d := New(make([]byte, size), Options{}, nil)
		var ranges []Interval
		want := make([]bool, size)
		for range random.IntN(8) {
			from := random.IntN(size)
			to := from + 1 + random.IntN(size-from)
			ranges = append(ranges, Interval{from, to})
			d.Skip(from, to)
			for at := from; at < to; at++ {
				want[at] = true
			}
		}
		got := make([]bool, size)
		for at := range got {
			got[at] = d.IsSkipped(at)
		}
		if !slices.Equal(got, want) {
			t.Errorf("after Skip of %v, IsSkipped gives %v, want %v", ranges, got, want)
		}
	}
}
