// Package stream is a check.Queue in NATS JetStream: any number of processes work
// at one run, and what one of them leaves undone when it is killed, another does.
//
// A run has two streams and a bucket:
//
//	todo   locus.RUN.todo.SHARD.KEY    one message for each page to walk through,
//	       locus.RUN.late.SHARD.KEY    and for each URL to look at when all are
//	                                   walked through, for good: the frontier,
//	                                   and what has been seen
//	       locus.RUN.want.KEY          fragments of that URL are wanted
//	told   locus.RUN.done.KEY          what came of it
//	       locus.RUN.found.SOURCE      the links of a document, in parts
//	       locus.RUN.meta.NAME         policy, seeded, finished
//	lease  SHARD, WORKER               who works on what; forgotten after a while
//
// The stream todo takes one message for each subject and refuses the second, so
// a URL is put in once, whoever finds it, and however long ago it was found: no
// window of time is involved. A consumer for each shard hands its messages out
// until they are acknowledged. A worker acknowledges a job when what follows from
// it is stored: first the URLs that it found, then the links, then the result.
// Wherever it is killed, the job is handed out again, and storing all that a
// second time changes nothing. So no URL is lost, and one is checked twice only
// if whoever checked it did not live to say so.
//
// A host belongs to one shard, by its hash, and a shard to one worker, who holds
// the lease. That worker's own limits are therefore those of the whole run. Each
// worker holds as many leases as is its share, and gives up what is more when
// another comes. A lease that is not renewed ends, and the shard is another's.
//
// Notable divergences: none; it implements no document.
package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
	"locus/url"
)

// Options say how a run is kept. The zero Options are for one process and its
// own server.
type Options struct {
	// Shards are how many parts the hosts of a run are divided into, and so how
	// many workers can share it; 0 means 1. It is the same for all workers.
	Shards int

	// Replicas is how many servers of a cluster keep each message; 0 means 1.
	Replicas int

	// Lease is how long a worker that is not heard of keeps its shards. Jobs that
	// it had are handed out again after three times as long. 0 means 5 seconds.
	Lease time.Duration
}

// A Queue is a check.Queue in JetStream. It belongs to one worker.
type Queue struct {
	js       jetstream.JetStream
	run      string
	options  Options
	todo     jetstream.Stream
	told     jetstream.Stream
	leases   jetstream.KeyValue
	worker   string
	more     chan struct{} // has one if jobs may be waiting
	idle     chan struct{} // has one if all jobs may be done
	failed   chan error
	settling chan struct{} // has one for each job that is being settled
	start    sync.Once
	stop     context.CancelFunc
	walked   chan struct{} // closed when no job is left that walks
	finished chan struct{} // closed when the run is
	seen     seen

	mu      sync.Mutex
	waiting []check.Job       // for Next
	held    map[check.Key]job // those, and what the caller has not done yet
	mine    map[int]*shard
}

// A job says how to say that one is done.
type job struct {
	msg     jetstream.Msg
	shard   int
	touched time.Time // when the server was last told that it is being worked at
}

// Open returns the queue of a run, which it sets up if it is not there. A run's
// name is of letters, digits, "-" and "_".
func Open(ctx context.Context, conn *nats.Conn, run string, o Options) (*Queue, error) {
	if run == "" || strings.Trim(run, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return nil, fmt.Errorf("%q is no name for a run: it is made of letters, digits, - and _", run)
	}
	if o.Shards == 0 {
		o.Shards = 1
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.Lease == 0 {
		o.Lease = 5 * time.Second
	}
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncMaxPending(4096))
	if err != nil {
		return nil, err
	}
	q := &Queue{
		js: js, run: run, options: o, worker: nats.NewInbox()[len("_INBOX."):], failed: make(chan error, 1), settling: make(chan struct{}, settlesAtOnce),
		more: make(chan struct{}, 1), idle: make(chan struct{}, 1),
		walked: make(chan struct{}), finished: make(chan struct{}), held: make(map[check.Key]job), mine: make(map[int]*shard),
	}
	err = patiently(ctx, func(ctx context.Context) error { return q.setUp(ctx) })
	if err != nil {
		return nil, fmt.Errorf("set up the run %q: %w", run, err)
	}
	return q, nil
}

// setUp makes the streams and the bucket, unless they are there.
func (q *Queue) setUp(ctx context.Context) error {
	var err error
	q.todo, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: q.name("todo"), Subjects: []string{q.subject("todo", ">"), q.subject("late", ">"), q.subject("want", ">")}, Replicas: q.options.Replicas,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgs: -1,
	})
	if err != nil {
		return err
	}
	q.told, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: q.name("told"), Subjects: []string{q.subject("done", ">"), q.subject("found", ">"), q.subject("meta", ">")},
		Replicas: q.options.Replicas, MaxMsgsPerSubject: 1, MaxMsgs: -1,
	})
	if err != nil || q.options.Shards == 1 {
		return err
	}
	q.leases, err = q.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: q.name("lease"), TTL: q.options.Lease, Replicas: q.options.Replicas,
	})
	return err
}

// name returns the name of one of the run's streams.
func (q *Queue) name(part string) string { return "locus_" + q.run + "_" + part }

func (q *Queue) subject(parts ...string) string {
	return "locus." + q.run + "." + strings.Join(parts, ".")
}

// Seed stores a document, and jobs that were not taken before.
func (q *Queue) Seed(ctx context.Context, s check.Source, jobs []check.Job) error {
	return q.store(ctx, s, jobs, nil)
}

// Seeded tells that there are no more documents to come. Before that no worker
// ends.
func (q *Queue) Seeded(ctx context.Context) error { return q.tell(ctx, "seeded", true) }

// SetPolicy stores by what policy the run is worked at.
func (q *Queue) SetPolicy(ctx context.Context, p check.Policy) error { return q.tell(ctx, "policy", p) }

// Policy waits until a policy is stored, and returns it.
func (q *Queue) Policy(ctx context.Context) (check.Policy, error) {
	var p check.Policy
	for {
		ok, err := q.ask(ctx, "policy", &p)
		if ok || err != nil {
			return p, err
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return p, err
		}
	}
}

func (q *Queue) tell(ctx context.Context, name string, v any) error {
	return q.publish(ctx, []*nats.Msg{message(q.subject("meta", name), v)})
}

// ask reads what was told; ok is false if nothing was.
func (q *Queue) ask(ctx context.Context, name string, v any) (ok bool, err error) {
	err = patiently(ctx, func(ctx context.Context) error {
		m, err := q.told.GetLastMsgForSubject(ctx, q.subject("meta", name))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil
		case err != nil:
			return err
		}
		ok = true
		return json.Unmarshal(m.Data, v)
	})
	return ok, err
}

// message returns a message with a value as JSON.
func message(subject string, v any) *nats.Msg {
	data, err := json.Marshal(v)
	if err != nil {
		panic("stream: what is stored can be written as JSON: " + err.Error())
	}
	return &nats.Msg{Subject: subject, Data: data}
}

// shardOf returns the shard of a URL: that of its host.
func (q *Queue) shardOf(text string) int {
	if q.options.Shards == 1 {
		return 0
	}
	host := text
	if u, err := url.Parse(text); err == nil {
		if name, ok := u.Host(); ok {
			host = name
		}
	}
	h := fnv.New32a()
	_, _ = io.WriteString(h, strings.ToLower(host))
	return int(h.Sum32() % uint32(q.options.Shards))
}

// Next returns a job of a shard that is this worker's.
func (q *Queue) Next(ctx context.Context) (check.Job, error) {
	q.start.Do(func() {
		working, stop := context.WithCancel(context.WithoutCancel(ctx))
		q.stop = stop
		go q.work(working)
	})
	for {
		if j, ok := q.next(); ok {
			return j, nil
		}
		select {
		case <-q.more:
		case <-q.finished:
			return check.Job{}, io.EOF
		case err := <-q.failed:
			return check.Job{}, err
		case <-ctx.Done():
			return check.Job{}, context.Cause(ctx)
		}
	}
}

func (q *Queue) next() (j check.Job, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return j, false
	}
	j, q.waiting = q.waiting[0], q.waiting[1:]
	if len(q.waiting) > 0 {
		signal(q.more)
	}
	return j, true
}

// signal tells whoever waits on c, now or later.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Done stores what came of a job, and then lets go of it.
func (q *Queue) Done(ctx context.Context, j check.Job, r check.Result, found check.Found) error {
	key := j.Key()
	result := message(q.subject("done", fmt.Sprintf("%x", key)), r)
	if err := q.store(ctx, check.Source{Document: j.URL, Links: found.Links}, found.Jobs, result); err != nil {
		return err
	}
	q.mu.Lock()
	held, ok := q.held[key]
	delete(q.held, key)
	q.mu.Unlock()
	if !ok {
		return nil // it was given up
	}
	signal(q.idle)
	_ = held.msg.Ack() // if it does not arrive the job is done again
	return nil
}

// Close gives up what this worker holds. The run stays as it is.
func (q *Queue) Close() {
	if q.stop != nil {
		q.stop()
	}
}

// Delete removes the run with all that it has stored.
func (q *Queue) Delete(ctx context.Context) error {
	q.Close()
	var all error
	for _, name := range []string{q.name("todo"), q.name("told"), "KV_" + q.name("lease")} {
		if err := q.js.DeleteStream(ctx, name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			all = errors.Join(all, err)
		}
	}
	return all
}
