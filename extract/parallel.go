package extract

import (
	"errors"
	"io"
	"iter"
	"slices"
	"sync"
)

const (
	// partSize is how much of a text a worker takes at once.
	partSize = 1 << 19
	// reach is how far from there white space is looked for.
	reach = 1 << 12
)

// Parallel yields what [All] yields, in the same order, for the first size
// octets of r: that many workers search parts of it, one if there are less than
// two. It takes some 600 KiB of memory for each, and what the matches take.
// Text and Hyphens of a match are written over when the loop goes on.
//
// r is read by the workers at once, as io.ReaderAt allows. An error of r comes
// after the matches before it, and is the last.
func Parallel(r io.ReaderAt, size int64, o Options, workers int) iter.Seq2[Match, error] {
	return parallel(&searcher{r: r, size: size, options: o, part: partSize}, max(workers, 1))
}

func parallel(p *searcher, workers int) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		quit := make(chan struct{})
		var all sync.WaitGroup
		defer all.Wait()
		defer close(quit)
		var again *worker
		text := whole{lines: lines{line: 1}}
		for j := range p.start(workers, quit, &all) {
			b := <-j.done
			if text.past > b.start || !b.sure {
				if again == nil {
					again = p.worker()
				}
				b = again.search(j.part, text.past)
			}
			if !text.yield(b, yield) {
				return
			}
		}
	}
}

// A searcher searches the parts of a text.
//
// A part starts after the first white space after its nominal start: nothing
// looks back across that. What was found in it holds unless a match of the part
// before reaches into it, or there is no such white space. It is then searched
// again from where that match ends, so every part is searched twice at most.
type searcher struct {
	r       io.ReaderAt
	size    int64
	options Options
	part    int
}

// A job is one part.
type job struct {
	part int64
	done chan *batch
}

// start starts workers, and gives the parts in order.
func (p *searcher) start(workers int, quit <-chan struct{}, all *sync.WaitGroup) <-chan job {
	jobs, order := make(chan job), make(chan job, workers)
	for range workers {
		all.Go(func() {
			w := p.worker()
			for j := range jobs {
				j.done <- w.search(j.part, 0)
			}
		})
	}
	all.Go(func() {
		defer close(jobs)
		defer close(order)
		for n := int64(0); n*int64(p.part) < p.size; n++ {
			j := job{n, make(chan *batch, 1)}
			for _, to := range []chan job{order, jobs} {
				select {
				case to <- j:
				case <-quit:
					return
				}
			}
		}
	})
	return order
}

// A batch is what was found in a part of a text.
type batch struct {
	start   int64 // of the part
	sure    bool  // nothing before the start matters
	matches []Match
	texts   []byte // of the matches
	past    int64  // the end of the last match
	lines   lines  // of the part alone
	err     error
}

// A worker has what searching a part takes.
type worker struct {
	*searcher
	finder *finder
	base   string
	window []byte
}

func (p *searcher) worker() *worker {
	w := &worker{searcher: p, finder: newFinder(p.options), base: p.options.Base.String()}
	w.window = make([]byte, min(int64(lookBehind+p.part+reach+w.finder.smallest()), p.size))
	return w
}

// search finds what is in a part, but nothing before an offset.
func (w *worker) search(part, past int64) *batch {
	nominal := part * int64(w.part)
	first := max(nominal-lookBehind, 0)
	window := w.window[:min(int64(len(w.window)), w.size-first)]
	got, err := w.r.ReadAt(window, first)
	switch {
	case got == len(window):
		err = nil
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	window = window[:got]

	start, sure := boundary(window, int(nominal-first))
	end, _ := boundary(window, int(nominal-first)+w.part)
	if err != nil {
		end = got
	}
	b := &batch{start: first + int64(start), sure: sure, past: past, lines: lines{line: 1, counted: start}, err: err}

	var c cursor
	c.start(max(start, int(min(past-first, int64(got)))))
	if !sure {
		c.past = int(max(past-first, 0))
	}
	c.stop = end
	for {
		m, st := w.finder.find(window, &c, true)
		if st == miss {
			break
		}
		w.keep(b, window, first, m, st)
	}
	b.lines.count(window, first, end)
	return b
}

// boundary returns where a part starts that nominally starts at a place, and
// whether nothing before it matters.
func boundary(window []byte, at int) (int, bool) {
	switch {
	case at >= len(window):
		return len(window), true
	case at == 0:
		return 0, true
	}
	for i, c := range window[at-1 : min(len(window), at+reach)] {
		if isSpace(c) {
			return at + i, true
		}
	}
	return at, false
}

// keep puts what was found into the batch.
func (w *worker) keep(b *batch, window []byte, first int64, m found, st status) {
	b.lines.count(window, first, m.start)
	at := first + int64(m.start)
	out := Match{Offset: at, Length: m.end - m.start, Line: b.lines.line, Column: int(at-b.lines.from) + 1, Kind: m.kind}
	text := window[m.from:m.end]
	switch m.kind {
	case Wrapped:
		text, out.Hyphens = w.finder.healed, slices.Clone(w.finder.hyphens)
	case Path:
		out.Base = w.base
	}
	if st == hit {
		n := len(b.texts)
		b.texts = append(b.texts, text...)
		out.Text = b.texts[n:len(b.texts):len(b.texts)]
	}
	b.matches = append(b.matches, out)
	b.past = at + int64(out.Length)
}

// A whole is what the parts are put together to.
type whole struct {
	past  int64 // the end of the last match
	lines lines
}

// yield yields the matches of a part at their places in the text.
func (t *whole) yield(b *batch, yield func(Match, error) bool) bool {
	for _, m := range b.matches {
		if m.Line == 1 {
			m.Column = int(m.Offset-t.lines.from) + 1
		}
		m.Line += t.lines.line - 1
		var err error
		if m.Text == nil {
			err = ErrTooLong
		}
		if !yield(m, err) {
			return false
		}
	}
	if b.err != nil {
		yield(Match{}, b.err)
		return false
	}
	t.past = max(t.past, b.past)
	if b.lines.line > 1 {
		t.lines.line += b.lines.line - 1
		t.lines.from = b.lines.from
	}
	return true
}
