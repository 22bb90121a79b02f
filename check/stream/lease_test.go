package stream

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"locus/check"
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

// newQueue returns a queue of a shared run with jobs of two hosts. It holds the leases
// of both.
func newQueue(t *testing.T) *Queue {
	t.Helper()
	q, err := Start(t.Context(), connect(t), "run", Run{Shards: 2}, Options{Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	jobs := []check.Job{{URL: "http://a/"}, {URL: "http://a/2"}, {URL: "http://b/"}, {URL: "http://b/2"}}
	if q.Part(jobs[0].URL) == q.Part(jobs[2].URL) {
		t.Fatal("both hosts are of one shard")
	}
	if err := q.Seed(t.Context(), check.Source{}, jobs); err != nil {
		t.Fatal(err)
	}
	if err := q.Seeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	return q
}

// all returns the jobs that Next returns now.
func all(t *testing.T, q *Queue, n int) map[string]check.Job {
	t.Helper()
	jobs := make(map[string]check.Job)
	for range n {
		j, err := q.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := jobs[j.URL]; twice {
			t.Fatalf("%s is handed out twice", j.URL)
		}
		jobs[j.URL] = j
	}
	return jobs
}

// A job whose lease has expired does not begin. The next holder of the lease gets it.
// Running jobs go on.
func TestLeaseEnds(t *testing.T) {
	q := newQueue(t)
	jobs := all(t, q, 4)
	a, b := jobs["http://a/"], jobs["http://b/"]
	if !q.Begin(a) || !q.Begin(b) {
		t.Fatal("a job that is leased is not to be begun")
	}
	n := q.Part(a.URL)
	q.mu.Lock()
	q.held[n].expires = time.Now().Add(-time.Second) // it could not be renewed
	q.mu.Unlock()
	if q.Begin(jobs["http://a/2"]) {
		t.Error("a job is begun after its lease has ended")
	}
	if !q.Begin(jobs["http://b/2"]) {
		t.Error("a job of another shard is not begun")
	}
	q.mu.Lock()
	q.held[n] = &lease{expires: time.Now().Add(time.Hour)} // it is leased anew
	q.updateOwnedLocked()
	q.mu.Unlock()
	if j := all(t, q, 1)["http://a/2"]; j.URL == "" || !q.Begin(j) {
		t.Error("a job that was given back is not handed out again")
	}
	for _, j := range jobs {
		if err := q.Done(t.Context(), j, check.Result{URL: j.URL}, check.Found{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(q.running) > 0 {
		t.Errorf("%v is under way, but all is done", q.running)
	}
	if j, err := q.Next(t.Context()); err == nil {
		t.Errorf("%v is left", j)
	}
}

// A lease is released once its running jobs are done. No job begins meanwhile.
func TestGiveUp(t *testing.T) {
	q := newQueue(t)
	jobs := all(t, q, 4)
	for _, j := range []check.Job{jobs["http://a/"], jobs["http://b/"]} {
		if !q.Begin(j) {
			t.Fatalf("%s is not begun", j.URL)
		}
	}
	ctx := context.Background()
	q.releaseExtra(ctx, 1)
	q.releaseExtra(ctx, 1)
	leaving := -1
	for n, l := range q.held {
		if l.releasing {
			leaving = n
		}
	}
	if len(q.held) != 2 || leaving < 0 {
		t.Fatalf("there are %d shards, and %d is leaving", len(q.held), leaving)
	}
	for _, j := range jobs {
		if got, want := q.Begin(j), q.Part(j.URL) != leaving; j.URL[len(j.URL)-1] == '2' && got != want {
			t.Errorf("Begin(%s) = %v, want %v", j.URL, got, want)
		}
	}
	for _, u := range []string{"http://a/", "http://b/"} {
		if err := q.Done(ctx, jobs[u], check.Result{URL: u}, check.Found{}); err != nil {
			t.Fatal(err)
		}
	}
	q.releaseExtra(ctx, 1)
	if len(q.held) != 1 || q.held[leaving] != nil {
		t.Errorf("the shard is not given up: %v", q.held)
	}
	q.releaseExtra(ctx, 1)
	if len(q.held) != 1 {
		t.Error("the last shard is given up")
	}
}

// A job that Next returned before its lease expired does not begin under a new lease
// until the log was read, and not if another worker has done it.
func TestLeaseAnew(t *testing.T) {
	q := newQueue(t)
	jobs := all(t, q, 4)
	n := q.Part("http://a/")
	lend := func(from uint64) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.held[n] = &lease{expires: time.Now().Add(time.Hour), readyAt: from}
		q.updateOwnedLocked()
	}
	lend(q.position() + 1)
	if q.Begin(jobs["http://a/"]) {
		t.Error("a job is begun before the log is read")
	}
	var published []byte
	another := check.NewMemory()
	another.Share(check.Sharing{Parts: 2, Publish: func(_ context.Context, records [][]byte) error {
		var err error
		published, err = compress([]byte("another\x00"), records)
		return err
	}})
	err := another.Done(t.Context(), jobs["http://a/2"], check.Result{URL: "http://a/2"}, check.Found{})
	if err := errors.Join(err, q.apply(published)); err != nil {
		t.Fatal(err)
	}
	lend(q.position())
	if q.Begin(jobs["http://a/2"]) {
		t.Error("a job is begun that another has done")
	}
	if j := all(t, q, 1)["http://a/"]; !q.Begin(j) {
		t.Error("a job that was given back is not begun when the log is read")
	}
}

// A run that another process has removed gives no report.
func TestRemoved(t *testing.T) {
	q := newQueue(t)
	all(t, q, 4)
	other, err := Start(t.Context(), q.conn, "run", Run{Shards: 2}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if j, err := q.Next(t.Context()); !errors.Is(err, errEnded) {
		t.Errorf("Next() = %v, %v, want %v", j, err, errEnded)
	}
	if err := q.Done(t.Context(), check.Job{URL: "http://a/"}, check.Result{}, check.Found{}); !errors.Is(err, errEnded) {
		t.Errorf("Done() = %v, want %v", err, errEnded)
	}
}

// A helper uses the setup of the run, and stops if the run was replaced.
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
	if q.updateLeases(t.Context()); q.options.Lease != time.Second {
		t.Errorf("the lease is %v, want a second", q.options.Lease)
	}
	if err := errors.Join(main.Delete(t.Context()), main.Close()); err != nil {
		t.Fatal(err)
	}
	next := begin()
	defer next.Close()
	if err := q.Seed(t.Context(), check.Source{}, []check.Job{{URL: "http://a/"}}); !errors.Is(err, errEnded) {
		t.Errorf("Seed() of a run that is no more: %v, want %v", err, errEnded)
	}
	if j, err := q.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("Next() of a run that is no more: %v, %v, want %v", j, err, io.EOF)
	}
}

// A log with a gap gives no report.
func TestGap(t *testing.T) {
	q := newQueue(t)
	if err := q.log.DeleteMsg(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	q.pos = 1
	clear(q.own) // as another process would read it
	if err := q.Read(t.Context()); !errors.Is(err, errGap) {
		t.Errorf("Read() = %v, want %v", err, errGap)
	}
}

// A run of the same name with other arguments is refused. With the same it is resumed.
func TestOtherArguments(t *testing.T) {
	conn := connect(t)
	start := func(p check.Policy, args ...string) error {
		q, err := Start(t.Context(), conn, "run", Run{Policy: p, Args: args, Shards: 2}, Options{})
		if err == nil {
			err = q.Close()
		}
		return err
	}
	for _, tt := range []struct {
		policy check.Policy
		args   []string
		want   string // in the error; "": none
	}{
		{check.Policy{Recursive: true, Jobs: 3}, []string{"http://a/"}, ""},
		{check.Policy{Recursive: true, Jobs: 4}, []string{"http://a/"}, ""},
		{check.Policy{Recursive: true}, []string{"http://b/"}, "http://a/"},
		{check.Policy{}, []string{"http://a/"}, "http://a/"},
	} {
		if err := start(tt.policy, tt.args...); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Start(%+v, %q) = %v, want %q", tt.policy, tt.args, err, tt.want)
		}
	}
}

// What the server refuses for good is not repeated.
func TestStartRefused(t *testing.T) {
	conn := connect(t)
	begin := time.Now()
	_, err := Start(t.Context(), conn, "run", Run{Shards: 2}, Options{Replicas: 3})
	if took := time.Since(begin); err == nil || !strings.Contains(err.Error(), "replicas") || took > 10*time.Second {
		t.Errorf("three replicas on one server: %v after %v", err, took)
	}
}

// The error of a cancelled context is its cause: a worker tells a run that has ended
// from an interruption.
func TestRepeatCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errEnded)
	if err := repeat(ctx, maxStart, func(ctx context.Context) error { return ctx.Err() }); !errors.Is(err, errEnded) {
		t.Errorf("repeat() = %v, want %v", err, errEnded)
	}
}

// A worker without a run waits for a while, and then says so.
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

// Runs that were left are listed, and can be removed.
func TestRuns(t *testing.T) {
	conn := connect(t)
	for _, name := range []string{"a", "b-c_d"} {
		q, err := Start(t.Context(), conn, name, Run{Args: []string{"http://u:secret@" + name + "/"}, Shards: 2}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
	}
	if err := Remove(t.Context(), conn, "a"); err != nil {
		t.Error(err)
	}
	runs, err := Runs(t.Context(), conn)
	if got := runs["b-c_d"].String(); len(runs) != 1 || err != nil || !strings.Contains(got, "@b-c_d/ of 2") || strings.Contains(got, "secret") {
		t.Errorf("the runs are %v, %v", runs, err)
	}
}
