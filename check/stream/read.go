package stream

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
)

// follow reads what others add to the log until the queue is closed.
func (q *Queue) follow() {
	// What is missed is seen at the next look.
	if news, err := q.conn.Subscribe(q.subject("news"), func(*nats.Msg) { signal(q.news) }); err == nil {
		defer func() { _ = news.Unsubscribe() }() // the connection is closed, then
	}
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	for {
		if err := q.Read(q.ctx); err != nil {
			q.stop(err)
			return
		}
		q.take()
		select {
		case <-q.ctx.Done():
			return
		case <-q.news:
		case <-look.C:
		}
	}
}

// Read reads what others have added to the log so far. While Next is called that
// happens by itself.
func (q *Queue) Read(ctx context.Context) error {
	q.reader.Lock()
	defer q.reader.Unlock()
	for {
		next := q.position() + 1
		batch, err := q.get(ctx, next)
		if batch == nil || err != nil {
			return err
		}
		if err := q.fold(ctx, batch); err != nil {
			return err
		}
		q.mu.Lock()
		q.at = next
		q.mu.Unlock()
	}
}

// errGap says that not all is there that was added to the log: somebody purged it,
// or a disk lost a part.
var errGap = errors.New("batches of the run are missing at the server: it has to be begun anew")

// get returns a batch of the log; nil if it is not there yet.
func (q *Queue) get(ctx context.Context, n uint64) (batch []byte, err error) {
	err = repeat(ctx, func(ctx context.Context) error {
		m, err := q.log.GetMsg(ctx, n, jetstream.WithGetMsgSubject(q.adds))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil
		case err != nil:
			return q.orEnded(ctx, err)
		case m.Sequence != n:
			return errGap
		}
		batch = m.Data
		return nil
	})
	return batch, err
}

func (q *Queue) position() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.at
}

// fold adds a batch to what the log amounts to. This process's own are there
// already.
func (q *Queue) fold(ctx context.Context, batch []byte) error {
	r := reader{data: batch}
	if r.text() == q.worker {
		return nil
	}
	for len(r.data) > 0 {
		v, err := r.next()
		if err != nil {
			return err
		}
		if err := q.foldRecord(ctx, v); err != nil {
			return err
		}
	}
	return r.err
}

func (q *Queue) foldRecord(ctx context.Context, v record) error {
	switch v.kind {
	case policyKind:
		q.tell(v.policy)
	case seededRecord:
		q.Spool.Seeded()
	case linksKind:
		if !q.options.Helper {
			return q.Spool.Seed(ctx, v.source, nil)
		}
	case jobsKind:
		return q.Spool.Seed(ctx, check.Source{}, v.jobs)
	case doneKind:
		if q.options.Helper {
			v.result = check.Result{}
		}
		return q.Spool.Done(ctx, v.job, v.result, check.Found{})
	}
	return nil
}

// tell ends the wait for a policy.
func (q *Queue) tell(p check.Policy) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.policy = p
	select {
	case <-q.told:
	default:
		close(q.told)
	}
}
