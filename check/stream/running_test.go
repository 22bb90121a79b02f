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
	q := offline(2, nil)
	first := lease(q, 0)
	q.pending.running[j] = first
	first.pending = 1
	q.pending.places <- struct{}{}
	s := q.pending.finish(j)
	if s != first {
		t.Fatalf("finish() = %p, want %p", s, first)
	}
	again := lease(q, 0)
	q.pending.take(j, again)
	if began, err := q.pending.begin(t.Context(), j); !began || err != nil {
		t.Fatalf("begin() = %v, %v", began, err)
	}
	if first.pending != 1 || first.state != lost {
		t.Fatalf("%d jobs of the first shard are pending, want 1; its state is %d", first.pending, first.state)
	}
	q.pending.store(s)
	q.life.all.Wait()
	if first.pending != 0 || first.state != closed || again.pending != 1 || q.pending.running[j] != again {
		t.Errorf("%d and %d jobs are pending, want 0 and 1", first.pending, again.pending)
	}
	if s := q.pending.finish(check.Job{URL: "http://b/"}); s != nil || len(q.pending.places) != 1 {
		t.Errorf("finish() of a job that is not running is %v, and %d jobs are pending", s, len(q.pending.places))
	}
}

// offline returns a queue without servers that has one shard, and so many pending jobs
// at most.
func offline(jobs int, publish publisher) *Queue {
	q := newQueue(newLife(context.Background()), Run{Shards: 1}, Options{Jobs: jobs})
	q.setPublisher("w", publish)
	return q
}

// lease gives q the lease of a shard, which is open.
func lease(q *Queue, number int) *shard {
	create := q.held.create
	q.held.create = func(number int, revision uint64, expires time.Time) *shard {
		s := create(number, revision, expires)
		s.start = func() { close(s.stopped) }
		return s
	}
	q.held.hold(number, 0, time.Now().Add(time.Hour))
	q.held.create = create
	s := q.held.get(number)
	s.ready()
	return s
}

// lendAll gives q the lease of its shard, which has so many jobs. It returns them.
func lendAll(t *testing.T, q *Queue, n int) (jobs []check.Job) {
	t.Helper()
	s := lease(q, 0)
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
		q.pending.take(j, s)
	}
	return jobs
}

// Done does not wait for the servers. Jobs that run, and those whose results the servers do not
// have yet, are at most those of Options.Jobs: Begin waits. Close waits for the results.
func TestDoneReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const jobs = 4
		p := &published{took: time.Second}
		q := offline(jobs, p.publish)
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
		if _, records := p.count(); records != jobs+2 || len(q.pending.places) != 0 || q.pending.unstored != 0 {
			t.Errorf("%d records are stored, want %d; %d jobs are pending, %d results are not stored", records, jobs+2, len(q.pending.places), q.pending.unstored)
		}
	})
}

// Whoever waits for a place stops when the run is interrupted, or the queue fails.
func TestBeginInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		p := &published{took: time.Minute, err: broken}
		q := offline(1, p.publish)
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
		if err := context.Cause(q.life.ctx); !errors.Is(err, broken) {
			t.Errorf("the queue ends with %v, want %v", err, broken)
		}
	})
}

// The jobs that a Checker waits for come from all shards, so that a few with slow hosts do
// not hold up the others. It takes 4096 before any is done.
func TestTakeFromAllShards(t *testing.T) {
	const shards, jobs, open = 64, 600, 4096
	q := offline(1000, nil)
	q.begun.Do(func() {}) // it acquires no leases
	q.held.count = shards
	for n := range shards {
		s := lease(q, n)
		var all []check.Job
		for i := range jobs {
			all = append(all, check.Job{URL: fmt.Sprintf("http://h%d/%d", n, i)})
		}
		for _, records := range run.Records(check.Policy{}.Sharding(1), check.Source{}, all) {
			if err := s.content.Apply(slices.Concat(records...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	from := make(map[*shard]bool)
	for range open {
		j, err := q.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		from[q.pending.taken[j]] = true
	}
	if len(from) != shards {
		t.Errorf("%d jobs come from %d shards, want %d", open, len(from), shards)
	}
}
