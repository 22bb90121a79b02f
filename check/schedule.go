package check

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A task is a job that waits for its turn at a server.
type task struct {
	job    Job
	server string // of limit.Server
	tries  int
}

// A schedule gives turns: at each server only so many tasks at once, and so many a
// second. Servers take turns among each other.
//
// It is no limit.Limiter, at which each access waits in a goroutine of its own.
// Thousands of tasks wait here without one, so that a slow server occupies no
// worker. And a server that asks for it is left alone for a while.
type schedule struct {
	perServer int
	every     time.Duration // between two turns at one server; 0 for none

	mu      sync.Mutex
	change  sync.Cond
	room    sync.Cond
	servers map[string]*server
	ready   []*server // with a task whose turn it is
	held    int       // tasks that are not done
	closed  bool
}

// A server has the tasks that wait for one server.
type server struct {
	name    string
	waiting []*task
	moved   []chan struct{} // tasks that a redirect led here; they come first, and each channel is closed at its turn
	active  int
	isReady bool      // it is in ready
	asleep  bool      // a timer wakes it
	next    time.Time // when the next turn is
}

func newSchedule(perServer int, rate float64) *schedule {
	s := &schedule{perServer: perServer, servers: make(map[string]*server)}
	if rate > 0 {
		s.every = time.Duration(float64(time.Second) / rate)
	}
	s.change.L, s.room.L = &s.mu, &s.mu
	return s
}

// add puts a task behind the others of its server. It waits while too many are held.
func (s *schedule) add(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.held >= window && !s.closed {
		s.room.Wait()
	}
	s.held++
	at := s.server(t.server)
	at.waiting = append(at.waiting, t)
	s.wake(at)
}

// take returns a task whose turn it is, and waits for one. It returns nil when
// the schedule is closed and no task is left.
func (s *schedule) take() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for len(s.ready) == 0 {
			if s.closed && s.held == 0 {
				return nil
			}
			s.change.Wait()
		}
		at := s.ready[0]
		s.ready = s.ready[1:]
		at.isReady = false
		if at.active < s.perServer && !time.Now().Before(at.next) {
			t := at.waiting[0]
			at.waiting = at.waiting[1:]
			s.enter(at)
			s.wake(at)
			return t
		}
		s.wake(at) // one that a redirect led here was quicker
	}
}

// enter takes a turn.
func (s *schedule) enter(at *server) {
	at.active++
	if s.every > 0 {
		at.next = time.Now().Add(s.every)
	}
}

// move gives the turn of a task back, and waits for one at another server. It
// returns the error of a context that is done first.
func (s *schedule) move(ctx context.Context, t *task, name string) error {
	turn := make(chan struct{})
	s.mu.Lock()
	s.quit(t.server)
	t.server = name
	at := s.server(name)
	at.moved = append(at.moved, turn)
	s.wake(at)
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(at.moved, turn); i >= 0 {
		at.moved = slices.Delete(at.moved, i, i+1)
		at.active++ // the end of the task gives it back
	}
	return context.Cause(ctx)
}

// pace waits until one more access may begin at a server where it is a task's turn.
// It returns the error of a context that is done first.
func (s *schedule) pace(ctx context.Context, name string) error {
	s.mu.Lock()
	at := s.server(name)
	pause := max(time.Until(at.next), 0)
	at.next = time.Now().Add(pause + s.every)
	s.mu.Unlock()
	return sleep(ctx, pause)
}

// sleep returns the error of a context that is done before a pause is over.
func sleep(ctx context.Context, pause time.Duration) error {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave gives back the turn of a task that was taken and will not be tried again.
func (s *schedule) leave(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quit(t.server)
}

// done ends a task that has left.
func (s *schedule) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held--
	s.room.Signal()
	if s.closed && s.held == 0 {
		s.change.Broadcast()
	}
}

// again puts a task back whose turn comes after a pause. The server that it was at
// is left alone for as long, and so is its own.
func (s *schedule) again(t *task, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := t.server
	t.server = serverOf(t.job.URL)
	own := s.server(t.server)
	own.waiting = append(own.waiting, t)
	for _, at := range []*server{own, s.server(last)} {
		if until := time.Now().Add(wait); until.After(at.next) {
			at.next = until
		}
	}
	s.quit(last)
	s.wake(own)
}

// quit gives a turn back.
func (s *schedule) quit(name string) {
	at := s.server(name)
	at.active--
	s.wake(at)
}

// close tells that no tasks are added any more. Those that are held are taken
// still.
func (s *schedule) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.change.Broadcast()
	s.room.Broadcast()
}

func (s *schedule) server(name string) *server {
	at := s.servers[name]
	if at == nil {
		at = &server{name: name}
		s.servers[name] = at
	}
	return at
}

// wake gives a server its turn, now or when its time has come. One without tasks is
// forgotten then.
func (s *schedule) wake(at *server) {
	empty := len(at.waiting)+len(at.moved) == 0
	if at.isReady && len(at.moved) == 0 || at.asleep || empty && at.active > 0 || at.active >= s.perServer {
		return
	}
	if pause := time.Until(at.next); !at.next.IsZero() && pause > 0 {
		at.asleep = true
		time.AfterFunc(pause, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			at.asleep = false
			s.wake(at)
		})
		return
	}
	if empty {
		delete(s.servers, at.name)
		return
	}
	if len(at.moved) > 0 {
		close(at.moved[0])
		at.moved = at.moved[1:]
		s.enter(at)
		s.wake(at)
		return
	}
	at.isReady = true
	s.ready = append(s.ready, at)
	s.change.Signal()
}
