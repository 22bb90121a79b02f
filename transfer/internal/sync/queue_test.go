package sync

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/internal/spill"
)

// A task that calls received lets the next one begin before it ends. The limit still
// holds.
func TestQueueLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue{store: spill.NewStore(spill.Options{})}
		var under, most atomic.Int64
		q.push(make([]task, 20)...)
		q.work(t.Context(), 3, func(_ context.Context, _ task, leave func()) {
			n := under.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Second) // as many begin as may
			under.Add(-1)
			leave()
			leave()
			time.Sleep(time.Second / 2)
		})
		if most.Load() != 3 {
			t.Errorf("%d at once, want 3", most.Load())
		}
	})
}

// A task that has called received may wait for the next one to begin.
func TestQueueOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue{store: spill.NewStore(spill.Options{})}
		q.push(task{level: 1}, task{level: 2})
		second := make(chan struct{})
		q.work(t.Context(), 1, func(_ context.Context, at task, leave func()) {
			if at.level == 2 {
				close(second)
				return
			}
			leave()
			select {
			case <-second:
			case <-time.After(time.Minute):
				t.Error("the next task does not begin")
			}
		})
	})
}

// When the context is done, no task begins, and the queue waits for running ones.
func TestQueueCancel(t *testing.T) {
	q := queue{store: spill.NewStore(spill.Options{})}
	q.push(make([]task, 9)...)
	ctx, cancel := context.WithCancel(t.Context())
	done := 0
	q.work(ctx, 1, func(context.Context, task, func()) {
		cancel()
		done++
	})
	if done != 1 {
		t.Errorf("%d tasks were begun, want 1", done)
	}
}

// Every task is done once. One job does them in the order in which they were pushed.
func TestQueueOrder(t *testing.T) {
	for _, jobs := range []int{1, 2, 5} {
		const n = 100
		tasks := make([]task, n)
		for i := range tasks {
			tasks[i].level = i
		}
		q := queue{store: spill.NewStore(spill.Options{})}
		q.push(tasks...)
		var (
			mu   sync.Mutex
			done = make(map[int]int)
		)
		q.work(t.Context(), jobs, func(_ context.Context, at task, leave func()) {
			mu.Lock()
			done[at.level]++
			if jobs == 1 && len(done) != at.level+1 {
				t.Errorf("with %d jobs, task %d comes after %d others", jobs, at.level, len(done)-1)
			}
			mu.Unlock()
			leave()
		})
		for i := range n {
			if done[i] != 1 {
				t.Errorf("%d jobs: task %d was done %d times", jobs, i, done[i])
			}
		}
	}
}
