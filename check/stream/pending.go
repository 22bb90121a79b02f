package stream

import (
	"context"
	"sync"
	"time"

	"locus/check"
)

// pending holds the jobs that Next has returned. Pending are the jobs that run, and jobs
// whose results the log does not have yet. If the process is killed, they are checked twice.
type pending struct {
	ctx    context.Context // of the Queue
	places chan struct{}   // has a value for each pending job
	stored bell            // unstored is 0

	mu       sync.Mutex
	taken    map[check.Job]*shard // the jobs that Next has returned and that did not end
	running  map[check.Job]*shard // nil: the job has a place, and does not run yet
	unstored int                  // how many pending jobs have a result
}

// maxPending is how many jobs are pending if Options.Jobs is 0. A check.Checker does not
// check more at once.
const maxPending = 1000

func newPending(ctx context.Context, most int) *pending {
	return &pending{ctx: ctx, places: make(chan struct{}, most), taken: make(map[check.Job]*shard), running: make(map[check.Job]*shard)}
}

// take records that Next returns a job of a shard.
func (p *pending) take(j check.Job, s *shard) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken[j] = s
}

// begin gives a job a place, and reports whether an attempt at it may begin: this worker still
// has the lease of the shard that Next took it from. It waits for a place.
func (p *pending) begin(ctx context.Context, j check.Job) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reserve(ctx, j) {
		return false, nil
	}
	s := p.taken[j]
	if before := p.running[j]; before != nil && before != s { // that shard was lost and leased again
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

// reserve gives a job a place among the pending ones, unless it has one. It waits for one.
// It returns false if ctx is done or the queue is closed. mu is held, but not while it
// waits.
func (p *pending) reserve(ctx context.Context, j check.Job) bool {
	if _, has := p.running[j]; has {
		return true
	}
	if ctx.Err() != nil || p.ctx.Err() != nil {
		return false
	}
	select {
	case p.places <- struct{}{}:
	default:
		if !p.awaitPlace(ctx) {
			return false
		}
		if _, has := p.running[j]; has { // by now
			<-p.places
			return true
		}
	}
	p.running[j] = nil
	return true
}

// awaitPlace takes a place. It returns false if ctx is done or the queue is closed. It
// releases mu while it waits.
func (p *pending) awaitPlace(ctx context.Context) bool {
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case p.places <- struct{}{}:
		return true
	case <-ctx.Done():
	case <-p.ctx.Done():
	}
	return false
}

// finish returns the shard of a running job whose result is being added; nil if the job
// is not running. The job stays pending until store is called, also if it begins
// anew meanwhile, because the shard was lost and leased again.
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

// store records that the log has the results of jobs of finish, or never will. It gets
// the shard of each.
func (p *pending) store(shards ...*shard) {
	for _, s := range shards {
		s.end()
		<-p.places
	}
	p.mu.Lock()
	p.unstored -= len(shards)
	isLast := p.unstored == 0
	p.mu.Unlock()
	if isLast {
		p.stored.ring()
	}
}

// end ends the place of a job, if it has one. mu is held.
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
	<-p.places
}

// countUnstored returns how many jobs have a result that the log does not have.
func (p *pending) countUnstored() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unstored
}

// maxStoring is how long Close waits for results that the log does not have yet.
const maxStoring = 3 * time.Second

// awaitStored waits until the log has all results, for up to maxStoring.
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
