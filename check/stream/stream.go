// Package stream is a check.Queue in NATS JetStream: any number of processes work
// at one run, and what one of them leaves undone when it is killed, another does.
//
// A run is one stream, a log of all that was found: jobs, the links of documents,
// and what came of each job. Nothing is ever changed or removed in it. What it
// amounts to, which is the frontier, the URLs that have been seen, and the
// results, is in a [check.Spool] of each process, which reads the log from its
// start and is made anew from it when the process is.
//
//	log    locus.RUN.log.ID          batches of records; the ID is another each time
//	lease  locus.RUN.lease.shard.N   who works on what, forgotten after a while: a
//	       locus.RUN.lease.worker.W  stream for runs that are shared
//	       locus.RUN.news            not kept: there is something new in the log
//
// What a process adds, it adds to the log first and to its own Spool when the log
// has it. Jobs that were found and the result of the job that found them are
// records of one batch, and so there are both or none. (Of a page with more links
// than fit into a batch the result is in the last.) Wherever a process is killed,
// its job is not done by the log, and another does it. All records can be read
// twice, and in another order, with the same outcome. So no URL is lost, and one is
// checked twice only if whoever checked it did not live to say so.
//
// Processes that call Done at the same time share a batch. There is no
// acknowledgement for each URL, and no subject; the memory of the server does not
// grow with the run.
//
// A host belongs to one shard, by its hash, and a shard to one worker, who holds
// the lease. That worker's own limits are therefore those of the whole run. Each
// worker holds as many leases as is its share, and gives up what is more when
// another comes. A lease that is not renewed ends, and the shard is another's, who
// begins when it has read the log as far as it went then. Whoever could not renew
// a lease in time begins no more jobs of it.
//
// Notable divergences: none; it implements no document.
package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
)

// Options say how a run is kept. The zero Options are for one process and its
// own server.
type Options struct {
	// Shards are how many parts the hosts of a run are divided into, and so how
	// many workers can share it, up to 256; 0 means that it is this process's
	// alone. It is the same for all workers.
	Shards int

	// Replicas is how many servers of a cluster keep each message; 0 means 1. A
	// Helper does not say.
	Replicas int

	// Lease is how long a worker that is not heard of keeps its shards. 0 means 5
	// seconds. A Helper does not say.
	Lease time.Duration

	// Helper tells that there will be no report here: the run is one that another
	// process sets up, and links and results of others are not kept in Create's
	// files.
	Helper bool

	// Create makes files as for [check.NewSpool]; nil: all that is known of the
	// run is in memory.
	Create func() (check.File, error)
}

// A Queue is a check.Queue in JetStream. It belongs to one worker. Its report is
// what it has read of the log, which is all when Next has returned io.EOF.
type Queue struct {
	*check.Spool // what the log amounts to

	js      jetstream.JetStream
	conn    *nats.Conn
	log     jetstream.Stream
	leases  jetstream.Stream
	adds    string // the subject of the log
	run     string
	worker  string
	options Options
	batches batches
	reader  sync.Mutex
	news    chan struct{} // has one if there may be something new in the log
	told    chan struct{} // closed when there is a policy
	reading sync.Once
	sharing sync.Once
	running sync.WaitGroup
	ctx     context.Context // of the goroutines that follow the log and share the shards
	stop    context.CancelCauseFunc

	mu     sync.Mutex
	at     uint64 // the log is read up to there
	policy check.Policy
	mine   map[int]*lease
	begun  map[check.Key]int // shards of jobs that are under way
}

// errEnded says that the run was removed, because it is finished.
var errEnded = errors.New("the run has ended: another process has reported and removed it")

// Open returns the queue of a run, which it sets up if it is not there; a Helper
// waits for that. A run's name is of letters, digits, "-" and "_". It is closed by
// the caller.
func Open(ctx context.Context, conn *nats.Conn, run string, o Options) (*Queue, error) {
	if run == "" || strings.Trim(run, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return nil, fmt.Errorf("%q is no name for a run: it is made of letters, digits, - and _", run)
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.Lease == 0 {
		o.Lease = 5 * time.Second
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	q := &Queue{
		Spool: check.NewSpool(o.Create), js: js, conn: conn, run: run, options: o, worker: nats.NewInbox()[len("_INBOX."):],
		news: make(chan struct{}, 1), told: make(chan struct{}), mine: make(map[int]*lease), begun: make(map[check.Key]int),
	}
	q.ctx, q.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	q.Share(max(o.Shards, 1))
	if o.Helper {
		err = q.await(ctx)
	} else {
		err = repeat(ctx, q.setUp)
	}
	if err == nil && !q.isShared() {
		err = q.Read(ctx)
		q.Own(func(int) bool { return true })
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("set up the run %q: %w", run, err), q.Close())
	}
	return q, nil
}

func (q *Queue) isShared() bool { return q.options.Shards > 0 }

// await waits until another process has set up the run. A cluster may say nothing
// meanwhile, as it does when it has just lost a server.
func (q *Queue) await(ctx context.Context) error {
	for {
		trying, cancel := context.WithTimeout(ctx, 3*time.Second)
		err := q.setUp(trying)
		cancel()
		if !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// setUp makes the streams, unless they are there. It makes the same ones each time
// that it is called, as a server may have made them and not have said so.
func (q *Queue) setUp(ctx context.Context) error {
	var err error
	q.log, err = q.setUpStream(ctx, jetstream.StreamConfig{
		Name: q.name("log"), Subjects: []string{q.subject("log." + q.worker)}, Replicas: q.options.Replicas, AllowDirect: true,
	})
	if err != nil {
		return err
	}
	q.adds = q.log.CachedInfo().Config.Subjects[0]
	if !q.isShared() {
		return nil
	}
	q.leases, err = q.setUpStream(ctx, jetstream.StreamConfig{
		Name: q.name("lease"), Subjects: []string{q.subject("lease.>")}, Replicas: q.options.Replicas,
		MaxMsgsPerSubject: 1, MaxAge: q.options.Lease, Duplicates: q.options.Lease,
	})
	return err
}

// setUpStream returns a stream that is as it is told to be, but that its subjects
// stay what they are. A Helper takes it as it is.
func (q *Queue) setUpStream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := q.js.Stream(ctx, c.Name)
	switch {
	case q.options.Helper:
		return s, err
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return q.js.CreateStream(ctx, c) // if another is quicker, this is tried again
	case err != nil:
		return nil, err
	}
	c.Subjects = s.CachedInfo().Config.Subjects
	return q.js.UpdateStream(ctx, c)
}

// name returns the name of one of the run's streams.
func (q *Queue) name(part string) string { return "locus_" + q.run + "_" + part }

func (q *Queue) subject(part string) string { return "locus." + q.run + "." + part }

// begin begins to read what others add to the log.
func (q *Queue) begin() {
	if q.isShared() {
		q.reading.Do(func() { q.running.Go(q.follow) })
	}
}

// Seed adds a document, and jobs that were not taken before.
func (q *Queue) Seed(ctx context.Context, s check.Source, jobs []check.Job) error {
	jobs, err := q.Unseen(jobs)
	if err != nil {
		return err
	}
	records := append(linkRecords(s), jobRecords(jobs)...)
	return q.batches.add(ctx, q.publish, records, func() error { return q.Spool.Seed(ctx, s, jobs) })
}

// Seeded tells that there are no more documents to come. Before that no worker
// ends.
func (q *Queue) Seeded(ctx context.Context) error {
	return q.batches.add(ctx, q.publish, [][]byte{{seededRecord}}, func() error { q.Spool.Seeded(); return nil })
}

// SetPolicy stores by what policy the run is worked at.
func (q *Queue) SetPolicy(ctx context.Context, p check.Policy) error {
	return q.batches.add(ctx, q.publish, [][]byte{policyRecord(p)}, func() error { q.tell(p); return nil })
}

// Policy waits until a policy is stored, and returns it.
func (q *Queue) Policy(ctx context.Context) (check.Policy, error) {
	q.begin()
	select {
	case <-q.told:
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.policy, nil
	case <-q.ctx.Done():
		return check.Policy{}, context.Cause(q.ctx)
	case <-ctx.Done():
		return check.Policy{}, context.Cause(ctx)
	}
}

// Next returns a job of a shard that is this worker's. If the run was removed, a
// Helper has no more to do, and nobody else can have a report.
func (q *Queue) Next(ctx context.Context) (check.Job, error) {
	q.begin()
	if q.isShared() {
		q.sharing.Do(func() { q.running.Go(q.shareAll) })
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(q.ctx, func() { cancel(context.Cause(q.ctx)) })()
	j, err := q.next(ctx)
	if errors.Is(err, errEnded) && q.options.Helper {
		err = io.EOF
	}
	return j, err
}

// next returns io.EOF if all is done by the log, too, as far as it goes now:
// another may have found more where this worker's lease had ended.
func (q *Queue) next(ctx context.Context) (check.Job, error) {
	for {
		j, err := q.Spool.Next(ctx)
		if !errors.Is(err, io.EOF) || !q.isShared() {
			return j, err
		}
		at := q.position()
		if err := q.Read(ctx); err != nil {
			return check.Job{}, err
		}
		if q.position() == at {
			return check.Job{}, io.EOF
		}
	}
}

// Done adds what came of a job, and returns when the log has it.
func (q *Queue) Done(ctx context.Context, j check.Job, r check.Result, found check.Found) error {
	defer q.end(j)
	var err error
	if found.Jobs, err = q.Unseen(found.Jobs); err != nil {
		return err
	}
	records := append(linkRecords(check.Source{Document: j.URL, Links: found.Links}), jobRecords(found.Jobs)...)
	records = append(records, doneRecord(j, r))
	err = q.batches.add(ctx, q.publish, records, func() error {
		if q.options.Helper {
			r, found.Links = check.Result{}, nil
		}
		return q.Spool.Done(ctx, j, r, found)
	})
	if errors.Is(err, errEnded) && q.options.Helper {
		return nil // another did it, too
	}
	return err
}

// Close gives up what this worker holds, and its files. The run stays as it is.
func (q *Queue) Close() error {
	q.stop(context.Canceled)
	q.running.Wait()
	return q.Spool.Close()
}

// Delete removes the run with all that it has stored.
func (q *Queue) Delete(ctx context.Context) error {
	q.stop(context.Canceled)
	q.running.Wait()
	var all error
	for _, name := range []string{q.name("log"), q.name("lease")} {
		all = errors.Join(all, repeat(ctx, func(ctx context.Context) error {
			if err := q.js.DeleteStream(ctx, name); !errors.Is(err, jetstream.ErrStreamNotFound) {
				return err
			}
			return nil
		}))
	}
	return all
}

// repeat calls do until it succeeds, or a minute has passed: a cluster that
// has lost a server is itself again before that, and answers nothing until then.
func repeat(ctx context.Context, do func(context.Context) error) error {
	const most, all = 3 * time.Second, time.Minute
	start := time.Now()
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		trying, cancel := context.WithTimeout(ctx, min(20*wait, most))
		err := do(trying)
		cancel()
		switch {
		case err == nil, ctx.Err() != nil, time.Since(start) > all, errors.Is(err, errEnded), errors.Is(err, errGap), errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrMaxPayload):
			return err
		}
		if sleep(ctx, min(wait, time.Second)) != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// signal tells whoever waits on c, now or later.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

var (
	_ check.Queue  = (*Queue)(nil)
	_ check.LeasedQueue = (*Queue)(nil)
)
