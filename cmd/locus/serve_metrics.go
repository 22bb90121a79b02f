package main

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"locus/cache"
)

// counts are what is told of a gateway to those who watch it.
type counts struct {
	set      *metrics.Set
	stopping atomic.Bool
}

func newCounts() *counts { return &counts{set: metrics.NewSet()} }

// bounds are those of the histogram of durations, in seconds.
var bounds = []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100}

// answered counts an answer.
func (c *counts) answered(o *outcome, took time.Duration, whole bool) {
	c.set.GetOrCreateCounter(fmt.Sprintf(`locus_requests_total{way=%q,status="%d"}`, o.way, o.status())).Inc()
	c.took(o.way, took.Seconds())
	c.set.GetOrCreateCounter(fmt.Sprintf(`locus_sent_octets_total{way=%q}`, o.way)).AddInt64(o.sent)
	if !whole {
		c.set.GetOrCreateCounter(fmt.Sprintf(`locus_broken_total{way=%q}`, o.way)).Inc()
	}
}

// took adds to the histogram of how long answers take, whose buckets hold those
// before them too.
func (c *counts) took(way string, seconds float64) {
	const name = "locus_request_seconds"
	for _, most := range bounds {
		bucket := c.set.GetOrCreateCounter(fmt.Sprintf(`%s_bucket{way=%q,le="%g"}`, name, way, most))
		if seconds <= most {
			bucket.Inc()
		}
	}
	c.set.GetOrCreateCounter(fmt.Sprintf(`%s_bucket{way=%q,le="+Inf"}`, name, way)).Inc()
	c.set.GetOrCreateCounter(fmt.Sprintf(`%s_count{way=%q}`, name, way)).Inc()
	c.set.GetOrCreateFloatCounter(fmt.Sprintf(`%s_sum{way=%q}`, name, way)).Add(seconds)
}

// watch counts what becomes of questions to a cache.
func (c *counts) watch(remembering *cache.Cache) {
	c.set.NewGauge("locus_cache_octets", func() float64 { return float64(remembering.Folder.Used()) })
	c.set.NewGauge("locus_cache_hits_total", func() float64 { return float64(remembering.Hits()) })
	c.set.NewGauge("locus_cache_misses_total", func() float64 { return float64(remembering.Misses()) })
}

// handler gives the counts to Prometheus, and says whether all is well: not to
// those who send more, once the gateway stops.
func (c *counts) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		c.set.WritePrometheus(w)
		metrics.WriteProcessMetrics(w)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if c.stopping.Load() {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n") // who has gone needs no answer
	})
	return mux
}
