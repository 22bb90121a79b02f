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

// follow reads the log of a shard until ctx is done.
func (f *follower) follow(ctx context.Context, s *shard) error {
	if err := f.readToMark(ctx, s); err != nil {
		return err
	}
	for {
		if err := f.readJobs(ctx, s); err != nil {
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
	mark, err := f.log.addMark(ctx, jobsSubject(s.number))
	if err != nil {
		return err
	}
	for s.pos < mark {
		if err := f.readJobs(ctx, s); err != nil {
			return err
		}
	}
	if err := f.takeovers.takeOver(s, mark); err != nil {
		return err
	}
	s.ready()
	f.tell()
	return nil
}

// readJobs reads the jobs that were added to a shard since the last call.
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

// applyBatch applies the records of a message.
func applyBatch(content *run.Shard, data []byte) error {
	records, err := decompress(data)
	if err != nil {
		return err
	}
	return content.Apply(records)
}
