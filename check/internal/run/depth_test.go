package run

import (
	"fmt"
	"io"
	"testing"

	"locus/check"
)

// A crawl is returned after all crawls of a smaller depth are done. A page that is found again at a larger depth keeps
// its depth.
func TestQueueDepth(t *testing.T) {
	s := NewQueue(nil)
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
		t.Fatalf("before all crawls of depth 0 are done, next() = %+v, %v, want %v", j, err, io.EOF)
	}
	done(at(1, 0), at(3, 5000), check.Job{URL: "http://h/9"})
	next(at(2, 1))
	done(at(2, 1))
	done(at(2, 1), at(7, 1)) // the second result of a job is ignored with its jobs
	next(at(3, maxDepth))
	if j, err := s.next(); err != io.EOF {
		t.Fatalf("while a page is crawled, next() = %+v, %v, want %v", j, err, io.EOF)
	}
	done(at(3, maxDepth))
	next(check.Job{URL: "http://h/9"})
	if s.isFinished() {
		t.Error("isFinished() = true before the last job is done")
	}
	done(check.Job{URL: "http://h/9"})
	if _, err := s.Next(t.Context()); err != io.EOF || !s.isFinished() {
		t.Errorf("after the last job, Next() returns the error %v and isFinished() = %v, want %v and true", err, s.isFinished(), io.EOF)
	}
}
