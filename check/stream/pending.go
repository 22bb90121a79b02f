package stream

import (
	"context"
	"sync"
	"time"

	"locus/check"
)

// A pendingJobs holds the pending jobs: those that run, and those whose results the log does not
// have yet. If the process is killed, they are checked twice. Queue.mu guards it.
type pendingJobs struct {
	running  map[check.Job]*shard // nil: the job has a place, and does not run yet
	most     int                  // how many jobs may be pending; it does not change
	places   int                  // how many are
	unstored int                  // of them, how many have a result
	hasPlace sync.Cond            // places is smaller
	isStored sync.Cond            // unstored is 0
}

// maxPending is how many jobs are pending if Options.Jobs is 0. A check.Checker does not
// check more at once.
const maxPending = 1000

// reserve gives a job a place among those pending, unless it has one. It waits for one.
// It returns false if ctx is done or the queue is closed.
func (q *Queue) reserve(ctx context.Context, j check.Job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, has := q.running[j]; has {
		return true
	}
	if q.places >= q.most {
		q.await(ctx, &q.hasPlace, func() bool { return q.places < q.most })
	}
	if ctx.Err() != nil || q.ctx.Err() != nil {
		return false
	}
	q.running[j] = nil
	q.places++
	return true
}

// free ends the place of a job. mu is held.
func (q *Queue) free() {
	q.places--
	q.hasPlace.Signal()
}

// await waits until a condition holds, ctx is done or the queue is closed. changed is told
// when that may be so. mu is held.
func (q *Queue) await(ctx context.Context, changed *sync.Cond, holds func() bool) {
	wake := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		changed.Broadcast()
	}
	defer context.AfterFunc(ctx, wake)()
	defer context.AfterFunc(q.ctx, wake)()
	for !holds() && ctx.Err() == nil && q.ctx.Err() == nil {
		changed.Wait()
	}
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
	q.unstored++
	return s
}

// unuse records that the log has the result of a job of finishing, or never will.
func (q *Queue) unuse(s *shard) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.useLocked(s, -1)
	q.free()
	if q.unstored--; q.unstored == 0 {
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
	if s != nil {
		q.useLocked(s, -1)
	}
	q.free()
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
	q.mu.Lock()
	defer q.mu.Unlock()
	q.await(ctx, &q.isStored, func() bool { return q.unstored == 0 })
}
