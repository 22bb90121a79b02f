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

// Shards next to each other, such as those of the parts of a large host, are held by several
// workers: if they join one after the other or at once, and after others have left.
func TestLeasesAreSpread(t *testing.T) {
	const shards, near = 64, 8
	for _, tt := range []struct {
		workers, leave int
		atOnce         bool
		most           int // that one worker has of 8; chance gives it 8, 8, 7, 6 and 7. At once, the workers race
	}{
		{2, 0, false, 4}, {2, 0, true, 6}, {3, 0, false, 5}, {4, 0, false, 5}, {4, 2, false, 6},
	} {
		t.Run(fmt.Sprintf("%+v", tt), func(t *testing.T) {
			conn := connect(t)
			var all []*Queue
			for range tt.workers {
				all = append(all, worker(t, conn, len(all) == 0, shards))
				if !tt.atOnce {
					settle(t, all)
				}
			}
			for _, q := range all[tt.workers-tt.leave:] {
				q.leases.releaseAll(t.Context())
			}
			all = all[:tt.workers-tt.leave]
			settle(t, all)
			holders := holdersOf(t, all, shards)
			for from := range shards {
				held := map[*Queue]int{}
				for n := range near {
					held[holders[(from+n)%shards]]++
				}
				if most := slices.Max(slices.Collect(maps.Values(held))); most > tt.most {
					t.Errorf("a worker has %d of the %d shards from %d on, want at most %d", most, near, from, tt.most)
				}
			}
		})
	}
}

// settle updates the leases of workers at once until all have their share.
func settle(t *testing.T, all []*Queue) {
	t.Helper()
	for range 2 * len(all) { // what one releases the next one takes
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

// worker returns a worker of a run, which the first one starts.
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
