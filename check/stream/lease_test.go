package stream

import (
	"context"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
	"locus/check/internal/run"
	"locus/internal/peers"
)

// connect starts a server and returns a connection to it.
func connect(t *testing.T) *nats.Conn {
	t.Helper()
	conn, err := nats.Connect("nats://" + peers.NATS(t).Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// hosts are two hosts that belong to different shards of a run with two shards.
var hosts = [2]string{"http://a/", "http://b/"}

// twoHosts returns a queue of a shared run with two jobs for each host. It acquires both leases, which last an hour.
func twoHosts(t *testing.T) *Queue {
	t.Helper()
	q, err := Start(t.Context(), connect(t), "run", Run{Shards: 2}, Options{Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	if numberOf(hosts[0]) == numberOf(hosts[1]) {
		t.Fatalf("%q are in one shard", hosts)
	}
	jobs := []check.Job{{URL: "http://a/"}, {URL: "http://a/2"}, {URL: "http://b/"}, {URL: "http://b/2"}}
	links := []check.Link{{URL: "http://a/"}, {URL: "http://b/2"}}
	if err := errors.Join(q.Seed(t.Context(), check.Source{Links: links}, jobs), q.Seeded(t.Context())); err != nil {
		t.Fatal(err)
	}
	return q
}

// finish adds the result of a job, and waits until the log contains it.
func finish(t *testing.T, q *Queue, j check.Job) {
	t.Helper()
	if err := q.Done(t.Context(), j, check.Result{URL: j.URL}, check.Found{}); err != nil {
		t.Fatal(err)
	}
	q.pending.awaitStored()
	if q.pending.countUnstored() > 0 {
		t.Fatalf("the log does not contain the result of %s", j.URL)
	}
}

// take returns the next n jobs by their URLs.
func take(t *testing.T, q *Queue, n int) map[string]check.Job {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	jobs := make(map[string]check.Job)
	for range n {
		j, err := q.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := jobs[j.URL]; twice {
			t.Fatalf("Next returns %s twice", j.URL)
		}
		jobs[j.URL] = j
	}
	return jobs
}

// numberOf returns the number of the shard of a URL.
func numberOf(u string) int { return check.Policy{}.Sharding(2).Of(u) }

// shardOf returns the shard of a URL, and nil if q does not hold it.
func shardOf(q *Queue, u string) *shard {
	return q.held.get(numberOf(u))
}

// expire ends the lease of the shard of a URL, as if it could not be renewed.
func expire(q *Queue, u string) {
	s := shardOf(q, u)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expires = time.Now().Add(-time.Second)
}

// lend gives q a new lease of the shard of a URL.
func lend(q *Queue, u string) {
	q.held.hold(numberOf(u), 0, time.Now().Add(time.Hour))
}

// A job whose lease has expired does not begin. The results of running jobs are accepted. The next holder of the lease
// gets the jobs that did not begin.
func TestLeaseEnds(t *testing.T) {
	q := twoHosts(t)
	jobs := take(t, q, 4)
	a, b := jobs["http://a/"], jobs["http://b/"]
	if !q.Begin(t.Context(), a) || !q.Begin(t.Context(), b) || !q.Begin(t.Context(), a) { // a has another attempt
		t.Fatal("Begin() = false for a job whose shard is leased")
	}
	expire(q, a.URL)
	if q.Begin(t.Context(), jobs["http://a/2"]) {
		t.Errorf("Begin(%s) = true after its lease has expired", "http://a/2")
	}
	if !q.Begin(t.Context(), jobs["http://b/2"]) {
		t.Errorf("Begin(%s) = false, want true, because its shard is still leased", "http://b/2")
	}
	for _, u := range []string{"http://a/", "http://b/", "http://b/2"} {
		finish(t, q, jobs[u])
	}
	lend(q, a.URL)
	if j := take(t, q, 1)["http://a/2"]; j.URL == "" || !q.Begin(t.Context(), j) {
		t.Errorf("the next holder of the lease gets %+v, want http://a/2, and that it begins", j)
	}
	finish(t, q, jobs["http://a/2"])
	if len(q.pending.running) > 0 {
		t.Errorf("after all results, %v are running", q.pending.running)
	}
	if j, err := q.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("Next() = %v, %v, want %v", j, err, io.EOF)
	}
}

// A retry of a job whose lease has expired does not begin, even if the worker has acquired the lease again. Its result
// is ignored.
func TestRetryAfterLease(t *testing.T) {
	q := twoHosts(t)
	jobs := take(t, q, 4)
	a := jobs["http://a/"]
	if !q.Begin(t.Context(), a) {
		t.Fatal("Begin() = false for a job whose shard is leased")
	}
	expire(q, a.URL)
	lend(q, a.URL)
	if q.Begin(t.Context(), a) {
		t.Errorf("Begin(%s) = true before the log was read for the new lease", a.URL)
	}
	if err := q.Done(t.Context(), a, check.Result{}, check.Found{}); err != nil {
		t.Error(err)
	}
	if got := take(t, q, 2); got["http://a/"].URL == "" || got["http://a/2"].URL == "" {
		t.Errorf("Next returns %v, want the jobs of http://a/ that are not done", got)
	}
}

// The next holder of a lease does not get the jobs that the first holder has finished.
func TestNextHolder(t *testing.T) {
	q := twoHosts(t)
	jobs := take(t, q, 4)
	a := jobs["http://a/"]
	if !q.Begin(t.Context(), a) {
		t.Fatal("Begin() = false for a job whose shard is leased")
	}
	finish(t, q, a)
	next, err := Join(t.Context(), q.log.conn, "run", Options{Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	lend(next, a.URL)
	next.background.all.Go(next.watch)
	next.begun.Do(func() {}) // so that it acquires no leases
	if got := take(t, next, 1); got["http://a/2"].URL == "" {
		t.Errorf("Next returns %v, want the jobs of http://a/ that are not done", got)
	}
}

// A lease is released after its running jobs are done. Until then no job of its shard begins.
func TestGiveUp(t *testing.T) {
	q := twoHosts(t)
	jobs := take(t, q, 4)
	for _, u := range hosts {
		if !q.Begin(t.Context(), jobs[u]) {
			t.Fatalf("%s does not begin", u)
		}
	}
	ctx := context.Background()
	q.leases.releaseExtra(ctx, 1)
	q.leases.releaseExtra(ctx, 1)
	leaving := -1
	for n, s := range q.held.shards {
		if _, isLeaving := s.lease(); isLeaving {
			leaving = n
		}
	}
	if len(q.held.shards) != 2 || leaving < 0 {
		t.Fatalf("after releaseExtra, the worker holds %d shards, and shard %d is leaving, want 2 shards and one leaving", len(q.held.shards), leaving)
	}
	for _, u := range hosts {
		if got, want := q.Begin(t.Context(), jobs[u+"2"]), numberOf(u) != leaving; got != want {
			t.Errorf("Begin(%s) = %v, want %v", u+"2", got, want)
		}
	}
	for _, u := range hosts {
		finish(t, q, jobs[u])
	}
	q.leases.releaseExtra(ctx, 1)
	if len(q.held.shards) != 1 || q.held.shards[leaving] != nil {
		t.Errorf("after its jobs are done, shard %d is not released: %v", leaving, q.held.shards)
	}
	q.leases.releaseExtra(ctx, 1)
	if len(q.held.shards) != 1 {
		t.Errorf("releaseExtra(1) leaves %d shards, want 1", len(q.held.shards))
	}
}

// A worker gets only the jobs of its own shards.
func TestOwnShards(t *testing.T) {
	q := twoHosts(t)
	next, err := Join(t.Context(), q.log.conn, "run", Options{Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	next.background.all.Go(next.watch)
	next.begun.Do(func() {})
	lend(next, hosts[0])
	if got := take(t, next, 2); got["http://a/"].URL == "" || got["http://a/2"].URL == "" || len(next.held.shards) != 1 {
		t.Errorf("the jobs are %v of the shards %v, want the two jobs of %s", got, next.held.shards, hosts[0])
	}
	if j, err := shardOf(next, hosts[0]).content.Take(run.PhaseChecks); !errors.Is(err, io.EOF) {
		t.Errorf("the shard of %s also has the job %v, %v", hosts[0], j, err)
	}
}

// The phase advances only if the statement about each shard is about all messages of the shard.
func TestNextPhase(t *testing.T) {
	const end = run.PhaseEnd
	for _, test := range []struct {
		recursive bool
		seeded    uint64
		counts    [2]uint64
		status    [2]status
		want      run.Phase
	}{
		{false, 1, [2]uint64{3, 0}, [2]status{{3, end}, {}}, end},
		{false, 0, [2]uint64{3, 0}, [2]status{{3, end}, {}}, run.PhaseChecks},
		{false, 1, [2]uint64{4, 0}, [2]status{{3, end}, {}}, run.PhaseChecks}, // a message was added after the statement
		{false, 1, [2]uint64{3, 1}, [2]status{{3, end}, {}}, run.PhaseChecks}, // shard 1 has a message and no statement
		{false, 1, [2]uint64{3, 1}, [2]status{{3, end}, {1, run.PhaseChecks}}, run.PhaseChecks},
		{false, 1, [2]uint64{3, 1}, [2]status{{4, end}, {1, end}}, run.PhaseChecks}, // the counts are older than the statement
		{true, 1, [2]uint64{3, 1}, [2]status{{3, 2}, {1, 1}}, 1},
		{true, 1, [2]uint64{3, 1}, [2]status{{3, 2}, {1, end}}, 2},
		{true, 1, [2]uint64{3, 1}, [2]status{{3, end}, {1, end}}, end},
		{true, 1, [2]uint64{3, 2}, [2]status{{3, end}, {1, end}}, -1},
		{true, 1, [2]uint64{}, [2]status{}, end}, // the run has no jobs
	} {
		p := newPhases(Run{Shards: 2, Policy: check.Policy{Recursive: test.recursive}}, "")
		counts := map[string]uint64{"seeded": test.seeded}
		for n := range 2 {
			p.status[n], counts[jobsSubject(n)] = test.status[n], test.counts[n]
		}
		if got := p.nextLocked(counts); got != test.want {
			t.Errorf("nextLocked(%+v) = %d, want %d", test, got, test.want)
		}
	}
}

// A statement about a shard is replaced only by a statement that says more. Statements are parsed as they were
// formatted.
func TestStatus(t *testing.T) {
	p := newPhases(Run{Shards: 8}, "")
	for _, test := range []struct {
		status
		isNews bool
	}{{status{3, 1}, true}, {status{2, 9}, false}, {status{3, 1}, false}, {status{3, 2}, true}, {status{4, 0}, true}, {status{3, 9}, false}} {
		if got := p.note(7, test.status); got != test.isNews {
			t.Errorf("note(%+v) = %v, want %v", test.status, got, test.isNews)
		}
	}
	want := map[int]status{0: {0, 0}, 255: {1 << 63, run.PhaseEnd}}
	if got := parseStatus(statusText(want)); !maps.Equal(got, want) {
		t.Errorf("parseStatus() = %v, want %v", got, want)
	}
	for _, text := range []string{"\x01", "\x01\x02", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x01"} {
		if got := parseStatus([]byte(text)); len(got) > 0 {
			t.Errorf("parseStatus(%q) = %v, want nil", text, got)
		}
	}
}

// If another process removes a run, Next and Report fail.
func TestRemoved(t *testing.T) {
	q := twoHosts(t)
	jobs := take(t, q, 4)
	if !q.Begin(t.Context(), jobs["http://a/"]) {
		t.Fatal("Begin() = false for a job whose shard is leased")
	}
	if err := Remove(t.Context(), q.log.conn, "run"); err != nil {
		t.Fatal(err)
	}
	if err := q.Done(t.Context(), jobs["http://a/"], check.Result{}, check.Found{}); err != nil {
		t.Errorf("Done() = %v", err)
	}
	if j, err := q.Next(t.Context()); !errors.Is(err, ErrRemoved) {
		t.Errorf("Next() = %v, %v, want %v", j, err, ErrRemoved)
	}
	if r, err := q.Report(t.Context(), check.ReportOptions{}); err == nil {
		t.Errorf("Report() of a removed run says %q, want an error", r.Summary())
	}
}

// A worker that joins adopts the lease time of the run, and stops if another run replaces it.
func TestHelperAdopts(t *testing.T) {
	conn := connect(t)
	ready := make(chan *Queue)
	go func() {
		q, err := Join(t.Context(), conn, "run", Options{Lease: time.Hour})
		if err != nil {
			t.Error(err)
		}
		ready <- q
	}()
	begin := func() *Queue {
		q, err := Start(t.Context(), conn, "run", Run{Shards: 2}, Options{Lease: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	main := begin()
	q := <-ready
	defer q.Close()
	if q.leases.update(t.Context()); q.leases.time != time.Second {
		t.Errorf("after update, the lease time is %v, want %v", q.leases.time, time.Second)
	}
	if err := errors.Join(main.Delete(t.Context()), main.Close()); err != nil {
		t.Fatal(err)
	}
	next := begin()
	defer next.Close()
	if j, err := q.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("Next() of a run that was replaced = %v, %v, want %v", j, err, io.EOF)
	}
}

// If a message of the log is missing, Next fails.
func TestGap(t *testing.T) {
	q := twoHosts(t)
	take(t, q, 4)
	if err := q.log.stream.DeleteMsg(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if j, err := q.Next(t.Context()); !errors.Is(err, errGap) {
		t.Errorf("Next() = %v, %v, want %v", j, err, errGap)
	}
}

// Start refuses a run whose log has another format.
func TestOtherVersion(t *testing.T) {
	conn := connect(t)
	js, err := jetstream.New(conn)
	if err == nil {
		_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "locus_run_log", Subjects: []string{"locus.run.log.X"}})
	}
	if err == nil {
		_, err = js.Publish(t.Context(), "locus.run.log.X", []byte(`{"shards":64,"format":2}`))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), conn, "run", Run{Shards: 2}, Options{}); !errors.Is(err, ErrVersion) {
		t.Errorf("Start() = %v, want %v", err, ErrVersion)
	}
}

// Start resumes a run with the same arguments and policy, and refuses a run with others.
func TestOtherArguments(t *testing.T) {
	conn := connect(t)
	start := func(p check.Policy, args ...string) error {
		q, err := Start(t.Context(), conn, "run", Run{Policy: p, Args: args, Shards: 2}, Options{})
		if err == nil {
			err = q.Close()
		}
		return err
	}
	for _, test := range []struct {
		policy check.Policy
		args   []string
		want   string // a part of the error; "" if Start succeeds
	}{
		{check.Policy{Recursive: true, Jobs: 3}, []string{"http://a/"}, ""},
		{check.Policy{Recursive: true, Jobs: 4}, []string{"http://a/"}, ""},
		{check.Policy{Recursive: true}, []string{"http://b/"}, "http://a/"},
		{check.Policy{}, []string{"http://a/"}, "http://a/"},
	} {
		if err := start(test.policy, test.args...); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("Start(%+v, %q) = %v, want %q", test.policy, test.args, err, test.want)
		}
	}
}

// A request that the server refuses for good is not repeated.
func TestStartRefused(t *testing.T) {
	conn := connect(t)
	begin := time.Now()
	_, err := Start(t.Context(), conn, "run", Run{Shards: 2}, Options{Replicas: 3})
	if took := time.Since(begin); err == nil || !strings.Contains(err.Error(), "replicas") || took > 10*time.Second {
		t.Errorf("Start with 3 replicas on one server = %v after %v, want an error about replicas within 10s", err, took)
	}
}

// If the context is canceled, repeat returns its cause, because a worker must distinguish the end of a run from an
// interruption.
func TestRepeatCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrRemoved)
	if err := repeat(ctx, maxStart, func(ctx context.Context) error { return ctx.Err() }); !errors.Is(err, ErrRemoved) {
		t.Errorf("repeat() = %v, want %v", err, ErrRemoved)
	}
}

// Join fails after Options.Wait if the run was not started.
func TestJoinTooLate(t *testing.T) {
	conn := connect(t)
	q, err := Start(t.Context(), conn, "run", Run{Shards: 2}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(q.Delete(t.Context()), q.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Join(t.Context(), conn, "run", Options{Wait: 300 * time.Millisecond}); !errors.Is(err, ErrNotStarted) {
		t.Errorf("Join() = %v, want %v", err, ErrNotStarted)
	}
}

// Runs lists the runs at the servers without passwords, and Remove removes one of them.
func TestRuns(t *testing.T) {
	conn := connect(t)
	for _, name := range []string{"a", "b-c_d"} {
		q, err := Start(t.Context(), conn, name, Run{Args: []string{"http://u:secret@" + name + "/"}, Shards: 2}, Options{})
		if err != nil {
			t.Fatalf("Start(%q): %v", name, err)
		}
		defer q.Close()
	}
	if err := Remove(t.Context(), conn, "a"); err != nil {
		t.Error(err)
	}
	runs, err := Runs(t.Context(), conn)
	if got := runs["b-c_d"].String(); len(runs) != 1 || err != nil || !strings.Contains(got, "@b-c_d/ of 2") || strings.Contains(got, "secret") {
		t.Errorf("after Remove of %q, Runs() = %v, %v, want %q alone", "a", runs, err, "b-c_d")
	}
}
