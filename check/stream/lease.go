package stream

import (
	"context"
	"errors"
	"slices"
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

	changed   *notifier // notified when jobs may begin again
	closeIdle func()    // closes idle connections, before other workers open some to the same hosts; may be nil

	hasAnswers bool      // the servers have answered an update; only keep uses it
	silent     time.Time // when the servers last did not answer an update after that; only keep uses it
}

// keep keeps this worker's share of the leases until ctx is done, and then releases all of them. If the servers did not
// answer lately, it tries more often, so that this worker regains its leases before other workers may acquire them.
func (l *leases) keep(ctx context.Context) {
	defer l.releaseAll(ctx)
	every := l.time / 4
	renew := time.NewTicker(every)
	defer renew.Stop()
	for {
		l.update(ctx)
		now := l.time / 4
		if l.isRecovering() {
			now = l.time / 16
		}
		if now != every {
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

// update renews the leases, releases the leases that exceed this worker's fair share, and acquires free ones, within
// half the time of a lease. It renews first, because the servers may answer the other requests slowly. A step that
// fails is tried again by the next update.
func (l *leases) update(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.time/2)
	defer cancel()
	l.renew(ctx)
	info, err := l.register(ctx)
	if err != nil {
		if l.hasAnswers {
			l.silent = time.Now()
		}
		return
	}
	l.hasAnswers = true
	if age := info.Config.MaxAge; age > 0 && age != l.time { // the process that resumed the run last has changed it
		l.time = age
		l.renew(ctx) // because renew has counted with the old time
	}
	if !l.isRecovering() {
		l.share(ctx, info.State.Subjects)
	}
}

// isRecovering reports whether the servers did not answer an update within the last half of the time of a lease. Then
// all leases may have expired although their workers are alive, so this worker does not acquire leases of others.
func (l *leases) isRecovering() bool { return time.Since(l.silent) < l.time/2 }

// register renews the message by which other workers count this worker. It returns the state of the stream of leases,
// with a subject for each lease and each worker.
func (l *leases) register(ctx context.Context) (*jetstream.StreamInfo, error) {
	if _, err := l.log.js.Publish(ctx, l.worker(), nil); err != nil {
		return nil, err
	}
	return l.stream.Info(ctx, jetstream.WithSubjectFilter(l.log.topic("lease.>")))
}

// share releases the leases that exceed this worker's fair share, and acquires free ones up to it. leases has the
// subjects of all leases and workers as keys.
func (l *leases) share(ctx context.Context, leases map[string]uint64) {
	own := l.worker()
	workers, before := 0, 0 // all workers, and the workers whose names sort before this one
	for subject := range leases {
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
	held := l.held.numbers() // among them may be shards whose leases have expired and can be regained
	var free []int
	for i := range shards {
		n := (before + i) % shards // workers that join at the same time begin with different shards
		if _, isHeld := leases[l.shard(n)]; !isHeld && !slices.Contains(held, n) {
			free = append(free, n)
		}
	}
	l.acquire(ctx, mostDistant(max(fair-len(held), 0), free, held, shards))
}

// worker returns the subject of the message by which other workers count this worker.
func (l *leases) worker() string { return l.log.topic("lease.worker." + l.log.worker) }

// shard returns the subject of the lease of shard n.
func (l *leases) shard(n int) string { return l.log.topic("lease.shard." + strconv.Itoa(n)) }

// renew renews the leases of all held shards. It regains or loses a shard whose lease has expired.
func (l *leases) renew(ctx context.Context) {
	var all sync.WaitGroup
	for _, s := range l.held.all() {
		all.Go(func() {
			start := time.Now()
			revision, _ := s.lease()
			sequence, err := l.publish(ctx, s.number, revision)
			switch {
			case err == nil:
				l.renewed(s, sequence, start)
			case isOutdated(err):
				l.regain(ctx, s)
			}
		})
	}
	all.Wait()
}

// renewed records that the lease of s was renewed by a request that began at start. It wakes Next if the lease had
// expired, because jobs of s may begin again.
func (l *leases) renewed(s *shard, revision uint64, start time.Time) {
	if wasLate := s.renewed(revision, start.Add(l.time)); wasLate {
		l.changed.notify()
	}
}

// regain renews a lease that has another revision than this worker knows. If an earlier renewal has succeeded without an
// answer, the lease still belongs to this worker. If the lease has expired, regain acquires it again. If another worker
// has acquired it, the shard is lost.
func (l *leases) regain(ctx context.Context, s *shard) {
	start := time.Now()
	last, err := l.stream.GetLastMsgForSubject(ctx, l.shard(s.number))
	hasExpired := errors.Is(err, jetstream.ErrMsgNotFound)
	switch {
	case hasExpired:
		last = new(jetstream.RawStreamMsg)
	case err != nil:
		return // the next update tries again
	case string(last.Data) != l.log.worker:
		l.lose(s)
		return
	}
	sequence, err := l.publish(ctx, s.number, last.Sequence)
	switch {
	case err == nil && hasExpired:
		s.regained(sequence, start.Add(l.time))
	case err == nil:
		l.renewed(s, sequence, start)
	case isOutdated(err):
		l.lose(s)
	}
}

// lose gives up a shard whose lease another worker has acquired, and closes the idle connections.
func (l *leases) lose(s *shard) {
	s.lose()
	if l.closeIdle != nil {
		l.closeIdle()
	}
}

// publish writes this worker's name into the lease of shard n if the lease has the given revision; 0 for a lease that
// does not exist. It returns the new revision. isOutdated is true for the error if the lease has another revision.
func (l *leases) publish(ctx context.Context, n int, revision uint64) (uint64, error) {
	ack, err := l.log.js.Publish(ctx, l.shard(n), []byte(l.log.worker), jetstream.WithExpectLastSequencePerSubject(revision))
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// acquire acquires the free leases of shards, and adds the shards to held. It skips a lease that another worker
// acquires first.
func (l *leases) acquire(ctx context.Context, shards []int) {
	var all sync.WaitGroup
	for _, n := range shards {
		all.Go(func() {
			start := time.Now()
			if revision, err := l.publish(ctx, n, 0); err == nil {
				l.held.hold(n, revision, start.Add(l.time))
			}
		})
	}
	all.Wait()
}

// releaseExtra makes the shards that exceed the fair share leave. It releases the leases of leaving shards without
// pending jobs.
func (l *leases) releaseExtra(ctx context.Context, fair int) {
	l.release(ctx, l.held.leaveExtra(fair))
}

// release releases leases by their revisions, after it has closed the idle connections. If a request fails, the lease
// expires.
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

// releaseAll releases all leases, and no longer counts as a worker. It takes at most a second, even if ctx is done. The
// shards stay in held for the report.
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
