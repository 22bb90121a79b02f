package stream

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// batches joins what several goroutines add at the same time.
type batches struct {
	adding sync.Mutex // is held by who adds for all

	mu      sync.Mutex
	waiting []*addition
}

// An addition is what one of them adds.
type addition struct {
	records [][]byte
	apply   func() error // when they are in the log
	done    bool
	err     error
}

// batchSize is how long a batch is at most, but that a record is whole: NATS takes
// messages up to a mebibyte.
const batchSize = 512 << 10

// add publishes records, together with those of others that wait, and then calls
// apply. Records are in one batch if they fit.
func (b *batches) add(ctx context.Context, publish func(context.Context, []byte) error, records [][]byte, apply func() error) error {
	a := &addition{records: records, apply: apply}
	b.mu.Lock()
	b.waiting = append(b.waiting, a)
	b.mu.Unlock()

	b.adding.Lock()
	defer b.adding.Unlock()
	if a.done {
		return a.err
	}
	b.mu.Lock()
	all := b.waiting
	b.waiting = nil
	b.mu.Unlock()
	err := publishAll(ctx, publish, all)
	for _, a := range all {
		if a.done, a.err = true, err; err == nil {
			a.err = a.apply()
		}
	}
	return a.err
}

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

// publish adds a batch to the log. It tries until it is there, or ctx is done, or
// a minute has passed.
func (q *Queue) publish(ctx context.Context, batch []byte) error {
	head := writer{}
	head.text(q.worker)
	batch = append(head.data, batch...)
	err := repeat(ctx, func(ctx context.Context) error {
		_, err := q.js.Publish(ctx, q.adds, batch)
		return q.orEnded(ctx, err)
	})
	if err == nil && q.isShared() {
		_ = q.conn.Publish(q.subject("news"), nil) // else it is seen at the next look
	}
	return err
}

// orEnded returns errEnded instead of an error if the run was removed.
func (q *Queue) orEnded(ctx context.Context, err error) error {
	if !errors.Is(err, jetstream.ErrNoStreamResponse) && !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	log, gone := q.js.Stream(ctx, q.name("log"))
	if errors.Is(gone, jetstream.ErrStreamNotFound) || gone == nil && q.isAnother(log.CachedInfo()) {
		return errEnded
	}
	return err
}

// isAnother reports whether a log is that of a run that was begun after this one
// was removed.
func (q *Queue) isAnother(log *jetstream.StreamInfo) bool {
	return log.Config.Subjects[0] != q.adds
}
