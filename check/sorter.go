package check

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"io"
	"iter"
	"slices"
	"strings"
)

// A placed is a link, as entry gives it, and where it stands.
type placed struct {
	text string
	Place
}

func comparePlaced(a, b placed) int {
	return cmp.Or(strings.Compare(a.text, b.text), strings.Compare(a.Document, b.Document), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// A sorter sorts more places than fit into memory: it writes sorted runs of
// them, and merges those.
type sorter struct {
	runs   journal
	starts []int64
	held   []placed
	size   int // octets of held, roughly
}

// sorterHolds is how many octets are sorted at once, and sorterReads how many of
// each run are read at once.
const sorterHolds, sorterReads = 8 << 20, 16 << 10

func (s *sorter) add(p placed) error {
	s.held = append(s.held, p)
	s.size += 64 + len(p.text)
	if n := len(s.held); n < 2 || s.held[n-2].Document != p.Document {
		s.size += len(p.Document)
	}
	if s.size < sorterHolds || s.runs.create == nil {
		return nil
	}
	return s.spill()
}

// spill writes a run.
func (s *sorter) spill() error {
	slices.SortFunc(s.held, comparePlaced)
	s.starts = append(s.starts, s.runs.size())
	var record []byte
	for _, p := range s.held {
		record = record[:0]
		for _, text := range []string{p.text, p.Document} {
			record = binary.AppendUvarint(record, uint64(len(text)))
			record = append(record, text...)
		}
		record = binary.AppendUvarint(record, uint64(p.Line))
		record = binary.AppendUvarint(record, uint64(p.Column))
		if _, err := s.runs.write(record); err != nil {
			return err
		}
	}
	s.held, s.size = s.held[:0], 0
	return nil
}

// end is called when all places were added.
func (s *sorter) end() error {
	if len(s.starts) > 0 {
		err := s.spill()
		s.held = nil
		return err
	}
	slices.SortFunc(s.held, comparePlaced)
	return nil
}

// all yields the places in their order.
func (s *sorter) all() iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		for _, p := range s.held {
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
			r := &sortedRun{from: bufio.NewReaderSize(io.NewSectionReader(&s.runs, start, end-start), sorterReads), left: end > start}
			if r.next(); r.left {
				runs = append(runs, r)
			}
		}
		heap.Init(&runs)
		for len(runs) > 0 {
			r := runs[0]
			if !yield(r.first, r.err) || r.err != nil {
				return
			}
			if r.next(); r.left {
				heap.Fix(&runs, 0)
			} else {
				heap.Pop(&runs)
			}
		}
	}
}

// A sortedRun is a run that is being merged.
type sortedRun struct {
	from  *bufio.Reader
	first placed
	err   error // instead of first
	left  bool  // there is one of both
}

func (r *sortedRun) next() {
	if _, err := r.from.Peek(1); err != nil {
		r.err = err
		if r.left = err != io.EOF; !r.left {
			r.err = nil
		}
		return
	}
	n := numbers{from: r.from}
	r.first.text = n.text()
	r.first.Document = n.text()
	r.first.Line, r.first.Column = int(n.next()), int(n.next())
	r.err = n.err
}

// text reads a text with its length before it.
func (n *numbers) text() string {
	text := make([]byte, n.next())
	if n.err == nil {
		_, err := io.ReadFull(n.from, text)
		n.err = unexpected(err)
	}
	return string(text)
}

// A runHeap has the run with the first place first, and one with an error before
// all others.
type runHeap []*sortedRun

func (h runHeap) Len() int      { return len(h) }
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h runHeap) Less(i, j int) bool {
	return h[i].err != nil || h[j].err == nil && comparePlaced(h[i].first, h[j].first) < 0
}
func (h *runHeap) Push(x any) { *h = append(*h, x.(*sortedRun)) }

func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
