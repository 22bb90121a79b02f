package spill

import (
	"bufio"
	"cmp"
	"container/heap"
	"errors"
	"io"
	"iter"
	"slices"

	"locus/internal/record"
)

// A Sorter sorts more values than fit into memory. It writes sorted runs and merges them.
// While it writes a run, the caller can add values for the next run. Only one goroutine may
// use it at a time.
type Sorter[T any] struct {
	Codec   Codec[T]
	Compare func(a, b T) int
	Size    func(v, last T) int // roughly how many bytes of memory v takes after last

	runs     Log
	starts   []int64    // offsets of the runs
	inMemory []T        // not in a run yet
	size     int        // bytes of inMemory, roughly
	last     T          // the last value that was added
	written  chan error // gets the error of the run that is being written; nil before the first run
	spare    []T        // the run that is being written; its memory is reused afterwards
}

const (
	runSize   = 4 << 20  // bytes of a run in memory; two runs are in memory at a time
	RunBuffer = 16 << 10 // bytes that are read at once of each run
)

// Spill makes the Sorter write runs into a file that create returns and Close closes. Without
// Spill, all values stay in memory.
func (s *Sorter[T]) Spill(create func() (File, error)) { s.runs.Create = create }

// Add adds a value. When the values in memory take too much space, Add starts to write them as a
// sorted run in a goroutine. It then returns the error of writing the run before.
func (s *Sorter[T]) Add(v T) error {
	s.size += s.Size(v, s.last)
	s.inMemory, s.last = append(s.inMemory, v), v
	if s.size < runSize || s.runs.Create == nil {
		return nil
	}
	return s.spill()
}

// spill waits until the run before is written, and starts to write the values in memory as a
// run. It returns the error of the run before.
func (s *Sorter[T]) spill() error {
	if err := s.wait(); err != nil {
		return err
	}
	run, written := s.inMemory, make(chan error, 1)
	var none T
	s.inMemory, s.spare, s.size, s.last, s.written = s.spare[:0], run, 0, none, written
	go func() { written <- s.writeRun(run) }()
	return nil
}

// wait waits until the last run is written, and returns the error of writing it.
func (s *Sorter[T]) wait() error {
	if s.written == nil {
		return nil
	}
	err := <-s.written
	s.written = nil
	return err
}

// writeRun sorts run, and appends its values to the file as a run.
func (s *Sorter[T]) writeRun(run []T) error {
	slices.SortFunc(run, s.Compare)
	s.starts = append(s.starts, s.runs.Size())
	var w record.Writer
	for i := range run {
		w.Data = w.Data[:0]
		s.Codec.Encode(&w, run[i])
		if _, err := s.runs.Append(w.Data); err != nil {
			return err
		}
	}
	return nil
}

// End sorts the values that are still in memory, and writes them if others are in runs. Call it
// after the last Add, and before All.
func (s *Sorter[T]) End() error {
	if s.written == nil { // all values are in memory
		slices.SortFunc(s.inMemory, s.Compare)
		return nil
	}
	err := cmp.Or(s.spill(), s.wait())
	s.inMemory, s.spare = nil, nil
	return err
}

// Close waits until the last run is written, and closes the file.
func (s *Sorter[T]) Close() error { return errors.Join(s.wait(), s.runs.Close()) }

// Runs returns how many runs were written. It is 0 if all values are in memory.
func (s *Sorter[T]) Runs() int { return len(s.starts) }

// All yields the values in order. After an error it yields the error with the zero value or a
// part of a value, and ends.
func (s *Sorter[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range s.inMemory {
			if !yield(v, nil) {
				return
			}
		}
		runs := runHeap[T]{compare: s.Compare}
		for i, start := range s.starts {
			end := s.runs.Size()
			if i+1 < len(s.starts) {
				end = s.starts[i+1]
			}
			from := bufio.NewReaderSize(io.NewSectionReader(&s.runs, start, end-start), RunBuffer)
			r := &sortedRun[T]{from: from, fields: record.Reader{From: from}, decode: s.Codec.Decode, hasNext: true}
			if r.next(); r.hasNext {
				runs.all = append(runs.all, r)
			}
		}
		heap.Init(&runs)
		for len(runs.all) > 0 {
			r := runs.all[0]
			if !yield(r.value, r.err) || r.err != nil {
				return
			}
			if r.next(); r.hasNext {
				heap.Fix(&runs, 0)
			} else {
				heap.Pop(&runs)
			}
		}
	}
}

// A sortedRun is a run that is being merged.
type sortedRun[T any] struct {
	from    *bufio.Reader
	fields  record.Reader // of from
	decode  func(r *record.Reader, last T) (T, error)
	value   T     // the next one
	err     error // an error instead of value
	hasNext bool  // value or err is set
}

// next sets r.value to the next value of the run, or r.err if that cannot be read. At the end of
// the run it sets r.hasNext to false.
func (r *sortedRun[T]) next() {
	if _, err := r.from.Peek(1); err != nil {
		if r.hasNext = err != io.EOF; r.hasNext { // a wrapped one is an early end
			r.err = err
		}
		return
	}
	r.value, r.err = r.decode(&r.fields, r.value)
	r.err = cmp.Or(r.err, r.fields.Err())
}

// A runHeap is ordered by the next values. A run with an error comes first.
type runHeap[T any] struct {
	all     []*sortedRun[T]
	compare func(a, b T) int
}

func (h *runHeap[T]) Len() int      { return len(h.all) }
func (h *runHeap[T]) Swap(i, j int) { h.all[i], h.all[j] = h.all[j], h.all[i] }
func (h *runHeap[T]) Less(i, j int) bool {
	a, b := h.all[i], h.all[j]
	return a.err != nil || b.err == nil && h.compare(a.value, b.value) < 0
}
func (h *runHeap[T]) Push(x any) { h.all = append(h.all, x.(*sortedRun[T])) }

// Pop implements heap.Interface: it removes and returns the last element.
func (h *runHeap[T]) Pop() any {
	last := h.all[len(h.all)-1]
	h.all = h.all[:len(h.all)-1]
	return last
}
