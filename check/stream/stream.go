// Package stream is a check.Queue in NATS JetStream. Any number of processes work at
// one run. If one is killed, another one does its jobs.
//
// A run is a log in one stream: jobs, the links of documents, and the result of each
// job. Nothing in it is ever changed or removed. Each process reads the log from its
// start into a [check.Spool], which holds the open jobs, the known URLs and the results.
//
//	log    locus.RUN.log.ID          a [Run], and then batches of records; each run
//	                                 has another ID
//	lease  locus.RUN.lease.shard.N   the lease of a shard. A second stream, for shared
//	       locus.RUN.lease.worker.W  runs; messages expire
//	       locus.RUN.news            not stored: the log has something new
//
// A process adds to the log first, and to its own Spool once the log has it. The result
// of a job comes after the jobs that it found, so a job is done in the log only if all of
// them are there. If a process is killed before, another process does its job. All records
// can be read twice and in another order with the same outcome. So no URL is lost, and one
// is checked twice only if the first worker did not live to report it.
//
// Goroutines that call Done within 20 ms share a batch, and several batches are published
// at once. A batch is compressed: the URLs of one host differ little. Batches of other
// processes are read ahead, and own ones not at all. URLs have no subject and no
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
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
	"locus/retry"
	"locus/url"
)

// A Run is what a run checks, and how. It is stored with the run, as JSON.
type Run struct {
	Policy check.Policy `json:"policy"`

	// Args are what the run was started with. A run that is started again has the
	// same.
	Args []string `json:"args"`

	// Shards is how many shards the hosts are divided into, and so the maximum
	// number of workers, from 1 to 256.
	Shards int `json:"shards"`

	Started time.Time `json:"started"`

	// Format is the format of the log. Start sets it.
	Format int `json:"format"`
}

// logFormat changes with the format of batches and records.
const logFormat = 2

// Options say how a run is stored and shared.
type Options struct {
	// Replicas is how many servers of a cluster store each message; 0 means 1. Join
	// ignores it.
	Replicas int

	// Lease is how long a silent worker keeps its shards; 0 means 5 seconds. Join
	// ignores it.
	Lease time.Duration

	// Jobs is how many URLs this worker checks at once; 0: their number may grow. It
	// decides how many results share a message.
	Jobs int

	// Wait is how long Join waits for a process that starts the run; 0 means 5
	// minutes.
	Wait time.Duration

	// Create makes files as for [check.NewSpool]; nil: everything is in memory.
	Create func() (check.File, error)
}

// A Queue is a check.Queue in JetStream. It belongs to one worker. Its report is
// complete once Next has returned io.EOF.
type Queue struct {
	*check.Spool // the content of the log

	streams
	run     Run
	helper  bool   // another process started the run, and makes the report
	worker  string // the name of this worker
	options Options
	batcher *batcher
	readMu  sync.Mutex    // held by Read
	news    chan struct{} // has a value if the log may have something new
	background

	mu sync.Mutex // guards progress
	progress
}

// streams are the streams of a run.
type streams struct {
	name       string // of the run
	conn       *nats.Conn
	js         jetstream.JetStream
	log        jetstream.Stream
	logSubject string
	leases     jetstream.Stream
}

// A background is the goroutines of a Queue.
type background struct {
	start sync.Once
	all   sync.WaitGroup
	ctx   context.Context
	stop  context.CancelCauseFunc
}

// A progress is how far a worker is.
type progress struct {
	pos     uint64              // the log is read up to there
	own     map[uint64]struct{} // later batches that are from this process
	held    map[int]*lease
	running map[check.Job]int // shards of jobs that are running
}

// ErrOther says that a run of the same name was started with other arguments. It is
// wrapped in an error that has them.
var ErrOther = errors.New("the server has a run of this name with other arguments")

// ErrNotStarted says that there is no run to join.
var ErrNotStarted = errors.New("no process has started the run")

// errEnded says that the run was removed after its end.
var errEnded = errors.New("another process has finished and removed the run")

// Start starts a run, or resumes the one of that name. It fails with ErrOther if that has
// other Args or another Policy; Policy.Jobs may differ. A name has letters, digits, "-"
// and "_". The caller closes the queue, and deletes it when the run is reported.
func Start(ctx context.Context, conn *nats.Conn, name string, run Run, o Options) (*Queue, error) {
	run.Format = logFormat
	run.Started = time.Now().UTC().Truncate(time.Second)
	q, err := open(ctx, conn, name, &Queue{run: run, options: o}, (*Queue).begin)
	if err != nil {
		return nil, err
	}
	if err := q.Read(ctx); err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return q, nil
}

// Join returns the queue of another worker for a run. It waits until another process has
// started the run, and fails with ErrNotStarted if that takes too long. The caller closes
// the queue.
func Join(ctx context.Context, conn *nats.Conn, name string, o Options) (*Queue, error) {
	return open(ctx, conn, name, &Queue{helper: true, options: o}, (*Queue).await)
}

func open(ctx context.Context, conn *nats.Conn, name string, q *Queue, setUp func(*Queue, context.Context) error) (*Queue, error) {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return nil, fmt.Errorf("%q is not a name for a run: use letters, digits, - and _", name)
	}
	q.options.Replicas, q.options.Lease = cmp.Or(q.options.Replicas, 1), cmp.Or(q.options.Lease, 5*time.Second)
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	q.Spool, q.streams = check.NewSpool(q.options.Create), streams{name: name, conn: conn, js: js}
	q.worker, q.news = nats.NewInbox()[len("_INBOX."):], make(chan struct{}, 1)
	q.progress = progress{own: make(map[uint64]struct{}), held: make(map[int]*lease), running: make(map[check.Job]int)}
	q.ctx, q.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	if err := setUp(q, ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("set up the run %q: %w", name, err), q.Close())
	}
	q.batcher = newBatcher(q.options.Jobs, q.publish)
	q.Share(check.Sharing{Parts: q.run.Shards, Helper: q.helper, Publish: q.batcher.add})
	return q, nil
}

// Run returns what the run checks.
func (q *Queue) Run() Run { return q.run }

// begin starts the run, unless there is one.
func (q *Queue) begin(ctx context.Context) error {
	if err := repeat(ctx, maxStart, q.setUp); err != nil {
		return err
	}
	wanted := q.run
	if found, err := q.readRun(ctx); err != nil {
		return err
	} else if found {
		if err := wanted.check(q.run); err != nil {
			return err
		}
		return repeat(ctx, maxStart, q.setUp) // with the options of this process
	}
	text, err := json.Marshal(wanted)
	if err != nil {
		return err
	}
	err = repeat(ctx, maxStart, func(ctx context.Context) error {
		_, err := q.js.Publish(ctx, q.logSubject, text, jetstream.WithExpectLastSequencePerSubject(0))
		if isOutdated(err) {
			return nil // another process was faster, or this one at the last attempt
		}
		return err
	})
	if err != nil {
		return err
	}
	if _, err = q.readRun(ctx); err != nil {
		return err
	}
	return wanted.check(q.run)
}

// check returns an error if found is another run.
func (r Run) check(found Run) error {
	r.Policy.Jobs, found.Policy.Jobs = 0, 0
	wanted, err := json.Marshal(r.Policy)
	has, err2 := json.Marshal(found.Policy)
	switch {
	case err != nil || err2 != nil:
		return errors.Join(err, err2)
	case !slices.Equal(r.Args, found.Args):
		return fmt.Errorf("%w: %v", ErrOther, found)
	case !bytes.Equal(wanted, has):
		return fmt.Errorf("%w, or flags: %v", ErrOther, found)
	}
	return nil
}

// String gives "http://h/ of 2026-01-02 15:04:05 UTC", without passwords.
func (r Run) String() string {
	var b strings.Builder
	for _, arg := range r.Args {
		b.WriteString(url.Redact(arg) + " ")
	}
	return b.String() + "of " + r.Started.Format("2006-01-02 15:04:05 MST")
}

// await waits until another process has started the run. A cluster that has lost a
// server may not answer for a while.
func (q *Queue) await(ctx context.Context) error {
	wait := cmp.Or(q.options.Wait, 5*time.Minute)
	for start := time.Now(); ; {
		attempt, cancel := context.WithTimeout(ctx, 3*time.Second)
		err := q.setUp(attempt)
		found := false
		if err == nil {
			found, err = q.readRun(attempt)
		}
		cancel()
		switch {
		case found, err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, context.DeadlineExceeded):
			return err
		case time.Since(start) > wait:
			return fmt.Errorf("%w within %v", ErrNotStarted, wait)
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
		Name: streamName(q.name, "log"), Subjects: []string{q.subject("log." + q.worker)}, Replicas: q.options.Replicas, AllowDirect: true,
	})
	if err != nil {
		return err
	}
	q.logSubject = q.log.CachedInfo().Config.Subjects[0]
	q.leases, err = q.setUpStream(ctx, jetstream.StreamConfig{
		Name: streamName(q.name, "lease"), Subjects: []string{q.subject("lease.>")}, Replicas: q.options.Replicas,
		MaxMsgsPerSubject: 1, MaxAge: q.options.Lease, Duplicates: q.options.Lease,
	})
	return err
}

// setUpStream returns a stream with that configuration. An existing stream keeps its
// subjects. A helper changes nothing, and nobody a run that may be another one.
func (q *Queue) setUpStream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := q.js.Stream(ctx, c.Name)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound) && !q.helper:
		return q.js.CreateStream(ctx, c) // if another process is faster, repeat tries again
	case err != nil || q.helper || q.pos == 0:
		return s, err
	}
	c.Subjects = s.CachedInfo().Config.Subjects
	return q.js.UpdateStream(ctx, c)
}

// readRun reads the first message of the log, which is the Run.
func (q *Queue) readRun(ctx context.Context) (found bool, err error) {
	text, err := q.get(ctx, 1)
	if text == nil || err != nil {
		return false, err
	}
	q.pos, q.run = 1, Run{}
	if json.Unmarshal(text, &q.run) != nil || q.run.Shards < 1 || q.run.Shards > 256 || q.run.Format != logFormat {
		return true, errors.New("another version has started the run")
	}
	return true, nil
}

// Runs returns the runs at the servers by their names. A run that nobody has started
// completely is the zero Run.
func Runs(ctx context.Context, conn *nats.Conn) (map[string]Run, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	all := make(map[string]Run)
	names := js.StreamNames(ctx)
	for name := range names.Name() {
		run, isRun := strings.CutPrefix(name, "locus_")
		run, isLog := strings.CutSuffix(run, "_log")
		if !isRun || !isLog {
			continue
		}
		log, err := js.Stream(ctx, name)
		if err != nil {
			return nil, err
		}
		var r Run
		if m, err := log.GetMsg(ctx, 1); err == nil {
			_ = json.Unmarshal(m.Data, &r) // another program may have written it
		}
		all[run] = r
	}
	return all, names.Err()
}

// streamName returns the name of a stream of a run.
func streamName(run, part string) string { return "locus_" + run + "_" + part }

func (q *Queue) subject(part string) string { return "locus." + q.name + "." + part }

// Next returns a job of a shard that this worker has leased. If the run was removed, a
// helper gets io.EOF, and any other worker an error.
func (q *Queue) Next(ctx context.Context) (check.Job, error) {
	q.start.Do(func() { q.batcher.start(); q.all.Go(q.follow); q.all.Go(q.keepLeases) })
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(q.ctx, func() { cancel(context.Cause(q.ctx)) })()
	j, err := q.next(ctx)
	if errors.Is(err, errEnded) && q.helper {
		err = io.EOF
	}
	return j, err
}

// next reads the rest of the log before it returns io.EOF: after a lease of this worker
// expired, another worker may have found more jobs.
func (q *Queue) next(ctx context.Context) (check.Job, error) {
	for {
		j, err := q.Spool.Next(ctx)
		if !errors.Is(err, io.EOF) {
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

// Done adds the result of a job, and returns once the log has it. Goroutines that call it
// within a short time share a message.
func (q *Queue) Done(ctx context.Context, j check.Job, r check.Result, found check.Found) error {
	defer q.end(j)
	err := q.Spool.Done(ctx, j, r, found)
	if errors.Is(err, errEnded) && q.helper {
		return nil // another worker did the job, too
	}
	return err
}

// Close releases the leases and closes the files. The run stays as it is.
func (q *Queue) Close() error {
	q.stop(context.Canceled)
	q.all.Wait()
	if q.batcher != nil {
		q.batcher.wait()
	}
	return q.Spool.Close()
}

// Delete removes the run.
func (q *Queue) Delete(ctx context.Context) error {
	q.stop(context.Canceled)
	q.all.Wait()
	return Remove(ctx, q.conn, q.name)
}

// Remove removes a run, if there is one of that name.
func Remove(ctx context.Context, conn *nats.Conn, run string) error {
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	var all error
	for _, part := range []string{"log", "lease"} {
		all = errors.Join(all, repeat(ctx, maxStart, func(ctx context.Context) error {
			if err := js.DeleteStream(ctx, streamName(run, part)); !errors.Is(err, jetstream.ErrStreamNotFound) {
				return err
			}
			return nil
		}))
	}
	return all
}

const (
	// maxStart is how long a server that does not answer is waited for at the start
	// and the end of a run. A cluster that has lost a server needs less to recover.
	maxStart = time.Minute

	// maxOutage is the same for a run in progress: most of a cluster may be restarted.
	maxOutage = 5 * time.Minute
)

// repeat calls do until it succeeds, the server refuses it for good, or maxTime has
// passed. If ctx is done the error is its cause.
func repeat(ctx context.Context, maxTime time.Duration, do func(context.Context) error) error {
	const maxAttempt = 3 * time.Second
	start := time.Now()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		attempt, cancel := context.WithTimeout(ctx, min(20*wait, maxAttempt))
		err := do(attempt)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded) && time.Since(start) > maxTime:
			return fmt.Errorf("the server did not answer for %v", maxTime)
		case isFinal(err), time.Since(start) > maxTime:
			return err
		}
		if retry.Sleep(ctx, wait) != nil {
			return context.Cause(ctx)
		}
	}
}

// isFinal reports whether an error stays, however often what failed is repeated.
func isFinal(err error) bool {
	for _, final := range []error{
		errEnded, errGap, nats.ErrConnectionClosed, nats.ErrMaxPayload, jetstream.ErrJetStreamNotEnabled, jetstream.ErrJetStreamNotEnabledForAccount,
	} {
		if errors.Is(err, final) {
			return true
		}
	}
	const noReplicas = 10074 // by a server without a cluster: errors.json of nats-server
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.ErrorCode == noReplicas || api.Code == 400 && api.ErrorCode != jetstream.JSErrCodeStreamNameInUse)
}

// signal wakes a receiver of c, now or later.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// isOutdated reports whether a message was not stored because another one was before it.
func isOutdated(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

var _ check.Queue = (*Queue)(nil)
