package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"locus/check"
	"locus/check/internal/run"
	"locus/internal/record"
)

// joinIdle returns a worker that holds no leases, and acquires none by itself.
func joinIdle(t *testing.T, q *Queue) *Queue {
	t.Helper()
	next, err := Join(t.Context(), q.log.conn, "run", Options{Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = next.Close() })
	next.life.all.Go(next.watch)
	next.begun.Do(func() {})
	return next
}

// awaitReady waits until a shard was taken over, for up to a minute.
func awaitReady(t *testing.T, q *Queue, u string) *shard {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := shardOf(q, u)
	for {
		changed := q.changed.next()
		if _, isRead := s.status(); isRead {
			return s
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("the shard of %s is not ready after a minute", u)
		}
	}
}

// Results of several shards share a message. The third holder of a shard knows those of the
// first and of the second, and none of other shards.
func TestTakeOver(t *testing.T) {
	q := twoHosts(t)
	jobs := take(t, q, 4)
	for _, u := range []string{"http://a/", "http://b/"} {
		if !q.Begin(t.Context(), jobs[u]) {
			t.Fatalf("%s does not begin", u)
		}
	}
	for _, u := range []string{"http://a/", "http://b/"} {
		if err := q.Done(t.Context(), jobs[u], check.Result{URL: u}, check.Found{}); err != nil {
			t.Fatal(err)
		}
	}
	q.pending.awaitStored()
	info, err := q.log.info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := info.State.Subjects[q.log.subject+doneSubject(q.log.worker)]; n != 1 {
		t.Errorf("two results take %d messages, want 1", n)
	}
	second := joinIdle(t, q)
	lend(second, hosts[0])
	rest := take(t, second, 1)["http://a/2"]
	if rest.URL == "" || !second.Begin(t.Context(), rest) {
		t.Fatal("the second holder does not get what the first one has left")
	}
	finish(t, second, rest)
	third := joinIdle(t, q)
	lend(third, hosts[0])
	if s := awaitReady(t, third, hosts[0]); s.content.Phase() != run.PhaseEnd {
		t.Error("the third holder does not know all results")
	}
	lend(third, hosts[1])
	if got := take(t, third, 1); got["http://b/2"].URL == "" {
		t.Errorf("of the other shard it gets %v, want the job that is left", got)
	}
}

// A result that was added after the mark of the next holder does not count for it: it may
// have begun the job.
func TestLateResult(t *testing.T) {
	q := twoHosts(t)
	jobs := take(t, q, 4)
	a := jobs["http://a/"]
	if !q.Begin(t.Context(), a) {
		t.Fatal("a job does not begin")
	}
	next := joinIdle(t, q)
	lend(next, hosts[0])
	mark := awaitReady(t, next, hosts[0]).holders[1].mark
	finish(t, q, a)
	if got := take(t, next, 2); got["http://a/"].URL == "" || got["http://a/2"].URL == "" {
		t.Errorf("the next holder gets %v, want both jobs", got)
	}
	late, err := q.log.read(t.Context(), doneSubject(q.log.worker), mark)
	if err != nil || len(late) == 0 {
		t.Fatalf("after the mark of the next holder there are %v, %v", late, err)
	}
	s := &shard{number: numberOf(a.URL), content: run.NewShard(nil, false)}
	if err := applyResults([]takeover{{shard: s, mark: mark}}, late[len(late)-1]); err != nil {
		t.Errorf("a late result is applied to a shard without its job: %v", err)
	}
}

// The process that has started a run reports what others have done.
func TestReportOfOthers(t *testing.T) {
	q := twoHosts(t)
	q.life.all.Go(q.watch)
	q.begun.Do(func() {}) // it acquires no lease
	others := []*Queue{joinIdle(t, q), joinIdle(t, q)}
	for i, worker := range others {
		lend(worker, hosts[i])
		for _, j := range take(t, worker, 2) {
			if !worker.Begin(t.Context(), j) {
				t.Fatalf("%s does not begin", j.URL)
			}
			finish(t, worker, j)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if j, err := q.Next(ctx); !errors.Is(err, io.EOF) {
		t.Fatalf("Next() = %v, %v, want %v", j, err, io.EOF)
	}
	r, err := q.Report(t.Context(), check.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Summary() != "2 links: 2 good, 0 dead" {
		t.Errorf("the report says %q, want 2 good links", r.Summary())
	}
}

// What no worker writes is an error.
func TestReadResults(t *testing.T) {
	var w record.Writer
	w.Number(7)
	w.Text("a record")
	valid := bytes.Clone(w.Data)
	for n := 1; n < len(valid); n++ {
		data, err := compress([][]byte{valid, valid[:n]})
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		err = readResults(data, func(shard int, record []byte) error {
			if read++; shard != 7 || string(record) != "a record" {
				t.Errorf("there is %q of shard %d", record, shard)
			}
			return nil
		})
		if read != 1 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a message that is cut off after %d bytes has %d results and gives %v", n, read, err)
		}
	}
	data, err := compress([][]byte{valid})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := readResults(data, func(int, []byte) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("the error of a record is %v, want %v", err, broken)
	}
	if err := readResults([]byte("noise"), nil); !errors.Is(err, errBatch) {
		t.Errorf("noise gives %v, want %v", err, errBatch)
	}
	if err := readResults(nil, nil); err != nil {
		t.Errorf("a mark gives %v", err)
	}
}
