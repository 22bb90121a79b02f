package extract

import (
	"errors"
	"io"
	"iter"
	"slices"
	"sync"
)

const (
	// partSize is the size of the parts of a text, each of which one worker searches.
	partSize = 1 << 17
	// boundaryReach is how far after the nominal start of a part white space is
	// looked for.
	boundaryReach = 1 << 12
)

// Parallel yields what [All] yields, in the same order, for the first size bytes
// of r. It splits the text into parts, which several workers search; less than two
// workers are one. It takes about 200 KiB of memory for each worker and for one
// more, and some bytes for each match. The caller may keep the matches.
//
// The workers read r at the same time, as io.ReaderAt allows. An error of r comes
// after the matches before it, and is the last.
func Parallel(r io.ReaderAt, size int64, o Options, workers int) iter.Seq2[Match, error] {
	return parallel(&partSearcher{r: r, size: size, options: o, part: partSize}, max(workers, 1))
}

func parallel(p *partSearcher, workers int) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		quit := make(chan struct{})
		var all sync.WaitGroup
		defer all.Wait()
		defer close(quit)
		free := make(chan *batch, workers+1)
		for range cap(free) {
			free <- &batch{}
		}
		again := sync.OnceValue(func() *finder { return newFinder(p.options) })
		text := merger{base: p.options.Base.String(), lines: lines{line: 1}}
		for b := range p.start(workers, free, quit, &all) {
			<-b.done
			if text.past > b.start || !b.isIndependent && text.past > b.first {
				p.search(again(), b, text.past)
			}
			if !text.yield(b, yield) {
				return
			}
			free <- b
		}
	}
}

// A partSearcher searches the parts of a text.
//
// A part starts at the first white space after its nominal start, because no
// stage of a finder reads back across white space. Its matches are final unless a
// match of the part before reaches into it. Where there is no white space nearby,
// they are not final either if such a match reaches into the bytes that a stage
// may look back at. The part is then searched again from the end of that match.
// So every part is searched twice at most.
type partSearcher struct {
	r       io.ReaderAt
	size    int64
	options Options
	part    int
}

// A batch is a part of a text, and the matches in it. It is reused for other
// parts.
type batch struct {
	part          int64         // its number
	done          chan struct{} // closed when the part was searched
	window        []byte        // the part, and the text around it
	first         int64         // where the window starts in the text
	start         int64         // where the part starts in the text
	end           int           // where the part ends in the window
	isIndependent bool          // the text before the start does not matter
	found         []partMatch
	past          int64 // the end of the last match, in the text
	err           error
}

// A partMatch is a match in a batch.
type partMatch struct {
	found
	tooLong bool
}

// start starts workers, and returns a channel of the parts in order, each in a
// free batch.
func (p *partSearcher) start(workers int, free <-chan *batch, quit <-chan struct{}, all *sync.WaitGroup) <-chan *batch {
	jobs, order := make(chan *batch), make(chan *batch, cap(free))
	for range workers {
		all.Go(func() {
			f := newFinder(p.options)
			for b := range jobs {
				p.search(f, b, 0)
				close(b.done)
			}
		})
	}
	all.Go(func() {
		defer close(jobs)
		defer close(order)
		for n := int64(0); n*int64(p.part) < p.size; n++ {
			var b *batch
			select {
			case b = <-free:
			case <-quit:
				return
			}
			b.part, b.done = n, make(chan struct{})
			order <- b // never blocks: it has room for all batches
			select {
			case jobs <- b:
			case <-quit:
				return
			}
		}
	})
	return order
}

// search finds the matches in a part that start at or after an offset.
func (p *partSearcher) search(f *finder, b *batch, past int64) {
	err := p.read(f, b)
	nominal := int(b.part*int64(p.part) - b.first)
	start, isIndependent := boundary(b.window, nominal)
	b.end, _ = boundary(b.window, nominal+p.part)
	if err != nil {
		b.end = len(b.window)
	}
	b.start, b.isIndependent, b.past, b.err, b.found = b.first+int64(start), isIndependent, past, err, b.found[:0]

	var c cursor
	c.moveTo(max(start, int(min(past-b.first, int64(len(b.window))))))
	if !isIndependent {
		c.floor = int(max(past-b.first, 0))
	}
	c.stop = b.end
	for {
		m, st := f.find(b.window, &c, true)
		if st == miss {
			return
		}
		b.found = append(b.found, partMatch{m, st == tooLong})
		b.past = b.first + int64(m.end)
	}
}

// read reads the part, and the text before and after it that a finder may read.
func (p *partSearcher) read(f *finder, b *batch) error {
	if b.window == nil {
		b.window = make([]byte, min(int64(lookBehind+p.part+boundaryReach+f.minWindow()), p.size))
	}
	b.first = max(b.part*int64(p.part)-lookBehind, 0)
	b.window = b.window[:min(int64(cap(b.window)), p.size-b.first)]
	n, err := p.r.ReadAt(b.window, b.first)
	switch {
	case n == len(b.window):
		return nil
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	b.window = b.window[:n]
	return err
}

// boundary returns where a part starts whose nominal start is at, and whether the
// text before it does not matter.
func boundary(window []byte, at int) (start int, isIndependent bool) {
	switch {
	case at >= len(window):
		return len(window), true
	case at == 0:
		return 0, true
	}
	for i, c := range window[at-1 : min(len(window), at+boundaryReach)] {
		if isSpace(c) {
			return at + i, true
		}
	}
	return at, false
}

// A merger makes the matches of a text from those of its parts.
type merger struct {
	base    string // Options.Base
	past    int64  // the end of the last match
	lines   lines
	joined  []byte // the URL in the last wrapper
	hyphens []int  // Match.Hyphens of that URL
}

// yield yields the matches of a part.
func (t *merger) yield(b *batch, yield func(Match, error) bool) bool {
	t.lines.counted = int(b.start - b.first) // the lines before it were counted with the part before
	for _, m := range b.found {
		var err error
		if m.tooLong {
			err = ErrTooLong
		}
		if !yield(t.match(b, m), err) {
			return false
		}
	}
	if b.err != nil {
		yield(Match{}, b.err)
		return false
	}
	t.lines.count(b.window, b.first, b.end)
	t.past = max(t.past, b.past)
	return true
}

// match returns the match for a match of a part.
func (t *merger) match(b *batch, m partMatch) Match {
	t.lines.count(b.window, b.first, m.start)
	at := b.first + int64(m.start)
	out := Match{Offset: at, Length: m.end - m.start, Line: t.lines.line, Column: int(at-t.lines.from) + 1, Kind: m.kind}
	switch {
	case m.tooLong:
		out.Text = string(beginning(b.window, m.found))
		return out
	case m.kind == Wrapped:
		t.joined, t.hyphens = joinLines(t.joined[:0], t.hyphens[:0], b.window[m.start+len("<URL:"):m.end-len(">")])
		out.Text = string(t.joined)
		if len(t.hyphens) > 0 {
			out.Hyphens = slices.Clone(t.hyphens)
		}
		return out
	case m.kind == Path:
		out.Base = t.base
	}
	out.Text = string(b.window[m.from:m.end])
	return out
}
