package check

import (
	"bufio"
	"cmp"
	"container/heap"
	"io"
	"iter"
	"sort"
	"strings"

	"locus/internal/record"
)

// A placed is a link, in the form of textOf, and its place.
type placed struct {
	text string
	Place
}

func comparePlaced(a, b placed) int {
	return cmp.Or(strings.Compare(a.text, b.text), strings.Compare(a.Document, b.Document), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// A sorter sorts more places than fit into memory. It writes sorted runs and merges
// them.
type sorter struct {
	runs     journal
	starts   []int64  // offsets of the runs
	inMemory []placed // not in a run yet
	size     int      // bytes of inMemory, roughly
}

const (
	runSize       = 8 << 20  // bytes that are sorted at once
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

// spill writes the places in memory as a run.
func (s *sorter) spill() error {
	s.sort()
	s.starts = append(s.starts, s.runs.size())
	var w record.Writer
	for _, p := range s.inMemory {
		w.Data = w.Data[:0]
		w.Text(p.text)
		w.Text(p.Document)
		w.Number(p.Line)
		w.Number(p.Column)
		if _, err := s.runs.write(w.Data); err != nil {
			return err
		}
	}
	s.inMemory, s.size = s.inMemory[:0], 0
	return nil
}

// sort puts the places in memory in order.
func (s *sorter) sort() {
	sort.Slice(s.inMemory, func(i, j int) bool { return comparePlaced(s.inMemory[i], s.inMemory[j]) < 0 })
}

// end must be called after the last add.
func (s *sorter) end() error {
	if len(s.starts) > 0 {
		err := s.spill()
		s.inMemory = nil
		return err
	}
	s.sort()
	return nil
}

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
			r := &sortedRun{from: bufio.NewReaderSize(io.NewSectionReader(&s.runs, start, end-start), runBufferSize), hasNext: true}
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
	place   placed // the next one
	err     error  // an error instead of place
	hasNext bool   // there is a place or an error
}

// next reads the next place.
func (r *sortedRun) next() {
	if _, err := r.from.Peek(1); err != nil {
		if r.hasNext = err != io.EOF; r.hasNext {
			r.err = err
		}
		return
	}
	fields := record.Reader{From: r.from}
	r.place = placed{fields.Text(), Place{fields.Text(), fields.Number(), fields.Number()}}
	r.err = fields.Err()
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
