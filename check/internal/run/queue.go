// Package run keeps the jobs, the links and the results of a run, in memory and in files.
//
// A [Queue] is the check.Queue of a run with one process. A [Shard] has the jobs of some hosts of a run that processes
// share; package stream gives each worker some shards, and [JoinReports] makes one report of all of them. Both are a
// store (store.go): the Queue adds the log with which a run is resumed, and the Shard adds the phases of a shared run.
//
// # How the pieces work together
//
// Every change is an entry: the links of a document, new jobs, or the result of a job (record.go). add writes an entry
// as a record into the log, if the log is kept, and apply changes the store. OpenQueue reads the records of a log and
// applies them again, so a resumed run reaches the same state. A record that is damaged ends the log, because the
// records after it refer to the jobs before them by numbers; the jobs whose results are lost are only checked again.
//
// The store's method apply keeps the text of each URL once, in texts. A text has a state of 64 bits (state.go): flags,
// the depth of its crawl, and the offset of its result in the log. The other files contain offsets of texts instead of
// URLs: a jobLog (jobs.go) has the jobs in the order in which they are returned, and the placeLog (placelog.go) has the
// place of each link. Next walks through the jobLogs (take.go) and skips the jobs whose state says that they are done.
//
// When all jobs are done, a joiner (join.go) finds the result of each link by its state, sorts the places of the links
// to report (placedlink.go), and yields one finding for each link.
package run

import (
	"context"
	"errors"
	"io"
	"sync"

	"locus/check"
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
	store
	changed sync.Cond
	seeding bool // Seed may be called while jobs are checked
}

// NewQueue returns an empty queue. The queue calls create when it needs a temporary file, and Close closes the files.
// If create is nil, everything stays in memory.
func NewQueue(create func() (check.File, error)) *Queue {
	q := new(Queue)
	q.init(create, spill.RecentTexts, spill.TextsInMemory)
	q.changed.L = &q.mu
	return q
}

// OpenQueue returns a queue whose log is f. If f is empty, the queue begins a run; otherwise it resumes the run in f.
// If the process was killed, the queue returns only the jobs that the process had not finished. OpenQueue truncates f
// before the first record that is cut off or damaged. Only one queue may use f at a time. Close closes f, and OpenQueue
// closes it after an error. See [NewQueue] for create.
func OpenQueue(f check.LogFile, create func() (check.File, error)) (*Queue, error) {
	q := NewQueue(create)
	q.keeps = keepsAll
	q.log.Continue(f, 0)
	for at, body := range records(io.NewSectionReader(f, 0, spill.MaxLog)) {
		q.log.Continue(f, at)
		e, err := body.entry()
		if errors.Is(err, ErrRecord) {
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
	if q.keeps != keepsAll { // the log contains only results
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

// unseen returns the jobs that are new, or that demand more of a URL than the jobs before them. If the log does not
// contain jobs, unseen returns all jobs, because apply then ignores the jobs that were added before. The error says
// that the table of URLs cannot be read. The caller holds mu.
func (q *Queue) unseen(jobs []check.Job) ([]check.Job, error) {
	if q.keeps != keepsAll {
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

// add writes entries into the log, applies them, and wakes the goroutines that wait in Next. The caller holds mu.
func (q *Queue) add(entries []entry) error {
	defer q.changed.Broadcast()
	for i := range entries {
		var record []byte
		if q.logs(entries[i].kind) {
			record = entries[i].record()
		}
		if err := q.write(&entries[i], record); err != nil {
			return err
		}
	}
	if q.keeps == keepsAll {
		return q.log.Flush()
	}
	return nil
}

// Next returns the jobs that crawl, those with the smallest depth first, and then the other jobs. Jobs with the same
// depth keep the order in which they were added. It waits while the jobs that are being checked may add more jobs. The
// error is io.EOF when all jobs are done, or the cause of ctx.
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

// next returns a job without waiting. The error is io.EOF if no job can be returned now. The caller holds mu.
func (q *Queue) next() (check.Job, error) {
	q.setLevel(q.open.level())
	j, err := q.nextOf(&q.crawls)
	if !errors.Is(err, io.EOF) || q.open.crawls > 0 {
		return j, err
	}
	return q.nextOf(&q.others)
}

// isFinished reports whether all jobs are done and no more can follow. The caller holds mu.
func (q *Queue) isFinished() bool { return q.open.crawls+q.open.others == 0 && !q.seeding }

// broadcast wakes all goroutines that wait for a change of the queue.
func (q *Queue) broadcast() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changed.Broadcast()
}

// Begin returns true, because no other process can take over a job of a Queue.
func (q *Queue) Begin(context.Context, check.Job) bool { return true }

// Done adds the result of a job, and the links and new jobs that were found on its page. If the job is done already,
// Done only releases it.
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

// Close closes the files. The queue cannot be used after Close.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.close()
}
