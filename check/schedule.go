package check

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A task is a job whose turn at its host is waited for.
type task struct {
	job   Job
	host  string
	tries int
}

// A schedule gives turns: at each host only so many tasks at once, and so many
// a second. Hosts take turns among each other.
type schedule struct {
	perHost int
	every   time.Duration // between two turns at one host; 0 for none

	mu     sync.Mutex
	change sync.Cond
	room   sync.Cond
	hosts  map[string]*lane
	ready  []*lane // with a task whose turn it is
	held   int     // tasks that are not done
	closed bool
}

// A lane is the tasks of one host.
type lane struct {
	host    string
	waiting []*task
	guests  []*guest // that come before those
	active  int
	queued  bool      // in ready
	asleep  bool      // a timer wakes it
	next    time.Time // when the next turn is
}

// A guest is a task of another host that a redirect has led here.
type guest struct{ turn chan struct{} } // closed when it is its turn

func newSchedule(perHost int, rate float64) *schedule {
	s := &schedule{perHost: perHost, hosts: make(map[string]*lane)}
	if rate > 0 {
		s.every = time.Duration(float64(time.Second) / rate)
	}
	s.change.L, s.room.L = &s.mu, &s.mu
	return s
}

// add puts a task at the end of its host's. It waits while too many are held.
func (s *schedule) add(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.held >= window && !s.closed {
		s.room.Wait()
	}
	s.held++
	l := s.lane(t.host)
	l.waiting = append(l.waiting, t)
	s.wake(l)
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
		l := s.ready[0]
		s.ready = s.ready[1:]
		l.queued = false
		if l.active < s.perHost && !time.Now().Before(l.next) {
			t := l.waiting[0]
			l.waiting = l.waiting[1:]
			s.enter(l)
			s.wake(l)
			return t
		}
		s.wake(l) // a guest was quicker
	}
}

// enter takes a turn.
func (s *schedule) enter(l *lane) {
	l.active++
	if s.every > 0 {
		l.next = time.Now().Add(s.every)
	}
}

// move gives the turn of a task back, and waits for one at another host. It
// returns the error of a context that is done first.
func (s *schedule) move(ctx context.Context, t *task, host string) error {
	g := &guest{make(chan struct{})}
	s.mu.Lock()
	s.quit(t.host)
	t.host = host
	l := s.lane(host)
	l.guests = append(l.guests, g)
	s.wake(l)
	s.mu.Unlock()
	select {
	case <-g.turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(l.guests, g); i >= 0 {
		l.guests = slices.Delete(l.guests, i, i+1)
		l.active++ // which its end gives back
	}
	return context.Cause(ctx)
}

// pace waits until one more access may begin at a host where it is a task's turn.
// It returns the error of a context that is done first.
func (s *schedule) pace(ctx context.Context, host string) error {
	s.mu.Lock()
	l := s.lane(host)
	pause := max(time.Until(l.next), 0)
	l.next = time.Now().Add(pause + s.every)
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
	s.quit(t.host)
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

// again puts a task back whose turn comes after a pause. The host that it was at
// is left alone for as long, and its own.
func (s *schedule) again(t *task, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := t.host
	t.host = hostOf(t.job.URL)
	own := s.lane(t.host)
	own.waiting = append(own.waiting, t)
	for _, l := range []*lane{own, s.lane(last)} {
		if at := time.Now().Add(wait); at.After(l.next) {
			l.next = at
		}
	}
	s.quit(last)
	s.wake(own)
}

// quit gives a turn back.
func (s *schedule) quit(host string) {
	l := s.lane(host)
	l.active--
	s.wake(l)
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

func (s *schedule) lane(host string) *lane {
	l := s.hosts[host]
	if l == nil {
		l = &lane{host: host}
		s.hosts[host] = l
	}
	return l
}

// wake lets a lane have its turn, now or when its time has come. One that nobody
// is in is forgotten then.
func (s *schedule) wake(l *lane) {
	empty := len(l.waiting)+len(l.guests) == 0
	if l.queued && len(l.guests) == 0 || l.asleep || empty && l.active > 0 || l.active >= s.perHost {
		return
	}
	if pause := time.Until(l.next); !l.next.IsZero() && pause > 0 {
		l.asleep = true
		time.AfterFunc(pause, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			l.asleep = false
			s.wake(l)
		})
		return
	}
	if empty {
		delete(s.hosts, l.host)
		return
	}
	if len(l.guests) > 0 {
		close(l.guests[0].turn)
		l.guests = l.guests[1:]
		s.enter(l)
		s.wake(l)
		return
	}
	l.queued = true
	s.ready = append(s.ready, l)
	s.change.Signal()
}
