package stream

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A batcher joins the records that several goroutines add at the same time.
type batcher struct {
	publishing sync.Mutex // held by the goroutine that publishes for all

	mu      sync.Mutex
	pending []*addition
}

// An addition is the records of one goroutine.
type addition struct {
	records [][]byte
	isDone  bool
	err     error
}

// batchSize is the maximum size of a batch, unless one record is larger. NATS accepts
// messages up to 1 MiB.
const batchSize = 512 << 10

// publisher returns a function that publishes records, together with all pending ones.
// The records are in one batch if they fit.
func (b *batcher) publisher(publish func(context.Context, []byte) error) func(context.Context, [][]byte) error {
	return func(ctx context.Context, records [][]byte) error {
		a := &addition{records: records}
		b.mu.Lock()
		b.pending = append(b.pending, a)
		b.mu.Unlock()

		b.publishing.Lock()
		defer b.publishing.Unlock()
		if a.isDone {
			return a.err
		}
		b.mu.Lock()
		all := b.pending
		b.pending = nil
		b.mu.Unlock()
		err := publishAll(ctx, publish, all)
		for _, a := range all {
			a.isDone, a.err = true, err
		}
		return err
	}
}

// publishAll publishes the records of all additions in batches.
func publishAll(ctx context.Context, publish func(context.Context, []byte) error, all []*addition) error {
	var batch []byte
	for _, a := range all {
		size := 0
		for _, r := range a.records {
			size += len(r)
		}
		whole := size <= batchSize
		for i, r := range a.records {
			if len(batch) > 0 && (len(batch)+len(r) > batchSize || i == 0 && whole && len(batch)+size > batchSize) {
				if err := publish(ctx, batch); err != nil {
					return err
				}
				batch = nil
			}
			batch = append(batch, r...)
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return publish(ctx, batch)
}

// publish adds a batch to the log. It retries until ctx is done or a minute has passed.
func (q *Queue) publish(ctx context.Context, batch []byte) error {
	batch = append(q.batchHead(), batch...)
	err := repeat(ctx, func(ctx context.Context) error {
		_, err := q.js.Publish(ctx, q.logSubject, batch)
		return q.explain(ctx, err)
	})
	if err == nil {
		_ = q.conn.Publish(q.subject("news"), nil) // best effort: others also poll
	}
	return err
}

// batchHead returns what a batch begins with: the name of this worker.
func (q *Queue) batchHead() []byte { return append([]byte(q.worker), 0) }

// explain returns errEnded if err was caused by the removal of the run, and err
// otherwise.
func (q *Queue) explain(ctx context.Context, err error) error {
	if !errors.Is(err, jetstream.ErrNoStreamResponse) && !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	log, gone := q.js.Stream(ctx, streamName(q.name, "log"))
	if errors.Is(gone, jetstream.ErrStreamNotFound) || gone == nil && q.isReplaced(log.CachedInfo()) {
		return errEnded
	}
	return err
}

// isReplaced reports whether a log belongs to another run of the same name, which was
// begun after this one was removed.
func (q *Queue) isReplaced(log *jetstream.StreamInfo) bool {
	return log.Config.Subjects[0] != q.logSubject
}
