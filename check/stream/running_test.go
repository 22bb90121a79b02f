package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"locus/check"
	"locus/check/internal/run"
)

// A shard is lost and leased again while the result of its job is being added, and the job
// begins anew. The first shard stays open until the result is added.
func TestBeginWhileFinishing(t *testing.T) {
	j := check.Job{URL: "http://a/"}
	stopped := make(chan struct{})
	close(stopped)
	lost := &shard{content: run.NewShard(nil, false), stopped: stopped, lost: true, running: 1}
	again := &shard{content: run.NewShard(nil, false), stopped: stopped, running: 1}
	q := newPending(2, nil)
	q.running[j] = lost
	q.places <- struct{}{}
	s := q.finishing(j)
	if s != lost {
		t.Fatalf("finishing() = %p, want %p", s, lost)
	}
	q.endLocked(j) // as Begin does
	q.running[j] = again
	q.places <- struct{}{}
	if lost.running != 1 {
		t.Fatalf("%d jobs of the first shard are running, want 1: it is closed", lost.running)
	}
	q.unuse(s)
	q.all.Wait()
	if lost.running != 0 || again.running != 1 || q.running[j] != again {
		t.Errorf("%d and %d jobs are running, want 0 and 1", lost.running, again.running)
	}
	if s := q.finishing(check.Job{URL: "http://b/"}); s != nil || len(q.places) != 1 {
		t.Errorf("finishing() of a job that is not running is %v, and %d jobs are pending", s, len(q.places))
	}
}

// newPending returns a queue without servers that has one shard, and so many pending jobs
// at most.
func newPending(jobs int, publish publisher) *Queue {
	q := &Queue{run: Run{Shards: 1}, sharding: check.Policy{}.Sharding(1), options: Options{Jobs: jobs}}
	q.places = make(chan struct{}, jobs)
	q.ctx, q.stop = context.WithCancelCause(context.Background())
	q.changed.L, q.isStored.L = &q.mu, &q.mu
	q.taken, q.running, q.moved = make(map[check.Job]*shard), make(map[check.Job]*shard), make(chan struct{}, 1)
	q.setPublisher(jobs, publish)
	return q
}

// lendAll gives q the lease of its shard, which has so many jobs. It returns them.
func lendAll(t *testing.T, q *Queue, n int) (jobs []check.Job) {
	t.Helper()
	s := &shard{content: run.NewShard(nil, false), ready: true, expires: time.Now().Add(time.Hour), stop: func() {}, stopped: make(chan struct{})}
	close(s.stopped)
	q.shards = map[int]*shard{0: s}
	for i := range n {
		jobs = append(jobs, check.Job{URL: fmt.Sprintf("http://h/%d", i)})
	}
	for _, records := range run.Records(check.Policy{}.Sharding(1), check.Source{}, jobs) {
		if err := s.content.Apply(slices.Concat(records...)); err != nil {
			t.Fatal(err)
		}
	}
	for range n {
		j, err := s.content.Take(run.PhaseChecks)
		if err != nil {
			t.Fatal(err)
		}
		q.taken[j] = s
	}
	return jobs
}

// Done does not wait for the servers. Jobs that run, and those whose results the servers do not
// have yet, are at most those of Options.Jobs: Begin waits. Close waits for the results.
func TestDoneReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const jobs = 4
		p := &published{took: time.Second}
		q := newPending(jobs, p.publish)
		all := lendAll(t, q, 2*jobs)
		start := time.Now()
		for _, j := range all[:jobs] {
			if !q.Begin(t.Context(), j) {
				t.Fatal("a job does not begin")
			}
		}
		for _, j := range all[:jobs] {
			if err := q.Done(t.Context(), j, check.Result{URL: j.URL}, check.Found{}); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("the results take %v", took)
		}
		if !q.Begin(t.Context(), all[jobs]) {
			t.Error("a job does not begin after the results are stored")
		}
		if took := time.Since(start); took != p.took {
			t.Errorf("one job more than there are places begins after %v, want %v", took, p.took)
		}
		if err := q.Done(t.Context(), all[jobs], check.Result{}, check.Found{Jobs: all[:1]}); err != nil {
			t.Error(err)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
		if _, records := p.count(); records != jobs+2 || len(q.places) != 0 || q.unstored != 0 {
			t.Errorf("%d records are stored, want %d; %d jobs are pending, %d results are not stored", records, jobs+2, len(q.places), q.unstored)
		}
	})
}

// Whoever waits for a place stops when the run is interrupted, or the queue fails.
func TestBeginInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		p := &published{took: time.Minute, err: broken}
		q := newPending(1, p.publish)
		all := lendAll(t, q, 2)
		for range 2 { // another attempt has the place of the first one
			if !q.Begin(t.Context(), all[0]) {
				t.Fatal("a job does not begin")
			}
		}
		if err := q.Done(t.Context(), all[0], check.Result{}, check.Found{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if q.Begin(ctx, all[1]) || time.Since(start) != time.Second {
			t.Errorf("an interrupted job begins, or not after %v", time.Since(start))
		}
		if q.Begin(t.Context(), all[1]) || time.Since(start) != p.took {
			t.Errorf("a job begins though results cannot be stored, or not after %v", time.Since(start))
		}
		if err := context.Cause(q.ctx); !errors.Is(err, broken) {
			t.Errorf("the queue ends with %v, want %v", err, broken)
		}
	})
}

// The jobs that a Checker waits for come from all shards, so that a few with slow hosts do
// not hold up the others. It takes 4096 before any is done.
func TestTakeFromAllShards(t *testing.T) {
	const shards, jobs, open = 64, 600, 4096
	q := newPending(1000, nil)
	q.start.Do(func() {}) // it acquires no leases
	q.run.Shards, q.shards, q.phase = shards, make(map[int]*shard), run.PhaseChecks
	for n := range shards {
		s := &shard{number: n, content: run.NewShard(nil, false), ready: true}
		var all []check.Job
		for i := range jobs {
			all = append(all, check.Job{URL: fmt.Sprintf("http://h%d/%d", n, i)})
		}
		for _, records := range run.Records(check.Policy{}.Sharding(1), check.Source{}, all) {
			if err := s.content.Apply(slices.Concat(records...)); err != nil {
				t.Fatal(err)
			}
		}
		q.shards[n] = s
	}
	from := make(map[*shard]bool)
	for range open {
		j, err := q.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		from[q.taken[j]] = true
	}
	if len(from) != shards {
		t.Errorf("%d jobs come from %d shards, want %d", open, len(from), shards)
	}
}
