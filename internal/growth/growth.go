// Package growth measures the memory that a function allocates, so that tests can check without
// a clock that work grows no faster than its input.
package growth

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// The cost may grow so many times if the input becomes four times as long. A quadratic cost grows 16
// times.
const (
	Limit = 4.5

	// SizeLimit is the limit of allocated bytes. It is larger, because a slice that grows allocates
	// up to five times its length if it is long, and twice its length if it is short.
	SizeLimit = 8
)

// A Cost is the memory that a function allocates.
type Cost struct {
	Allocations uint64
	Bytes       uint64
}

// Of calls f and returns its cost. It also counts the allocations of other goroutines while f runs. It
// stops the garbage collector meanwhile, because a collection would empty pools of buffers.
func Of(f func()) Cost {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return Cost{after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc}
}

// Exceeds reports whether c, the cost of an input that is four times as long, is much more than four times
// short, the cost of the short input. A small c never exceeds, because it may have nothing to do with the
// input.
func (c Cost) Exceeds(short Cost) bool {
	floor := Cost{Allocations: 100, Bytes: 16 << 10}
	return float64(c.Allocations) > Limit*float64(max(short.Allocations, floor.Allocations)) ||
		c.Bytes > SizeLimit*max(short.Bytes, floor.Bytes)
}

// Check reports an error to t if the work for an input of size 4*n costs much more than four times as much
// as the work for n, as [Cost.Exceeds] judges it. prepare returns the work for an input of size n; the
// cost of prepare itself does not count. Check does the work for n once before it measures, because the
// first time fills caches. name describes the work in the error.
func Check(t testing.TB, name string, n int, prepare func(n int) (work func())) {
	t.Helper()
	prepare(n)()
	short, long := Of(prepare(n)), Of(prepare(4*n))
	t.Logf("%s: %+v for %d, %+v for %d", name, short, n, long, 4*n)
	if long.Exceeds(short) {
		t.Errorf("%s costs %+v for %d, and %+v for %d, which is much more than four times as much", name, short, n, long, 4*n)
	}
}
