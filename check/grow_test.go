package check

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
)

// slowSites answers after a time, and records how many requests there were at once.
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

// Without Policy.Jobs more URLs are checked at once while servers take long to answer, up
// to a limit. A number that was given does not change, nor do the limits of a server.
func TestJobsGrow(t *testing.T) {
	for _, tt := range []struct {
		latency            time.Duration
		links, hosts, jobs int
		want               int64
	}{
		{200 * time.Millisecond, 4000, 2000, 0, maxJobs},
		{200 * time.Millisecond, 1000, 1000, 64, 64},
		{200 * time.Millisecond, 1000, 10, 0, 10 * 8},
		{200 * time.Millisecond, 500, 1, 0, 8},
		{5 * time.Millisecond, 2000, 2000, 0, firstJobs},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := NewMemory()
			var links []Link
			for i := range tt.links {
				links = append(links, Link{URL: fmt.Sprintf("http://h%d.test/%d", i%tt.hosts, i)})
			}
			if err := Seed(t.Context(), q, Source{Links: links}); err != nil {
				t.Fatal(err)
			}
			p := &slowSites{latency: tt.latency}
			start := time.Now()
			if err := (&Checker{Engine: p, Policy: Policy{Jobs: tt.jobs}}).Run(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, %d hosts, Jobs %d: %.0f URLs/s", tt.latency, tt.hosts, tt.jobs, float64(tt.links)/time.Since(start).Seconds())
			if got := p.most.Load(); got != tt.want {
				t.Errorf("with %d hosts of %v, and Jobs %d, up to %d are checked at once, want %d", tt.hosts, tt.latency, tt.jobs, got, tt.want)
			}
		})
	}
}
