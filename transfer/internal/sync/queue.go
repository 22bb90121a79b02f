package sync

import (
	"context"
	"sync"
	"time"

	"locus/access"
	"locus/internal/spill"
	"locus/url"
)

// A task is one directory, file or page that a mirror has to fetch, or one entry of
// a listing.
type task struct {
	url     url.URL
	name    string // local name; "" if it is not known yet
	title   string // of an entry without a URL; also the media type of a page to convert
	isDir   bool
	kind    access.Kind // in the listing
	size    int64       // in the listing; -1 if unknown
	modTime time.Time   // in the listing
	level   int         // below the root, which has level 0
	absent  bool        // no local file has its name
	parts   int         // how many parts of pages led to it, itself included; 0: no page loads it
	unique  string      // the id of a directory, see loops; "": unknown
}

// A queue is a stack of tasks, and the workers that do them. The tasks that were pushed last are
// done first. So a mirror finishes a directory before the next one, and few tasks are pending.
type queue struct {
	store *spill.Store

	mu      sync.Mutex
	changed sync.Cond
	pending []*taskQueue // never with an empty one; tasks are taken from the last one
	merged  int          // how many at the start of pending are results of merge
	open    int          // tasks that are pending or running
}

// maxPending is the number of pending task queues above which most are merged.
const maxPending = 512

// push adds tasks. The first one is done first.
func (q *queue) push(tasks ...task) {
	s := newTasks(q.store)
	for _, t := range tasks {
		s.Add(t)
	}
	q.pushAll(s)
}

// pushAll adds all tasks of a task queue, which the caller must not use any more. They are done
// before the tasks that were pushed earlier.
func (q *queue) pushAll(tasks *taskQueue) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if tasks.Len() > 0 {
		q.pending = append(q.pending, tasks)
		q.open += tasks.Len()
	}
	if len(q.pending)-q.merged > maxPending {
		q.merge()
	}
	if q.changed.L == nil {
		q.changed.L = &q.mu
	}
	q.changed.Broadcast()
}

// merge replaces most of the pending task queues by one, and moves it out of memory, because web
// pages give many queues with a few tasks each, which take more memory than one. The lock is held.
func (q *queue) merge() {
	some := q.pending[q.merged : len(q.pending)-maxPending/8]
	all := newTasks(q.store)
	for i := len(some) - 1; i >= 0; i-- {
		for t := range some[i].All() {
			all.Add(t)
		}
	}
	all.Seal()
	rest := q.pending[len(q.pending)-maxPending/8:]
	q.pending = append(append(q.pending[:q.merged:q.merged], all), rest...)
	q.merged++
}

// work calls do for all tasks, and for the tasks that they push, and returns when they have ended.
// At most jobs tasks use the server at once. A task calls received when it does not need the
// server any more, and then the next task begins. At most jobs further tasks are in that state.
// When ctx is done, the tasks that have not begun stay in the queue.
func (q *queue) work(ctx context.Context, jobs int, do func(ctx context.Context, t task, received func())) {
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.changed.Broadcast()
	})()
	slots := make(chan struct{}, jobs)
	var workers sync.WaitGroup
	for range 2 * jobs {
		workers.Go(func() {
			for q.workOnce(ctx, slots, do) {
			}
		})
	}
	workers.Wait()
}

// workOnce waits for a slot and a task, and does the task. It returns false, and does no task,
// after the last task or when ctx is done.
func (q *queue) workOnce(ctx context.Context, slots chan struct{}, do func(ctx context.Context, t task, received func())) bool {
	slots <- struct{}{}
	received := sync.OnceFunc(func() { <-slots })
	defer received()
	t, ok := q.take(ctx)
	if !ok {
		return false
	}
	defer q.done()
	do(ctx, t, received)
	return true
}

// take waits for a task, and removes it from the queue. ok is false after the last task, or when
// ctx is done.
func (q *queue) take(ctx context.Context) (t task, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.pending) == 0 && q.open > 0 && ctx.Err() == nil {
		q.changed.Wait()
	}
	if len(q.pending) == 0 || ctx.Err() != nil {
		return task{}, false
	}
	last := len(q.pending) - 1
	t, ok = q.pending[last].Next()
	if q.pending[last].Len() == 0 {
		q.pending[last] = nil
		q.pending = q.pending[:last]
		q.merged = min(q.merged, last)
	}
	return t, ok
}

// done records that a task that take returned has ended.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open--; q.open == 0 {
		q.changed.Broadcast()
	}
}
