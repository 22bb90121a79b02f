package stream

import "context"

// AwaitShard waits until the worker of q has taken over a shard, or ctx is done.
func (q *Queue) AwaitShard(ctx context.Context) error {
	for {
		changed := q.changed.next()
		for _, s := range q.held.all() {
			if _, isRead := s.status(); isRead {
				return nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
