package stream

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
)

func apiError(code, errorCode int) error {
	return &jetstream.APIError{Code: code, ErrorCode: jetstream.ErrorCode(errorCode), Description: "it says so"}
}

// repeat repeats an operation after a transient error until the time is over, and returns a final error at once.
func TestRepeat(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name   string
		err    error
		passes time.Duration // when the operation begins to succeed; 0 means never
		want   error         // nil if the error has no sentinel
		text   string        // a part of the error
		least  time.Duration // how long the operation is repeated
		most   time.Duration
	}{
		{"it succeeds", nil, 0, nil, "", 0, 0},
		{"it passes", broken, 5 * time.Second, nil, "", 5 * time.Second, 7 * time.Second},
		{"it does not pass", broken, 0, broken, "broken", 58 * time.Second, 65 * time.Second},
		{"no answer", context.DeadlineExceeded, 0, nil, "the server did not answer for 1m0s", 58 * time.Second, 65 * time.Second},
		{"the run has ended", ErrRemoved, 0, ErrRemoved, "", 0, 0},
		{"a gap", errGap, 0, errGap, "", 0, 0},
		{"the connection is closed", nats.ErrConnectionClosed, 0, nats.ErrConnectionClosed, "", 0, 0},
		{"no JetStream", ErrNoJetStream, 0, ErrNoJetStream, "", 0, 0},
		{"a bad request", apiError(400, 1), 0, nil, "it says so", 0, 0},
		{"too many replicas", apiError(500, noReplicas), 0, ErrFewServers, "it says so", 0, 0},
		{"few servers", apiError(400, noSuitablePeers), 0, ErrFewServers, "it says so", 0, 0},
		{"few servers for a moment", apiError(503, noSuitablePeers), 0, ErrFewServers, "it says so", maxPlacement, maxPlacement + 2*time.Second},
		{"no room", apiError(503, noStorage), 2 * time.Second, nil, "", 2 * time.Second, 4 * time.Second},
		{"no room at all", apiError(503, storeFailed), 0, ErrFull, "it says so", 58 * time.Second, 65 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				err := repeat(t.Context(), time.Minute, func(context.Context) error {
					if test.passes > 0 && time.Since(start) >= test.passes {
						return nil
					}
					return test.err
				})
				took := time.Since(start)
				if test.want != nil && !errors.Is(err, test.want) || (err == nil) != (test.want == nil && test.text == "") || err != nil && !strings.Contains(err.Error(), test.text) {
					t.Errorf("repeat with the error %v = %v, want %v %q", test.err, err, test.want, test.text)
				}
				if took < test.least || took > test.most {
					t.Errorf("repeat with the error %v returns after %v, want %v to %v", test.err, took, test.least, test.most)
				}
			})
		})
	}
}

// Each attempt has a time limit, so a server that does not answer a request is asked again.
func TestRepeatSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		err := repeat(t.Context(), time.Minute, func(ctx context.Context) error {
			attempts++
			<-ctx.Done()
			return ctx.Err()
		})
		if err == nil || attempts < 10 || attempts > 100 {
			t.Errorf("repeat() = %v after %d attempts, want an error after 10 to 100", err, attempts)
		}
	})
}

// Close waits for results, but not longer than maxStoring if the servers do not answer.
func TestCloseWithoutServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q *Queue
		q = offline(2, func(map[string][][]byte) error {
			<-q.background.ctx.Done()
			return context.Cause(q.background.ctx)
		})
		job := lendAll(t, q, 1)[0]
		if !q.Begin(t.Context(), job) {
			t.Fatalf("Begin(%s) = false", job.URL)
		}
		if err := q.Done(t.Context(), job, check.Result{}, check.Found{}); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := q.Close(); err != nil || time.Since(start) != maxStoring+linger && time.Since(start) != maxStoring {
			t.Errorf("Close() = %v after %v, want %v", err, time.Since(start), maxStoring)
		}
		if q.pending.unstored != 0 {
			t.Errorf("after Close, %d results are unstored, want 0", q.pending.unstored)
		}
		if q.Begin(t.Context(), job) {
			t.Errorf("after Close, Begin(%s) = true", job.URL)
		}
	})
}

// The parts of a split host are in several shards. Two workers together get each of its jobs once.
func TestSplitShards(t *testing.T) {
	conn := connect(t)
	policy := check.Policy{Split: []string{"h"}, PerServer: 4}
	var jobs []check.Job
	for n := range 60 {
		jobs = append(jobs, check.Job{URL: "http://h/" + strings.Repeat("x", n)})
	}
	q, err := Start(t.Context(), conn, "run", Run{Policy: policy, Shards: 8}, Options{Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if err := errors.Join(q.Seed(t.Context(), check.Source{}, jobs), q.Seeded(t.Context())); err != nil {
		t.Fatal(err)
	}
	next, err := Join(t.Context(), conn, "run", Options{Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	got := make(map[string]int)
	for worker, w := range []*Queue{q, next} {
		w.begun.Do(func() {}) // so that it acquires no leases
		w.background.all.Go(w.watch)
		for n := range 8 {
			if n%2 == worker {
				w.held.hold(n, 0, time.Now().Add(time.Hour))
			}
		}
	}
	for worker, w := range []*Queue{q, next} {
		own := 0
		for _, j := range jobs {
			if w.sharding.Of(j.URL)%2 == worker {
				own++
			}
		}
		for u := range take(t, w, own) {
			if got[u]++; w.sharding.Of(u)%2 != worker {
				t.Errorf("worker %d gets %s of shard %d, which it does not hold", worker, u, w.sharding.Of(u))
			}
		}
	}
	for _, j := range jobs {
		if got[j.URL] != 1 {
			t.Errorf("%s is returned %d times, want once", j.URL, got[j.URL])
		}
	}
	for worker, w := range []*Queue{q, next} {
		if j, err := w.tryNext(); !errors.Is(err, errNone) || errors.Is(err, io.EOF) {
			t.Errorf("worker %d: after the last job, tryNext() = %v, %v, want %v", worker, j, err, errNone)
		}
	}
}
