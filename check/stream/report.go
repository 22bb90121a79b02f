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
var errUnfinished = errors.New("the servers do not have all results; run the same command again to resume the run")

// A collector makes the report of a run that has ended. Of the shards that this worker does not hold, it reads all
// results first, and then the jobs of one shard after the other.
type collector struct {
	log     *runLog
	skipper *skipper
	held    *held
	phases  *phases
	create  func() (check.File, error)
}

// report joins the reports of all shards. The error wraps errUnfinished if the run is not done, or if the log lacks
// results. The caller closes the Report.
func (c *collector) report(ctx context.Context, o check.ReportOptions) (*check.Report, error) {
	if c.phases.current() < run.PhaseEnd {
		return nil, errUnfinished
	}
	missing, err := c.readMissing(ctx)
	if err != nil {
		return nil, errors.Join(err, closeAll(missing))
	}
	report, err := run.JoinReports(o, c.finished(ctx, missing))
	if err != nil {
		return nil, errors.Join(err, closeAll(missing))
	}
	return report, nil
}

// finished yields the content of all shards at the end of the run. It removes a shard that it yields without an error
// from missing, because the receiver closes the shard. A shard that it yields with an error stays in missing, and the
// caller closes it.
func (c *collector) finished(ctx context.Context, missing map[int]*run.Shard) iter.Seq2[*run.Shard, error] {
	return func(yield func(*run.Shard, error) bool) {
		for n := range c.held.count {
			content, isMissing := missing[n]
			var err error
			if isMissing {
				err = c.complete(ctx, content, n)
			} else {
				content = c.held.handOver(n)
			}
			if err == nil {
				delete(missing, n)
			}
			if !yield(content, err) {
				return
			}
		}
	}
}

// isComplete reports whether this worker has read all jobs and results of a shard at the end of the run.
func (c *collector) isComplete(n int) bool {
	s := c.held.get(n)
	if s == nil {
		return false
	}
	now, isRead := s.status()
	return isRead && now.messages >= c.phases.count(jobsSubject(n)) && now.phase == run.PhaseEnd
}

// readMissing returns a new run.Shard for each shard that this worker has not read completely, by its number. It reads
// the results of all workers into them; complete reads their jobs. Even after an error, the caller closes the shards.
func (c *collector) readMissing(ctx context.Context) (map[int]*run.Shard, error) {
	missing := make(map[int]*run.Shard)
	for n := range c.held.count {
		if !c.isComplete(n) {
			missing[n] = run.NewShard(c.create, true)
		}
	}
	if len(missing) == 0 {
		return nil, nil
	}
	for part, count := range c.phases.parts() {
		if !strings.HasPrefix(part, doneSubject("")) {
			continue
		}
		err := c.readAll(ctx, part, count, func(data []byte) error {
			return readResults(data, func(n int, record []byte) error {
				content := missing[n]
				if content == nil {
					return nil
				}
				if err := run.CheckRecords(record); err != nil { // because no record after a damaged one could be found
					return err
				}
				return content.Keep(record)
			})
		})
		if err != nil {
			return missing, err
		}
	}
	return missing, nil
}

// complete reads the jobs of shard n into content. Then it applies the results that readMissing kept in content. It
// returns errUnfinished if content has not reached run.PhaseEnd.
func (c *collector) complete(ctx context.Context, content *run.Shard, n int) error {
	part := jobsSubject(n)
	err := c.readAll(ctx, part, c.phases.count(part), func(data []byte) error { return applyBatch(content, data) })
	if err == nil {
		err = content.ApplyKept()
	}
	if err == nil && content.Phase() != run.PhaseEnd {
		err = errUnfinished
	}
	return err
}

// closeAll closes all shards and joins the errors.
func closeAll(shards map[int]*run.Shard) (all error) {
	for _, s := range shards {
		all = errors.Join(all, s.Close())
	}
	return all
}

// readAll calls do with the data of the first want messages of the subject of part. It waits for messages that a server
// does not have yet, for up to maxStart after the last one. It skips messages for which do returns an error about
// damage, and returns any other error of do.
func (c *collector) readAll(ctx context.Context, part string, want uint64, do func(data []byte) error) error {
	start := time.Now()
	for pos, n := uint64(0), uint64(0); n < want; {
		messages, err := c.log.read(ctx, part, pos)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := c.skipper.skip(part, m, do(m.data)); err != nil {
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
