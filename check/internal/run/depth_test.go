package run

import (
	"fmt"
	"io"
	"testing"

	"locus/check"
)

// Jobs of a depth come once all jobs of a smaller depth are done. A job that is found
// again deeper keeps its depth.
func TestSpoolDepth(t *testing.T) {
	s := NewMemory()
	at := func(n, depth int) check.Job {
		return check.Job{URL: fmt.Sprintf("http://h/%d", n), Crawl: true, Depth: depth}
	}
	if err := s.Seed(t.Context(), check.Source{}, []check.Job{at(0, 0), at(1, 0)}); err != nil {
		t.Fatal(err)
	}
	next := func(want check.Job) {
		t.Helper()
		if j, err := s.next(); j != want || err != nil {
			t.Fatalf("next() = %+v, %v, want %+v", j, err, want)
		}
	}
	done := func(j check.Job, found ...check.Job) {
		t.Helper()
		if err := s.Done(t.Context(), j, check.Result{URL: j.URL}, check.Found{Jobs: found}); err != nil {
			t.Fatal(err)
		}
	}
	next(at(0, 0))
	done(at(0, 0), at(2, 1), at(0, 1), at(1, 1))
	next(at(1, 0))
	if j, err := s.next(); err != io.EOF {
		t.Fatalf("before all of depth 0 are done, next() = %+v, %v", j, err)
	}
	done(at(1, 0), at(3, 5000), check.Job{URL: "http://h/9"})
	next(at(2, 1))
	done(at(2, 1))
	done(at(2, 1), at(7, 1)) // once is enough
	next(at(3, maxDepth))
	if j, err := s.next(); err != io.EOF {
		t.Fatalf("while pages are walked through, next() = %+v, %v", j, err)
	}
	done(at(3, maxDepth))
	next(check.Job{URL: "http://h/9"})
	if s.isFinished() {
		t.Error("it is finished before the last is done")
	}
	done(check.Job{URL: "http://h/9"})
	if _, err := s.Next(t.Context()); err != io.EOF || !s.isFinished() {
		t.Errorf("Next() at the end gives %v", err)
	}
}
