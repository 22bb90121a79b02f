package stream

import (
	"cmp"
	"context"
	"math"
	"sync"
	"time"

	"locus/check"
)

// pending keeps the jobs that Next has returned. A job is pending while it runs, and until the log contains its result.
// Pending jobs are limited, because they are checked again if the process is killed. The limit leaves room for results
// besides the jobs that run, so that a job can begin when the request of another one has ended.
type pending struct {
	ctx    context.Context // of the Queue
	slots  chan struct{}   // has a value for each pending job
	stored notifier        // notified when unstored is 0

	mu       sync.Mutex
	taken    map[check.Job]*shard // the jobs that Next has returned and that have not ended
	running  map[check.Job]*shard // the jobs that have a slot; the shard is nil until the job runs
	unstored int                  // how many results the log does not contain yet
}

// maxRunning is how many jobs run at most if Options.Jobs is 0. A check.Checker does not check more at the same time.
const maxRunning = 1000

// newPending returns an empty pending. jobs is how many jobs the worker runs at the same time: 0 means maxRunning, and
// a negative value means no limit. The queue is closed when ctx is done.
func newPending(ctx context.Context, jobs int) *pending {
	slots := math.MaxInt32 // values of type struct{} take no memory
	if jobs = cmp.Or(jobs, maxRunning); jobs > 0 {
		slots = jobs + (jobs+1)/2
	}
	return &pending{ctx: ctx, slots: make(chan struct{}, slots), taken: make(map[check.Job]*shard), running: make(map[check.Job]*shard)}
}

// take records that Next returns the job j of the shard s.
func (p *pending) take(j check.Job, s *shard) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken[j] = s
}

// begin reports whether an attempt at j may begin: this worker still has the lease of the shard from which Next took j.
// At the first attempt, begin waits for a slot. If the attempt must not begin, begin frees the slot and gives the job
// back to its shard. The error says that giving it back failed.
func (p *pending) begin(ctx context.Context, j check.Job) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reserve(ctx, j) {
		return false, nil
	}
	s := p.taken[j]
	if before := p.running[j]; before != nil && before != s { // the shard was lost and leased again
		p.running[j] = nil
		before.end()
	}
	if s != nil && s.begin(p.running[j] == nil) {
		p.running[j] = s
		return true, nil
	}
	p.end(j)
	if s == nil {
		return false, nil
	}
	return false, s.release(j)
}

// reserve gives j a slot, unless it has one. It returns false if ctx is done or the queue is closed before a slot is
// free. The caller holds mu, which reserve releases while it waits.
func (p *pending) reserve(ctx context.Context, j check.Job) bool {
	if _, has := p.running[j]; has {
		return true
	}
	if ctx.Err() != nil || p.ctx.Err() != nil {
		return false
	}
	select {
	case p.slots <- struct{}{}:
	default:
		if !p.awaitSlot(ctx) {
			return false
		}
		if _, has := p.running[j]; has { // another attempt has got a slot meanwhile
			<-p.slots
			return true
		}
	}
	p.running[j] = nil
	return true
}

// awaitSlot waits for a slot and takes it. It returns false if ctx is done or the queue is closed before. The caller
// holds mu, which awaitSlot releases while it waits.
func (p *pending) awaitSlot(ctx context.Context) bool {
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case p.slots <- struct{}{}:
		return true
	case <-ctx.Done():
	case <-p.ctx.Done():
	}
	return false
}

// finish ends a running job, whose result is now known, and returns its shard. The slot stays taken until store is
// called. Meanwhile the same job may begin again, if the shard was lost and leased again. If the job is not running,
// finish frees its slot, if it has one, and returns nil.
func (p *pending) finish(j check.Job) *shard {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.running[j]
	if s == nil {
		p.end(j)
		return nil
	}
	delete(p.running, j)
	if p.taken[j] == s {
		delete(p.taken, j)
	}
	p.unstored++
	return s
}

// store records that the log contains the results of finished jobs, or will never contain them, and frees their slots.
// shards has the shard that finish returned for each of the jobs.
func (p *pending) store(shards ...*shard) {
	for _, s := range shards {
		s.end()
		<-p.slots
	}
	p.mu.Lock()
	p.unstored -= len(shards)
	isLast := p.unstored == 0
	p.mu.Unlock()
	if isLast {
		p.stored.notify()
	}
}

// end removes a job that has a slot but no result, and frees the slot. It has no effect on any other job. The caller
// holds mu.
func (p *pending) end(j check.Job) {
	s, has := p.running[j]
	if !has {
		return
	}
	delete(p.running, j)
	delete(p.taken, j)
	if s != nil {
		s.end()
	}
	<-p.slots
}

// countUnstored returns the number of jobs that finish has ended and store has not recorded yet.
func (p *pending) countUnstored() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unstored
}

// maxStoring is how long Close waits for results that the log does not contain yet.
const maxStoring = 3 * time.Second

// awaitStored waits until the log contains all results, for up to maxStoring.
func (p *pending) awaitStored() {
	ctx, cancel := context.WithTimeout(p.ctx, maxStoring)
	defer cancel()
	for {
		stored := p.stored.next()
		if p.countUnstored() == 0 {
			return
		}
		select {
		case <-stored:
		case <-ctx.Done():
			return
		}
	}
}
