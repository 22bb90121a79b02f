// Package stream is a check.Queue in NATS JetStream. Any number of processes work at one run. If a process is killed,
// another process does its jobs.
//
// The hosts are divided into shards by their hashes. A run is a log in one stream, with subjects for each shard.
// Messages of the log are never changed or removed.
//
//	run     locus.RUN.log.ID.run      a [Run]; each run has another ID
//	jobs    locus.RUN.log.ID.jobs.N   the jobs of shard N and the links to its URLs. Any
//	                                  process adds to them
//	done    locus.RUN.log.ID.done.W   the results of worker W, of all its shards
//	seeded  locus.RUN.log.ID.seeded   not empty once all documents are read
//	lease   locus.RUN.lease.shard.N   the lease of a shard. A second stream, for shared
//	        locus.RUN.lease.worker.W  runs; messages expire
//	        locus.RUN.news.ID         not stored: shards with new jobs
//	        locus.RUN.status.ID       not stored: how far shards are done
//	        locus.RUN.end.ID          not stored: the run is done
//
// Each worker holds a fair share of the leases, and releases the rest when another worker comes. A lease that is not
// renewed expires. A worker reads the log of its own shards only, each into a [run.Shard], which it closes when it
// loses the lease. Therefore a worker needs memory only for the URLs of its own shards, and its limits for a host are
// the limits of the whole run, because no other worker opens that host.
//
// The next holder of a lease adds a mark with its name to the jobs of the shard, and reads the jobs up to the mark. The
// earlier marks say which workers held the shard, and since when. The new holder reads the results of these workers up
// to its mark, and begins. A worker that could not renew a lease in time begins no more jobs of the shard. The next
// holder ignores the results that this worker still adds, and checks their URLs again.
//
// All leases expire if the servers do not answer for longer than a lease lasts, for example because a cluster elects a
// leader. For a while after that, each worker acquires only the leases that it had before. It continues with the same
// jobs if the log has no mark of another worker since then, so nothing is checked again.
//
// The result of a job is added when the log contains the jobs that were found with it, so that no URL is lost. The
// worker does not wait for that. It has a limited number of pending jobs, which run or whose results the log does not
// contain yet. If the worker is killed, only these jobs are checked again.
//
// Results that are added within 40 ms share a message, even if they belong to different shards. A batch with half of
// the pending jobs is published sooner. Messages are shared because each publish costs a cluster of three servers about
// 2.5 ms of processor time, and each message in it only 50 µs. A message is compressed.
//
// # How the pieces work together
//
// A [Queue] owns the pieces and passes calls on to them:
//
//	opening.go   starts or finds the run (opening)
//	lease.go     acquires, renews and releases the leases of shards (leases), spread.go says of which
//	held.go      has the shards of this worker (held); shard.go has one shard with its lease and state
//	follow.go    reads the jobs of a shard from the log (follower), takeover.go the results of earlier holders
//	pending.go   keeps the jobs between Next and the log (pending)
//	seed.go      adds documents to the log (seeds), outbox.go adds results (outbox), batch.go joins messages
//	phases.go    knows how far all shards are (phases), watch.go begins the next phase (watcher)
//	log.go       reads and writes messages of the log (runLog), server.go repeats requests
//	report.go    reads the shards of other workers for the report (collector)
//	ending.go    tells the workers that the run is done (ending)
//
// A job is taken from held by Next, begins in pending, and is checked by the caller. Done passes its result to the
// outbox, which publishes it, applies it to the run.Shard, and frees the slot in pending. Each piece has a lock of its
// own. A piece that holds its lock calls only pieces on its right:
//
//	pending, held ─▶ shard ─▶ run.Shard
//
// # The end
//
// For each of its shards, a worker tells the other workers how many messages with jobs it has read, and the phase of
// the first open job in them. Such a statement stays true. One request gives the numbers of messages of all subjects at
// one moment. Suppose that each shard has a statement about exactly that number of messages. Then no job of a phase
// before the smallest stated phase was open at that moment. No such job can follow, because jobs are found only by jobs
// of the same or an earlier phase. If the smallest phase is [run.PhaseEnd], the run is done.
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
	"locus/check/internal/run"
	"locus/url"
)

// A Run says which links a run checks, and how. The log contains it as JSON.
type Run struct {
	Policy check.Policy `json:"policy"`

	// Args are the arguments with which the run was started. The run is resumed only with the same arguments.
	Args []string `json:"args"`

	// Shards is how many shards the hosts are divided into, from 1 to 256. It is also the maximum number of workers,
	// because a worker needs at least one shard.
	Shards int `json:"shards"`

	Started time.Time `json:"started"`

	// Format is the version of the format of the log. Start sets it.
	Format int `json:"format"`
}

// logFormat is the version of the format of the log. It changes with the format.
const logFormat = 5

// Options say how a run is stored and shared.
type Options struct {
	// Replicas is how many servers of a cluster store each message. 0 means 1. Join ignores it.
	Replicas int

	// Lease is how long a worker that does not answer keeps its shards. 0 means 5 seconds. Join ignores it.
	Lease time.Duration

	// Jobs is how many URLs this worker checks at the same time. Half as many more may be pending: a URL is pending
	// while it is checked, and until the servers have its result. If the process is killed, pending URLs are checked
	// twice. 0 means 1000, and a negative value means no limit.
	Jobs int

	// Wait is how long Join waits for a process that starts the run. 0 means 5 minutes, and a negative value means no
	// limit.
	Wait time.Duration

	// Create creates temporary files. If it is nil, everything stays in memory.
	Create func() (check.File, error)

	// CloseIdle closes the idle connections of the Engine. It is called before another worker gets hosts of this worker,
	// so that a limit for a host bounds the open connections of all workers together. It may be nil.
	CloseIdle func()

	// Skipped is called once for each message that cannot be read. Calls do not overlap. It may be nil.
	Skipped func(Damage)
}

// A Queue is the check.Queue of one worker of a shared run. Several goroutines may call its methods at once.
type Queue struct {
	run        Run
	isHelper   bool // another process started the run, and makes the report
	options    Options
	sharding   check.Sharding
	log        *runLog
	background *background
	begun      sync.Once     // starts the watcher and the leases
	changed    notifier      // notified when jobs may be taken, or the phase changes
	moved      chan struct{} // gets a value when a shard of this worker has progressed
	held       held
	leases     leases
	phases     *phases
	watcher    watcher
	follower   follower
	takeovers  takeovers
	pending    *pending
	seeds      seeds
	outbox     outbox
	skipper    skipper
	ending     ending
}

// ErrOther says that a run of the same name was started with other arguments. The error of Start wraps it and shows
// these arguments.
var ErrOther = errors.New("the server has a run of this name with other arguments")

// ErrNotStarted says that the run to join does not exist.
var ErrNotStarted = errors.New("no process has started the run")

// ErrVersion says that another version of the program, with another format of the log, has started the run.
var ErrVersion = errors.New("another version of the program has started the run")

// ErrRemoved says that another process has removed the run before it was done, or that the run was done while this
// process could not reach the servers. The errors of Next wrap it.
var ErrRemoved = errors.New("another process has removed the run")

// errReported says that another process has made the report of the run, and has removed the run.
var errReported = errors.New("another process has finished and removed the run")

// Start starts a run, or resumes the run of that name. It fails with ErrOther if the run has other Args or another
// Policy, except that Policy.Jobs may differ. A name consists of letters, digits, "-" and "_". The caller closes the
// queue, and deletes the run after its report.
func Start(ctx context.Context, conn *nats.Conn, name string, run Run, o Options) (*Queue, error) {
	run.Format = logFormat
	run.Started = time.Now().UTC().Truncate(time.Second)
	return openQueue(ctx, conn, name, &opening{run: run, options: o})
}

// Join returns the queue of another worker for a run. It waits until another process has started the run, and fails
// with ErrNotStarted if that takes longer than Options.Wait. The caller closes the queue.
func Join(ctx context.Context, conn *nats.Conn, name string, o Options) (*Queue, error) {
	return openQueue(ctx, conn, name, &opening{isHelper: true, options: o})
}

// openQueue returns the queue of the run of that name. It starts or resumes the run or, if o.isHelper is set, waits
// until another process has started it.
func openQueue(ctx context.Context, conn *nats.Conn, name string, o *opening) (*Queue, error) {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return nil, fmt.Errorf("%q is not a name for a run: use letters, digits, - and _", name)
	}
	o.options.Replicas, o.options.Lease = cmp.Or(o.options.Replicas, 1), cmp.Or(o.options.Lease, 5*time.Second)
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	o.log = &runLog{name: name, worker: nats.NewInbox()[len("_INBOX."):], conn: conn, js: js}
	setUp := o.begin
	if o.isHelper {
		setUp = o.awaitStart
	}
	if err := setUp(ctx); err != nil {
		return nil, fmt.Errorf("set up the run %q: %w", name, err)
	}
	q := newQueue(newBackground(ctx), o.run, o.options)
	q.connect(o)
	if err := q.ending.listen(); err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return q, nil
}

// newQueue returns a queue for r that is not connected to servers yet. Its goroutines belong to b.
func newQueue(b *background, r Run, o Options) *Queue {
	q := &Queue{run: r, options: o, sharding: r.Policy.Sharding(r.Shards), background: b, moved: make(chan struct{}, 1)}
	q.held = held{count: r.Shards, shards: make(map[int]*shard), create: q.newShard}
	q.pending = newPending(b.ctx, o.Jobs)
	q.phases = newPhases(r, "")
	q.ending = newEnding()
	return q
}

// connect connects the pieces of q to the log and the leases that o has opened.
func (q *Queue) connect(o *opening) {
	q.log, q.ending.log, q.isHelper, q.seeds.isDone = o.log, o.log, o.isHelper, o.isSeeded
	q.phases.subject = q.log.subject
	q.leases = leases{log: q.log, stream: o.leases, held: &q.held, time: q.options.Lease, changed: &q.changed, closeIdle: q.options.CloseIdle}
	q.watcher = watcher{log: q.log, held: &q.held, phases: q.phases, changed: &q.changed, moved: q.moved}
	q.skipper.log, q.skipper.report = q.log, q.options.Skipped
	q.takeovers.log, q.takeovers.background, q.takeovers.skipper = q.log, q.background, &q.skipper
	q.follower = follower{log: q.log, skipper: &q.skipper, takeovers: &q.takeovers, changed: &q.changed, moved: q.moved}
	q.setPublisher(q.log.worker, func(records map[string][][]byte) error { return q.log.publish(q.background.ctx, records) })
}

// setPublisher makes the outbox and the seeds of q add records to the log by publish. worker is the name of this
// worker.
func (q *Queue) setPublisher(worker string, publish publisher) {
	q.outbox = outbox{worker: worker, publish: publish, fail: q.background.stop, seeds: &q.seeds, pending: q.pending, moved: q.moved}
	q.outbox.init(cap(q.pending.slots))
	q.seeds.init(publish)
}

// newShard returns a shard whose lease this worker has acquired before, with the given revision and expiry. The shard
// does not work until its field start is called, which starts its follower in the background. An error of the follower
// ends the queue.
func (q *Queue) newShard(number int, revision uint64, expires time.Time) *shard {
	ctx, stop := context.WithCancel(q.background.ctx)
	s := &shard{
		number: number, content: run.NewShard(q.options.Create, !q.isHelper), background: q.background, forget: q.held.forget, news: make(chan struct{}, 1),
		stop: stop, stopped: make(chan struct{}), revision: revision, expires: expires,
	}
	s.start = func() {
		q.background.all.Go(func() {
			defer close(s.stopped)
			if err := q.follower.follow(ctx, s); err != nil && ctx.Err() == nil {
				q.background.stop(err)
			}
		})
	}
	return s
}

// Run returns the Run with which the run was started.
func (q *Queue) Run() Run { return q.run }

// check returns an error that wraps ErrOther if found has other arguments or another policy than r, apart from
// Policy.Jobs.
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

// String returns a text such as "http://h/ of 2026-01-02 15:04:05 UTC", without passwords.
func (r Run) String() string {
	var b strings.Builder
	for _, arg := range r.Args {
		b.WriteString(url.Redact(arg) + " ")
	}
	return b.String() + "of " + r.Started.Format("2006-01-02 15:04:05 MST")
}

// Next waits for the next job from the shards whose leases this worker holds, and returns it. It returns io.EOF after
// the last job, and the cause of ctx if ctx is done first.
//
// Another process may finish the run and report it. Next then returns io.EOF to a worker that joined the run, and an
// error to the process that started the run. If the run is removed without a report, the error is ErrRemoved.
func (q *Queue) Next(ctx context.Context) (check.Job, error) {
	q.begun.Do(func() {
		q.background.all.Go(q.watch)
		q.background.all.Go(func() { q.leases.keep(q.background.ctx) })
	})
	for {
		changed := q.changed.next()
		j, err := q.tryNext()
		if !errors.Is(err, errNone) {
			return j, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return check.Job{}, context.Cause(ctx)
		case <-q.background.ctx.Done():
			return check.Job{}, q.failure()
		}
	}
}

// failure returns the error of Next after the goroutines of the queue were stopped: the cause of the stop. But if
// another process has finished and removed the run, it is io.EOF for a helper, and errReported for the process that
// started the run. failure may wait for that news.
func (q *Queue) failure() error {
	err := context.Cause(q.background.ctx)
	isReported := errors.Is(err, ErrRemoved) && q.ending.await()
	switch {
	case isReported && q.isHelper:
		return io.EOF
	case isReported:
		return errReported
	case errors.Is(err, io.EOF):
		return fmt.Errorf("the run broke off: %v", err) //nolint:errorlint // because io.EOF would say that all jobs are done
	}
	return err
}

// watch runs the watcher until the queue is closed. An error of the watcher stops the goroutines of the queue.
func (q *Queue) watch() {
	if err := q.watcher.watch(q.background.ctx); err != nil && q.background.ctx.Err() == nil {
		q.background.stop(err)
	}
}

// errNone says that no job can be returned now.
var errNone = errors.New("there is no job now")

// tryNext returns the next job without waiting, and records in pending that it was taken. The error is errNone if no
// job can be returned now, and io.EOF after the last phase.
func (q *Queue) tryNext() (check.Job, error) {
	phase := q.phases.current()
	switch {
	case q.background.ctx.Err() != nil:
		return check.Job{}, errNone
	case phase == run.PhaseEnd:
		return check.Job{}, io.EOF
	}
	j, s, err := q.held.take(phase)
	if errors.Is(err, io.EOF) {
		return j, errNone
	}
	if err == nil {
		q.pending.take(j, s)
	}
	return j, err
}

// Begin reports whether this worker still holds the lease for j, so that an attempt may begin. At the first attempt it
// waits while this worker has as many pending jobs as Options.Jobs allows. It returns false if ctx is done or the queue
// is closed before.
func (q *Queue) Begin(ctx context.Context, j check.Job) bool {
	mayBegin, err := q.pending.begin(ctx, j)
	if err != nil {
		q.background.stop(err)
	}
	return mayBegin
}

// Done begins to add the result of a job, and returns at once. Results that are added within a short time share
// messages. If a result cannot be added, Next returns the error. Done ignores a job that is not running, or whose shard
// this worker has lost.
func (q *Queue) Done(_ context.Context, j check.Job, r check.Result, found check.Found) error {
	s := q.pending.finish(j)
	if s == nil {
		return nil // Begin has refused it
	}
	done, err := s.content.Done(j, r)
	if done == nil || err != nil {
		q.pending.store(s)
		return err // without an error, the job was done twice, because the shard was leased again
	}
	jobs := q.seeds.unseen(found.Jobs)
	all := run.RecordsByShard(q.sharding, check.Source{Document: j.URL, Links: found.Links}, jobs)
	q.outbox.add(result{s, done}, jobsRecords(all), jobs)
	return nil
}

// Seeding returns at once. It is not needed, because Next always returns jobs while Seed is called, unless the run
// crawls.
func (q *Queue) Seeding() {}

// Seed adds a document and jobs. The log contains them after Seeded. Seed does nothing if the run was resumed and the
// log contains all documents.
func (q *Queue) Seed(ctx context.Context, s check.Source, jobs []check.Job) error {
	if q.seeds.isDone {
		return nil
	}
	return q.seeds.add(ctx, jobsRecords(run.RecordsByShard(q.sharding, s, jobs)))
}

// Seeded waits until the log contains all documents, and marks it as complete.
func (q *Queue) Seeded(ctx context.Context) error {
	if q.seeds.isDone {
		return nil
	}
	if err := q.seeds.finish(ctx); err != nil {
		return err
	}
	if _, err := q.log.addMark(ctx, seededSubject); err != nil {
		return err
	}
	signal(q.moved)
	return nil
}

// Report joins the reports of all shards after Next has returned io.EOF. It stops the goroutines of the queue, and
// reads the shards that this worker does not hold. If ctx is done, Report returns its error. Only the process that
// started the run may call Report, and only once. The caller closes the Report before q.
func (q *Queue) Report(ctx context.Context, o check.ReportOptions) (*check.Report, error) {
	q.background.end()
	c := collector{log: q.log, skipper: &q.skipper, held: &q.held, phases: q.phases, create: q.options.Create}
	return c.report(ctx, o)
}

// Close waits up to 3 seconds for results that the log does not contain yet. It releases the leases and closes the
// files. It does not remove the run.
func (q *Queue) Close() error {
	q.ending.close()
	q.pending.awaitStored()
	q.background.end()
	q.outbox.wait()
	q.seeds.wait()
	q.background.all.Wait() // again, because a result that was not published may have been the last pending job of a shard
	return q.held.close()
}

// Delete removes the run from the servers, after its report. It first stops the goroutines of the queue, and tells the
// workers that the run is done.
func (q *Queue) Delete(ctx context.Context) error {
	q.background.end()
	if err := q.ending.tell(ctx); err != nil {
		return err
	}
	return Remove(ctx, q.log.conn, q.log.name)
}

var _ check.Queue = (*Queue)(nil)
