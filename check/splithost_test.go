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

// A busyHost is an Engine that counts its requests, and how many run at the same time.
type busyHost struct {
	mu        sync.Mutex
	now, most int
	starts    []time.Time
	answer    func(path string) (*access.Reply, time.Duration) // the reply, nil for a good page, and the pause that the host asks for
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

// Workers that share the parts of a host together respect its limits.
func TestSplitHost(t *testing.T) {
	for _, test := range []struct {
		policy check.Policy
		most   int           // how many requests run at the same time
		within time.Duration // how long all requests take
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
				q := queues[test.policy.Sharding(shards).Of(u)%workers]
				if err := q.Seed(t.Context(), check.Source{}, []check.Job{{URL: u}}); err != nil {
					t.Fatalf("Seed with %q: %v", u, err)
				}
			}
			h := &busyHost{}
			start := time.Now()
			var all sync.WaitGroup
			for _, q := range queues {
				all.Go(func() {
					if err := (&check.Checker{Engine: h, Policy: test.policy}).Run(t.Context(), q); err != nil {
						t.Errorf("Run with %+v: %v", test.policy, err)
					}
				})
			}
			all.Wait()
			took := time.Since(start)
			if h.most > test.most || len(h.starts) != pages || took > test.within {
				t.Errorf("with %+v, the host gets %d requests, %d at the same time, in %v, want %d, %d and %v", test.policy, len(h.starts), h.most, took, pages, test.most, test.within)
			}
			if rate := test.policy.Rate; rate > 0 {
				for i, n := 0, int(3*rate); i+n < len(h.starts); i++ { // in any three seconds, and one more request of each part
					if span := h.starts[i+n].Sub(h.starts[i]); span < 3*time.Second-time.Duration(8/rate*float64(time.Second)) {
						t.Fatalf("the host gets %d requests in %v, which exceeds the rate", n, span)
					}
				}
			}
		})
	}
}

// A pause that a server asks for applies to all of its parts that a worker has.
func TestPauseOfAllParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var refused atomic.Int32
		h := &busyHost{answer: func(path string) (*access.Reply, time.Duration) {
			if path == "/0" && refused.Add(1) <= 2 { // with HEAD and GET
				return &access.Reply{Code: 503}, 20 * time.Second
			}
			return nil, 0
		}}
		q := report.NewQueue(nil)
		for i := range 50 {
			if err := q.Seed(t.Context(), check.Source{}, []check.Job{{URL: fmt.Sprintf("http://h.test/%d", i)}}); err != nil {
				t.Fatalf("Seed with job %d: %v", i, err)
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
		if early > 12 { // requests that had begun, and the next requests of the other parts until GET is refused
			t.Errorf("%d requests are sent during the pause, want at most 12", early)
		}
	})
}
