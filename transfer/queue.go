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
}

// A queue is the tasks that are not done yet. The last one in is the first one
// out, so that a mirror goes down before it goes on: what waits then is little.
type queue struct {
	mu    sync.Mutex
	more  sync.Cond
	tasks []task
	open  int // tasks that wait or are under way
}

// push adds tasks, of which the first is done first.
func (q *queue) push(tasks ...task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := len(tasks) - 1; i >= 0; i-- {
		q.tasks = append(q.tasks, tasks[i])
	}
	q.open += len(tasks)
	if q.more.L == nil {
		q.more.L = &q.mu
	}
	q.more.Broadcast()
}

// work does all tasks and those that they push, so many at once, beside as many
// that have left already and have only to come to their end. When ctx is done it
// begins no more.
func (q *queue) work(ctx context.Context, jobs int, do func(ctx context.Context, t task, leave func())) {
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.more.Broadcast()
	})()
	turns := make(chan struct{}, jobs)
	var all sync.WaitGroup
	for range 2 * jobs {
		all.Go(func() {
			for q.one(ctx, turns, do) {
			}
		})
	}
	all.Wait()
}

// one does a task when it is its turn, and reports whether there was one.
func (q *queue) one(ctx context.Context, turns chan struct{}, do func(ctx context.Context, t task, leave func())) bool {
	turns <- struct{}{}
	leave := sync.OnceFunc(func() { <-turns })
	defer leave()
	t, ok := q.next(ctx)
	if !ok {
		return false
	}
	defer q.done()
	do(ctx, t, leave)
	return true
}

func (q *queue) next(ctx context.Context) (task, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.tasks) == 0 && q.open > 0 && ctx.Err() == nil {
		q.more.Wait()
	}
	if len(q.tasks) == 0 || ctx.Err() != nil {
		return task{}, false
	}
	last := len(q.tasks) - 1
	t := q.tasks[last]
	q.tasks[last] = task{}
	q.tasks = q.tasks[:last]
	return t, true
}

func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open--; q.open == 0 {
		q.more.Broadcast()
	}
}
