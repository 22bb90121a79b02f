package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"locus/cache"
)

// counts are the metrics of a gateway.
type counts struct {
	set      *metrics.Set
	ways     map[string]*wayCounts
	stopping atomic.Bool
}

// A wayCounts is the metrics of one kind of request: see wayOf.
type wayCounts struct {
	octets, broken, answers *metrics.Counter
	seconds                 *metrics.FloatCounter
	buckets                 []*metrics.Counter // by bounds; each holds those before it too

	name     string
	statuses sync.Map // of *metrics.Counter by status, made as they come
}

// status returns the counter of the answers with a status.
func (w *wayCounts) status(set *metrics.Set, status int) *metrics.Counter {
	if c, ok := w.statuses.Load(status); ok {
		return c.(*metrics.Counter)
	}
	c := set.GetOrCreateCounter(fmt.Sprintf(`locus_requests_total{way=%q,status="%d"}`, w.name, status))
	w.statuses.Store(status, c)
	return c
}

func newCounts() *counts {
	c := &counts{set: metrics.NewSet(), ways: make(map[string]*wayCounts)}
	for _, way := range []string{"own", "gateway", "proxy", "tunnel", "session"} {
		counter := func(name, more string) *metrics.Counter {
			return c.set.NewCounter(fmt.Sprintf("locus_%s{way=%q%s}", name, way, more))
		}
		w := &wayCounts{name: way, octets: counter("sent_octets_total", ""), broken: counter("broken_total", "")}
		for _, most := range bounds {
			w.buckets = append(w.buckets, counter("request_seconds_bucket", fmt.Sprintf(`,le="%g"`, most)))
		}
		w.buckets = append(w.buckets, counter("request_seconds_bucket", `,le="+Inf"`))
		w.answers = counter("request_seconds_count", "")
		w.seconds = c.set.NewFloatCounter(fmt.Sprintf("locus_request_seconds_sum{way=%q}", way))
		c.ways[way] = w
	}
	return c
}

// bounds are the bounds of the histogram of durations, in seconds.
var bounds = []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100}

// answered counts an answer.
func (c *counts) answered(o *outcome, took time.Duration, whole bool) {
	w := c.ways[o.way]
	w.status(c.set, o.status()).Inc()
	w.octets.AddInt64(o.sent)
	if !whole {
		w.broken.Inc()
	}
	w.answers.Inc()
	w.seconds.Add(took.Seconds())
	for i, bucket := range w.buckets {
		if i == len(bounds) || took.Seconds() <= bounds[i] {
			bucket.Inc()
		}
	}
}

// watch counts the results of a cache.
func (c *counts) watch(remembering *cache.Cache) {
	c.set.NewGauge("locus_cache_octets", func() float64 { return float64(remembering.Folder.Used()) })
	c.set.NewGauge("locus_cache_hits_total", func() float64 { return float64(remembering.Hits()) })
	c.set.NewGauge("locus_cache_misses_total", func() float64 { return float64(remembering.Misses()) })
}

// handler gives the counts to Prometheus, and says whether all is well: not to
// those who send more, once the gateway stops. Whoever asks for a host that it does
// not know is a page elsewhere.
func (c *counts) handler(knows func(host string) bool) http.Handler {
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
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !knows(r.Host) {
			http.Error(w, "not known by that name: ask by an address, or say --name", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
