package stream

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
)

// A lease is one that this worker holds, of a shard.
type lease struct {
	revision uint64
	until    time.Time // it ends then, unless it is renewed
	from     uint64    // its jobs are begun when the log is read up to there
	leaving  bool      // what is under way is finished, to give it up
}

// shareAll holds this worker's share of the shards until the queue is closed.
func (q *Queue) shareAll() {
	defer q.leave()
	every := q.options.Lease / 4
	renew := time.NewTicker(every)
	defer renew.Stop()
	for {
		q.share(q.ctx)
		q.endIfAnother(q.ctx)
		if now := q.options.Lease / 4; now != every {
			every = now
			renew.Reset(every)
		}
		select {
		case <-q.ctx.Done():
			return
		case <-renew.C:
		}
	}
}

// endIfAnother ends the work if the run was removed and one of its name begun, as
// may be when this process was stopped for long.
func (q *Queue) endIfAnother(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, q.options.Lease/4)
	defer cancel()
	if log, err := q.log.Info(ctx); err == nil && q.isAnother(log) {
		q.stop(errEnded)
	}
}

// share holds as many shards as is fair among the workers that there are: it
// renews its leases, gives up what is more, and takes free ones. What fails is
// tried again the next time.
func (q *Queue) share(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, q.options.Lease/2)
	defer cancel()
	if _, err := q.js.Publish(ctx, q.subject("lease.worker."+q.worker), nil); err != nil {
		return
	}
	info, err := q.leases.Info(ctx, jetstream.WithSubjectFilter(q.subject("lease.>")))
	if err != nil {
		return
	}
	q.options.Lease = info.Config.MaxAge // as whoever set up the run last has it
	workers := 0
	for subject := range info.State.Subjects {
		if strings.HasPrefix(subject, q.subject("lease.worker.")) {
			workers++
		}
	}
	fair := (q.options.Shards + max(workers, 1) - 1) / max(workers, 1)
	q.giveUp(ctx, fair)
	q.renew(ctx)
	for _, n := range rand.Perm(q.options.Shards) {
		if len(q.shards()) >= fair {
			return
		}
		if _, held := info.State.Subjects[q.leaseOf(n)]; !held {
			q.acquire(ctx, n)
		}
	}
}

func (q *Queue) leaseOf(n int) string { return q.subject("lease.shard." + strconv.Itoa(n)) }

// shards returns the shards that this worker holds, and the revisions of their
// leases.
func (q *Queue) shards() map[int]uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make(map[int]uint64)
	for n, l := range q.mine {
		all[n] = l.revision
	}
	return all
}

// renew renews the leases. A shard whose lease was lost is another's.
func (q *Queue) renew(ctx context.Context) {
	var all sync.WaitGroup
	for n, revision := range q.shards() {
		all.Go(func() {
			start := time.Now()
			ack, err := q.js.Publish(ctx, q.leaseOf(n), nil, jetstream.WithExpectLastSequencePerSubject(revision))
			q.mu.Lock()
			defer q.mu.Unlock()
			l := q.mine[n]
			var api *jetstream.APIError
			switch {
			case l == nil:
			case err == nil:
				l.revision, l.until = ack.Sequence, start.Add(q.options.Lease)
			case errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence:
				q.lose(n)
			}
		})
	}
	all.Wait()
}

// acquire takes a shard that is free, unless another is quicker.
func (q *Queue) acquire(ctx context.Context, n int) {
	start := time.Now()
	ack, err := q.js.Publish(ctx, q.leaseOf(n), nil, jetstream.WithExpectLastSequencePerSubject(0))
	if err != nil {
		return
	}
	l := &lease{revision: ack.Sequence, until: start.Add(q.options.Lease), from: math.MaxUint64}
	// An empty batch is behind all that was added before; what a server says of
	// its log may be old when it leads only just.
	head := writer{}
	head.text(q.worker)
	if ack, err := q.js.Publish(ctx, q.adds, head.data); err == nil {
		l.from = ack.Sequence
	} else {
		l.leaving = true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mine[n] = l
	q.own()
}

// giveUp lets go of shards of which nothing is under way any more, and begins to
// give up those that are more than is fair.
func (q *Queue) giveUp(ctx context.Context, fair int) {
	q.mu.Lock()
	busy := make(map[int]bool)
	for _, n := range q.begun {
		busy[n] = true
	}
	stay := 0
	for _, l := range q.mine {
		if !l.leaving {
			stay++
		}
		l.leaving = l.leaving || stay > fair
	}
	var free []uint64
	for n, l := range q.mine {
		if l.leaving && !busy[n] {
			free = append(free, l.revision)
			delete(q.mine, n)
		}
	}
	q.own()
	q.mu.Unlock()
	for _, revision := range free {
		_ = q.leases.DeleteMsg(ctx, revision) // else it ends by itself
	}
}

// lose is called with mu held when a shard is not this worker's any more.
func (q *Queue) lose(n int) {
	delete(q.mine, n)
	q.own()
}

// own is called with mu held. It lets Next return the jobs of the shards that are
// this worker's.
func (q *Queue) own() {
	q.Own(q.holds)
}

// holds is called with mu held. It reports whether jobs of a shard may be begun.
func (q *Queue) holds(n int) bool {
	l := q.mine[n]
	return l != nil && !l.leaving && l.from <= q.at
}

// take lets Next return the jobs of the shards whose part of the log is read now.
func (q *Queue) take() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.own()
}

// Begin reports whether a job is still of a shard that is this worker's, and to be
// done.
func (q *Queue) Begin(j check.Job) bool {
	if !q.isShared() {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.Part(j.URL)
	if l := q.mine[n]; l != nil && !time.Now().Before(l.until) {
		q.lose(n) // it could not be renewed
	}
	done, err := q.IsDone(j)
	if err != nil {
		q.stop(err)
	}
	if q.holds(n) && !done {
		q.begun[j.Key()] = n
		return true
	}
	delete(q.begun, j.Key())
	if err := q.Unclaim(j); err != nil {
		q.stop(err)
	}
	return false
}

// end tells that a job is not under way any more.
func (q *Queue) end(j check.Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.begun, j.Key())
}

// leave gives up the shards.
func (q *Queue) leave() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(q.ctx), time.Second)
	defer cancel()
	for _, revision := range q.shards() {
		_ = q.leases.DeleteMsg(ctx, revision) // else it ends by itself
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.mine)
	q.own()
	_ = q.leases.Purge(ctx, jetstream.WithPurgeSubject(q.subject("lease.worker."+q.worker))) // likewise
}
