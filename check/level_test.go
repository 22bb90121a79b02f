package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
)

// slowPages is an Engine of different pages that are slow.
type slowPages map[string]string

func (s slowPages) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, errors.ErrUnsupported
	}
	time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: io.NopCloser(strings.NewReader(s[req.URL.Path()]))}, nil
}

// The depth of a page is its shortest distance, however slow that way is. So a crawl
// with a limit does not depend on the order of the replies.
func TestLevels(t *testing.T) {
	pages := slowPages{
		"/":      "<a href=/a1>a</a><a href=/b1>b</a>",
		"/a1":    "<a href=/a2>a</a>",
		"/a2":    "<a href=/both>a</a>",
		"/b1":    "<a href=/both>b</a>", // the shorter way
		"/both":  "<a href=/last>l</a>",
		"/last":  "<a href=/never>n</a>",
		"/never": "<a href=/never2>n</a>",
	}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			q := NewMemory()
			l := Link{URL: "http://h/"}
			if err := q.Seed(t.Context(), Source{Links: []Link{l}}, []Job{{URL: l.URL, Crawl: true}}); err != nil {
				t.Fatal(err)
			}
			c := &Checker{Engine: pages, Policy: Policy{Recursive: true, IgnoreRobots: true, Depth: 3, Scope: []string{"http://h/"}}}
			if err := c.Run(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			r, err := q.Report(t.Context(), ReportOptions{All: true})
			if err != nil {
				t.Fatal(err)
			}
			// /both is 2 away, /last is 3 and read, /never is 4 and only looked at.
			if got := r.Summary(); got != "7 links: 7 good, 0 dead" {
				t.Errorf("the report says %s", got)
			}
		})
	}
}

// Jobs of a depth come once all jobs of a smaller depth are done. A job that is found
// again deeper keeps its depth.
func TestSpoolDepth(t *testing.T) {
	s := NewMemory()
	at := func(n, depth int) Job { return Job{URL: fmt.Sprintf("http://h/%d", n), Crawl: true, Depth: depth} }
	if err := s.Seed(t.Context(), Source{}, []Job{at(0, 0), at(1, 0)}); err != nil {
		t.Fatal(err)
	}
	next := func(want Job) {
		t.Helper()
		if j, err := s.next(); j != want || err != nil {
			t.Fatalf("next() = %+v, %v, want %+v", j, err, want)
		}
	}
	done := func(j Job, found ...Job) {
		t.Helper()
		if err := s.Done(t.Context(), j, Result{URL: j.URL}, Found{Jobs: found}); err != nil {
			t.Fatal(err)
		}
	}
	next(at(0, 0))
	done(at(0, 0), at(2, 1), at(0, 1), at(1, 1))
	next(at(1, 0))
	if j, err := s.next(); err != io.EOF {
		t.Fatalf("before all of depth 0 are done, next() = %+v, %v", j, err)
	}
	done(at(1, 0), at(3, 5000), Job{URL: "http://h/9"})
	next(at(2, 1))
	done(at(2, 1))
	done(at(2, 1), at(7, 1)) // once is enough
	next(at(3, maxDepth))
	if j, err := s.next(); err != io.EOF {
		t.Fatalf("while pages are walked through, next() = %+v, %v", j, err)
	}
	done(at(3, maxDepth))
	next(Job{URL: "http://h/9"})
	if s.isFinished() {
		t.Error("it is finished before the last is done")
	}
	done(Job{URL: "http://h/9"})
	if _, err := s.Next(t.Context()); err != io.EOF || !s.isFinished() {
		t.Errorf("Next() at the end gives %v", err)
	}
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
