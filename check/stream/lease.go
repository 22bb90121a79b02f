package stream

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
)

// A lease is this worker's lease of a shard.
type lease struct {
	revision  uint64
	expires   time.Time // unless it is renewed
	readyAt   uint64    // its jobs may begin once the log is read up to there
	releasing bool      // no job begins any more, so that the lease can be released
}

// keepLeases keeps this worker's share of the leases until the queue is closed.
func (q *Queue) keepLeases() {
	defer q.releaseAll()
	every := q.options.Lease / 4
	renew := time.NewTicker(every)
	defer renew.Stop()
	for {
		q.updateLeases(q.ctx)
		q.stopIfReplaced(q.ctx)
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

// stopIfReplaced stops if the run was removed and another one of its name begun. That
// may happen while this process is suspended.
func (q *Queue) stopIfReplaced(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, q.options.Lease/4)
	defer cancel()
	if log, err := q.log.Info(ctx); err == nil && q.isReplaced(log) {
		q.stop(errEnded)
	}
}

// updateLeases takes this worker's fair share of the leases. It renews its leases,
// releases extra ones, and acquires free ones. What fails is retried the next time.
func (q *Queue) updateLeases(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, q.options.Lease/2)
	defer cancel()
	if _, err := q.js.Publish(ctx, q.subject("lease.worker."+q.worker), nil); err != nil {
		return
	}
	info, err := q.leases.Info(ctx, jetstream.WithSubjectFilter(q.subject("lease.>")))
	if err != nil {
		return
	}
	q.options.Lease = info.Config.MaxAge // as in the last setup of the run
	workers := 0
	for subject := range info.State.Subjects {
		if strings.HasPrefix(subject, q.subject("lease.worker.")) {
			workers++
		}
	}
	fair := (q.run.Shards + max(workers, 1) - 1) / max(workers, 1)
	q.releaseExtra(ctx, fair)
	q.renew(ctx)
	var free []int
	for _, n := range rand.Perm(q.run.Shards) {
		if _, held := info.State.Subjects[q.leaseSubject(n)]; !held {
			free = append(free, n)
		}
	}
	q.acquire(ctx, free[:min(len(free), max(fair-len(q.leaseRevisions()), 0))])
}

func (q *Queue) leaseSubject(n int) string { return q.subject("lease.shard." + strconv.Itoa(n)) }

// leaseRevisions returns the revisions of this worker's leases by shard.
func (q *Queue) leaseRevisions() map[int]uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make(map[int]uint64)
	for n, l := range q.held {
		all[n] = l.revision
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
			l := q.held[n]
			switch {
			case l == nil:
			case err == nil:
				l.revision, l.expires = ack.Sequence, start.Add(q.options.Lease)
			case isOutdated(err):
				q.drop(n)
			}
		})
	}
	all.Wait()
}

// acquire takes free leases, unless another worker is faster.
func (q *Queue) acquire(ctx context.Context, shards []int) {
	var mu sync.Mutex
	taken := make(map[int]*lease)
	var all sync.WaitGroup
	for _, n := range shards {
		all.Go(func() {
			start := time.Now()
			ack, err := q.js.Publish(ctx, q.leaseSubject(n), nil, jetstream.WithExpectLastSequencePerSubject(0))
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			taken[n] = &lease{revision: ack.Sequence, expires: start.Add(q.options.Lease), readyAt: math.MaxUint64}
		})
	}
	all.Wait()
	if len(taken) == 0 {
		return
	}
	// An empty batch marks the current end of the log. A new leader of the cluster
	// may report an old one.
	end, err := q.js.Publish(ctx, q.logSubject, q.batchHead())
	q.mu.Lock()
	defer q.mu.Unlock()
	for n, l := range taken {
		if l.releasing = err != nil; err == nil {
			l.readyAt = end.Sequence
		}
		q.held[n] = l
	}
	q.updateOwnedLocked()
}

// releaseExtra marks the leases above the fair share. It releases marked ones without
// running jobs.
func (q *Queue) releaseExtra(ctx context.Context, fair int) {
	q.mu.Lock()
	busy := make(map[int]bool)
	for _, n := range q.running {
		busy[n] = true
	}
	kept := 0
	for _, l := range q.held {
		if !l.releasing {
			kept++
		}
		l.releasing = l.releasing || kept > fair
	}
	var free []uint64
	for n, l := range q.held {
		if l.releasing && !busy[n] {
			free = append(free, l.revision)
			delete(q.held, n)
		}
	}
	q.updateOwnedLocked()
	q.mu.Unlock()
	for _, revision := range free {
		_ = q.leases.DeleteMsg(ctx, revision) // otherwise it expires
	}
}

// drop forgets a lease that was lost. mu is held.
func (q *Queue) drop(n int) {
	delete(q.held, n)
	q.updateOwnedLocked()
}

// updateOwnedLocked tells the Spool which shards Next may return jobs of. mu is held.
func (q *Queue) updateOwnedLocked() {
	q.Own(q.mayBegin)
}

// mayBegin reports whether jobs of a shard may begin. mu is held.
func (q *Queue) mayBegin(n int) bool {
	l := q.held[n]
	return l != nil && !l.releasing && l.readyAt <= q.pos
}

// updateOwned tells the Spool which shards Next may return jobs of.
func (q *Queue) updateOwned() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.updateOwnedLocked()
}

// Begin reports whether this worker still has the lease for a job, and the job is not
// done.
func (q *Queue) Begin(j check.Job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.Part(j.URL)
	if l := q.held[n]; l != nil && !time.Now().Before(l.expires) {
		q.drop(n) // it was not renewed in time
	}
	done, err := q.IsDone(j)
	if err != nil {
		q.stop(err)
	}
	if q.mayBegin(n) && !done {
		q.running[j] = n
		return true
	}
	delete(q.running, j)
	if err := q.Unclaim(j); err != nil {
		q.stop(err)
	}
	return false
}

// end records that a job is not running any more.
func (q *Queue) end(j check.Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.running, j)
}

// releaseAll releases all leases.
func (q *Queue) releaseAll() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(q.ctx), time.Second)
	defer cancel()
	for _, revision := range q.leaseRevisions() {
		_ = q.leases.DeleteMsg(ctx, revision) // otherwise it expires
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.held)
	q.updateOwnedLocked()
	_ = q.leases.Purge(ctx, jetstream.WithPurgeSubject(q.subject("lease.worker."+q.worker))) // otherwise it expires
}
