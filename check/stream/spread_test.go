package stream

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Several workers hold shards next to each other, which may have the parts of one large host. This is so if the workers
// join one after the other or at the same time, and after some have left.
func TestLeasesAreSpread(t *testing.T) {
	const shards, near = 64, 8
	for _, test := range []struct {
		workers, leave int
		atOnce         bool
		most           int // how many of 8 neighbors one worker may hold. Random choices would give 8, 8, 7, 6 and 7. At once, the workers race
	}{
		{2, 0, false, 4}, {2, 0, true, 6}, {3, 0, false, 5}, {4, 0, false, 5}, {4, 2, false, 6},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			conn := connect(t)
			var all []*Queue
			for range test.workers {
				all = append(all, worker(t, conn, len(all) == 0, shards))
				if !test.atOnce {
					settle(t, all)
				}
			}
			for _, q := range all[test.workers-test.leave:] {
				q.leases.releaseAll(t.Context())
			}
			all = all[:test.workers-test.leave]
			settle(t, all)
			holders := holdersOf(t, all, shards)
			for from := range shards {
				held := map[*Queue]int{}
				for n := range near {
					held[holders[(from+n)%shards]]++
				}
				if most := slices.Max(slices.Collect(maps.Values(held))); most > test.most {
					t.Errorf("a worker has %d of the %d shards from %d on, want at most %d", most, near, from, test.most)
				}
			}
		})
	}
}

// settle updates the leases of all workers at the same time, until each has its share.
func settle(t *testing.T, all []*Queue) {
	t.Helper()
	for range 2 * len(all) { // because one update acquires the leases that an earlier one released
		var updates sync.WaitGroup
		for _, q := range all {
			updates.Go(func() { q.leases.update(t.Context()) })
		}
		updates.Wait()
	}
}

// holdersOf returns the worker that holds each shard.
func holdersOf(t *testing.T, all []*Queue, shards int) map[int]*Queue {
	t.Helper()
	holders := make(map[int]*Queue)
	for _, q := range all {
		for _, n := range q.held.numbers() {
			if holders[n] != nil {
				t.Errorf("two workers hold shard %d", n)
			}
			holders[n] = q
		}
	}
	if len(holders) < shards {
		t.Fatalf("%d of %d shards are held", len(holders), shards)
	}
	return holders
}

// worker returns a worker of a run. The first worker starts the run.
func worker(t *testing.T, conn *nats.Conn, isFirst bool, shards int) *Queue {
	t.Helper()
	var q *Queue
	var err error
	if isFirst {
		q, err = Start(t.Context(), conn, "run", Run{Shards: shards}, Options{Lease: time.Hour})
	} else {
		q, err = Join(t.Context(), conn, "run", Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}
