package stream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"locus/check"
	"locus/retry"
)

// errUnfinished says that a shard has open jobs after the end of the run.
var errUnfinished = errors.New("the servers do not have all results: the same command resumes the run")

// Report joins the reports of all shards once Next has returned io.EOF. It reads those
// that this worker does not hold, one after the other. Only the process that started the
// run may call it, and once. The caller closes the Report, and then q.
func (q *Queue) Report(o check.ReportOptions) (*check.Report, error) {
	q.stop(context.Canceled)
	q.all.Wait()
	if q.currentPhase() < check.PhaseEnd {
		return nil, errUnfinished
	}
	return check.JoinReports(o, q.finished(context.Background()))
}

// finished yields the content of all shards at the end of the run.
func (q *Queue) finished(ctx context.Context) iter.Seq2[*check.Shard, error] {
	return func(yield func(*check.Shard, error) bool) {
		for n := range q.run.Shards {
			if !yield(q.finishedShard(ctx, n)) {
				return
			}
		}
	}
}

// finishedShard returns a shard at the end of the run. The caller closes it.
func (q *Queue) finishedShard(ctx context.Context, n int) (*check.Shard, error) {
	q.mu.Lock()
	s := q.shards[n]
	delete(q.shards, n)
	q.mu.Unlock()
	jobs, results := q.counts[q.logSubject+jobsSubject(n)], q.counts[q.logSubject+doneSubject(n)]
	if s != nil && s.ready && s.messages >= jobs && s.content.Phase() == check.PhaseEnd {
		return s.content, nil
	}
	content := check.NewShard(q.options.Create, true)
	err := q.readAll(ctx, content, jobsSubject(n), jobs)
	if err == nil {
		err = q.readAll(ctx, content, doneSubject(n), results)
	}
	if err == nil && content.Phase() != check.PhaseEnd {
		err = errUnfinished
	}
	if s != nil {
		_ = s.content.Close() // it is not complete, and only read
	}
	if err != nil {
		return nil, errors.Join(err, content.Close())
	}
	return content, nil
}

// readAll applies the messages of a subject. A server that does not have all of them yet
// gets time to catch up.
func (q *Queue) readAll(ctx context.Context, content *check.Shard, part string, want uint64) error {
	start := time.Now()
	for pos, n := uint64(0), uint64(0); n < want; {
		messages, err := q.read(ctx, part, pos)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := applyBatch(content, m.data); err != nil {
				return err
			}
			pos = m.sequence
			n++
		}
		if len(messages) > 0 {
			start = time.Now()
			continue
		}
		if time.Since(start) > maxStart {
			return fmt.Errorf("%w: %d of %d messages in %s", errUnfinished, n, want, part)
		}
		if err := retry.Sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
