package fetch

import (
	"fmt"
	"slices"
	"testing"
)

func TestSegments(t *testing.T) {
	for _, test := range []struct {
		done []span
		size int64
		n    int
		want string // start-pos-end of each segment
	}{
		{nil, 100, 1, "[0-0-100]"},
		{nil, 100, 2, "[0-0-50 50-50-100]"},
		{nil, 100, 4, "[0-0-25 25-25-50 50-50-75 75-75-100]"},
		{nil, 30, 4, "[0-0-15 15-15-30]"},
		{[]span{{0, 40}}, 100, 1, "[0-40-100]"},
		{[]span{{0, 40}, {50, 60}}, 100, 1, "[0-40-50 50-60-100]"},
		{[]span{{10, 20}}, 100, 1, "[0-0-10 10-20-100]"},
		{[]span{{0, 100}}, 100, 1, "[]"},
	} {
		all := divide(gaps(test.done, test.size), test.n, 10)
		slices.SortFunc(all, func(a, b *segment) int { return int(a.pos - b.pos) })
		var texts []string
		for _, s := range all {
			texts = append(texts, fmt.Sprintf("%d-%d-%d", s.start, s.pos, s.end))
		}
		if got := fmt.Sprint(texts); got != test.want {
			t.Errorf("%v of %d in %d: %v, want %v", test.done, test.size, test.n, got, test.want)
		}
		if back := spans(all, test.size); fmt.Sprint(back) != fmt.Sprint(test.done) {
			t.Errorf("spans(%v) = %v, want %v", texts, back, test.done)
		}
	}
}
