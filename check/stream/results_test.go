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

// joinIdle returns another worker of the run of q. It acquires leases only from lend.
func joinIdle(t *testing.T, q *Queue) *Queue {
	t.Helper()
	next, err := Join(t.Context(), q.log.conn, "run", Options{Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = next.Close() })
	next.background.all.Go(next.watch)
	next.begun.Do(func() {})
	return next
}

// awaitReady waits until the shard of a URL was taken over, for up to a minute.
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

// Results of several shards share a message. The third holder of a shard applies the results of the first and the
// second holder, and only results of this shard.
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
			t.Fatalf("Done(%q): %v", u, err)
		}
	}
	q.pending.awaitStored()
	info, err := q.log.info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := info.State.Subjects[q.log.subject+doneSubject(q.log.worker)]; n != 1 {
		t.Errorf("two results of two shards take %d messages, want 1", n)
	}
	second := joinIdle(t, q)
	lend(second, hosts[0])
	rest := take(t, second, 1)["http://a/2"]
	if rest.URL == "" || !second.Begin(t.Context(), rest) {
		t.Fatalf("the second holder gets %+v, want http://a/2, which the first holder has left", rest)
	}
	finish(t, second, rest)
	third := joinIdle(t, q)
	lend(third, hosts[0])
	if s := awaitReady(t, third, hosts[0]); s.content.Phase() != run.PhaseEnd {
		t.Errorf("for the third holder of the shard of %s, Phase() = %d, want %d", hosts[0], s.content.Phase(), run.PhaseEnd)
	}
	lend(third, hosts[1])
	if got := take(t, third, 1); got["http://b/2"].URL == "" {
		t.Errorf("of the shard of %s, the third holder gets %v, want http://b/2", hosts[1], got)
	}
}

// The next holder of a shard ignores a result that was added after its mark, because it may have begun the same job.
func TestLateResult(t *testing.T) {
	q := twoHosts(t)
	jobs := take(t, q, 4)
	a := jobs["http://a/"]
	if !q.Begin(t.Context(), a) {
		t.Fatalf("Begin(%s) = false", a.URL)
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
		t.Fatalf("after the mark of the next holder, the log has the results %v, %v, want one", late, err)
	}
	s := &shard{number: numberOf(a.URL), content: run.NewShard(nil, false)}
	if err := applyResults([]takeover{{shard: s, mark: mark}}, late[len(late)-1]); err != nil {
		t.Errorf("applyResults of a late result = %v, want nil, because it is ignored", err)
	}
}

// The process that started a run reports the results of other workers.
func TestReportOfOthers(t *testing.T) {
	q := twoHosts(t)
	q.background.all.Go(q.watch)
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

// A message of results that is cut off or damaged is an error.
func TestReadResults(t *testing.T) {
	var w record.Writer
	w.Number(7)
	w.Text("a record")
	valid := bytes.Clone(w.Data)
	for n := 1; n < len(valid); n++ {
		data, err := compress([][]byte{valid, valid[:n]})
		if err != nil {
			t.Fatalf("compress of a record cut at %d: %v", n, err)
		}
		read := 0
		err = readResults(data, func(shard int, record []byte) error {
			if read++; shard != 7 || string(record) != "a record" {
				t.Errorf("readResults of a record cut at %d calls do(%d, %q), want do(7, %q)", n, shard, record, "a record")
			}
			return nil
		})
		if read != 1 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("readResults of a message that is cut off after %d bytes reads %d results and returns %v, want 1 and %v", n, read, err, io.ErrUnexpectedEOF)
		}
	}
	data, err := compress([][]byte{valid})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := readResults(data, func(int, []byte) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("readResults returns %v, want the error of do, which is %v", err, broken)
	}
	if err := readResults([]byte("noise"), nil); !errors.Is(err, errBatch) {
		t.Errorf("readResults(%q) = %v, want %v", "noise", err, errBatch)
	}
	if err := readResults(nil, nil); err != nil {
		t.Errorf("readResults of a mark = %v", err)
	}
}
