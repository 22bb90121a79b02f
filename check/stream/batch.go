package stream

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"sync"
	"time"
)

// A batcher collects values that are added within a short time, and publishes them together.
type batcher[T any] struct {
	publish func([]T)
	flushAt int           // a batch with that many values does not wait for more
	slots   chan struct{} // has a value for each publish in progress
	running sync.WaitGroup

	mu      sync.Mutex
	pending *batch[T] // the batch to which values are added; nil before the first one
}

// A batch is a list of values that are published together.
type batch[T any] struct {
	all  []T
	size int           // the bytes of all values
	full chan struct{} // closed when values are no longer added
}

// A publisher adds records to the log, by the parts of their subjects. It returns when the log contains them.
type publisher func(records map[string][][]byte) error

const (
	// messageSize is the maximum size of a message before it is compressed. A record that is larger is a message of
	// its own. NATS accepts messages up to 1 MiB.
	messageSize = 128 << 10

	// batchSize is the size at which a batch is full.
	batchSize = 1 << 20

	// linger is how long a batch waits for more values. It waits because a cluster of three servers needs about 2 ms of
	// processor time for every batch, however small the batch is.
	linger = 40 * time.Millisecond

	// maxPublishes is how many batches are published at the same time.
	maxPublishes = 4
)

// newBatcher returns a batcher that calls publish for each batch, in a goroutine of the batch. pending is the maximum
// number of pending jobs of a worker. A batch with half of them does not wait for more.
func newBatcher[T any](pending int, publish func([]T)) *batcher[T] {
	return &batcher[T]{publish: publish, flushAt: (pending + 1) / 2, slots: make(chan struct{}, maxPublishes)}
}

// add adds a value of size bytes to the pending batch, and returns at once.
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

// sizeOf returns the number of bytes of all records.
func sizeOf(records [][]byte) (n int) {
	for _, r := range records {
		n += len(r)
	}
	return n
}

// closeLocked ends the pending batch, so that later values go into a new one. The caller holds mu.
func (b *batcher[T]) closeLocked() {
	close(b.pending.full)
	b.pending = nil
}

// finish waits until p is full or has waited for linger, and then for a slot. Then it publishes p. Values are still
// added to p while it waits for a slot.
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

// wait waits until all batches were published. Meanwhile only publish may add values.
func (b *batcher[T]) wait() { b.running.Wait() }

// writers contains values of *flate.Writer. They are reused because each takes a megabyte.
var writers sync.Pool

// compress concatenates records and compresses them (DEFLATE, RFC 1951).
func compress(records [][]byte) ([]byte, error) {
	var b bytes.Buffer
	w, ok := writers.Get().(*flate.Writer)
	if !ok {
		w, _ = flate.NewWriter(nil, flate.BestSpeed) // the level is valid, so the error is nil
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

// maxBatch limits the records of a message that is read, so that a hostile message does not fill the memory.
const maxBatch = 16 << 20

var errBatch = errors.New("the log has an invalid message")

// decompress returns the concatenated records of a message that compress has made; nil for a mark, whose message is
// empty. The error wraps errBatch if data is invalid or too large.
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
