package stream

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// leases acquires, renews and releases the leases of this worker's shards. A lease is a message at the servers, which
// expires if it is not renewed.
type leases struct {
	log    *runLog
	stream jetstream.Stream
	held   *held
	time   time.Duration // how long a lease lasts; only keep uses it

	closeIdle func() // closes idle connections, before other workers open some to the same hosts; may be nil
}

// keep keeps this worker's share of the leases until ctx is done.
func (l *leases) keep(ctx context.Context) {
	defer l.releaseAll(ctx)
	every := l.time / 4
	renew := time.NewTicker(every)
	defer renew.Stop()
	for {
		l.update(ctx)
		if now := l.time / 4; now != every {
			every = now
			renew.Reset(every)
		}
		select {
		case <-ctx.Done():
			return
		case <-renew.C:
		}
	}
}

// update renews the leases, releases the leases that exceed this worker's fair share, and acquires free ones. It renews
// first, because the servers may answer the other requests slowly. A step that fails is tried again by the next update.
func (l *leases) update(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.time/2)
	defer cancel()
	l.renew(ctx)
	own := l.worker()
	if _, err := l.log.js.Publish(ctx, own, nil); err != nil {
		return
	}
	info, err := l.stream.Info(ctx, jetstream.WithSubjectFilter(l.log.topic("lease.>")))
	if err != nil {
		return
	}
	if age := info.Config.MaxAge; age > 0 && age != l.time { // the process that resumed the run last has changed it
		l.time = age
		l.renew(ctx) // because renew has counted with the old time
	}
	workers, before := 0, 0 // all workers, and the workers whose names sort before this one
	for subject := range info.State.Subjects {
		if strings.HasPrefix(subject, l.log.topic("lease.worker.")) {
			workers++
			if subject < own {
				before++
			}
		}
	}
	shards := l.held.count
	fair := (shards + max(workers, 1) - 1) / max(workers, 1)
	l.releaseExtra(ctx, fair)
	var free []int
	for i := range shards {
		n := (before + i) % shards // workers that join at the same time begin with different shards
		if _, isHeld := info.State.Subjects[l.shard(n)]; !isHeld {
			free = append(free, n)
		}
	}
	held := l.held.numbers()
	l.acquire(ctx, mostDistant(max(fair-len(held), 0), free, held, shards))
}

// worker returns the subject of the message that counts this worker.
func (l *leases) worker() string { return l.log.topic("lease.worker." + l.log.worker) }

// shard returns the subject of the lease of a shard.
func (l *leases) shard(n int) string { return l.log.topic("lease.shard." + strconv.Itoa(n)) }

// renew renews the leases. If a lease has another revision, another worker has acquired it, and the shard is lost.
func (l *leases) renew(ctx context.Context) {
	var all sync.WaitGroup
	for _, s := range l.held.all() {
		all.Go(func() {
			start := time.Now()
			revision, _ := s.lease()
			ack, err := l.log.js.Publish(ctx, l.shard(s.number), nil, jetstream.WithExpectLastSequencePerSubject(revision))
			switch {
			case err == nil:
				s.renewed(ack.Sequence, start.Add(l.time))
			case isOutdated(err):
				s.lose()
			}
		})
	}
	all.Wait()
}

// acquire acquires free leases. A lease that another worker acquires first is left to that worker.
func (l *leases) acquire(ctx context.Context, shards []int) {
	var all sync.WaitGroup
	for _, n := range shards {
		all.Go(func() {
			start := time.Now()
			ack, err := l.log.js.Publish(ctx, l.shard(n), nil, jetstream.WithExpectLastSequencePerSubject(0))
			if err == nil {
				l.held.hold(n, ack.Sequence, start.Add(l.time))
			}
		})
	}
	all.Wait()
}

// releaseExtra lets the shards that exceed the fair share leave, and releases their leases when they have no pending
// jobs.
func (l *leases) releaseExtra(ctx context.Context, fair int) {
	l.release(ctx, l.held.leaveExtra(fair))
}

// release closes idle connections and then releases leases. If a request fails, the lease expires.
func (l *leases) release(ctx context.Context, revisions []uint64) {
	if len(revisions) > 0 && l.closeIdle != nil {
		l.closeIdle()
	}
	var all sync.WaitGroup
	for _, revision := range revisions {
		all.Go(func() { _ = l.stream.DeleteMsg(ctx, revision) })
	}
	all.Wait()
}

// releaseAll releases all leases. The content of the shards is kept for the report.
func (l *leases) releaseAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	var revisions []uint64
	for _, s := range l.held.all() {
		revision, _ := s.lease()
		revisions = append(revisions, revision)
	}
	l.release(ctx, revisions)
	_ = l.stream.Purge(ctx, jetstream.WithPurgeSubject(l.worker())) // if this fails, the message expires
}
