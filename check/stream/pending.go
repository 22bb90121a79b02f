package stream

import (
	"context"
	"sync"
	"time"

	"locus/check"
)

// A pendingJobs holds the jobs that Next has returned. Pending are those that run, and those
// whose results the log does not have yet. If the process is killed, they are checked twice.
// Queue.mu guards it.
type pendingJobs struct {
	taken    map[check.Job]*shard // the jobs that Next has returned and that did not end
	running  map[check.Job]*shard // nil: the job has a place, and does not run yet
	places   chan struct{}        // has a value for each pending job
	unstored int                  // how many of them have a result
	isStored sync.Cond            // unstored is 0
}

// maxPending is how many jobs are pending if Options.Jobs is 0. A check.Checker does not
// check more at once.
const maxPending = 1000

// reserve gives a job a place among those pending, unless it has one. It waits for one.
// It returns false if ctx is done or the queue is closed. mu is held, but not while it
// waits.
func (q *Queue) reserve(ctx context.Context, j check.Job) bool {
	if _, has := q.running[j]; has {
		return true
	}
	if ctx.Err() != nil || q.ctx.Err() != nil {
		return false
	}
	select {
	case q.places <- struct{}{}:
	default:
		if !q.awaitPlace(ctx) {
			return false
		}
		if _, has := q.running[j]; has { // by now
			<-q.places
			return true
		}
	}
	q.running[j] = nil
	return true
}

// awaitPlace takes a place. It returns false if ctx is done or the queue is closed. It
// releases mu while it waits.
func (q *Queue) awaitPlace(ctx context.Context) bool {
	q.mu.Unlock()
	defer q.mu.Lock()
	select {
	case q.places <- struct{}{}:
		return true
	case <-ctx.Done():
	case <-q.ctx.Done():
	}
	return false
}

// finishing returns the shard of a running job whose result is being added; nil if the job
// is not running. The shard stays open until unuse is called, also if the job begins
// anew meanwhile, because the shard was lost and leased again.
func (q *Queue) finishing(j check.Job) *shard {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.running[j]
	if s == nil {
		q.endLocked(j)
		return nil
	}
	delete(q.running, j)
	if q.taken[j] == s {
		delete(q.taken, j)
	}
	q.unstored++
	return s
}

// unuse records that the log has the results of jobs of finishing, or never will. It gets
// the shard of each.
func (q *Queue) unuse(shards ...*shard) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range shards {
		q.useLocked(s, -1)
		<-q.places
	}
	if q.unstored -= len(shards); q.unstored == 0 {
		q.isStored.Broadcast()
	}
}

// endLocked ends the place of a job, if it has one. mu is held.
func (q *Queue) endLocked(j check.Job) {
	s, has := q.running[j]
	if !has {
		return
	}
	delete(q.running, j)
	delete(q.taken, j)
	if s != nil {
		q.useLocked(s, -1)
	}
	<-q.places
}

// useLocked changes the number of jobs of a shard that are pending. mu is held.
func (q *Queue) useLocked(s *shard, n int) {
	s.running += n
	q.closeIfUnused(s)
}

// maxStoring is how long Close waits for results that the log does not have yet.
const maxStoring = 3 * time.Second

// awaitStored waits until the log has all results, for up to maxStoring.
func (q *Queue) awaitStored() {
	ctx, cancel := context.WithTimeout(q.ctx, maxStoring)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.isStored.Broadcast()
	})()
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.unstored > 0 && ctx.Err() == nil {
		q.isStored.Wait()
	}
}
