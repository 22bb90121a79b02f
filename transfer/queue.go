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

	next   *task // what follows it on its connection; nil if that is not known
	absent bool  // there is nothing of its name here
}

// A queue is the tasks that are not done yet. The last one in is the first one
// out, so that a mirror goes down before it goes on: what waits then is little.
type queue struct {
	mu    sync.Mutex
	more  sync.Cond
	tasks []task
	open  int // tasks that wait or are under way

	// pairs, if not nil, reports whether b may be kept for the connection of a,
	// which comes first.
	pairs func(a, b *task) bool
}

// A lane is a turn to fetch from the server, and with it a connection.
type lane struct {
	next *task // what is kept for it; nil for nothing
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

// work does all tasks and those that they push, so many at once, beside as many
// that have left already and have only to come to their end. When ctx is done it
// begins no more.
func (q *queue) work(ctx context.Context, jobs int, do func(ctx context.Context, t task, leave func())) {
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.more.Broadcast()
	})()
	lanes := make(chan *lane, jobs)
	for range jobs {
		lanes <- &lane{}
	}
	var all sync.WaitGroup
	for range 2 * jobs {
		all.Go(func() {
			for q.one(ctx, lanes, do) {
			}
		})
	}
	all.Wait()
}

// one does a task when there is a lane for it, and reports whether there was one.
func (q *queue) one(ctx context.Context, lanes chan *lane, do func(ctx context.Context, t task, leave func())) bool {
	l := <-lanes
	leave := sync.OnceFunc(func() { lanes <- l })
	defer leave()
	t, ok := q.take(ctx, l)
	if !ok {
		return false
	}
	defer q.done()
	do(ctx, t, leave)
	return true
}

// take takes the next task of a lane, and keeps for the lane the one that follows
// if the two make a pair.
func (q *queue) take(ctx context.Context, l *lane) (task, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for l.next == nil && len(q.tasks) == 0 && q.open > 0 && ctx.Err() == nil {
		q.more.Wait()
	}
	if l.next == nil && len(q.tasks) == 0 || ctx.Err() != nil {
		return task{}, false
	}
	var t task
	if l.next != nil {
		t, l.next = *l.next, nil
	} else {
		t = q.pop()
	}
	if last := len(q.tasks) - 1; last >= 0 && q.pairs != nil && q.pairs(&t, &q.tasks[last]) {
		following := q.pop()
		l.next, t.next = &following, &following
	}
	return t, true
}

func (q *queue) pop() task {
	last := len(q.tasks) - 1
	t := q.tasks[last]
	q.tasks[last] = task{}
	q.tasks = q.tasks[:last]
	return t
}

func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open--; q.open == 0 {
		q.more.Broadcast()
	}
}
