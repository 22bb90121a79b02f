package run

import (
	"bufio"
	"cmp"
	"container/heap"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"locus/check"
	"locus/internal/record"
)

// A placed is a link, in the form of textOf, and its place.
type placed struct {
	text string
	check.Place
}

func comparePlaced(a, b placed) int {
	if n := strings.Compare(a.text, b.text); n != 0 {
		return n
	}
	return cmp.Or(strings.Compare(a.Document, b.Document), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// A sorter sorts more places than fit into memory. It writes sorted runs and merges
// them. While it writes one, places for the next are added.
type sorter struct {
	runs     journal
	starts   []int64    // offsets of the runs
	inMemory []placed   // not in a run yet
	size     int        // bytes of inMemory, roughly
	written  chan error // has the error of the run that is being written; nil: there is none
	spare    []placed   // that run; its memory is reused once it is written
}

const (
	runSize       = 4 << 20  // bytes of a run in memory; there are two
	runBufferSize = 16 << 10 // bytes that are read at once of each run
)

func (s *sorter) add(p placed) error {
	s.inMemory = append(s.inMemory, p)
	s.size += 64 + len(p.text)
	if n := len(s.inMemory); n < 2 || s.inMemory[n-2].Document != p.Document {
		s.size += len(p.Document)
	}
	if s.size < runSize || s.runs.create == nil {
		return nil
	}
	return s.spill()
}

// spill begins to write the places in memory as a run.
func (s *sorter) spill() error {
	if err := s.wait(); err != nil {
		return err
	}
	run, written := s.inMemory, make(chan error, 1)
	s.inMemory, s.spare, s.size, s.written = s.spare[:0], run, 0, written
	go func() { written <- s.writeRun(run) }()
	return nil
}

// wait waits until the last run is written.
func (s *sorter) wait() error {
	if s.written == nil {
		return nil
	}
	err := <-s.written
	s.written = nil
	return err
}

// writeRun sorts places, and writes them as a run.
func (s *sorter) writeRun(run []placed) error {
	slices.SortFunc(run, comparePlaced)
	s.starts = append(s.starts, s.runs.size())
	var w record.Writer
	for i := range run {
		w.Data = w.Data[:0]
		w.Text(run[i].text)
		w.Text(run[i].Document)
		w.Number(run[i].Line)
		w.Number(run[i].Column)
		if _, err := s.runs.write(w.Data); err != nil {
			return err
		}
	}
	return nil
}

// end must be called after the last add.
func (s *sorter) end() error {
	if s.written == nil { // there is no run
		slices.SortFunc(s.inMemory, comparePlaced)
		return nil
	}
	err := cmp.Or(s.spill(), s.wait())
	s.inMemory, s.spare = nil, nil
	return err
}

// close closes the files.
func (s *sorter) close() error { return errors.Join(s.wait(), s.runs.close()) }

// all yields the places in order.
func (s *sorter) all() iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		for _, p := range s.inMemory {
			if !yield(p, nil) {
				return
			}
		}
		var runs runHeap
		for i, start := range s.starts {
			end := s.runs.size()
			if i+1 < len(s.starts) {
				end = s.starts[i+1]
			}
			from := bufio.NewReaderSize(io.NewSectionReader(&s.runs, start, end-start), runBufferSize)
			r := &sortedRun{from: from, fields: record.Reader{From: from}, hasNext: true}
			if r.next(); r.hasNext {
				runs = append(runs, r)
			}
		}
		heap.Init(&runs)
		for len(runs) > 0 {
			r := runs[0]
			if !yield(r.place, r.err) || r.err != nil {
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
type sortedRun struct {
	from    *bufio.Reader
	fields  record.Reader // of from
	place   placed        // the next one
	err     error         // an error instead of place
	hasNext bool          // there is a place or an error
}

// next reads the next place.
func (r *sortedRun) next() {
	if _, err := r.from.Peek(1); err != nil {
		if r.hasNext = err != io.EOF; r.hasNext {
			r.err = err
		}
		return
	}
	r.place = placed{r.fields.Repeated(r.place.text), check.Place{Document: r.fields.Repeated(r.place.Document), Line: r.fields.Number(), Column: r.fields.Number()}}
	r.err = r.fields.Err()
}

// A runHeap is ordered by the next places. A run with an error comes first.
type runHeap []*sortedRun

func (h runHeap) Len() int      { return len(h) }
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h runHeap) Less(i, j int) bool {
	return h[i].err != nil || h[j].err == nil && comparePlaced(h[i].place, h[j].place) < 0
}
func (h *runHeap) Push(x any) { *h = append(*h, x.(*sortedRun)) }

func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
