package main

import (
	"runtime"
	"testing"

	"locus/transfer"
)

// processors sets how many processors Go has during a test.
func processors(t *testing.T, n int) {
	t.Helper()
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	t.Setenv("GOMAXPROCS", "")
}

func TestFewerProcessors(t *testing.T) {
	processors(t, 4)
	for n, want := range map[int]int{-1: 1, 0: 1, 1: 1, 3: 3, 4: 4, 9: 4} {
		end := fewerProcessors(n)
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("no more than %d: %d processors, want %d", n, got, want)
		}
		end()
		if got := runtime.GOMAXPROCS(0); got != 4 {
			t.Errorf("%d processors afterwards, want 4", got)
		}
	}
	t.Setenv("GOMAXPROCS", "4")
	defer fewerProcessors(1)()
	if got := runtime.GOMAXPROCS(0); got != 4 {
		t.Errorf("with GOMAXPROCS set: %d processors, want 4", got)
	}
}

// Small files have half of the processors, until one comes that is not; a stream
// has one all the time.
func TestSpareProcessors(t *testing.T) {
	for _, tt := range []struct {
		jobs, split            int
		at, small, large, last int // processors: at first, and after files
	}{
		{1, 1, 1, 1, 1, 4},
		{4, 1, 2, 2, 4, 4},
		{1, 3, 2, 2, 4, 4},
	} {
		processors(t, 4)
		f := &fetcher{jobs: tt.jobs, options: transfer.Options{Split: tt.split}}
		told := 0
		tell := f.heeding(func(transfer.Event) { told++ })
		end := f.spareProcessors()
		is := func(what string, want int) {
			if got := runtime.GOMAXPROCS(0); got != want {
				t.Errorf("-j %d --split %d: %s %d processors, want %d", tt.jobs, tt.split, what, got, want)
			}
		}
		is("at first", tt.at)
		tell(transfer.Event{Kind: transfer.Started, Size: bulky - 1})
		tell(transfer.Event{Kind: transfer.Started, Size: -1})
		tell(transfer.Event{Kind: transfer.Done, Size: bulky})
		is("after small files", tt.small)
		tell(transfer.Event{Kind: transfer.Started, Size: bulky})
		is("after a large one", tt.large)
		end()
		is("at last", tt.last)
		if told != 4 {
			t.Errorf("%d events were told, want 4", told)
		}
	}
}
