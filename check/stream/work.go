package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
)

// atOnce is how many jobs are handed out, by all shards and by one at least.
const atOnce, atOnceOfOne = 4096, 512

// settlesAtOnce is of how many jobs it is asked at once whether they are to be
// done.
const settlesAtOnce = 64

// A shard is one that this worker holds.
type shard struct {
	revision uint64 // of the lease
	stop     context.CancelFunc
	leaving  bool // its jobs are being finished, to give it up
}

// work takes jobs, keeps those that are held from being handed out again, and
// sees whether the run is finished, until ctx is done.
func (q *Queue) work(ctx context.Context) {
	if q.options.Shards == 1 {
		q.pull(ctx, 0, new(shard))
	}
	renew := time.NewTicker(q.options.Lease / 4)
	defer renew.Stop()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		if q.options.Shards > 1 {
			q.share(ctx)
		}
		q.hold()
		for again := true; again; {
			select {
			case <-ctx.Done():
				q.leave()
				return
			case <-renew.C:
				again = false
			case <-look.C:
			case <-q.idle:
			}
			if again && q.isFinished(ctx) {
				q.leave()
				close(q.finished)
				return
			}
		}
	}
}

// hold tells that the jobs that are held are being worked at.
func (q *Queue) hold() {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	for key, j := range q.held {
		if now.Sub(j.touched) < q.options.Lease {
			continue
		}
		_ = j.msg.InProgress() // if it does not arrive the job may be done twice
		j.touched = now
		q.held[key] = j
	}
}

// isFinished reports whether all jobs are done. When another worker has found
// that out, or has removed the run, it is so.
func (q *Queue) isFinished(ctx context.Context) bool {
	q.mu.Lock()
	idle := len(q.held) == 0
	q.mu.Unlock()
	if !idle {
		return false
	}
	var yes bool
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if ok, err := q.ask(ctx, "finished", &yes); ok || errors.Is(err, jetstream.ErrStreamNotFound) {
		return true
	}
	if ok, err := q.ask(ctx, "seeded", &yes); !ok || err != nil {
		return false
	}
	if !q.isDrained(ctx, "todo") {
		return false
	}
	select {
	case <-q.walked:
	default:
		close(q.walked) // for good: what does not walk brings nothing
		return false
	}
	if !q.isDrained(ctx, "late") {
		return false
	}
	_ = q.tell(ctx, "finished", true) // the others find out themselves
	return true
}

// isDrained reports whether no shard has a job of a kind that is not done. Whoever finishes
// a job has put in before what follows from it; so if nothing was put in while
// the shards were looked at, none of them has got one behind the look.
func (q *Queue) isDrained(ctx context.Context, kind string) bool {
	before, err := q.todo.Info(ctx)
	if err != nil {
		return false
	}
	for n := range q.options.Shards {
		c, err := q.consumer(ctx, kind, n)
		if err != nil {
			return false
		}
		info, err := c.Info(ctx)
		if err != nil || info.NumPending > 0 || info.NumAckPending > 0 {
			return false
		}
	}
	after, err := q.todo.Info(ctx)
	return err == nil && before.State.LastSeq == after.State.LastSeq
}

// consumer returns what hands out the jobs of a kind, "todo" or "late", of a
// shard.
func (q *Queue) consumer(ctx context.Context, kind string, n int) (jetstream.Consumer, error) {
	return q.todo.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: kind + strconv.Itoa(n), FilterSubject: q.subject(kind, strconv.Itoa(n), ">"),
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: 3 * q.options.Lease, MaxAckPending: max(atOnce/q.options.Shards, atOnceOfOne), MaxDeliver: -1,
	})
}

// pull begins to take the jobs of a shard.
func (q *Queue) pull(ctx context.Context, n int, s *shard) {
	ctx, s.stop = context.WithCancel(ctx)
	q.mu.Lock()
	q.mine[n] = s
	q.mu.Unlock()
	go q.takeAll(ctx, "todo", n)
	go func() {
		select {
		case <-q.walked:
			q.takeAll(ctx, "late", n)
		case <-ctx.Done():
		}
	}()
}

// takeAll takes the jobs of a kind of a shard until ctx is done.
func (q *Queue) takeAll(ctx context.Context, kind string, n int) {
	for ctx.Err() == nil {
		err := q.take(ctx, kind, n)
		if errors.Is(err, nats.ErrConnectionClosed) && ctx.Err() == nil {
			q.fail(err)
			return
		}
		_ = sleep(ctx, 50*time.Millisecond) // the server is away, or the run has ended
	}
}

func (q *Queue) fail(err error) {
	select {
	case q.failed <- err:
	default:
	}
}

// take hands the jobs of a kind of a shard to Next.
func (q *Queue) take(ctx context.Context, kind string, n int) error {
	trying, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c, err := q.consumer(trying, kind, n)
	if err != nil {
		return err
	}
	messages, err := c.Messages(jetstream.PullMaxMessages(atOnceOfOne), jetstream.PullExpiry(5*time.Second))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if ctx.Err() != nil {
			giveBack(messages, m)
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		var j check.Job
		if err := json.Unmarshal(m.Data(), &j); err != nil {
			return fmt.Errorf("a job that cannot be read: %w", errors.Join(err, m.Term()))
		}
		how := job{msg: m, shard: n, touched: time.Now()}
		if kind == "todo" {
			q.keep(j, how)
			continue
		}
		q.settling <- struct{}{}
		go func() {
			defer func() { <-q.settling }()
			q.keepLate(ctx, j, how)
		}()
	}
}

// keepLate keeps a job that does not walk, if it is to be done.
func (q *Queue) keepLate(ctx context.Context, j check.Job, how job) {
	switch toDo, err := q.settle(ctx, how.shard, &j); {
	case err != nil:
		_ = how.msg.Nak() // if it does not arrive it only takes longer
	case !toDo:
		_ = how.msg.Ack() // if it does not arrive it is seen again
	case ctx.Err() != nil:
		_ = how.msg.Nak() // the shard was given up
	default:
		q.keep(j, how)
	}
}

// giveBack lets what arrived be handed out again at once.
func giveBack(messages jetstream.MessagesContext, m jetstream.Msg) {
	messages.Drain()
	var err error
	for ; err == nil; m, err = messages.Next() {
		if m != nil {
			_ = m.Nak() // if it does not arrive it only takes longer
		}
	}
}

// keep takes note of a job. If this worker has it already, it took so long that
// it was handed out again; its newest message is the one to acknowledge.
func (q *Queue) keep(j check.Job, how job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, twice := q.held[j.Key()]; !twice {
		q.waiting = append(q.waiting, j)
		signal(q.more)
	}
	q.held[j.Key()] = how
}

// share holds as many shards as is fair among the workers that there are: it
// renews its leases, takes free ones, and gives up one at a time.
func (q *Queue) share(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, q.options.Lease/2)
	defer cancel()
	if _, err := q.leases.Put(ctx, "worker."+q.worker, nil); err != nil {
		return
	}
	keys, err := q.leases.Keys(ctx)
	if err != nil {
		return
	}
	workers := 0
	for _, k := range keys {
		if strings.HasPrefix(k, "worker.") {
			workers++
		}
	}
	q.renew(ctx)
	fair := (q.options.Shards + max(workers, 1) - 1) / max(workers, 1)
	q.giveUp(ctx, fair)
	for _, n := range rand.Perm(q.options.Shards) {
		if q.count() >= fair {
			return
		}
		lease := "shard." + strconv.Itoa(n)
		if slices.Contains(keys, lease) {
			continue
		}
		if revision, err := q.leases.Create(ctx, lease, []byte(q.worker)); err == nil {
			q.pull(context.WithoutCancel(ctx), n, &shard{revision: revision})
		}
	}
}

// renew renews the leases. A shard whose lease was lost is another's.
func (q *Queue) renew(ctx context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n, s := range q.mine {
		revision, err := q.leases.Update(ctx, "shard."+strconv.Itoa(n), []byte(q.worker), s.revision)
		var api *jetstream.APIError
		switch {
		case err == nil:
			s.revision = revision
		case errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence:
			s.stop()
			delete(q.mine, n)
		}
	}
}

// giveUp lets go of shards whose jobs are finished, and begins to finish those
// of one more if there are more than is fair.
func (q *Queue) giveUp(ctx context.Context, fair int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n, s := range q.mine {
		if len(q.mine) > fair && !s.leaving {
			s.leaving = true
			s.stop()
		}
		if s.leaving && !q.busy(n) {
			_ = q.leases.Delete(ctx, "shard."+strconv.Itoa(n)) // else it ends by itself
			delete(q.mine, n)
		}
	}
}

// busy reports whether jobs of a shard are held.
func (q *Queue) busy(n int) bool {
	for _, j := range q.held {
		if j.shard == n {
			return true
		}
	}
	return false
}

func (q *Queue) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.mine)
}

// leave gives up the shards.
func (q *Queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for n, s := range q.mine {
		s.stop()
		if q.leases != nil {
			_ = q.leases.Delete(ctx, "shard."+strconv.Itoa(n)) // else it ends by itself
		}
	}
	clear(q.mine)
	if q.leases != nil {
		_ = q.leases.Delete(ctx, "worker."+q.worker) // likewise
	}
}

var _ check.Queue = (*Queue)(nil)
