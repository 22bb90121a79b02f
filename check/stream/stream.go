// Package stream is a check.Queue in NATS JetStream. Any number of processes work at
// one run. If one is killed, another one does its jobs.
//
// A run is a log in one stream: jobs, the links of documents, and the result of each
// job. Nothing in it is ever changed or removed. Each process reads the log from its
// start into a [check.Spool], which holds the open jobs, the known URLs and the results.
//
//	log    locus.RUN.log.ID          batches of records; each run has another ID
//	lease  locus.RUN.lease.shard.N   the lease of a shard. A second stream, for shared
//	       locus.RUN.lease.worker.W  runs; messages expire
//	       locus.RUN.news            not stored: the log has something new
//
// A process adds to the log first, and to its own Spool once the log has it. The result
// of a job and the jobs that it found are in one batch, so the log has both or none. If
// a page has more links than fit into a batch, the result is in the last batch. If a
// process is killed, its job is not done in the log. Another process then does it. All
// records can be read twice and in another order with the same outcome. So no URL is
// lost, and one is checked twice only if the first worker did not live to report it.
//
// Processes that call Done at the same time share a batch. URLs have no subject and no
// acknowledgement of their own, so the memory of the server does not grow with the run.
//
// A host belongs to one shard, by its hash. One worker holds the lease of a shard, so
// its own limits per host are those of the whole run. Each worker holds a fair share of
// the leases, and releases extra ones when another worker comes. A lease that is not
// renewed expires. The next holder begins once it has read the log up to its end at that
// time. A worker that could not renew a lease in time begins no more of its jobs.
//
// Notable divergences: none; it implements no document.
package stream

import (
	"cmp"
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
	"locus/retry"
)

// Options say how a run is stored and shared. The zero Options are for one process with
// its own server.
type Options struct {
	// Shards is how many shards the hosts are divided into, and so the maximum
	// number of workers, up to 256. 0: only this process works. All workers have
	// the same number.
	Shards int

	// Replicas is how many servers of a cluster store each message; 0 means 1. A
	// Helper ignores it.
	Replicas int

	// Lease is how long a silent worker keeps its shards; 0 means 5 seconds. A
	// Helper ignores it.
	Lease time.Duration

	// Helper means that another process sets up the run and makes the report. A
	// Helper does not store the links and results of others.
	Helper bool

	// Create makes files as for [check.NewSpool]; nil: everything is in memory.
	Create func() (check.File, error)
}

// A Queue is a check.Queue in JetStream. It belongs to one worker. Its report is
// complete once Next has returned io.EOF.
type Queue struct {
	*check.Spool // the content of the log

	streams
	worker  string // the name of this worker
	options Options
	batcher batcher
	readMu  sync.Mutex    // held by Read
	news    chan struct{} // has a value if the log may have something new
	background

	mu sync.Mutex // guards progress
	progress
}

// streams are the streams of a run.
type streams struct {
	run        string // its name
	conn       *nats.Conn
	js         jetstream.JetStream
	log        jetstream.Stream
	logSubject string
	leases     jetstream.Stream
}

// A background is the goroutines of a Queue.
type background struct {
	following sync.Once // starts the one that follows the log
	leasing   sync.Once // starts the one that keeps the leases
	all       sync.WaitGroup
	ctx       context.Context
	stop      context.CancelCauseFunc
}

// A progress is how far a worker is.
type progress struct {
	pos       uint64 // the log is read up to there
	policy    check.Policy
	hasPolicy chan struct{} // closed when policy is set
	held      map[int]*lease
	running   map[check.Job]int // shards of jobs that are running
}

// errEnded says that the run was removed after its end.
var errEnded = errors.New("another process has finished and removed the run")

// Open returns the queue of a run. It sets up the run if there is none; a Helper waits
// until another process does. The name of a run has letters, digits, "-" and "_". The
// caller closes the queue.
func Open(ctx context.Context, conn *nats.Conn, run string, o Options) (*Queue, error) {
	if run == "" || strings.Trim(run, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return nil, fmt.Errorf("%q is not a name for a run: use letters, digits, - and _", run)
	}
	o.Replicas, o.Lease = cmp.Or(o.Replicas, 1), cmp.Or(o.Lease, 5*time.Second)
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	q := &Queue{
		Spool: check.NewSpool(o.Create), streams: streams{run: run, conn: conn, js: js}, options: o,
		worker: nats.NewInbox()[len("_INBOX."):], news: make(chan struct{}, 1),
		progress: progress{hasPolicy: make(chan struct{}), held: make(map[int]*lease), running: make(map[check.Job]int)},
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

// await waits until another process has set up the run. A cluster that has lost a
// server may not answer for a while.
func (q *Queue) await(ctx context.Context) error {
	for {
		attempt, cancel := context.WithTimeout(ctx, 3*time.Second)
		err := q.setUp(attempt)
		cancel()
		if !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		if err := retry.Sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// setUp makes the streams unless they exist. It can be repeated: a server may have made
// them without an answer.
func (q *Queue) setUp(ctx context.Context) error {
	var err error
	q.log, err = q.setUpStream(ctx, jetstream.StreamConfig{
		Name: q.name("log"), Subjects: []string{q.subject("log." + q.worker)}, Replicas: q.options.Replicas, AllowDirect: true,
	})
	if err != nil {
		return err
	}
	q.logSubject = q.log.CachedInfo().Config.Subjects[0]
	if !q.isShared() {
		return nil
	}
	q.leases, err = q.setUpStream(ctx, jetstream.StreamConfig{
		Name: q.name("lease"), Subjects: []string{q.subject("lease.>")}, Replicas: q.options.Replicas,
		MaxMsgsPerSubject: 1, MaxAge: q.options.Lease, Duplicates: q.options.Lease,
	})
	return err
}

// setUpStream returns a stream with that configuration. An existing stream keeps its
// subjects. A Helper changes nothing.
func (q *Queue) setUpStream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := q.js.Stream(ctx, c.Name)
	switch {
	case q.options.Helper:
		return s, err
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return q.js.CreateStream(ctx, c) // if another process is faster, repeat tries again
	case err != nil:
		return nil, err
	}
	c.Subjects = s.CachedInfo().Config.Subjects
	return q.js.UpdateStream(ctx, c)
}

// name returns the name of a stream of the run.
func (q *Queue) name(part string) string { return "locus_" + q.run + "_" + part }

func (q *Queue) subject(part string) string { return "locus." + q.run + "." + part }

// startFollowing starts to read what others add to the log.
func (q *Queue) startFollowing() {
	if q.isShared() {
		q.following.Do(func() { q.all.Go(q.follow) })
	}
}

// Seed adds a document, and jobs that were not added before.
func (q *Queue) Seed(ctx context.Context, s check.Source, jobs []check.Job) error {
	jobs, err := q.Unseen(jobs)
	if err != nil {
		return err
	}
	records := append(linkRecords(s), jobRecords(jobs)...)
	return q.batcher.add(ctx, q.publish, records, func() error { return q.Spool.Seed(ctx, s, jobs) })
}

// Seeded says that Seed will not be called any more. No worker finishes before that.
func (q *Queue) Seeded(ctx context.Context) error {
	return q.batcher.add(ctx, q.publish, [][]byte{{seededKind}}, func() error { q.Spool.Seeded(); return nil })
}

// SetPolicy stores the policy of the run.
func (q *Queue) SetPolicy(ctx context.Context, p check.Policy) error {
	return q.batcher.add(ctx, q.publish, [][]byte{policyRecord(p)}, func() error { q.setPolicy(p); return nil })
}

// Policy waits until a policy is stored, and returns it.
func (q *Queue) Policy(ctx context.Context) (check.Policy, error) {
	q.startFollowing()
	select {
	case <-q.hasPolicy:
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.policy, nil
	case <-q.ctx.Done():
		return check.Policy{}, context.Cause(q.ctx)
	case <-ctx.Done():
		return check.Policy{}, context.Cause(ctx)
	}
}

// Next returns a job of a shard that this worker has leased. If the run was removed, a
// Helper gets io.EOF, and any other worker an error.
func (q *Queue) Next(ctx context.Context) (check.Job, error) {
	q.startFollowing()
	if q.isShared() {
		q.leasing.Do(func() { q.all.Go(q.keepLeases) })
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

// next reads the rest of the log before it returns io.EOF: after a lease of this worker
// expired, another worker may have found more jobs.
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

// Done adds the result of a job, and returns once the log has it.
func (q *Queue) Done(ctx context.Context, j check.Job, r check.Result, found check.Found) error {
	defer q.end(j)
	var err error
	if found.Jobs, err = q.Unseen(found.Jobs); err != nil {
		return err
	}
	records := append(linkRecords(check.Source{Document: j.URL, Links: found.Links}), jobRecords(found.Jobs)...)
	records = append(records, doneRecord(j, r))
	err = q.batcher.add(ctx, q.publish, records, func() error {
		if q.options.Helper {
			r, found.Links = check.Result{}, nil
		}
		return q.Spool.Done(ctx, j, r, found)
	})
	if errors.Is(err, errEnded) && q.options.Helper {
		return nil // another worker did the job, too
	}
	return err
}

// Close releases the leases and closes the files. The run stays as it is.
func (q *Queue) Close() error {
	q.stop(context.Canceled)
	q.all.Wait()
	return q.Spool.Close()
}

// Delete removes the run.
func (q *Queue) Delete(ctx context.Context) error {
	q.stop(context.Canceled)
	q.all.Wait()
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

// repeat calls do until it succeeds or a minute has passed. A cluster that has lost a
// server needs less time to recover, and does not answer until then.
func repeat(ctx context.Context, do func(context.Context) error) error {
	const maxAttempt, maxTime = 3 * time.Second, time.Minute
	start := time.Now()
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		attempt, cancel := context.WithTimeout(ctx, min(20*wait, maxAttempt))
		err := do(attempt)
		cancel()
		switch {
		case err == nil, ctx.Err() != nil, time.Since(start) > maxTime,
			errors.Is(err, errEnded), errors.Is(err, errGap), errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrMaxPayload):
			return err
		}
		if retry.Sleep(ctx, min(wait, time.Second)) != nil {
			return err
		}
	}
}

// signal wakes a receiver of c, now or later.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

var _ check.Queue = (*Queue)(nil)
