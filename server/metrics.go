package server

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"locus/cache"
	"locus/gateway"
)

// A metricSet holds the metrics of a Server.
type metricSet struct {
	set      *metrics.Set
	ways     map[string]*wayMetrics
	stopping atomic.Bool
}

// A wayMetrics holds the metrics of one kind of request: see wayOf.
type wayMetrics struct {
	bytes, broken *metrics.Counter
	seconds       *metrics.PrometheusHistogram // the durations of responses

	name     string
	statuses sync.Map // of *metrics.Counter by status, made when a status first occurs
}

// status returns the counter of the responses with the given HTTP status. It creates the counter in set when the
// status first occurs.
func (w *wayMetrics) status(set *metrics.Set, status int) *metrics.Counter {
	if c, ok := w.statuses.Load(status); ok {
		return c.(*metrics.Counter)
	}
	c := set.GetOrCreateCounter(fmt.Sprintf(`locus_requests_total{way=%q,status="%d"}`, w.name, status))
	w.statuses.Store(status, c)
	return c
}

// metrics returns the metrics of s. The first call makes them, with the connections and the Cache of s.
func (s *Server) metrics() *metricSet {
	s.makeMetrics.Do(func() {
		s.ownMetrics = newMetricSet()
		s.ownMetrics.set.NewGauge("locus_connections", func() float64 { return float64(s.Connections.Count()) })
		if s.Cache != nil {
			s.ownMetrics.watch(s.Cache)
		}
	})
	return s.ownMetrics
}

// newMetricSet returns metrics that count from 0, with a wayMetrics for each result of wayOf.
func newMetricSet() *metricSet {
	m := &metricSet{set: metrics.NewSet(), ways: make(map[string]*wayMetrics)}
	for _, way := range []string{"own", "gateway", "proxy", "tunnel", "session"} {
		name := func(metric string) string { return fmt.Sprintf("locus_%s{way=%q}", metric, way) }
		m.ways[way] = &wayMetrics{
			name: way, bytes: m.set.NewCounter(name("sent_bytes_total")), broken: m.set.NewCounter(name("broken_total")),
			seconds: m.set.NewPrometheusHistogramExt(name("request_seconds"), bounds),
		}
	}
	return m
}

// bounds are the bounds of the histogram of durations, in seconds.
var bounds = []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100}

// answered counts a response in the metrics. took is its duration, and whole says whether it was sent to its end.
func (m *metricSet) answered(o *outcome, took time.Duration, whole bool) {
	w := m.ways[o.way]
	w.status(m.set, o.status()).Inc()
	w.bytes.AddInt64(o.sent)
	if !whole {
		w.broken.Inc()
	}
	w.seconds.Update(took.Seconds())
}

// watch adds the size, the hits and the misses of a cache to the metrics.
func (m *metricSet) watch(c *cache.Cache) {
	m.set.NewGauge("locus_cache_bytes", func() float64 { return float64(c.Folder.Used()) })
	m.set.NewGauge("locus_cache_hits_total", func() float64 { return float64(c.Hits()) })
	m.set.NewGauge("locus_cache_misses_total", func() float64 { return float64(c.Misses()) })
}

// handler returns a handler for /metrics and /healthz, which gets 503 while the server is stopping. It answers
// requests whose Host is "localhost", an IP address or in names, and refuses others with 421, because a page of
// another site may let its own name resolve to this address.
func (m *metricSet) handler(names []string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		m.set.WritePrometheus(w)
		metrics.WriteProcessMetrics(w)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if m.stopping.Load() { // so that a load balancer asks another server
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n") // the client may be gone
	})
	own := gateway.Gateway{Names: names}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !own.IsOwnHost(r.Host) {
			http.Error(w, "not known by that name: ask by an IP address, or by a name that is set up", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
