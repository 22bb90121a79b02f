package stream

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// follow reads the log until the queue is closed.
func (q *Queue) follow() {
	// A message may be lost, so it also polls.
	if news, err := q.conn.Subscribe(q.subject("news"), func(m *nats.Msg) {
		if string(m.Data) != q.worker {
			signal(q.news)
		}
	}); err == nil {
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
	for window := 1; ; window = min(2*window, readAhead) {
		q.skipOwn()
		next := q.position() + 1
		batches, err := q.getSome(ctx, next, window)
		if err != nil {
			return err
		}
		for i, batch := range batches {
			if batch == nil {
				return nil
			}
			if err := q.apply(batch); err != nil {
				return err
			}
			q.mu.Lock()
			q.pos = next + uint64(i)
			delete(q.own, q.pos)
			q.mu.Unlock()
		}
	}
}

// readAhead is how many batches are requested at once.
const readAhead = 8

// skipOwn skips batches of this process. They are in the Spool already.
func (q *Queue) skipOwn() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if _, ok := q.own[q.pos+1]; !ok {
			return
		}
		q.pos++
		delete(q.own, q.pos)
	}
}

// getSome returns n batches from the one with number first, each nil if there is none
// yet.
func (q *Queue) getSome(ctx context.Context, first uint64, n int) ([][]byte, error) {
	batches, errs := make([][]byte, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		if q.isOwn(first + uint64(i)) {
			batches[i] = q.batchHead()
			continue
		}
		all.Go(func() { batches[i], errs[i] = q.get(ctx, first+uint64(i)) })
	}
	all.Wait()
	return batches, errors.Join(errs...)
}

func (q *Queue) isOwn(n uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, ok := q.own[n]
	return ok
}

// errGap says that the log has a gap: it was purged, or a disk lost a part.
var errGap = errors.New("the server has lost a part of the run: start it again")

// get returns batch n of the log; nil if there is none yet.
func (q *Queue) get(ctx context.Context, n uint64) (batch []byte, err error) {
	err = repeat(ctx, maxOutage, func(ctx context.Context) error {
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
	records, err := decompress(records)
	if err != nil {
		return err
	}
	return q.Apply(records)
}
