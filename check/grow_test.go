package check_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/check"
	"locus/check/report"
)

// slowSites is an Engine that answers after a latency, and counts the requests that run at the same time.
type slowSites struct {
	latency   time.Duration
	now, most atomic.Int64
}

func (p *slowSites) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	n := p.now.Add(1)
	defer p.now.Add(-1)
	for most := p.most.Load(); n > most && !p.most.CompareAndSwap(most, n); most = p.most.Load() {
	}
	time.Sleep(p.latency)
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(strings.NewReader(""))}, ctx.Err()
}

// If Policy.Jobs is 0, more URLs are checked at the same time while servers are slow to answer, up to a limit. A Jobs
// that is not 0 does not change, and neither do the limits for a server.
func TestJobsGrow(t *testing.T) {
	for _, test := range []struct {
		latency            time.Duration
		links, hosts, jobs int
		want               int64
	}{
		{200 * time.Millisecond, 4000, 2000, 0, check.MaxJobs},
		{200 * time.Millisecond, 1000, 1000, 64, 64},
		{200 * time.Millisecond, 1000, 10, 0, 10 * 8},
		{200 * time.Millisecond, 500, 1, 0, 8},
		{5 * time.Millisecond, 2000, 2000, 0, check.FirstJobs},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := report.NewQueue(nil)
			var links []check.Link
			for i := range test.links {
				links = append(links, check.Link{URL: fmt.Sprintf("http://h%d.test/%d", i%test.hosts, i)})
			}
			if err := check.Seed(t.Context(), q, check.Source{Links: links}); err != nil {
				t.Fatalf("Seed of %d links to %d hosts: %v", test.links, test.hosts, err)
			}
			p := &slowSites{latency: test.latency}
			start := time.Now()
			if err := (&check.Checker{Engine: p, Policy: check.Policy{Jobs: test.jobs}}).Run(t.Context(), q); err != nil {
				t.Fatalf("Run with %d links to %d hosts and %d jobs: %v", test.links, test.hosts, test.jobs, err)
			}
			t.Logf("%v, %d hosts, Jobs %d: %.0f URLs/s", test.latency, test.hosts, test.jobs, float64(test.links)/time.Since(start).Seconds())
			if got := p.most.Load(); got != test.want {
				t.Errorf("with %d hosts of latency %v and Jobs %d, up to %d URLs are checked at the same time, want %d", test.hosts, test.latency, test.jobs, got, test.want)
			}
		})
	}
}
