package stream

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A batcher joins the records that several goroutines add within a short time.
type batcher struct {
	publish func(records [][]byte) error // publishes one batch
	flushAt int                          // a batch with so many additions does not wait for more; 0: it does
	slots   chan struct{}                // has a value for each publish in progress

	mu      sync.Mutex
	pending *batch // takes more additions; nil if there is none
	lingers bool   // a batch waits for more additions
}

// A batch is the records of several goroutines.
type batch struct {
	records   [][]byte
	size      int
	additions int
	full      chan struct{} // closed when the batch takes no more
	done      chan struct{} // closed when the log has the batch, or err is set
	err       error
}

const (
	// batchSize is the maximum size of a batch before it is compressed, unless one
	// record is larger. NATS accepts messages up to 1 MiB.
	batchSize = 128 << 10

	// linger is how long a batch waits for more additions.
	linger = 20 * time.Millisecond

	// maxPublishes is how many batches are published at once.
	maxPublishes = 4
)

// newBatcher returns a batcher for a worker that checks so many URLs at once; 0: their
// number may grow. Once half of them wait for a batch, it is published.
func newBatcher(jobs int, publish func(records [][]byte) error) *batcher {
	return &batcher{publish: publish, flushAt: (jobs + 1) / 2, slots: make(chan struct{}, maxPublishes)}
}

// add publishes records together with those of other goroutines. It returns once the log
// has them, or with the cause of ctx.
func (b *batcher) add(ctx context.Context, records [][]byte) error {
	size := 0
	for _, r := range records {
		size += len(r)
	}
	if size > batchSize {
		return b.addLarge(ctx, records)
	}
	mine := b.join(records, size)
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// addLarge publishes records of more than one batch. Each batch follows when the log has
// the one before: a result comes after the jobs that were found with it.
func (b *batcher) addLarge(ctx context.Context, records [][]byte) error {
	for len(records) > 0 {
		n, size := 1, len(records[0])
		for n < len(records) && size+len(records[n]) <= batchSize {
			size += len(records[n])
			n++
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := b.publishOne(func() [][]byte { return records[:n] }); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// join adds records to the pending batch, or to a new one.
func (b *batcher) join(records [][]byte, size int) *batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending != nil && b.pending.size+size > batchSize {
		b.closeLocked()
	}
	if b.pending == nil {
		b.pending = &batch{full: make(chan struct{}), done: make(chan struct{})}
		go b.finish(b.pending)
	}
	mine := b.pending
	mine.records = append(mine.records, records...)
	mine.size += size
	if mine.additions++; mine.additions == b.flushAt || !b.lingers {
		b.closeLocked()
	}
	return mine
}

// start lets each batch wait for more additions. The first documents of a run come one
// after the other, so they do not wait.
func (b *batcher) start() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lingers = true
}

// closeLocked ends the pending batch. mu is held.
func (b *batcher) closeLocked() {
	close(b.pending.full)
	b.pending = nil
}

// finish publishes a batch once it is full or has waited. It takes more additions while
// it waits for a slot.
func (b *batcher) finish(p *batch) {
	wait := time.NewTimer(linger)
	defer wait.Stop()
	select {
	case <-p.full:
	case <-wait.C:
	}
	p.err = b.publishOne(func() [][]byte {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.pending == p {
			b.closeLocked()
		}
		return p.records
	})
	close(p.done)
}

// publishOne publishes a batch when there is a slot.
func (b *batcher) publishOne(records func() [][]byte) error {
	b.slots <- struct{}{}
	defer func() { <-b.slots }()
	return b.publish(records())
}

// wait waits until no publish is in progress.
func (b *batcher) wait() {
	for range maxPublishes {
		b.slots <- struct{}{}
	}
	for range maxPublishes {
		<-b.slots
	}
}

// publish adds a batch to the log. It retries for up to maxOutage, unless the queue is
// closed.
func (q *Queue) publish(records [][]byte) error {
	data, err := compress(q.batchHead(), records)
	if err != nil {
		return err
	}
	err = repeat(q.ctx, maxOutage, func(ctx context.Context) error {
		ack, err := q.js.Publish(ctx, q.logSubject, data)
		if err == nil {
			q.addOwn(ack.Sequence)
		}
		return q.explain(ctx, err)
	})
	if err == nil {
		_ = q.conn.Publish(q.subject("news"), []byte(q.worker)) // best effort: others also poll
	}
	return err
}

// addOwn records that a batch of the log is from this process: it need not be read.
func (q *Queue) addOwn(n uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if n > q.pos {
		q.own[n] = struct{}{}
	}
}

// batchHead returns what a batch begins with: the name of this worker.
func (q *Queue) batchHead() []byte { return append([]byte(q.worker), 0) }

// writers has *flate.Writer. Each takes a megabyte.
var writers sync.Pool

// compress appends records to head in the format of RFC 1951.
func compress(head []byte, records [][]byte) ([]byte, error) {
	b := bytes.NewBuffer(head)
	w, ok := writers.Get().(*flate.Writer)
	if !ok {
		w, _ = flate.NewWriter(nil, flate.BestSpeed) // it has no error for that level
	}
	defer writers.Put(w)
	w.Reset(b)
	for _, r := range records {
		if _, err := w.Write(r); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// maxBatch is more than the records of any batch have.
const maxBatch = 16 << 20

var errBatch = errors.New("the log has an invalid batch")

// decompress returns the records that compress has appended.
func decompress(data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, nil
	}
	records, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), maxBatch+1))
	if err != nil || len(records) > maxBatch {
		return nil, errors.Join(errBatch, err)
	}
	return records, nil
}

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
