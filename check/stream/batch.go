package stream

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A batcher joins what is added within a short time.
type batcher[T any] struct {
	publish func([]T)
	flushAt int           // a batch of so many does not wait for more
	slots   chan struct{} // has a value for each publish in progress
	running sync.WaitGroup

	mu      sync.Mutex
	pending *batch[T] // takes more; nil if there is none
}

// A batch is what was added.
type batch[T any] struct {
	all  []T
	size int           // of all, in bytes
	full chan struct{} // closed when the batch takes no more
}

// A publisher adds records to subjects of the log, by the last parts of the subjects.
type publisher func(records map[string][][]byte) error

const (
	// messageSize is the maximum size of a message before it is compressed, unless
	// one record is larger. NATS accepts messages up to 1 MiB.
	messageSize = 128 << 10

	// batchSize is the size from which a batch takes no more.
	batchSize = 1 << 20

	// linger is how long a batch waits for more. A cluster of three takes some 2 ms of
	// processor for a batch, however small.
	linger = 40 * time.Millisecond

	// maxPublishes is how many batches are published at once.
	maxPublishes = 4
)

// newBatcher returns a batcher that calls publish for each batch. jobs is how many jobs a
// worker has pending at most: a batch with half of them does not wait for more.
func newBatcher[T any](jobs int, publish func([]T)) *batcher[T] {
	return &batcher[T]{publish: publish, flushAt: (jobs + 1) / 2, slots: make(chan struct{}, maxPublishes)}
}

// add publishes one of so many bytes together with others, and returns at once.
func (b *batcher[T]) add(one T, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pending
	if p == nil {
		p = &batch[T]{full: make(chan struct{})}
		b.pending = p
		b.running.Go(func() { b.finish(p) })
	}
	p.size += size
	if p.all = append(p.all, one); len(p.all) == b.flushAt || p.size > batchSize {
		b.closeLocked()
	}
}

func sizeOf(records [][]byte) (n int) {
	for _, r := range records {
		n += len(r)
	}
	return n
}

// closeLocked ends the pending batch. mu is held.
func (b *batcher[T]) closeLocked() {
	close(b.pending.full)
	b.pending = nil
}

// finish publishes a batch once it is full or has waited. It takes more while it waits for
// a slot.
func (b *batcher[T]) finish(p *batch[T]) {
	wait := time.NewTimer(linger)
	defer wait.Stop()
	select {
	case <-p.full:
	case <-wait.C:
	}
	b.slots <- struct{}{}
	defer func() { <-b.slots }()
	b.mu.Lock()
	if b.pending == p {
		b.closeLocked()
	}
	b.mu.Unlock()
	b.publish(p.all)
}

// wait waits until all batches were published. Nothing may be added meanwhile, but by then.
func (b *batcher[T]) wait() { b.running.Wait() }

// messageSlots is how many messages of one batch are published at once.
const messageSlots = 64

// publish adds records to the log, in messages of their subjects. All are published
// together, in any order. It retries for up to maxOutage, unless the queue is closed.
func (q *Queue) publish(records map[string][][]byte) error {
	var all sync.WaitGroup
	var mu sync.Mutex
	var firstErr error
	slots := make(chan struct{}, messageSlots)
	for part, some := range records {
		for len(some) > 0 {
			n := firstMessage(some)
			message := some[:n]
			some = some[n:]
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				if err := q.publishMessage(part, message); err != nil {
					mu.Lock()
					defer mu.Unlock()
					firstErr = err
				}
			})
		}
	}
	all.Wait()
	if firstErr == nil {
		q.tellNews(slices.Collect(maps.Keys(records)))
	}
	return firstErr
}

// firstMessage returns how many records the first message has.
func firstMessage(records [][]byte) int {
	n, size := 1, len(records[0])
	for n < len(records) && size+len(records[n]) <= messageSize {
		size += len(records[n])
		n++
	}
	return n
}

func (q *Queue) publishMessage(part string, records [][]byte) error {
	data, err := compress(records)
	if err != nil {
		return err
	}
	return repeat(q.ctx, maxOutage, func(ctx context.Context) error {
		_, err := q.js.Publish(ctx, q.logSubject+part, data)
		return q.explain(ctx, err)
	})
}

// workerHeader is the name of the worker that has added a mark.
const workerHeader = "Locus-Worker"

// addMark adds a mark of this worker to a subject, and returns its sequence number. A new
// leader of the cluster may report an old end of the log.
func (q *Queue) addMark(ctx context.Context, part string) (sequence uint64, err error) {
	mark := &nats.Msg{Subject: q.logSubject + part, Header: nats.Header{workerHeader: {q.worker}}}
	err = repeat(ctx, maxOutage, func(ctx context.Context) error {
		ack, err := q.js.PublishMsg(ctx, mark)
		if err == nil {
			sequence = ack.Sequence
		}
		return q.explain(ctx, err)
	})
	return sequence, err
}

// writers has *flate.Writer. Each takes a megabyte.
var writers sync.Pool

// compress joins records and compresses them (DEFLATE, RFC 1951).
func compress(records [][]byte) ([]byte, error) {
	var b bytes.Buffer
	w, ok := writers.Get().(*flate.Writer)
	if !ok {
		w, _ = flate.NewWriter(nil, flate.BestSpeed) // it has no error for that level
	}
	defer writers.Put(w)
	w.Reset(&b)
	for _, r := range records {
		if _, err := w.Write(r); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// maxBatch is more than the records of any message have.
const maxBatch = 16 << 20

var errBatch = errors.New("the log has an invalid message")

// decompress returns the records that compress has joined. A mark has none.
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
		return explainServer(err)
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
	return log.Config.Subjects[0] != q.logSubject+">"
}
