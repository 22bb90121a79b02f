package stream

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// busyServers answer requests at once, except the requests of one kind, which they never answer.
type busyServers struct {
	jetstream.JetStream
	silent string // "worker" or "info"
	outage *bool  // silent applies only while it is true; nil means always
}

// isSilent reports whether requests of a kind get no answer now.
func (s busyServers) isSilent(kind string) bool {
	return s.silent == kind && (s.outage == nil || *s.outage)
}

func (s busyServers) Publish(ctx context.Context, subject string, _ []byte, _ ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if s.isSilent("worker") && strings.Contains(subject, ".lease.worker.") {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &jetstream.PubAck{Sequence: 1}, nil
}

// busyStream is the stream of busyServers.
type busyStream struct {
	jetstream.Stream
	servers busyServers
	maxAge  time.Duration
}

func (s busyStream) Info(ctx context.Context, _ ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	if s.servers.isSilent("info") {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &jetstream.StreamInfo{Config: jetstream.StreamConfig{MaxAge: s.maxAge}}, nil
}

func (busyStream) DeleteMsg(context.Context, uint64) error                  { return nil }
func (busyStream) Purge(context.Context, ...jetstream.StreamPurgeOpt) error { return nil }

// The leases are renewed even if the servers do not answer the other requests of an update. If the servers change how
// long a lease lasts, the worker renews its leases for the new time.
func TestRenewFirst(t *testing.T) {
	const lasts = time.Minute
	for _, test := range []struct {
		silent string
		maxAge time.Duration // as the servers tell
		want   time.Duration // how long the lease lasts after its last renewal
	}{
		{"", lasts, lasts},
		{"worker", lasts, lasts},
		{"info", lasts, lasts},
		{"", lasts / 2, lasts / 2},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := offline(2, func(map[string][][]byte) error { return nil })
				job := lendAll(t, q, 1)[0]
				s := q.held.get(0)
				s.renewed(0, time.Now().Add(lasts))
				servers := busyServers{silent: test.silent}
				l := leases{log: &runLog{name: "run", worker: "w", js: servers}, stream: busyStream{servers: servers, maxAge: test.maxAge}, held: &q.held, time: lasts, changed: &q.changed}
				start := time.Now()
				l.update(t.Context())
				s.mu.Lock()
				if got := s.expires.Sub(start); got != test.want {
					t.Errorf("after an update, the lease lasts %v, want %v", got, test.want)
				}
				s.mu.Unlock()
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() {
					l.keep(ctx)
					close(ended)
				}()
				time.Sleep(3 * lasts)
				if !q.Begin(ctx, job) {
					t.Errorf("Begin(%s) = false after %v, want true, because the lease can be renewed", job.URL, 3*lasts)
				}
				cancel()
				<-ended
				q.background.end()
			})
		})
	}
}
