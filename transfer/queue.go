package transfer

import (
	"context"
	"slices"
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

// A queue is a stack of tasks and the workers that do them. The task that was
// pushed last is done first: a mirror goes down into a directory before it goes on
// to the next one, so that few tasks wait.
type queue struct {
	mu    sync.Mutex
	more  sync.Cond
	tasks []task
	open  int // tasks that wait or are being done
}

// push adds tasks, of which the first is done first.
func (q *queue) push(tasks ...task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tasks = slices.Grow(q.tasks, len(tasks))
	for i := len(tasks) - 1; i >= 0; i-- {
		q.tasks = append(q.tasks, tasks[i])
	}
	q.open += len(tasks)
	if q.more.L == nil {
		q.more.L = &q.mu
	}
	q.more.Broadcast()
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

// done counts a task as done.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open--; q.open == 0 {
		q.more.Broadcast()
	}
}
