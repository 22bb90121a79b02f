package stream

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Shards next to each other, such as those of the parts of a large host, are held by several
// workers.
func TestLeasesAreSpread(t *testing.T) {
	const shards, near = 64, 8
	for workers, most := range map[int]int{2: 4, 3: 5, 4: 5} { // chance gives one worker 8, 7 and 6 of 8
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			conn := connect(t)
			var all []*Queue
			for range workers {
				all = append(all, worker(t, conn, len(all) == 0, shards))
				for range 2 * workers { // what one releases the next one takes
					for _, q := range all {
						q.updateLeases(t.Context())
					}
				}
			}
			var holders [shards]*Queue
			for _, q := range all {
				for n := range q.leaseRevisions() {
					holders[n] = q
				}
			}
			for from, q := range holders {
				if q == nil {
					t.Errorf("nobody has shard %d", from)
				}
				held := map[*Queue]int{}
				for n := range near {
					q := holders[(from+n)%shards]
					held[q]++
					if held[q] > most {
						t.Errorf("a worker has %d of the %d shards from %d on, want at most %d", held[q], near, from, most)
					}
				}
			}
		})
	}
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
