package check

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
)

// The limits of all parts of a host are, in sum, those of the host.
func TestPartsOfHost(t *testing.T) {
	for _, tt := range []struct {
		policy Policy
		parts  int
	}{
		{Policy{Split: []string{"H.test"}}, 8},
		{Policy{Split: []string{"h.test"}, PerServer: 3}, 3},
		{Policy{Split: []string{"h.test"}, PerServer: 1}, 1},
		{Policy{Split: []string{"h.test"}, PerServer: 100}, maxParts},
		{Policy{Split: []string{"h.test"}, Rate: 2.5}, 2},
		{Policy{Split: []string{"h.test"}, Rate: 0.1}, 1},
		{Policy{Split: []string{"h.test"}, Rate: 1000}, 8},
		{Policy{Split: []string{"h.test"}, Hosts: []HostRule{{Host: "h.test", PerServer: 5}}}, 5},
		{Policy{Split: []string{"h.test"}, Hosts: []HostRule{{Host: "https://h.test", Rate: 4}}}, 4},
		{Policy{Split: []string{"other.test"}}, 1},
	} {
		s, err := newScope(tt.policy)
		if err != nil {
			t.Fatal(err)
		}
		pools, shards := make(map[string]bool), make(map[int]bool)
		for i := range 1000 {
			u := fmt.Sprintf("https://h.test/%d", i)
			pools[s.poolOf(u)] = true
			shards[tt.policy.Sharding(64).Of(u)] = true
			if tt.policy.Sharding(64).Of(u) != tt.policy.Sharding(64).Of(u+"#x") {
				t.Fatalf("%s has another shard with a fragment", u)
			}
		}
		if len(pools) != tt.parts || len(shards) != tt.parts {
			t.Errorf("%+v: %d pools in %d shards, want %d", tt.policy, len(pools), len(shards), tt.parts)
		}
		jobs, rate := 0, 0.0
		for pool := range pools {
			if got := serverIn(pool); got != "https://h.test:443" {
				t.Errorf("%s is a pool of %s", pool, got)
			}
			of := s.limitOf(pool)
			if of.jobs == 0 {
				t.Errorf("%+v: %s has no turn", tt.policy, pool)
			}
			jobs, rate = jobs+of.jobs, rate+of.rate
		}
		if wantJobs, wantRate := s.limits("https://h.test:443"); jobs != wantJobs || rate < 0.999*wantRate || rate > 1.001*wantRate {
			t.Errorf("%+v: %d jobs and %v a second in sum, want %d and %v", tt.policy, jobs, rate, wantJobs, wantRate)
		}
	}
}

// No part of a host is without a turn, at whatever port a rule names for it.
func TestPartsOfPorts(t *testing.T) {
	for _, tt := range []struct {
		rule HostRule
		url  string
	}{
		{HostRule{Host: "h.test:8080", PerServer: 1}, "http://h.test:8080/"},
		{HostRule{Host: "https://H.test:8443", PerServer: 2}, "https://h.test:8443/"},
		{HostRule{Host: "*.test:8080", Rate: 1}, "https://h.test:8080/"},
		{HostRule{Host: "ftp://h.test", PerServer: 1}, "ftp://h.test/"},
	} {
		s, err := newScope(Policy{Split: []string{"h.test"}, Hosts: []HostRule{{Host: "other.test:99", PerServer: 1}, tt.rule}})
		if err != nil {
			t.Fatal(err)
		}
		pools := make(map[string]bool)
		for i := range 1000 {
			pools[s.poolOf(tt.url+strconv.Itoa(i))] = true
		}
		jobs, rate := 0, 0.0
		for pool := range pools {
			of := s.limitOf(pool)
			if of.jobs == 0 {
				t.Errorf("%+v: %s has no turn", tt.rule, pool)
			}
			jobs, rate = jobs+of.jobs, rate+of.rate
		}
		if wantJobs, wantRate := s.limits(tt.url); jobs != wantJobs || rate < 0.999*wantRate || rate > 1.001*wantRate {
			t.Errorf("%+v: %d jobs and %v a second in sum, want %d and %v", tt.rule, jobs, rate, wantJobs, wantRate)
		}
		if pools := s.policy.partsOf()["h.test"]; tt.rule.Rate > 0 && pools != 1 {
			t.Errorf("%+v: %d parts for one request a second", tt.rule, pools)
		}
	}
}

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
		policy Policy
		most   int           // at once
		within time.Duration // all requests
	}{
		{Policy{PerServer: 5, Split: []string{"h.test"}}, 5, 200 * 100 * time.Millisecond},
		{Policy{Rate: 10, Split: []string{"h.test"}}, 8, 25 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			const pages, workers, shards = 200, 2, 2
			var queues [workers]*Spool
			for n := range queues {
				queues[n] = NewMemory()
			}
			for i := range pages {
				u := fmt.Sprintf("http://h.test/%d", i)
				q := queues[tt.policy.Sharding(shards).Of(u)%workers]
				if err := q.Seed(t.Context(), Source{}, []Job{{URL: u}}); err != nil {
					t.Fatal(err)
				}
			}
			h := &busyHost{}
			start := time.Now()
			var all sync.WaitGroup
			for _, q := range queues {
				all.Go(func() {
					if err := (&Checker{Engine: h, Policy: tt.policy}).Run(t.Context(), q); err != nil {
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
		q := NewMemory()
		for i := range 50 {
			if err := q.Seed(t.Context(), Source{}, []Job{{URL: fmt.Sprintf("http://h.test/%d", i)}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := (&Checker{Engine: h, Policy: Policy{PerServer: 4, Split: []string{"h.test"}}}).Run(t.Context(), q); err != nil {
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
