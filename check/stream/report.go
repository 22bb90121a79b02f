package stream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"locus/check"
	"locus/check/internal/run"
	"locus/retry"
)

// errUnfinished says that a shard has open jobs after the end of the run.
var errUnfinished = errors.New("the servers do not have all results: the same command resumes the run")

// Report joins the reports of all shards once Next has returned io.EOF. If ctx is done, it
// returns its error. It reads those
// that this worker does not hold: first all results, and then the jobs of one after the
// other. Only the process that started the run may call it, and once. The caller closes
// the Report, and then q.
func (q *Queue) Report(ctx context.Context, o check.ReportOptions) (*check.Report, error) {
	q.stop(context.Canceled)
	q.all.Wait()
	if q.currentPhase() < run.PhaseEnd {
		return nil, errUnfinished
	}
	missing, err := q.readMissing(ctx)
	if err != nil {
		return nil, errors.Join(err, closeAll(missing))
	}
	report, err := run.JoinReports(o, q.finished(ctx, missing))
	if err != nil {
		return nil, errors.Join(err, closeAll(missing))
	}
	return report, nil
}

// finished yields the content of all shards at the end of the run. It removes those of
// missing that it yields.
func (q *Queue) finished(ctx context.Context, missing map[int]*run.Shard) iter.Seq2[*run.Shard, error] {
	return func(yield func(*run.Shard, error) bool) {
		for n := range q.run.Shards {
			content, isMissing := missing[n]
			var err error
			if isMissing {
				err = q.complete(ctx, content, n)
			} else {
				content = q.shards[n].content
				delete(q.shards, n)
			}
			if err == nil {
				delete(missing, n) // the receiver closes it
			}
			if !yield(content, err) {
				return
			}
		}
	}
}

// isComplete reports whether this worker has a whole shard at the end of the run.
func (q *Queue) isComplete(n int) bool {
	s := q.shards[n]
	return s != nil && s.ready && s.messages >= q.counts[q.logSubject+jobsSubject(n)] && s.content.Phase() == run.PhaseEnd
}

// readMissing returns the shards that this worker does not have, with the results of all
// workers for them. The jobs are still to be read.
func (q *Queue) readMissing(ctx context.Context) (map[int]*run.Shard, error) {
	missing := make(map[int]*run.Shard)
	for n := range q.run.Shards {
		if !q.isComplete(n) {
			missing[n] = run.NewShard(q.options.Create, true)
		}
	}
	if len(missing) == 0 {
		return nil, nil
	}
	for subject, count := range q.counts {
		part := strings.TrimPrefix(subject, q.logSubject)
		if !strings.HasPrefix(part, doneSubject("")) {
			continue
		}
		err := q.readAll(ctx, part, count, func(data []byte) error {
			return readResults(data, func(n int, record []byte) error {
				if content := missing[n]; content != nil {
					return content.Keep(record)
				}
				return nil
			})
		})
		if err != nil {
			return missing, err
		}
	}
	return missing, nil
}

// complete reads the jobs of a shard that has its results.
func (q *Queue) complete(ctx context.Context, content *run.Shard, n int) error {
	part := jobsSubject(n)
	err := q.readAll(ctx, part, q.counts[q.logSubject+part], func(data []byte) error { return applyBatch(content, data) })
	if err == nil {
		err = content.ApplyKept()
	}
	if err == nil && content.Phase() != run.PhaseEnd {
		err = errUnfinished
	}
	return err
}

func closeAll(shards map[int]*run.Shard) (all error) {
	for _, s := range shards {
		all = errors.Join(all, s.Close())
	}
	return all
}

// readAll calls do with the messages of a subject, so many of them. A server that does not
// have all of them yet gets time to catch up.
func (q *Queue) readAll(ctx context.Context, part string, want uint64, do func(data []byte) error) error {
	start := time.Now()
	for pos, n := uint64(0), uint64(0); n < want; {
		messages, err := q.read(ctx, part, pos)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := do(m.data); err != nil {
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
