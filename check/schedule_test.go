package check

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// A task whose context is canceled while it waits for a turn at another server keeps no turn.
func TestMoveCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule(func(string) poolLimit { return poolLimit{1, 0, 0, 1} })
		for _, server := range []string{"a", "z"} {
			s.add(newTask(Job{}, server))
		}
		first, second := s.take(), s.take()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.move(ctx, first, second.pool); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("move with a context that was canceled = %v", err)
		}
		s.leave(first)
		s.done()
		s.add(newTask(Job{}, second.pool))
		if len(s.ready) > 0 {
			t.Error("two tasks have a turn at a server that takes one")
		}
		s.leave(second)
		s.done()
		s.leave(s.take())
		s.done()
		if len(s.servers) > 0 || s.open != 0 {
			t.Errorf("the schedule remembers %d servers and holds %d tasks, want 0 and 0", len(s.servers), s.open)
		}
	})
}

// A server without tasks is forgotten when its pause is over.
func TestScheduleForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule(func(string) poolLimit { return poolLimit{1, 0.5, 0, 1} })
		for n := range 3 {
			s.add(newTask(Job{}, fmt.Sprint(n)))
			task := s.take()
			s.leave(task)
			s.done()
		}
		s.add(newTask(Job{}, "0"))
		time.Sleep(time.Second)
		synctest.Wait()
		if len(s.ready) > 0 {
			t.Error("a task gets a turn before the pause of its server is over")
		}
		s.leave(s.take())
		s.done()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(s.servers) > 0 {
			t.Errorf("after the pause, the schedule remembers %d servers", len(s.servers))
		}
	})
}
