package check_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/check"
	"locus/check/report"
)

// A busyHost counts the requests that it has at once and in all.
type busyHost struct {
	mu        sync.Mutex
	now, most int
	starts    []time.Time
	answer    func(path string) (*access.Reply, time.Duration) // nil: good; the pause that it asks for
}

func (h *busyHost) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	h.mu.Lock()
	h.now++
	h.most = max(h.most, h.now)
	h.starts = append(h.starts, time.Now())
	h.mu.Unlock()
	time.Sleep(100 * time.Millisecond)
	h.mu.Lock()
	h.now--
	h.mu.Unlock()
	if h.answer != nil {
		if reply, after := h.answer(req.URL.Path()); reply != nil {
			return nil, &access.Error{Op: "open", URL: req.URL, Reply: reply, RetryAfter: after, Err: access.ErrTemporary}
		}
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: io.NopCloser(strings.NewReader(""))}, nil
}

// Workers that share the parts of a host keep to its limits together.
func TestSplitHost(t *testing.T) {
	for _, tt := range []struct {
		policy check.Policy
		most   int           // at once
		within time.Duration // all requests
	}{
		{check.Policy{PerServer: 5, Split: []string{"h.test"}}, 5, 200 * 100 * time.Millisecond},
		{check.Policy{Rate: 10, Split: []string{"h.test"}}, 8, 25 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			const pages, workers, shards = 200, 2, 2
			var queues [workers]check.Queue
			for n := range queues {
				queues[n] = report.NewQueue(nil)
			}
			for i := range pages {
				u := fmt.Sprintf("http://h.test/%d", i)
				q := queues[tt.policy.Sharding(shards).Of(u)%workers]
				if err := q.Seed(t.Context(), check.Source{}, []check.Job{{URL: u}}); err != nil {
					t.Fatal(err)
				}
			}
			h := &busyHost{}
			start := time.Now()
			var all sync.WaitGroup
			for _, q := range queues {
				all.Go(func() {
					if err := (&check.Checker{Engine: h, Policy: tt.policy}).Run(t.Context(), q); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			took := time.Since(start)
			if h.most > tt.most || len(h.starts) != pages || took > tt.within {
				t.Errorf("%+v: %d requests, %d at once, in %v, want %d, %d and %v", tt.policy, len(h.starts), h.most, took, pages, tt.most, tt.within)
			}
			if rate := tt.policy.Rate; rate > 0 {
				for i, n := 0, int(3*rate); i+n < len(h.starts); i++ { // any three seconds, and a request of each part
					if span := h.starts[i+n].Sub(h.starts[i]); span < 3*time.Second-time.Duration(8/rate*float64(time.Second)) {
						t.Fatalf("%d requests in %v", n, span)
					}
				}
			}
		})
	}
}

// A pause that a server asks for counts for all parts of it that a worker has.
func TestPauseOfAllParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var refused atomic.Int32
		h := &busyHost{answer: func(path string) (*access.Reply, time.Duration) {
			if path == "/0" && refused.Add(1) <= 2 { // HEAD and GET
				return &access.Reply{Code: 503}, 20 * time.Second
			}
			return nil, 0
		}}
		q := report.NewQueue(nil)
		for i := range 50 {
			if err := q.Seed(t.Context(), check.Source{}, []check.Job{{URL: fmt.Sprintf("http://h.test/%d", i)}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := (&check.Checker{Engine: h, Policy: check.Policy{PerServer: 4, Split: []string{"h.test"}}}).Run(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		early := 0
		for _, at := range h.starts {
			if at.Sub(h.starts[0]) < 20*time.Second {
				early++
			}
		}
		if early > 12 { // those that had begun, and the next ones of the other parts until GET is refused
			t.Errorf("%d requests are sent in the pause", early)
		}
	})
}
