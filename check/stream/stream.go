// Package stream is a check.Queue in NATS JetStream. Any number of processes work at
// one run. If one is killed, another one does its jobs.
//
// A host belongs to a shard, by its hash. A run is a log in one stream, with subjects for
// each shard. Nothing in it is ever changed or removed.
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
//
// Each worker holds a fair share of the leases, and releases extra ones when another
// worker comes. A lease that is not renewed expires. A worker reads the log of its own
// shards alone, each into a [run.Shard], which it closes when it loses the lease. So a
// worker needs memory for the URLs of its own shards, and its own limits for a host are
// those of the whole run.
//
// The next holder of a lease adds a mark with its name to the jobs of the shard, and reads
// them up to there. The marks before say who held the shard, and from when. It reads the
// results of these workers up to its mark, and begins. A worker that could not renew a
// lease in time begins no more of its jobs. What it still adds is ignored, and the URL
// checked once more.
//
// The result of a job is added when the log has the jobs that were found with it. So no URL
// is lost. A worker goes on meanwhile. It has up to Options.Jobs pending jobs: they run, or
// the log does not have their results yet. If it is killed, these are checked again, and no
// others.
//
// Results that are added within 40 ms share a message, whatever their shards. Half of the
// pending jobs do not wait longer. Each publish costs a cluster of three some 2.5 ms of
// processor, and each message of it 50 µs. A message is compressed.
//
// # The end
//
// A worker tells the others for each of its shards how many messages with jobs it has
// read, and the phase of the first open job among them. Such a statement stays true. One
// request gives the numbers of messages of all subjects at one moment. If for each shard
// the number is that of a statement, no job of an earlier phase than the smallest one was
// open at that moment, and none can follow: jobs are found only by jobs of the same or an
// earlier phase. If that is [run.PhaseEnd], the run is done.
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
	"locus/check/internal/run"
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

// logFormat changes with the format of the log.
const logFormat = 5

// Options say how a run is stored and shared.
type Options struct {
	// Replicas is how many servers of a cluster store each message; 0: 1. Join
	// ignores it.
	Replicas int

	// Lease is how long a silent worker keeps its shards; 0: 5 seconds. Join
	// ignores it.
	Lease time.Duration

	// Jobs is how many URLs this worker has pending: it checks them, or the servers
	// do not have their results yet. If the process is killed, they are checked twice.
	// 0: 1000, negative: no limit.
	Jobs int

	// Wait is how long Join waits for a process that starts the run; 0: 5 minutes,
	// negative: no limit.
	Wait time.Duration

	// Create makes temporary files; nil: everything is in memory.
	Create func() (check.File, error)
}

// A Queue is a check.Queue in JetStream. It belongs to one worker.
//
// It is a door. life has its goroutines: leases keep shards held, a follower reads the log of
// each, and a watcher moves the phases on. pending holds the jobs between Next and the log, and
// an outbox adds their results to it. Each has a lock of its own. One that holds a lock calls
// only what is on its right:
//
//	pending, held ─▶ shard ─▶ run.Shard
type Queue struct {
	run       Run
	isHelper  bool // another process started the run, and makes the report
	options   Options
	sharding  check.Sharding
	log       *runLog
	life      *life
	begun     sync.Once     // watcher and leases
	changed   bell          // jobs may be taken, or the phase has changed
	moved     chan struct{} // has a value if a shard of this worker is further
	held      held
	leases    leases
	phases    *phases
	watcher   watcher
	follower  follower
	takeovers takeovers
	pending   *pending
	seeds     seeds
	outbox    outbox
}

// ErrOther says that a run of the same name was started with other arguments. It is
// wrapped in an error that has them.
var ErrOther = errors.New("the server has a run of this name with other arguments")

// ErrNotStarted says that there is no run to join.
var ErrNotStarted = errors.New("no process has started the run")

// ErrVersion says that another version of the program has started the run.
var ErrVersion = errors.New("another version of the program has started the run")

// errEnded says that the run was removed after its end.
var errEnded = errors.New("another process has finished and removed the run")

// Start starts a run, or resumes the one of that name. It fails with ErrOther if that has
// other Args or another Policy; Policy.Jobs may differ. A name has letters, digits, "-"
// and "_". The caller closes the queue, and deletes it when the run is reported.
func Start(ctx context.Context, conn *nats.Conn, name string, run Run, o Options) (*Queue, error) {
	run.Format = logFormat
	run.Started = time.Now().UTC().Truncate(time.Second)
	return openQueue(ctx, conn, name, &opening{run: run, options: o})
}

// Join returns the queue of another worker for a run. It waits until another process has
// started the run, and fails with ErrNotStarted if that takes too long. The caller closes
// the queue.
func Join(ctx context.Context, conn *nats.Conn, name string, o Options) (*Queue, error) {
	return openQueue(ctx, conn, name, &opening{isHelper: true, options: o})
}

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
	q := newQueue(newLife(ctx), o.run, o.options)
	q.connect(o)
	return q, nil
}

// newQueue returns a queue without servers.
func newQueue(l *life, r Run, o Options) *Queue {
	q := &Queue{run: r, options: o, sharding: r.Policy.Sharding(r.Shards), life: l, moved: make(chan struct{}, 1)}
	q.held = held{count: r.Shards, shards: make(map[int]*shard), create: q.newShard}
	q.pending = newPending(l.ctx, cmp.Or(o.Jobs, maxPending))
	q.phases = newPhases(r, "")
	return q
}

// connect connects the parts of q to the servers.
func (q *Queue) connect(o *opening) {
	q.log, q.isHelper, q.seeds.isDone = o.log, o.isHelper, o.isSeeded
	q.phases.subject = q.log.subject
	q.leases = leases{log: q.log, stream: o.leases, held: &q.held, time: q.options.Lease}
	q.watcher = watcher{log: q.log, held: &q.held, phases: q.phases, changed: &q.changed, moved: q.moved}
	q.takeovers.log, q.takeovers.life = q.log, q.life
	q.follower = follower{log: q.log, takeovers: &q.takeovers, changed: &q.changed, moved: q.moved}
	q.setPublisher(q.log.worker, func(records map[string][][]byte) error { return q.log.publish(q.life.ctx, records) })
}

// setPublisher sets how records come into the log.
func (q *Queue) setPublisher(worker string, publish publisher) {
	q.outbox = outbox{worker: worker, publish: publish, fail: q.life.stop, seeds: &q.seeds, pending: q.pending, moved: q.moved}
	q.outbox.init(cap(q.pending.places))
	q.seeds.init(publish)
}

// newShard returns a shard whose lease was acquired.
func (q *Queue) newShard(number int, revision uint64, expires time.Time) *shard {
	ctx, stop := context.WithCancel(q.life.ctx)
	s := &shard{
		number: number, content: run.NewShard(q.options.Create, !q.isHelper), life: q.life, forget: q.held.forget, news: make(chan struct{}, 1),
		stop: stop, stopped: make(chan struct{}), revision: revision, expires: expires,
	}
	s.start = func() {
		q.life.all.Go(func() {
			defer close(s.stopped)
			if err := q.follower.follow(ctx, s); err != nil && ctx.Err() == nil {
				q.life.stop(err)
			}
		})
	}
	return s
}

// Run returns what the run checks.
func (q *Queue) Run() Run { return q.run }

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

// Next returns a job of a shard that this worker has leased. If the run was removed, a
// helper gets io.EOF, and any other worker an error.
func (q *Queue) Next(ctx context.Context) (check.Job, error) {
	q.begun.Do(func() {
		q.life.all.Go(q.watch)
		q.life.all.Go(func() { q.leases.keep(q.life.ctx) })
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
		case <-q.life.ctx.Done():
			err := context.Cause(q.life.ctx)
			if errors.Is(err, errEnded) && q.isHelper {
				err = io.EOF
			}
			return check.Job{}, err
		}
	}
}

// watch watches the run until the queue is closed.
func (q *Queue) watch() {
	if err := q.watcher.watch(q.life.ctx); err != nil && q.life.ctx.Err() == nil {
		q.life.stop(err)
	}
}

// errNone says that there is no job now.
var errNone = errors.New("there is no job now")

// tryNext returns a job without waiting for one. The error is errNone if there is none now.
func (q *Queue) tryNext() (check.Job, error) {
	phase := q.phases.current()
	switch {
	case q.life.ctx.Err() != nil:
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

// Begin reports whether this worker still has the lease for a job. It waits while this
// worker has too many pending jobs.
func (q *Queue) Begin(ctx context.Context, j check.Job) bool {
	mayBegin, err := q.pending.begin(ctx, j)
	if err != nil {
		q.life.stop(err)
	}
	return mayBegin
}

// Done begins to add the result of a job, and returns at once. Results that are added
// within a short time share messages. If they cannot be added, Next returns the error.
func (q *Queue) Done(_ context.Context, j check.Job, r check.Result, found check.Found) error {
	s := q.pending.finish(j)
	if s == nil {
		return nil // Begin has refused it
	}
	done, err := s.content.Done(j, r)
	if done == nil || err != nil {
		q.pending.store(s)
		return err // it was done twice: the shard was leased anew
	}
	jobs := q.seeds.unseen(found.Jobs)
	all := run.Records(q.sharding, check.Source{Document: j.URL, Links: found.Links}, jobs)
	q.outbox.add(result{s, done}, jobsRecords(all), jobs)
	return nil
}

// Seeding returns at once: jobs of a run that does not crawl are always checked while Seed
// is called.
func (q *Queue) Seeding() {}

// Seed adds a document and jobs. They are in the log after Seeded. It does nothing if the
// run was resumed, and the log has them.
func (q *Queue) Seed(ctx context.Context, s check.Source, jobs []check.Job) error {
	if q.seeds.isDone {
		return nil
	}
	return q.seeds.add(ctx, jobsRecords(run.Records(q.sharding, s, jobs)))
}

// Seeded says in the log that it has all documents.
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

// Report joins the reports of all shards once Next has returned io.EOF. If ctx is done, it
// returns its error. It reads the shards that this worker does not hold. Only the process that
// started the run may call it, and once. The caller closes the Report, and then q.
func (q *Queue) Report(ctx context.Context, o check.ReportOptions) (*check.Report, error) {
	q.life.end()
	c := collector{log: q.log, held: &q.held, phases: q.phases, create: q.options.Create}
	return c.report(ctx, o)
}

// Close waits for results that the log does not have yet, but not for long. It releases the
// leases and closes the files. The run stays as it is.
func (q *Queue) Close() error {
	q.pending.awaitStored()
	q.life.end()
	q.outbox.wait()
	q.seeds.wait()
	q.life.all.Wait() // results that were not published may have been the last users of a shard
	return q.held.close()
}

// Delete removes the run.
func (q *Queue) Delete(ctx context.Context) error {
	q.life.end()
	return Remove(ctx, q.log.conn, q.log.name)
}

var _ check.Queue = (*Queue)(nil)
