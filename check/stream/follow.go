package stream

import (
	"context"

	"locus/check/internal/run"
)

// A follower reads the log of shards into their content.
type follower struct {
	log       *runLog
	takeovers *takeovers
	changed   *bell         // jobs may be taken
	moved     chan struct{} // has a value if a shard is further
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

// readToMark adds a mark to the jobs of a shard, and reads them up to it. Then it reads the
// results that other workers have added before the mark, and opens the shard.
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

// readJobs reads the new jobs of a shard.
func (f *follower) readJobs(ctx context.Context, s *shard) error {
	for {
		messages, err := f.log.read(ctx, jobsSubject(s.number), s.pos)
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
		s.haveRead(len(messages))
		f.tell()
	}
}

// tell wakes whoever waits for jobs, or for a shard to be further.
func (f *follower) tell() {
	f.changed.ring()
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
