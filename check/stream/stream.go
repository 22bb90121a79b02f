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

// logFormat changes with the format of the log.
const logFormat = 5

// Options say how a run is stored and shared.
type Options struct {
	// Replicas is how many servers of a cluster store each message; 0 means 1. Join
	// ignores it.
	Replicas int

	// Lease is how long a silent worker keeps its shards; 0 means 5 seconds. Join
	// ignores it.
	Lease time.Duration

	// Jobs is how many URLs this worker has pending: it checks them, or the servers
	// do not have their results yet. If the process is killed, they are checked twice.
	// 0 means 1000.
	Jobs int

	// Wait is how long Join waits for a process that starts the run; 0 means 5
	// minutes.
	Wait time.Duration

	// Create makes files as for [check.NewSpool]; nil: everything is in memory.
	Create func() (check.File, error)
}

// A Queue is a check.Queue in JetStream. It belongs to one worker.
type Queue struct {
	streams
	run      Run
	sharding check.Sharding
	helper   bool   // another process started the run, and makes the report
	worker   string // the name of this worker
	options  Options
	seeds    seeds
	pages    *batcher[page]
	results  *batcher[result]
	publisher
	takeovers
	background

	mu      sync.Mutex
	changed sync.Cond // jobs may be taken, or the phase has changed
	progress
	pendingJobs
}

// streams are the streams of a run.
type streams struct {
	name       string // of the run
	conn       *nats.Conn
	js         jetstream.JetStream
	log        jetstream.Stream
	logSubject string // without its last part
	leases     jetstream.Stream
}

// A background is the goroutines of a Queue.
type background struct {
	start sync.Once
	moved chan struct{} // has a value if a shard of this worker is further
	all   sync.WaitGroup
	ctx   context.Context
	stop  context.CancelCauseFunc
}

// A progress is how far the run is.
type progress struct {
	phase     run.Phase         // of the jobs that Next returns
	shards    map[int]*shard    // whose leases this worker holds
	next      int               // the shard that Next asks first
	sinceNext int               // how many jobs it had since next has changed
	status    map[int]status    // what is known of each shard
	counts    map[string]uint64 // messages by subject when the phase changed last
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
	return open(ctx, conn, name, &Queue{run: run, options: o}, (*Queue).begin)
}

// Join returns the queue of another worker for a run. It waits until another process has
// started the run, and fails with ErrNotStarted if that takes too long. The caller closes
// the queue.
func Join(ctx context.Context, conn *nats.Conn, name string, o Options) (*Queue, error) {
	return open(ctx, conn, name, &Queue{helper: true, options: o}, (*Queue).awaitStart)
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
	q.streams, q.changed.L = streams{name: name, conn: conn, js: js}, &q.mu
	q.worker, q.moved = nats.NewInbox()[len("_INBOX."):], make(chan struct{}, 1)
	q.progress = progress{shards: make(map[int]*shard), status: make(map[int]status)}
	most := cmp.Or(q.options.Jobs, maxPending)
	q.taken, q.running, q.places, q.isStored.L = make(map[check.Job]*shard), make(map[check.Job]*shard), make(chan struct{}, most), &q.mu
	q.ctx, q.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	if err := setUp(q, ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("set up the run %q: %w", name, err), q.Close())
	}
	if q.phase = run.PhaseChecks; q.run.Policy.Recursive {
		q.phase = -1 // see advance
	}
	q.sharding = q.run.Policy.Sharding(q.run.Shards)
	q.setPublisher(most, q.publish)
	return q, nil
}

// setPublisher prepares q to publish, with so many pending jobs.
func (q *Queue) setPublisher(jobs int, publish publisher) {
	q.publisher = publish
	q.pages, q.results = newBatcher(jobs, q.publishPages), newBatcher(jobs, q.publishResults)
	q.seeds.init(publish)
}

// Run returns what the run checks.
func (q *Queue) Run() Run { return q.run }

// begin starts the run, unless there is one.
func (q *Queue) begin(ctx context.Context) error {
	wanted := q.run
	if err := repeat(ctx, maxStart, func(ctx context.Context) error { return q.setUp(ctx, false) }); err != nil {
		return err
	}
	found, err := q.readRun(ctx)
	if err != nil {
		return err
	}
	if found {
		if err := wanted.check(q.run); err != nil {
			return err
		}
		return repeat(ctx, maxStart, func(ctx context.Context) error { return q.setUp(ctx, true) }) // with the options of this process
	}
	text, err := json.Marshal(wanted)
	if err != nil {
		return err
	}
	err = repeat(ctx, maxStart, func(ctx context.Context) error {
		_, err := q.js.Publish(ctx, q.logSubject+"run", text, jetstream.WithExpectLastSequencePerSubject(0))
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

// awaitStart waits until another process has started the run. A cluster that has lost a
// server may not answer for a while.
func (q *Queue) awaitStart(ctx context.Context) error {
	wait := cmp.Or(q.options.Wait, 5*time.Minute)
	for start := time.Now(); ; {
		attempt, cancel := context.WithTimeout(ctx, 3*time.Second)
		err := q.setUp(attempt, false)
		found := false
		if err == nil {
			found, err = q.readRun(attempt)
		}
		cancel()
		switch {
		case found, isFinal(err):
			return err
		case time.Since(start) > wait:
			return fmt.Errorf("%w within %v", ErrNotStarted, wait)
		}
		if err := retry.Sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// setUp makes the streams unless they exist, or updates them. It can be repeated: a
// server may have made them without an answer.
func (q *Queue) setUp(ctx context.Context, update bool) error {
	var err error
	q.log, err = q.setUpStream(ctx, update, jetstream.StreamConfig{
		Name: streamName(q.name, "log"), Subjects: []string{q.subject("log." + q.worker + ".>")}, Replicas: q.options.Replicas, AllowDirect: true,
	})
	if err != nil {
		return err
	}
	q.logSubject = strings.TrimSuffix(q.log.CachedInfo().Config.Subjects[0], ">")
	q.leases, err = q.setUpStream(ctx, update, jetstream.StreamConfig{
		Name: streamName(q.name, "lease"), Subjects: []string{q.subject("lease.>")}, Replicas: q.options.Replicas,
		MaxMsgsPerSubject: 1, MaxAge: q.options.Lease, Duplicates: q.options.Lease,
	})
	return err
}

// setUpStream returns a stream with that configuration. An existing stream keeps its
// subjects. A helper changes nothing.
func (q *Queue) setUpStream(ctx context.Context, update bool, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := q.js.Stream(ctx, c.Name)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound) && !q.helper:
		return q.js.CreateStream(ctx, c) // if another process is faster, repeat tries again
	case err != nil || !update:
		return s, err
	}
	c.Subjects = s.CachedInfo().Config.Subjects
	return q.js.UpdateStream(ctx, c)
}

// readRun reads the first message of the log, which is the Run.
func (q *Queue) readRun(ctx context.Context) (found bool, err error) {
	var text []byte
	err = repeat(ctx, maxStart, func(ctx context.Context) error {
		m, err := q.log.GetMsg(ctx, 1)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err == nil {
			text = m.Data
		}
		return err
	})
	if text == nil || err != nil {
		return false, err
	}
	q.run = Run{}
	if json.Unmarshal(text, &q.run) != nil || q.run.Shards < 1 || q.run.Shards > 256 || q.run.Format != logFormat {
		return true, ErrVersion
	}
	info, err := q.logInfo(ctx)
	if err != nil {
		return true, err
	}
	q.seeds.isDone = info.State.Subjects[q.logSubject+"seeded"] > 0
	return true, nil
}

// streamName returns the name of a stream of a run.
func streamName(run, part string) string { return "locus_" + run + "_" + part }

func (q *Queue) subject(part string) string { return "locus." + q.name + "." + part }

// runID returns the ID of the run, which is part of its subjects.
func (q *Queue) runID() string {
	return strings.TrimSuffix(strings.TrimPrefix(q.logSubject, q.subject("log.")), ".")
}

// Next returns a job of a shard that this worker has leased. If the run was removed, a
// helper gets io.EOF, and any other worker an error.
func (q *Queue) Next(ctx context.Context) (check.Job, error) {
	q.start.Do(func() { q.all.Go(q.watch); q.all.Go(q.keepLeases) })
	if j, err := q.tryNext(); !errors.Is(err, errNone) {
		return j, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(q.ctx, func() { cancel(context.Cause(q.ctx)) })()
	defer context.AfterFunc(ctx, q.wake)()
	q.mu.Lock()
	defer q.mu.Unlock()
	for ctx.Err() == nil {
		j, err := q.nextLocked()
		if !errors.Is(err, errNone) {
			return j, err
		}
		q.changed.Wait()
	}
	err := context.Cause(ctx)
	if errors.Is(err, errEnded) && q.helper {
		err = io.EOF
	}
	return check.Job{}, err
}

// errNone says that there is no job now.
var errNone = errors.New("there is no job now")

// tryNext returns a job without waiting for one. The error is errNone if there is none now.
func (q *Queue) tryNext() (check.Job, error) {
	if q.ctx.Err() != nil {
		return check.Job{}, errNone
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.nextLocked()
}

// nextLocked does what tryNext does. mu is held.
func (q *Queue) nextLocked() (check.Job, error) {
	if q.phase == run.PhaseEnd {
		return check.Job{}, io.EOF
	}
	j, s, err := q.take()
	if errors.Is(err, io.EOF) {
		return j, errNone
	}
	if err == nil {
		q.taken[j] = s
	}
	return j, err
}

// takeAtOnce is how many jobs come from one shard after the other. To ask shards that have
// none takes time.
const takeAtOnce = 64

// take returns a job and its shard; io.EOF if there is none now. mu is held.
func (q *Queue) take() (check.Job, *shard, error) {
	for range q.run.Shards + 1 { // at the end the first one again: the others may have none
		if s := q.shards[q.next]; s != nil && s.mayBegin() && q.sinceNext < takeAtOnce {
			j, err := s.content.Take(q.phase)
			if !errors.Is(err, io.EOF) {
				q.sinceNext++
				return j, s, err
			}
		}
		q.next, q.sinceNext = (q.next+1)%q.run.Shards, 0
	}
	return check.Job{}, nil, io.EOF
}

// wake wakes the goroutines in Next.
func (q *Queue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changed.Broadcast()
}

// Done begins to add the result of a job, and returns at once. Results that are added
// within a short time share messages. If they cannot be added, Next returns the error.
func (q *Queue) Done(_ context.Context, j check.Job, r check.Result, found check.Found) error {
	s := q.finishing(j)
	if s == nil {
		return nil // Begin has refused it
	}
	done, err := s.content.Done(j, r)
	if done == nil || err != nil {
		q.unuse(s)
		return err // it was done twice: the shard was leased anew
	}
	jobs := q.seeds.unseen(found.Jobs)
	all := run.Records(q.sharding, check.Source{Document: j.URL, Links: found.Links}, jobs)
	if len(all) == 0 {
		q.results.add(result{s, done}, len(done.Record))
		return nil
	}
	size := 0
	for _, records := range all {
		size += sizeOf(records)
	}
	q.pages.add(page{jobsRecords(all), jobs, result{s, done}}, size)
	return nil
}

// A page is what was found on one. Its result is added after the rest.
type page struct {
	records map[string][][]byte // by subjects
	jobs    []check.Job
	result  result
}

// publishPages adds to the log what was found on pages, and then their results.
func (q *Queue) publishPages(all []page) {
	records := make(map[string][][]byte)
	for _, p := range all {
		for part, some := range p.records {
			records[part] = append(records[part], some...)
		}
	}
	err := q.publisher(records)
	if err != nil {
		q.stop(err)
	}
	for _, p := range all {
		if err != nil {
			q.unuse(p.result.shard)
			continue
		}
		q.seeds.see(p.jobs)
		q.results.add(p.result, len(p.result.done.Record))
	}
}

// Close waits for results that the log does not have yet, but not for long. It releases the
// leases and closes the files. The run stays as it is.
func (q *Queue) Close() error {
	q.awaitStored()
	q.stop(context.Canceled)
	q.all.Wait()
	if q.results == nil {
		return nil
	}
	q.pages.wait() // before results, to which it adds
	q.results.wait()
	q.seeds.wait()
	q.all.Wait() // results that were not published may have been the last users of a shard
	return q.closeShards()
}

// Delete removes the run.
func (q *Queue) Delete(ctx context.Context) error {
	q.stop(context.Canceled)
	q.all.Wait()
	return Remove(ctx, q.conn, q.name)
}

// signal wakes a receiver of c, now or later.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

var _ check.Queue = (*Queue)(nil)
