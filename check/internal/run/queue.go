// Package run keeps the jobs, the links and the results of a run, in memory and in files.
//
// A [Queue] is the check.Queue of a run with one process. A [Shard] has the jobs of some hosts of a run that processes
// share; package stream gives each worker some shards, and [JoinReports] makes one report of all of them.
//
// # How the pieces work together
//
// Every change is an entry: the links of a document, new jobs, or the result of a job (record.go). add writes an entry
// as a record into the log, if the log is kept, and apply changes the queue. OpenQueue reads the records of a log and
// applies them again, so a resumed run reaches the same state. A record that is damaged ends the log, because the
// records after it refer to the jobs before them by numbers; the jobs whose results are lost are only checked again.
//
// apply stores the text of each URL once, in texts. A text has a state of 64 bits (state.go): flags, the depth of its
// crawl, and the offset of its result in the log. The other files contain offsets of texts instead of URLs: a jobLog
// (jobs.go) has the jobs in the order in which they are returned, and the placeLog (placelog.go) has the place of each
// link. Next walks through the jobLogs (take.go) and skips the jobs whose state says that they are done.
//
// When all jobs are done, a joiner (join.go) finds the result of each link by its state, sorts the places of the links
// to report (placedlink.go), and yields one finding for each link.
package run

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"locus/check"
	"locus/internal/record"
	"locus/internal/spill"
)

// A Queue is the check.Queue of a run with one process. It writes the results into a log, which is a temporary file, or
// a file that is kept so that the run can be resumed (see [OpenQueue]). A kept log also contains the links and the
// jobs. The texts of URLs, the jobs and the places of links are in temporary files. A file is created when it would
// have 128 KiB. Memory holds about twelve bytes for each URL, and up to 12 MiB of buffers. Several goroutines may call
// the methods of a Queue at once.
//
// Next returns the jobs that crawl first. After them all links are known, and it is known which pages need their
// anchors. Therefore each URL is opened once, and HEAD is enough for most of them.
type Queue struct {
	mu      sync.Mutex
	changed sync.Cond
	texts   spill.Texts   // URLs of links and jobs
	places  placeLog      // of links
	log     spill.Log     // results; if isKept, also links and jobs
	isKept  bool          // the log is written to its file after each change
	noLog   bool          // links and results are not stored
	seeding bool          // Seed may be called while jobs are checked
	decoded decodedResult // the last result that resultAt decoded
	pendingJobs
}

// A decodedResult is a result and its JSON. It is kept because most good results of one second have the same JSON.
type decodedResult struct {
	text   string
	result check.Result
}

// files converts create for the containers of package spill. It returns nil for nil.
func files(create func() (check.File, error)) func() (spill.File, error) {
	if create == nil {
		return nil
	}
	return func() (spill.File, error) { return create() }
}

// NewQueue returns an empty queue. The queue calls create when it needs a temporary file, and Close closes the files.
// If create is nil, everything stays in memory.
func NewQueue(create func() (check.File, error)) *Queue {
	j := spill.Log{Create: files(create)}
	q := &Queue{
		texts: spill.NewTexts(files(create), spill.RecentTexts, spill.TextsInMemory), places: placeLog{Log: j}, log: j, pendingJobs: pendingJobs{
			crawls: jobLog{Log: j}, others: jobLog{Log: j}, claimed: make(map[int64]claim), deeper: noJob,
		},
	}
	q.changed.L = &q.mu
	return q
}

// OpenQueue returns a queue whose log is f. If f is empty, the queue begins a run; otherwise it resumes the run in f.
// If the process was killed, the queue returns only the jobs that the process had not finished. Only one queue may use
// f at a time. Close closes f. See [NewQueue] for create.
func OpenQueue(f check.LogFile, create func() (check.File, error)) (*Queue, error) {
	q := NewQueue(create)
	q.isKept = true
	q.log.Continue(f, 0)
	for at, body := range records(io.NewSectionReader(f, 0, spill.MaxLog)) {
		q.log.Continue(f, at)
		e, err := body.entry()
		if errors.Is(err, errRecord) {
			break // the process was killed while it wrote this record
		}
		if err == nil {
			err = q.apply(&e, at)
		}
		if err != nil {
			return nil, errors.Join(err, q.Close())
		}
		q.log.Continue(f, at+headSize+int64(len(body.data)))
	}
	if err := f.Truncate(q.log.Size()); err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return q, nil
}

// NewMemory returns an empty queue in memory.
func NewMemory() *Queue { return NewQueue(nil) }

// Seeding lets Next return jobs while Seed is still called. After Seeding, Next returns io.EOF only after Seeded.
func (q *Queue) Seeding() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.seeding = true
}

// Seeded says that Seed will not be called again.
func (q *Queue) Seeded(context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.seeding = false
	q.changed.Broadcast()
	return nil
}

// Seed adds a document, and the jobs that were not added before.
func (q *Queue) Seed(_ context.Context, from check.Source, jobs []check.Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.isKept { // the log contains only results
		defer q.changed.Broadcast()
		if err := q.apply(&entry{kind: linksKind, source: from}, -1); err != nil {
			return err
		}
		return q.apply(&entry{kind: jobsKind, jobs: jobs}, -1)
	}
	jobs, err := q.unseen(jobs)
	if err != nil {
		return err
	}
	return q.add(seedEntries(from, jobs))
}

// unseen returns the jobs that were not added before. If the log does not contain jobs, unseen returns all of them,
// because apply ignores a job that was added before.
func (q *Queue) unseen(jobs []check.Job) ([]check.Job, error) {
	if !q.isKept {
		return jobs, nil
	}
	var all []check.Job
	for _, j := range jobs {
		_, state, _, err := q.texts.Find(textOf(j.URL, j.Bad))
		if err != nil {
			return nil, err
		}
		if state|stateOf(j) != state {
			all = append(all, j)
		}
	}
	return all, nil
}

// add writes entries into the log and applies them.
func (q *Queue) add(entries []entry) error {
	defer q.changed.Broadcast()
	for i := range entries {
		var record []byte
		if q.stores(entries[i].kind) {
			record = entries[i].record()
		}
		if err := q.store(&entries[i], record); err != nil {
			return err
		}
	}
	if q.isKept {
		return q.log.Flush()
	}
	return nil
}

// stores reports whether the log of this queue contains records of a kind.
func (q *Queue) stores(kind byte) bool {
	return q.isKept || !q.noLog && kind == doneKind
}

// store writes the record of an entry into the log, if the log contains its kind, and applies the entry.
func (q *Queue) store(e *entry, record []byte) error {
	if !q.stores(e.kind) {
		return q.apply(e, -1)
	}
	at, err := q.log.Append(record)
	if err != nil {
		return err
	}
	return q.apply(e, at)
}

// apply changes the queue by an entry. at is the offset of its record in the log, or -1 if the log does not contain it.
// The outcome is the same if entries are applied twice or in another order.
func (q *Queue) apply(e *entry, at int64) error {
	switch e.kind {
	case linksKind:
		if !q.noLog {
			return q.addLinks(e.source)
		}
	case jobsKind:
		for _, j := range e.jobs {
			if err := q.addJob(j); err != nil {
				return err
			}
		}
	case doneKind:
		return q.setDone(e, at)
	}
	return nil
}

// Next returns the jobs that crawl and then the others, in the order in which they were added. It waits while the jobs
// that are being checked may add more jobs.
func (q *Queue) Next(ctx context.Context) (check.Job, error) {
	stop := context.AfterFunc(ctx, q.broadcast)
	defer stop()
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		j, err := q.next()
		switch {
		case !errors.Is(err, io.EOF):
			return j, err
		case ctx.Err() != nil:
			return check.Job{}, context.Cause(ctx)
		case q.isFinished():
			return check.Job{}, io.EOF
		}
		q.changed.Wait()
	}
}

// isFinished reports whether all jobs are done and no more can follow.
func (q *Queue) isFinished() bool { return q.open.crawls+q.open.others == 0 && !q.seeding }

func (q *Queue) broadcast() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changed.Broadcast()
}

// Begin returns true, because no other process can take over a job of a Queue.
func (q *Queue) Begin(context.Context, check.Job) bool { return true }

// Done adds the result of a job. It ignores a job that is done already.
func (q *Queue) Done(_ context.Context, j check.Job, r check.Result, found check.Found) error {
	text := resultJSON(withoutAnchors(r)) // before Lock, because other goroutines may use the queue meanwhile
	q.mu.Lock()
	defer q.mu.Unlock()
	e, err := q.doneEntry(j, r)
	if err != nil {
		return err
	}
	e.json = text
	if done, err := q.isDone(j); done || err != nil {
		return errors.Join(err, q.release(j))
	}
	jobs, err := q.unseen(found.Jobs)
	if err != nil {
		return err
	}
	return q.add(append(seedEntries(check.Source{Document: j.URL, Links: found.Links}, jobs), e))
}

// doneEntry returns the entry for the result of a job. If Next has returned the job, the entry refers to it by its
// position. Otherwise the entry contains the URL.
func (q *Queue) doneEntry(j check.Job, r check.Result) (entry, error) {
	e := entry{kind: doneKind, job: j, result: r}
	at, _, ok, err := q.texts.Find(textOf(j.URL, j.Bad))
	if !ok || err != nil {
		return e, err
	}
	if c, ok := q.claimed[at]; ok && c.isCrawl == j.Crawl {
		e.isRef, e.ref = true, int(c.pos/jobSize)
	}
	return e, nil
}

// resolve sets the job of an entry that refers to the job by its position.
func (q *Queue) resolve(e *entry) error {
	if !e.isRef || e.job.URL != "" {
		return nil
	}
	jobs := &q.others
	if e.job.Crawl {
		jobs = &q.crawls
	}
	if int64(e.ref) >= jobs.Size()/jobSize {
		return invalid(errors.New("a result refers to a job that does not exist"))
	}
	at, err := jobs.read(int64(e.ref) * jobSize)
	if err != nil {
		return err
	}
	text, _, err := q.texts.Text(at)
	e.job.URL, e.job.Bad = parseText(text)
	return err
}

// setDone records that a job is done, and where its result is. If a URL has two results, it keeps the one with anchors.
func (q *Queue) setDone(e *entry, at int64) error {
	if err := q.resolve(e); err != nil {
		return err
	}
	text := textOf(e.job.URL, e.job.Bad)
	textAt, before, err := q.texts.Put(text)
	if err != nil {
		return err
	}
	defer q.unclaim(textAt)
	after := before | doneState(e.job)
	if before == after {
		return nil
	}
	if r := e.result; at >= 0 && before&hasAnchors == 0 {
		after = after&^(spill.OffsetMask|statusMask|hasDetails) | uint64(at+e.resultAt+1) | uint64(r.Status)<<statusBit
		if r.Status != check.Good || r.Moved() != "" || r.Anchors != nil {
			after |= hasDetails
		}
		if r.Anchors != nil {
			after |= hasAnchors
		}
	}
	q.open.update(before, after)
	return q.texts.SetState(text, textAt, after)
}

// isDone reports whether a job is done.
func (q *Queue) isDone(j check.Job) (bool, error) {
	_, state, _, err := q.texts.Find(textOf(j.URL, j.Bad))
	return state&isCrawled != 0 || !j.Crawl && state|doneState(j) == state, err
}

// addLinks adds the links of a document and their places.
func (q *Queue) addLinks(from check.Source) error {
	q.places.begin(from.Document)
	for i := range from.Links {
		l := &from.Links[i]
		at, err := q.addLink(l)
		if err != nil {
			return err
		}
		if err := q.places.add(at, l.Line, l.Column); err != nil {
			return err
		}
	}
	return nil
}

// addLink adds a link to the texts, unless they contain it, and returns the offset of its text.
func (q *Queue) addLink(l *check.Link) (at int64, err error) {
	slot := l.Slot()
	if slot != nil && *slot > 0 {
		return *slot - 1, nil
	}
	text := textOf(l.URL, l.Bad)
	at, state, err := q.texts.Put(text)
	if err == nil && state&isLink == 0 {
		err = q.texts.SetState(text, at, state|isLink)
	}
	if err == nil && slot != nil {
		*slot = at + 1
	}
	return at, err
}

func (q *Queue) addJob(j check.Job) error {
	text := textOf(j.URL, j.Bad)
	at, before, err := q.texts.Put(text)
	if err != nil {
		return err
	}
	after := before | stateOf(j)
	if before&isCrawl == 0 && j.Crawl {
		after |= uint64(min(max(j.Depth, 0), maxDepth)) << depthBit
	}
	if after == before {
		return nil
	}
	q.open.update(before, after)
	if err := q.texts.SetState(text, at, after); err != nil {
		return err
	}
	switch {
	case j.Crawl:
		if before&isCrawl == 0 {
			return q.crawls.add(at)
		}
		return nil
	}
	return q.others.add(at) // a second time if the job needs its anchors only now
}

// resultAt reads the result to which the state of a text refers. The result has no URL.
func (q *Queue) resultAt(state uint64) (r check.Result, err error) {
	at := int64(state&spill.OffsetMask) - 1
	from := record.Reader{From: bufio.NewReaderSize(io.NewSectionReader(&q.log, at, q.log.Size()-at), 512)}
	text := from.Repeated(q.decoded.text)
	if from.Err() != nil {
		return r, from.Err()
	}
	if text == "" || text != q.decoded.text {
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return r, err
		}
		q.decoded = decodedResult{text, r}
	}
	r = q.decoded.result
	if state&hasAnchors != 0 && r.Anchors == nil { // older programs wrote the anchors into the JSON
		r.Anchors = unpackAnchors(from.Text())
	}
	return r, from.Err()
}

// Close closes the files. The queue cannot be used after Close.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all error
	for _, j := range []*spill.Log{&q.texts.Log, &q.places.Log, &q.crawls.Log, &q.others.Log, &q.log} {
		all = errors.Join(all, j.Close())
	}
	return all
}
