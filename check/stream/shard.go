package stream

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"locus/check"
	"locus/check/internal/run"
	"locus/internal/record"
)

// A shard is a shard whose lease this worker holds, or did when its running jobs began.
// Queue.mu guards the fields above content.
type shard struct {
	number    int
	revision  uint64    // of the lease
	expires   time.Time // unless it is renewed
	releasing bool      // no job begins any more, so that the lease can be released
	lost      bool      // another worker may have the lease
	ready     bool      // the log was read up to the mark
	messages  uint64    // with jobs that were read
	running   int       // pending jobs

	content *run.Shard
	pos     uint64        // the jobs are read up to there; for follow alone
	holders []holder      // all so far; for follow, and then for its takeover
	news    chan struct{} // has a value if there may be new jobs
	stop    context.CancelFunc
	stopped chan struct{} // closed at the end of follow
}

func (s *shard) mayBegin() bool { return s.ready && !s.releasing && !s.lost }

func jobsSubject(n int) string { return "jobs." + strconv.Itoa(n) }

// hold adds a shard whose lease was acquired. mu is held.
func (q *Queue) hold(n int, revision uint64, expires time.Time) {
	if last := q.shards[n]; last != nil {
		q.drop(last) // that lease has expired
	}
	ctx, stop := context.WithCancel(q.ctx)
	s := &shard{
		number: n, revision: revision, expires: expires,
		content: run.NewShard(q.options.Create, !q.helper), news: make(chan struct{}, 1), stop: stop, stopped: make(chan struct{}),
	}
	q.shards[n] = s
	q.all.Go(func() {
		defer close(s.stopped)
		if err := q.follow(ctx, s); err != nil && ctx.Err() == nil {
			q.stop(err)
		}
	})
}

// drop forgets a shard whose lease was lost or released. Its content is closed when no
// job is running any more. mu is held.
func (q *Queue) drop(s *shard) {
	s.lost = true
	s.stop()
	if q.shards[s.number] == s {
		delete(q.shards, s.number)
	}
	q.closeIfUnused(s)
}

// closeIfUnused closes the content of a lost shard without running jobs. mu is held.
func (q *Queue) closeIfUnused(s *shard) {
	if s.lost && s.running == 0 {
		q.all.Go(func() {
			<-s.stopped
			if err := s.content.Close(); err != nil {
				q.stop(err)
			}
		})
	}
}

// closeShards closes all shards, after the end of all other goroutines.
func (q *Queue) closeShards() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all error
	for n, s := range q.shards {
		all = errors.Join(all, s.content.Close())
		delete(q.shards, n)
	}
	return all
}

// follow reads the log of a shard into its content until ctx is done.
func (q *Queue) follow(ctx context.Context, s *shard) error {
	if err := q.readToMark(ctx, s); err != nil {
		return err
	}
	for {
		if err := q.readJobs(ctx, s); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.news:
		}
	}
}

// readToMark adds a mark to the jobs of a shard, and reads them up to it. Then it reads the
// results that other workers have added before the mark.
func (q *Queue) readToMark(ctx context.Context, s *shard) error {
	mark, err := q.addMark(ctx, jobsSubject(s.number))
	if err != nil {
		return err
	}
	for s.pos < mark {
		if err := q.readJobs(ctx, s); err != nil {
			return err
		}
	}
	if err := q.takeOver(s, mark); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	s.ready = true
	q.changed.Broadcast()
	signal(q.moved)
	return nil
}

// readJobs reads the new jobs of a shard.
func (q *Queue) readJobs(ctx context.Context, s *shard) error {
	for {
		messages, err := q.read(ctx, jobsSubject(s.number), s.pos)
		if len(messages) == 0 || err != nil {
			return err
		}
		for _, m := range messages {
			if err := applyBatch(s.content, m.data); err != nil {
				return err
			}
			s.pos = m.sequence
			if m.worker != "" {
				s.holders = append(s.holders, holder{m.worker, m.sequence})
			}
		}
		q.mu.Lock()
		s.messages += uint64(len(messages))
		q.changed.Broadcast()
		q.mu.Unlock()
		signal(q.moved)
	}
}

// applyBatch applies the records of a message.
func applyBatch(content *run.Shard, data []byte) error {
	records, err := decompress(data)
	if err != nil {
		return err
	}
	return content.Apply(records)
}

// Begin reports whether this worker still has the lease for a job. It waits while this
// worker has too many pending jobs.
func (q *Queue) Begin(ctx context.Context, j check.Job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.reserve(ctx, j) {
		return false
	}
	began, err := q.beginLocked(j)
	if err != nil {
		q.stop(err)
	}
	return began
}

// beginLocked records that a reserved job is running, if this worker has the lease of the
// shard that Next took it from. mu is held.
func (q *Queue) beginLocked(j check.Job) (bool, error) {
	s := q.taken[j]
	if s != nil && !s.lost && !time.Now().Before(s.expires) {
		q.drop(s) // it was not renewed in time
	}
	if before := q.running[j]; before != nil && before != s {
		q.running[j] = nil
		q.useLocked(before, -1)
	}
	if s != nil && s.mayBegin() {
		if q.running[j] == nil {
			q.running[j] = s
			q.useLocked(s, 1)
		}
		return true, nil
	}
	q.endLocked(j)
	if s != nil && !s.lost {
		return false, s.content.Release(j)
	}
	return false, nil
}

// A status is a statement about a shard that stays true: of the jobs in its first
// messages, none of an earlier phase is open.
type status struct {
	messages uint64
	phase    run.Phase
}

// statusOf returns the status of a shard of this worker. mu is held.
func statusOf(s *shard) status {
	messages := s.messages // before the phase: more jobs make that earlier
	return status{messages, s.content.Phase()}
}

// note adds a statement about a shard, and reports whether it is news. mu is held.
func (q *Queue) note(n int, s status) bool {
	known, ok := q.status[n]
	if ok && (s.messages < known.messages || s.messages == known.messages && s.phase <= known.phase) {
		return false
	}
	q.status[n] = s
	return true
}

// noteOwn adds the statements of this worker, and returns those that other workers need: new
// ones of shards that are done with the present phase. If all is set, it also returns what
// a worker needs that does not know the present phase.
func (q *Queue) noteOwn(all bool) map[int]status {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := make(map[int]status)
	for n, s := range q.shards {
		now := statusOf(s)
		if isNew := q.note(n, now); s.ready && (isNew && now.phase > q.phase || all && now.phase >= q.phase) {
			own[n] = now
		}
	}
	return own
}

// statusText returns statements as a message.
func statusText(all map[int]status) []byte {
	var w record.Writer
	for n, s := range all {
		w.Number(n)
		w.Uint(s.messages)
		w.Number(int(s.phase))
	}
	return w.Data
}

// parseStatus is the inverse of statusText. What no worker writes is ignored.
func parseStatus(text []byte) map[int]status {
	all := make(map[int]status)
	from := bytes.NewReader(text)
	r := record.Reader{From: from}
	for from.Len() > 0 {
		n, s := r.Number(), status{r.Uint(), run.Phase(r.Number())}
		if r.Err() != nil {
			return nil
		}
		all[n] = s
	}
	return all
}
