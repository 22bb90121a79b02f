package stream

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// follow reads the log until the queue is closed.
func (q *Queue) follow() {
	// A message may be lost, so it also polls.
	if news, err := q.conn.Subscribe(q.subject("news"), func(*nats.Msg) { signal(q.news) }); err == nil {
		defer func() { _ = news.Unsubscribe() }() // an error means that the connection is closed
	}
	poll := time.NewTicker(200 * time.Millisecond)
	defer poll.Stop()
	for {
		if err := q.Read(q.ctx); err != nil {
			q.stop(err)
			return
		}
		q.updateOwned()
		select {
		case <-q.ctx.Done():
			return
		case <-q.news:
		case <-poll.C:
		}
	}
}

// Read reads what other processes have added to the log. Once Next was called, this
// happens automatically.
func (q *Queue) Read(ctx context.Context) error {
	q.readMu.Lock()
	defer q.readMu.Unlock()
	for {
		next := q.position() + 1
		batch, err := q.get(ctx, next)
		if batch == nil || err != nil {
			return err
		}
		if err := q.apply(batch); err != nil {
			return err
		}
		q.mu.Lock()
		q.pos = next
		q.mu.Unlock()
	}
}

// errGap says that the log has a gap: it was purged, or a disk lost a part.
var errGap = errors.New("the server has lost a part of the run: start it again")

// get returns batch n of the log; nil if there is none yet.
func (q *Queue) get(ctx context.Context, n uint64) (batch []byte, err error) {
	err = repeat(ctx, func(ctx context.Context) error {
		m, err := q.log.GetMsg(ctx, n, jetstream.WithGetMsgSubject(q.logSubject))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil
		case err != nil:
			return q.explain(ctx, err)
		case m.Sequence != n:
			return errGap
		}
		batch = m.Data
		return nil
	})
	return batch, err
}

// position returns up to where the log was read.
func (q *Queue) position() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pos
}

// apply adds a batch to the Spool. The batches of this process are there already.
func (q *Queue) apply(batch []byte) error {
	worker, records, _ := bytes.Cut(batch, []byte{0})
	if string(worker) == q.worker {
		return nil
	}
	return q.Apply(records)
}
