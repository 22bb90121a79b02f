package check

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// A task that is cancelled while it waits for a turn at another server keeps no turn.
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
			t.Errorf("move gives %v", err)
		}
		s.leave(first)
		s.done()
		s.add(newTask(Job{}, second.pool))
		if len(s.ready) > 0 {
			t.Error("two are to be at a server that takes one")
		}
		s.leave(second)
		s.done()
		s.leave(s.take())
		s.done()
		if len(s.servers) > 0 || s.open != 0 {
			t.Errorf("%d servers are remembered, %d tasks held", len(s.servers), s.open)
		}
	})
}

// A server without tasks is forgotten once its pause is over.
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
			t.Error("a server is accessed anew before the pause is over")
		}
		s.leave(s.take())
		s.done()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(s.servers) > 0 {
			t.Errorf("%d servers are remembered", len(s.servers))
		}
	})
}
