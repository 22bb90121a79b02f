package emit

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Ranges may be added in any order, and may overlap. A cut removes all offsets after it.
func TestIntervals(t *testing.T) {
	const size = 40
	random := rand.New(rand.NewPCG(31, 1))
	for range 500 {
		var set intervals
		var steps []Interval // To is 0 for a cut
		want := make([]bool, size)
		for range random.IntN(8) {
			from := random.IntN(size)
			to, isAdded := size, random.IntN(4) > 0
			if isAdded {
				to = from + 1 + random.IntN(size-from)
				set.add(from, to)
				steps = append(steps, Interval{from, to})
			} else {
				set.cut(from)
				steps = append(steps, Interval{from, 0})
			}
			for at := from; at < to; at++ {
				want[at] = isAdded
			}
		}
		got := make([]bool, size)
		for at := range got {
			got[at] = set.has(at)
		}
		if !slices.Equal(got, want) {
			t.Errorf("after the steps %v, has gives %v, want %v", steps, got, want)
		}
	}
}
