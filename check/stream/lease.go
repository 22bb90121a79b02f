package stream

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// keepLeases keeps this worker's share of the leases until the queue is closed.
func (q *Queue) keepLeases() {
	defer q.releaseAll()
	every := q.options.Lease / 4
	renew := time.NewTicker(every)
	defer renew.Stop()
	for {
		q.updateLeases(q.ctx)
		if now := q.options.Lease / 4; now != every {
			every = now
			renew.Reset(every)
		}
		select {
		case <-q.ctx.Done():
			return
		case <-renew.C:
		}
	}
}

// updateLeases takes this worker's fair share of the leases. It renews its leases,
// releases extra ones, and acquires free ones. What fails is retried the next time.
func (q *Queue) updateLeases(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, q.options.Lease/2)
	defer cancel()
	own := q.subject("lease.worker." + q.worker)
	if _, err := q.js.Publish(ctx, own, nil); err != nil {
		return
	}
	info, err := q.leases.Info(ctx, jetstream.WithSubjectFilter(q.subject("lease.>")))
	if err != nil {
		return
	}
	if info.Config.MaxAge > 0 {
		q.options.Lease = info.Config.MaxAge // as in the last setup of the run
	}

	workers, before := 0, 0 // all, and those whose names are before this one's
	for subject := range info.State.Subjects {
		if strings.HasPrefix(subject, q.subject("lease.worker.")) {
			workers++
			if subject < own {
				before++
			}
		}
	}
	fair := (q.run.Shards + max(workers, 1) - 1) / max(workers, 1)
	q.releaseExtra(ctx, fair)
	q.renew(ctx)
	var free []int
	for i := range q.run.Shards {
		n := (before + i) % q.run.Shards // workers that join at once begin with different ones
		if _, held := info.State.Subjects[q.leaseSubject(n)]; !held {
			free = append(free, n)
		}
	}
	held := slices.Collect(maps.Keys(q.leaseRevisions()))
	q.acquire(ctx, mostDistant(max(fair-len(held), 0), free, held, q.run.Shards))
}

func (q *Queue) leaseSubject(n int) string { return q.subject("lease.shard." + strconv.Itoa(n)) }

// leaseRevisions returns the revisions of this worker's leases by shard.
func (q *Queue) leaseRevisions() map[int]uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make(map[int]uint64)
	for n, s := range q.shards {
		all[n] = s.revision
	}
	return all
}

// renew renews the leases. A lease that was lost belongs to another worker.
func (q *Queue) renew(ctx context.Context) {
	var all sync.WaitGroup
	for n, revision := range q.leaseRevisions() {
		all.Go(func() {
			start := time.Now()
			ack, err := q.js.Publish(ctx, q.leaseSubject(n), nil, jetstream.WithExpectLastSequencePerSubject(revision))
			q.mu.Lock()
			defer q.mu.Unlock()
			s := q.shards[n]
			switch {
			case s == nil:
			case err == nil:
				s.revision, s.expires = ack.Sequence, start.Add(q.options.Lease)
			case isOutdated(err):
				q.drop(s)
			}
		})
	}
	all.Wait()
}

// acquire takes free leases, unless another worker is faster.
func (q *Queue) acquire(ctx context.Context, shards []int) {
	var all sync.WaitGroup
	for _, n := range shards {
		all.Go(func() {
			start := time.Now()
			ack, err := q.js.Publish(ctx, q.leaseSubject(n), nil, jetstream.WithExpectLastSequencePerSubject(0))
			if err != nil {
				return
			}
			q.mu.Lock()
			defer q.mu.Unlock()
			q.hold(n, ack.Sequence, start.Add(q.options.Lease))
		})
	}
	all.Wait()
}

// releaseExtra marks the leases above the fair share. It releases marked ones without
// running jobs.
func (q *Queue) releaseExtra(ctx context.Context, fair int) {
	q.mu.Lock()
	var kept []int
	for n, s := range q.shards {
		if !s.releasing {
			kept = append(kept, n)
		}
	}
	for _, n := range mostCrowded(max(len(kept)-fair, 0), kept, q.run.Shards) {
		q.shards[n].releasing = true
	}
	var free []uint64
	for _, s := range q.shards {
		if s.releasing && s.running == 0 {
			free = append(free, s.revision)
			q.drop(s)
		}
	}
	q.mu.Unlock()
	q.release(ctx, free)
}

// release gives up leases. One that cannot be given up expires.
func (q *Queue) release(ctx context.Context, revisions []uint64) {
	var all sync.WaitGroup
	for _, revision := range revisions {
		all.Go(func() { _ = q.leases.DeleteMsg(ctx, revision) })
	}
	all.Wait()
}

// releaseAll releases all leases. The content of the shards stays for the report.
func (q *Queue) releaseAll() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(q.ctx), time.Second)
	defer cancel()
	q.release(ctx, slices.Collect(maps.Values(q.leaseRevisions())))
	_ = q.leases.Purge(ctx, jetstream.WithPurgeSubject(q.subject("lease.worker."+q.worker))) // otherwise it expires
}
