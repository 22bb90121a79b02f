package check

import (
	"context"
	"slices"
	"sync"
	"time"

	"locus/internal/memory"
	"locus/retry"
)

// A task is a job with the state of its attempts. It has a turn from take until leave, retry or an error of move.
type task struct {
	job   Job
	own   string // the pool of the job's URL
	pool  string // the pool in which it has a turn, or waits for one
	tries int    // the number of attempts so far

	memory *memory.Share // for the page that is read, and for its links
}

// newTask returns the task for j before its first attempt. pool is the name of the pool of its URL.
func newTask(j Job, pool string) *task { return &task{job: j, own: pool, pool: pool} }

// A schedule gives turns to tasks. A turn is the permission for a task to send requests to one server. The schedule
// limits how many tasks have turns at one server at the same time, and how many turns begin there per second. Workers
// take tasks from all servers in rotation.
//
// The unit of the limits is a pool, which is a server or a part of one (see split.go); the type server is such a pool.
// A schedule is not a limit.Limiter, for three reasons:
//
//   - A task needs three things at the same moment: a turn at its server, the time at which Policy.Rate or a pause
//     after a failure allows the next request, and a worker. A Limiter only gives a turn. A task would hold the turn,
//     or a worker, while it waits for the rest. Then workers would idle because of a slow server, or requests would
//     come in bursts.
//   - Limiter.Wait blocks a goroutine. Here up to maxOpen tasks wait, each for its own server, without a goroutine
//     and its stack.
//   - A task keeps its turn from HEAD to GET, and over redirects to the same server. Queue.Begin is asked when the
//     task has the turn, because its lease may expire while it waits. A limit.Engine takes a turn for each request.
type schedule struct {
	limits func(pool string) poolLimit

	mu      sync.Mutex
	changed sync.Cond // signals that ready, closed or aborted has changed
	hasRoom sync.Cond // signals that open is below maxOpen
	servers map[string]*server
	ready   []*server // the servers that have a turn for a pending task now
	open    int       // the number of tasks that were added and are not done
	ended   int       // the number of tasks that are done
	idle    int       // the number of workers that wait for a task
	closed  bool      // no further tasks are added
	aborted bool      // take returns no further tasks
}

// A server is one pool of a schedule: its tasks and its turns.
type server struct {
	name       string
	perServer  int             // the number of turns
	interval   time.Duration   // the time between two turns; 0 for none
	pending    []*task         // the tasks that wait for a turn
	redirected []chan struct{} // one for each task that a redirect led here; closed when the task gets its turn; these tasks come before pending
	active     int             // the number of turns in use
	isReady    bool            // the server is in ready
	isAsleep   bool            // a timer will wake the server
	next       time.Time       // the time at which the next turn may begin
}

// newSchedule returns an empty schedule. limits returns the limits of the named pool.
func newSchedule(limits func(pool string) poolLimit) *schedule {
	s := &schedule{limits: limits, servers: make(map[string]*server)}
	s.changed.L, s.hasRoom.L = &s.mu, &s.mu
	return s
}

// add adds a task behind the other tasks of its pool. It waits while maxOpen tasks are open, unless the schedule is
// closed.
func (s *schedule) add(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.open >= maxOpen && !s.closed {
		s.hasRoom.Wait()
	}
	s.open++
	at := s.server(t.pool)
	at.pending = append(at.pending, t)
	s.wake(at)
}

// take waits for a task that has a turn, and returns it. It returns nil when the schedule is closed and all tasks are
// done, or when it is aborted.
func (s *schedule) take() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for len(s.ready) == 0 && !s.aborted {
			if s.closed && s.open == 0 {
				return nil
			}
			s.idle++
			s.changed.Wait()
			s.idle--
		}
		if s.aborted {
			return nil
		}
		at := s.ready[0]
		s.ready = s.ready[1:]
		at.isReady = false
		if at.active < at.perServer && !time.Now().Before(at.next) {
			t := at.pending[0]
			at.pending = at.pending[1:]
			s.enter(at)
			s.wake(at)
			return t
		}
		s.wake(at) // a redirected task took the turn
	}
}

// enter begins a turn in a pool: it counts the turn, and sets the time at which the next turn may begin. It does not
// wait, so the caller must know that a turn is free. The caller holds mu.
func (s *schedule) enter(at *server) {
	at.active++
	if at.interval > 0 {
		at.next = time.Now().Add(at.interval)
	}
}

// move ends the turn of a task, and waits for a turn in the named pool. If ctx ends first, move returns the cause of
// ctx. The task then still counts as having a turn in the new pool, so that the caller must end the turn with leave or
// retry even after an error.
func (s *schedule) move(ctx context.Context, t *task, name string) error {
	turn := make(chan struct{})
	s.mu.Lock()
	s.endTurn(t.pool)
	t.pool = name
	at := s.server(name)
	at.redirected = append(at.redirected, turn)
	s.wake(at)
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(at.redirected, turn); i >= 0 {
		at.redirected = slices.Delete(at.redirected, i, i+1)
		at.active++ // leave will end this turn
	}
	return context.Cause(ctx)
}

// hasPace reports whether the rate of requests in the named pool is limited.
func (s *schedule) hasPace(name string) bool {
	return s.limits(name).rate > 0
}

// pace waits until the named pool allows the next request of a task that already has its turn there, and so keeps the
// interval between requests. If ctx ends first, it returns the cause of ctx.
func (s *schedule) pace(ctx context.Context, name string) error {
	s.mu.Lock()
	at := s.server(name)
	pause := max(time.Until(at.next), 0)
	at.next = time.Now().Add(pause + at.interval)
	s.mu.Unlock()
	return retry.Sleep(ctx, pause)
}

// leave ends the turn of a task that needs no further attempt. The task must have a turn. The caller calls done
// afterwards.
func (s *schedule) leave(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endTurn(t.pool)
}

// done counts a task as done, so that add may add another. It is called after leave.
func (s *schedule) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	s.ended++
	s.hasRoom.Signal()
	if s.closed && s.open == 0 {
		s.changed.Broadcast()
	}
}

// progress returns the number of tasks that are done. isBehind is true if tasks with a free turn wait because all
// workers are busy.
func (s *schedule) progress() (done int, isBehind bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended, len(s.ready) > 0 && s.idle == 0
}

// retry ends the turn of a task, and adds the task again for its next attempt. The server of its URL and the server of
// its last turn get no requests until wait is over.
func (s *schedule) retry(t *task, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := t.pool
	t.pool = t.own
	own := s.server(t.own)
	own.pending = append(own.pending, t)
	until := time.Now().Add(wait)
	for _, name := range []string{t.own, last} {
		for _, at := range s.siblings(name) {
			if until.After(at.next) {
				at.next = until
			}
		}
	}
	s.endTurn(last)
	s.wake(own)
}

// siblings returns the pools of all parts of the server to which the named pool belongs, except the parts without
// tasks. If the server has only one part, it returns the named pool, which it creates if necessary.
func (s *schedule) siblings(name string) (all []*server) {
	n := s.limits(name).parts
	if n == 1 {
		return []*server{s.server(name)}
	}
	for part := range n {
		if at := s.servers[partName(serverIn(name), part)]; at != nil {
			all = append(all, at)
		}
	}
	return all
}

// endTurn ends a turn in the named pool, and gives it to the next task. The caller holds mu.
func (s *schedule) endTurn(name string) {
	at := s.server(name)
	at.active--
	s.wake(at)
}

// close says that no further tasks are added. Open tasks are still taken.
func (s *schedule) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.changed.Broadcast()
	s.hasRoom.Broadcast()
}

// abort closes the schedule, and makes take return nil.
func (s *schedule) abort() {
	s.mu.Lock()
	s.aborted = true
	s.mu.Unlock()
	s.close()
}

// server returns the named pool, and creates it if necessary. The caller holds mu. The first turns in the parts of a
// server are spread over the interval.
func (s *schedule) server(name string) *server {
	at := s.servers[name]
	if at == nil {
		l := s.limits(name)
		at = &server{name: name, perServer: l.jobs}
		if l.rate > 0 {
			at.interval = time.Duration(float64(time.Second) / l.rate)
		}
		if l.part > 0 && at.interval > 0 {
			at.next = time.Now().Add(at.interval * time.Duration(l.part) / time.Duration(l.parts))
		}
		s.servers[name] = at
	}
	return at
}

// wake gives a free turn in a pool to the next task: to a redirected task at once, and otherwise by adding the pool to
// ready. If the turn may not begin yet, wake sets a timer that calls wake again. It deletes a pool without tasks. The
// caller holds mu.
func (s *schedule) wake(at *server) {
	empty := len(at.pending)+len(at.redirected) == 0
	if at.isReady && len(at.redirected) == 0 || at.isAsleep || empty && at.active > 0 || at.active >= at.perServer {
		return
	}
	if pause := time.Until(at.next); !at.next.IsZero() && pause > 0 {
		at.isAsleep = true
		time.AfterFunc(pause, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			at.isAsleep = false
			s.wake(at)
		})
		return
	}
	if empty {
		delete(s.servers, at.name)
		return
	}
	if len(at.redirected) > 0 {
		close(at.redirected[0])
		at.redirected = at.redirected[1:]
		s.enter(at)
		s.wake(at)
		return
	}
	at.isReady = true
	s.ready = append(s.ready, at)
	s.changed.Signal()
}
