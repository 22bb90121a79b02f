package spill

import (
	"errors"
	"iter"

	"locus/internal/record"
)

// A Codec writes values as fields, and reads them. Each Queue has its own Codec, because a
// Codec may remember earlier values.
type Codec[T any] struct {
	Encode func(w *record.Writer, v T)
	Decode func(r *record.Reader, last T) (T, error) // last is the value before; the zero T at first
}

// A Queue has values in memory or in a file. Each value is read once, in the order in which
// the values were added. Adding and reading may alternate. Only one goroutine may use it at
// a time.
//
//	pages (in memory or in the file of the Store)   tail
//	head: the page that is being read
type Queue[T any] struct {
	store *Store
	codec Codec[T]
	count int // values to read

	pages []page // full pages, in order
	tail  []byte // the page after them, which is being written

	head   []byte // the rest of the page that is being read
	buffer []byte // memory for the next page

	writer record.Writer
	reader record.Reader
	last   T // the last value that was read
}

// ErrDamaged says that a temporary file lost the bytes that were written into it.
var ErrDamaged = errors.New("a temporary file is damaged")

// NewQueue returns an empty Queue, whose pages are in s.
func NewQueue[T any](s *Store, c Codec[T]) *Queue[T] { return &Queue[T]{store: s, codec: c} }

// Len returns how many values Next will return.
func (q *Queue[T]) Len() int { return q.count }

// Add adds v as the last value. An error makes the Store fail.
func (q *Queue[T]) Add(v T) {
	w := &q.writer
	w.Data = make([]byte, 0, 256)
	q.codec.Encode(w, v)
	q.count++
	q.write(w.Data)
	w.Data = nil
}

// write appends b to tail, and seals each page that becomes full.
func (q *Queue[T]) write(b []byte) {
	for len(q.tail)+len(b) >= pageSize {
		n := pageSize - len(q.tail)
		q.tail = append(q.tail, b[:n]...)
		b = b[n:]
		q.Seal()
	}
	q.tail = append(q.tail, b...)
}

// Seal ends the page that is being written and gives it to the Store, so that the page can
// leave memory.
func (q *Queue[T]) Seal() {
	if len(q.tail) == 0 {
		return
	}
	p, err := q.store.storePage(q.tail)
	if err != nil {
		q.store.Fail(err)
		q.tail = q.tail[:0]
		return
	}
	q.pages = append(q.pages, p)
	if p.data != nil {
		q.tail = nil
	} else {
		q.tail = q.tail[:0]
	}
}

// Next removes and returns the first value. ok is false if the Queue is empty, or the Store has
// failed.
func (q *Queue[T]) Next() (v T, ok bool) {
	if q.count == 0 || q.store.Err() != nil {
		return v, false
	}
	q.reader.From = source[T]{q}
	v, err := q.codec.Decode(&q.reader, q.last)
	if err = errors.Join(err, q.reader.Err()); err != nil {
		q.store.Fail(err)
		var none T
		return none, false
	}
	q.count--
	q.last = v
	return v, true
}

// All removes and yields the values, until the Queue is empty or the Store fails.
func (q *Queue[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			v, ok := q.Next()
			if !ok || !yield(v) {
				return
			}
		}
	}
}

// Drop removes all values, and frees their pages. The Queue may be used again.
func (q *Queue[T]) Drop() {
	for _, p := range q.pages {
		q.store.dropPage(p)
	}
	*q = Queue[T]{store: q.store, codec: q.codec}
}

// fill moves the next page into head if head is empty. The error is ErrDamaged if the Queue has
// no more bytes.
func (q *Queue[T]) fill() error {
	if len(q.head) > 0 {
		return nil
	}
	if len(q.pages) == 0 {
		if len(q.tail) == 0 {
			return ErrDamaged
		}
		q.head, q.tail = q.tail, nil
		return nil
	}
	p := q.pages[0]
	q.pages = q.pages[1:]
	var err error
	q.head, err = q.store.loadPage(p, q.buffer)
	q.buffer = nil
	if p.data == nil && err == nil {
		q.buffer = q.head[:0]
	}
	return err
}

// A source gives the bytes of a Queue to its reader.
type source[T any] struct{ q *Queue[T] }

// Read removes at most len(p) bytes from the front of the queue. The error is ErrDamaged if the
// queue has no bytes.
func (s source[T]) Read(p []byte) (int, error) {
	if err := s.q.fill(); err != nil {
		return 0, err
	}
	n := copy(p, s.q.head)
	s.q.head = s.q.head[n:]
	return n, nil
}

// ReadByte removes and returns the first byte of the queue. The error is ErrDamaged if the queue
// has no bytes.
func (s source[T]) ReadByte() (byte, error) {
	if err := s.q.fill(); err != nil {
		return 0, err
	}
	b := s.q.head[0]
	s.q.head = s.q.head[1:]
	return b, nil
}
