package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"locus/check"
	"locus/check/internal/run"
)

// A shard may be lost and leased again while the result of its job is being added. If the job then begins again, the
// content of the first shard is closed only after the result was added.
func TestBeginWhileFinishing(t *testing.T) {
	j := check.Job{URL: "http://a/"}
	q := offline(2, nil)
	first := lease(q, 0)
	q.pending.running[j] = first
	first.pending = 1
	q.pending.slots <- struct{}{}
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
	q.background.all.Wait()
	if first.pending != 0 || first.state != closed || again.pending != 1 || q.pending.running[j] != again {
		t.Errorf("after store, %d and %d jobs of the shards are pending, want 0 and 1; the state of the first is %d, want %d", first.pending, again.pending, first.state, closed)
	}
	if s := q.pending.finish(check.Job{URL: "http://b/"}); s != nil || len(q.pending.slots) != 1 {
		t.Errorf("finish() of a job that is not running = %v, and %d slots are taken, want nil and 1", s, len(q.pending.slots))
	}
}

// offline returns a queue with one shard that is not connected to servers. jobs is Options.Jobs.
func offline(jobs int, publish publisher) *Queue {
	q := newQueue(newBackground(context.Background()), Run{Shards: 1}, Options{Jobs: jobs})
	q.setPublisher("w", publish)
	return q
}

// lease gives q the lease of a shard, and opens the shard.
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

// lendAll gives q the lease of its shard, with n jobs that Next has returned. It returns the jobs.
func lendAll(t *testing.T, q *Queue, n int) (jobs []check.Job) {
	t.Helper()
	s := lease(q, 0)
	for i := range n {
		jobs = append(jobs, check.Job{URL: fmt.Sprintf("http://h/%d", i)})
	}
	for _, records := range run.RecordsByShard(check.Policy{}.Sharding(1), check.Source{}, jobs) {
		if err := s.content.Apply(slices.Concat(records...)); err != nil {
			t.Fatalf("Apply of the records of %d jobs: %v", n, err)
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

// Done does not wait for the servers. A job begins when the request of another one has ended, unless half as many results
// as Options.Jobs are not stored yet and as many jobs as Options.Jobs run. Close waits for the results.
func TestDoneReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const jobs = 6 // pending
		p := &published{took: time.Second}
		q := offline(4, p.publish)
		all := lendAll(t, q, 2*jobs)
		start := time.Now()
		for _, j := range all[:jobs] {
			if !q.Begin(t.Context(), j) {
				t.Fatalf("Begin(%s) = false for a job whose shard is leased", j.URL)
			}
		}
		for _, j := range all[:jobs] {
			if err := q.Done(t.Context(), j, check.Result{URL: j.URL}, check.Found{}); err != nil {
				t.Fatalf("Done(%q): %v", j.URL, err)
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("Done of %d results takes %v, want 0s", jobs, took)
		}
		if !q.Begin(t.Context(), all[jobs]) {
			t.Errorf("Begin(%s) = false after the results were published", all[jobs].URL)
		}
		if took := time.Since(start); took != p.took {
			t.Errorf("with %d slots, job %d begins after %v, want %v", jobs, jobs+1, took, p.took)
		}
		if err := q.Done(t.Context(), all[jobs], check.Result{}, check.Found{Jobs: all[:1]}); err != nil {
			t.Error(err)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
		if _, records := p.count(); records != jobs+2 || len(q.pending.slots) != 0 || q.pending.unstored != 0 {
			t.Errorf("after Close, %d records are published, %d slots are taken, and %d results are unstored, want %d, 0 and 0", records, len(q.pending.slots), q.pending.unstored, jobs+2)
		}
	})
}

// Begin stops waiting for a slot when its context is done or the queue fails.
func TestBeginInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		p := &published{took: time.Minute, err: broken}
		q := offline(1, p.publish)
		all := lendAll(t, q, 3)
		for range 2 { // the second attempts use the slots of the first
			for _, j := range all[:2] {
				if !q.Begin(t.Context(), j) {
					t.Fatalf("Begin(%s) = false for a job whose shard is leased", j.URL)
				}
			}
		}
		for _, j := range all[:2] {
			if err := q.Done(t.Context(), j, check.Result{}, check.Found{}); err != nil {
				t.Fatalf("Done(%q): %v", j.URL, err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if q.Begin(ctx, all[2]) || time.Since(start) != time.Second {
			t.Errorf("Begin with a context of 1s returns true, or returns after %v", time.Since(start))
		}
		if q.Begin(t.Context(), all[2]) || time.Since(start) != p.took {
			t.Errorf("Begin returns true though results cannot be published, or returns after %v, want %v", time.Since(start), p.took)
		}
		if err := context.Cause(q.background.ctx); !errors.Is(err, broken) {
			t.Errorf("the cause of the end of the queue is %v, want %v", err, broken)
		}
	})
}

// Next returns jobs from all shards in turn, so that a few shards with slow hosts do not hold up the others. A Checker
// takes up to 4096 jobs before the first one is done.
func TestTakeFromAllShards(t *testing.T) {
	const shards, jobs, open = 64, 600, 4096
	q := offline(1000, nil)
	q.begun.Do(func() {}) // so that it acquires no leases
	q.held.count = shards
	for n := range shards {
		s := lease(q, n)
		var all []check.Job
		for i := range jobs {
			all = append(all, check.Job{URL: fmt.Sprintf("http://h%d/%d", n, i)})
		}
		for _, records := range run.RecordsByShard(check.Policy{}.Sharding(1), check.Source{}, all) {
			if err := s.content.Apply(slices.Concat(records...)); err != nil {
				t.Fatalf("Apply of the records of shard %d: %v", n, err)
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

// A negative Options.Jobs means no limit: Begin does not wait for a slot.
func TestPendingWithoutLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := offline(-1, (&published{}).publish)
		start := time.Now()
		for _, j := range lendAll(t, q, 2*maxRunning) {
			if !q.Begin(t.Context(), j) {
				t.Fatalf("Begin(%s) = false", j.URL)
			}
		}
		if took := time.Since(start); took != 0 || len(q.pending.slots) != 2*maxRunning {
			t.Errorf("%d jobs begin after %v, want %d at once", len(q.pending.slots), took, 2*maxRunning)
		}
	})
}

// A failure that wraps io.EOF is not the end of the run, which Next reports by io.EOF. A run that was removed has ended
// for a worker only if the process that reports has said so.
func TestNextAfterFailure(t *testing.T) {
	for _, test := range []struct {
		cause    error
		isTold   bool
		isHelper bool
		want     error // nil for an error that wraps neither io.EOF nor a sentinel
	}{
		{ErrRemoved, true, true, io.EOF},
		{ErrRemoved, true, false, errReported},
		{ErrRemoved, false, true, ErrRemoved},
		{ErrRemoved, false, false, ErrRemoved},
		{errBatch, false, true, errBatch},
		{errBatch, true, true, errBatch},
		{io.EOF, false, true, nil},
		{io.EOF, true, true, nil},
		{fmt.Errorf("read the run: %w", io.EOF), false, true, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := offline(1, nil)
			q.isHelper = test.isHelper
			q.begun.Do(func() {})
			q.background.stop(test.cause)
			if test.isTold {
				time.AfterFunc(time.Millisecond, func() { close(q.ending.told) }) // after the request that failed
			}
			_, err := q.Next(t.Context())
			if err == nil || test.want != nil && !errors.Is(err, test.want) || test.want == nil && errors.Is(err, io.EOF) {
				t.Errorf("Next of a helper (%t) after %v, which was told of the end (%t) = %v, want %v", test.isHelper, test.cause, test.isTold, err, test.want)
			}
		})
	}
}
