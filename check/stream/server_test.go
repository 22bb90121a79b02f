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

// What may pass is repeated for a time, and what stays is not. The error says what to do.
func TestRepeat(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name   string
		err    error
		passes time.Duration // after that it succeeds; 0: never
		want   error         // nil: none
		text   string        // a part of the error
		least  time.Duration // how long it is repeated
		most   time.Duration
	}{
		{"it succeeds", nil, 0, nil, "", 0, 0},
		{"it passes", broken, 5 * time.Second, nil, "", 5 * time.Second, 7 * time.Second},
		{"it does not pass", broken, 0, broken, "broken", time.Minute, 65 * time.Second},
		{"no answer", context.DeadlineExceeded, 0, nil, "the server did not answer for 1m0s", time.Minute, 65 * time.Second},
		{"the run has ended", errEnded, 0, errEnded, "", 0, 0},
		{"a gap", errGap, 0, errGap, "", 0, 0},
		{"the connection is closed", nats.ErrConnectionClosed, 0, nats.ErrConnectionClosed, "", 0, 0},
		{"no JetStream", jetstream.ErrJetStreamNotEnabled, 0, jetstream.ErrJetStreamNotEnabled, "", 0, 0},
		{"a bad request", apiError(400, 1), 0, nil, "it says so", 0, 0},
		{"too many replicas", apiError(500, noReplicas), 0, ErrFewServers, "it says so", 0, 0},
		{"few servers", apiError(400, noSuitablePeers), 0, ErrFewServers, "it says so", 0, 0},
		{"few servers for a moment", apiError(503, noSuitablePeers), 0, ErrFewServers, "it says so", maxPlacement, maxPlacement + 2*time.Second},
		{"no room", apiError(503, noStorage), 2 * time.Second, nil, "", 2 * time.Second, 4 * time.Second},
		{"no room at all", apiError(503, storeFailed), 0, ErrFull, "it says so", time.Minute, 65 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				err := repeat(t.Context(), time.Minute, func(context.Context) error {
					if tt.passes > 0 && time.Since(start) >= tt.passes {
						return nil
					}
					return tt.err
				})
				took := time.Since(start)
				if tt.want != nil && !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil && tt.text == "") || err != nil && !strings.Contains(err.Error(), tt.text) {
					t.Errorf("repeat() = %v, want %v %q", err, tt.want, tt.text)
				}
				if took < tt.least || took > tt.most {
					t.Errorf("it is repeated for %v, want %v to %v", took, tt.least, tt.most)
				}
			})
		})
	}
}

// Each attempt ends: a server that accepts a request and says nothing is asked again.
func TestRepeatSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		err := repeat(t.Context(), time.Minute, func(ctx context.Context) error {
			attempts++
			<-ctx.Done()
			return ctx.Err()
		})
		if err == nil || attempts < 10 || attempts > 100 {
			t.Errorf("repeat() = %v after %d attempts", err, attempts)
		}
	})
}

// A run waits for its results when it is closed, but not for servers that are gone.
func TestCloseWithoutServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q *Queue
		q = offline(2, func(map[string][][]byte) error {
			<-q.life.ctx.Done()
			return context.Cause(q.life.ctx)
		})
		job := lendAll(t, q, 1)[0]
		if !q.Begin(t.Context(), job) {
			t.Fatal("a job does not begin")
		}
		if err := q.Done(t.Context(), job, check.Result{}, check.Found{}); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := q.Close(); err != nil || time.Since(start) != maxStoring+linger && time.Since(start) != maxStoring {
			t.Errorf("Close() = %v after %v, want %v", err, time.Since(start), maxStoring)
		}
		if q.pending.unstored != 0 {
			t.Errorf("%d results are being stored after Close", q.pending.unstored)
		}
		if q.Begin(t.Context(), job) {
			t.Error("a job begins after Close")
		}
	})
}

// The parts of a host are in several shards. Two workers get all of its jobs, each once.
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
		w.begun.Do(func() {}) // no leases of its own
		w.life.all.Go(w.watch)
		for n := range 8 {
			if n%2 == worker {
				w.held.hold(n, 0, time.Now().Add(time.Hour))
			}
		}
	}
	for deadline := time.Now().Add(time.Minute); len(got) < len(jobs) && time.Now().Before(deadline); {
		for worker, w := range []*Queue{q, next} {
			for j, err := w.tryNext(); err == nil; j, err = w.tryNext() {
				if got[j.URL]++; w.sharding.Of(j.URL)%2 != worker {
					t.Errorf("worker %d has %s, which is of another shard", worker, j.URL)
				}
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, j := range jobs {
		if got[j.URL] != 1 {
			t.Errorf("%s is returned %d times", j.URL, got[j.URL])
		}
	}
	if _, err := q.tryNext(); !errors.Is(err, errNone) || errors.Is(err, io.EOF) {
		t.Errorf("without a job there is %v", err)
	}
}
