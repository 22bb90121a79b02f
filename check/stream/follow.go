package stream

import (
	"context"

	"locus/check/internal/run"
)

// A follower reads the jobs of shards from the log into their content.
type follower struct {
	log       *runLog
	skipper   *skipper
	takeovers *takeovers
	changed   *notifier     // notified when new jobs may be taken
	moved     chan struct{} // gets a value when a shard has read more
}

// follow reads the log of a shard into its content until ctx is done, and opens the shard when it may begin jobs. It
// returns an error of the log, or of a file of this worker.
func (f *follower) follow(ctx context.Context, s *shard) error {
	if err := f.readToMark(ctx, s); err != nil {
		return err
	}
	for {
		next := f.readJobs
		if s.beginConfirming() {
			next = f.confirm
		}
		if err := next(ctx, s); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.news:
		}
	}
}

// readToMark adds a mark to the jobs of a shard and reads the jobs up to it. It then reads the results that earlier
// holders added before the mark, and opens the shard.
func (f *follower) readToMark(ctx context.Context, s *shard) error {
	mark, err := f.mark(ctx, s)
	if err != nil {
		return err
	}
	if err := f.takeovers.takeOver(s, mark); err != nil {
		return err
	}
	s.ready()
	f.tell()
	return nil
}

// mark adds a mark of this worker to the jobs of a shard, reads the jobs up to the mark, and returns the sequence
// number of the mark.
func (f *follower) mark(ctx context.Context, s *shard) (sequence uint64, err error) {
	if sequence, err = f.log.addMark(ctx, jobsSubject(s.number)); err != nil {
		return 0, err
	}
	for s.pos < sequence {
		if err := f.readJobs(ctx, s); err != nil {
			return 0, err
		}
	}
	return sequence, nil
}

// confirm opens a shard whose lease this worker has acquired again, so that its jobs continue. If the log has got a
// mark of another worker meanwhile, confirm loses the shard, because that worker may have begun its jobs.
func (f *follower) confirm(ctx context.Context, s *shard) error {
	before := len(s.holders)
	if _, err := f.mark(ctx, s); err != nil {
		return err
	}
	for _, h := range s.holders[before:] {
		if h.worker != f.log.worker {
			s.lose()
			return nil
		}
	}
	s.ready()
	f.tell()
	return nil
}

// readJobs reads all jobs that were added to a shard after s.pos into the content of the shard, and the marks of its
// holders into s.holders. It moves s.pos, and does not wait for later jobs.
func (f *follower) readJobs(ctx context.Context, s *shard) error {
	for {
		messages, err := f.log.read(ctx, jobsSubject(s.number), s.pos)
		if len(messages) == 0 || err != nil {
			return err
		}
		for _, m := range messages {
			if err := f.skipper.skip(jobsSubject(s.number), m, applyBatch(s.content, m.data)); err != nil {
				return err
			}
			s.pos = m.sequence
			if m.worker != "" {
				s.holders = append(s.holders, holder{m.worker, m.sequence})
			}
		}
		s.haveRead(len(messages))
		f.tell()
	}
}

// tell wakes Next, which waits for jobs, and the watcher, which waits for progress.
func (f *follower) tell() {
	f.changed.notify()
	signal(f.moved)
}

// applyBatch applies the records in data, a message with jobs, to content.
func applyBatch(content *run.Shard, data []byte) error {
	records, err := decompress(data)
	if err != nil {
		return err
	}
	return content.Apply(records)
}
