package transfer

import (
	"context"
	"sync"
	"time"

	"locus/access"
	"locus/url"
)

// A task is one directory, file or page of a mirror that is to be fetched.
type task struct {
	url     url.URL
	name    string // of the file or directory, as far as it is known before
	dir     bool
	kind    access.Kind // as the listing has it
	size    int64
	modTime time.Time
	level   int // 0 is the root

	absent bool // nothing has its name here
}

// A queue is a stack of tasks and the workers that do them. The tasks that were
// pushed last are done first: a mirror goes down into a directory before it goes on
// to the next one, so that few tasks wait.
type queue struct {
	spool *spool // nil: all tasks wait in memory

	mu      sync.Mutex
	more    sync.Cond
	waiting []*stream // none is empty; tasks are taken from the last one
	joined  int       // how many of them, from the first one, join has made
	open    int       // tasks that wait or are being done
}

// maxWaiting is how many streams wait before most of them become one.
const maxWaiting = 512

// push adds tasks, of which the first is done first.
func (q *queue) push(tasks ...task) {
	s := &stream{spool: q.spool}
	for _, t := range tasks {
		s.add(streamed{task: t})
	}
	q.pushAll(s)
}

// pushAll adds the tasks of a stream, which is the queue's from now on.
func (q *queue) pushAll(tasks *stream) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if tasks.count > 0 {
		q.waiting = append(q.waiting, tasks)
		q.open += tasks.count
	}
	if len(q.waiting)-q.joined > maxWaiting {
		q.join()
	}
	if q.more.L == nil {
		q.more.L = &q.mu
	}
	q.more.Broadcast()
}

// join makes one stream of most of those that wait, and lets it leave memory: many
// that have a few tasks each, as pages of the web give, take more memory than one.
func (q *queue) join() {
	some := q.waiting[q.joined : len(q.waiting)-maxWaiting/8]
	all := &stream{spool: q.spool}
	for i := len(some) - 1; i >= 0; i-- {
		for t := range some[i].all {
			all.add(t)
		}
	}
	all.seal()
	rest := q.waiting[len(q.waiting)-maxWaiting/8:]
	q.waiting = append(append(q.waiting[:q.joined:q.joined], all), rest...)
	q.joined++
}

// work does all tasks, and those that they push. At most jobs tasks use the server
// at once. A task that calls leave needs the server no more, and another one may
// begin; at most jobs tasks more are in that state. When ctx is done no task begins.
func (q *queue) work(ctx context.Context, jobs int, do func(ctx context.Context, t task, leave func())) {
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.more.Broadcast()
	})()
	turns := make(chan struct{}, jobs)
	var workers sync.WaitGroup
	for range 2 * jobs {
		workers.Go(func() {
			for q.one(ctx, turns, do) {
			}
		})
	}
	workers.Wait()
}

// one waits for a turn and a task, and does the task. It returns false if no more
// tasks come.
func (q *queue) one(ctx context.Context, turns chan struct{}, do func(ctx context.Context, t task, leave func())) bool {
	turns <- struct{}{}
	leave := sync.OnceFunc(func() { <-turns })
	defer leave()
	t, ok := q.take(ctx)
	if !ok {
		return false
	}
	defer q.done()
	do(ctx, t, leave)
	return true
}

// take waits for a task and takes it. It returns false if no more come.
func (q *queue) take(ctx context.Context) (task, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && q.open > 0 && ctx.Err() == nil {
		q.more.Wait()
	}
	if len(q.waiting) == 0 || ctx.Err() != nil {
		return task{}, false
	}
	last := len(q.waiting) - 1
	t, ok := q.waiting[last].next()
	if q.waiting[last].count == 0 {
		q.waiting[last] = nil
		q.waiting = q.waiting[:last]
		q.joined = min(q.joined, last)
	}
	return t.task, ok
}

// done counts a task as done.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open--; q.open == 0 {
		q.more.Broadcast()
	}
}
