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
	partSize = 1 << 17
	// reach is how far from there white space is looked for.
	reach = 1 << 12
)

// Parallel yields what [All] yields, in the same order, for the first size
// octets of r: that many workers search parts of it, one if there are less than
// two. It takes some 200 KiB of memory for each and for one more, and for each
// match of a part some octets. The caller may keep the matches.
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
		free := make(chan *batch, workers+1)
		for range cap(free) {
			free <- &batch{}
		}
		again := sync.OnceValue(func() *finder { return newFinder(p.options) })
		text := whole{base: p.options.Base.String(), lines: lines{line: 1}}
		for b := range p.start(workers, free, quit, &all) {
			<-b.done
			if text.past > b.start || !b.sure && text.past > b.first {
				p.search(again(), b, text.past)
			}
			if !text.yield(b, yield) {
				return
			}
			free <- b
		}
	}
}

// A searcher searches the parts of a text.
//
// A part starts after the first white space after its nominal start: nothing
// looks back across that. What was found in it holds unless a match of the part
// before reaches into it or, where there is no such white space, into what its
// first octets look back at. It is then searched again from where that match
// ends, so every part is searched twice at most.
type searcher struct {
	r       io.ReaderAt
	size    int64
	options Options
	part    int
}

// A batch is a part of a text, and what was found in it. It is used again for
// another part.
type batch struct {
	part   int64
	done   chan struct{} // closed when it was searched
	window []byte        // the part, and what is around it
	first  int64         // where the window starts in the text
	start  int64         // where the part does
	end    int           // of the part, in the window
	sure   bool          // nothing before the start matters
	found  []located
	past   int64 // the end of the last match
	err    error
}

// A located is what was found in a window.
type located struct {
	found
	tooLong bool
}

// start starts workers, and gives the parts in order, each in a free batch.
func (p *searcher) start(workers int, free <-chan *batch, quit <-chan struct{}, all *sync.WaitGroup) <-chan *batch {
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
			order <- b // which has room for all batches
			select {
			case jobs <- b:
			case <-quit:
				return
			}
		}
	})
	return order
}

// search finds what is in a part, but nothing before an offset.
func (p *searcher) search(f *finder, b *batch, past int64) {
	err := p.read(f, b)
	nominal := int(b.part*int64(p.part) - b.first)
	start, sure := boundary(b.window, nominal)
	b.end, _ = boundary(b.window, nominal+p.part)
	if err != nil {
		b.end = len(b.window)
	}
	b.start, b.sure, b.past, b.err, b.found = b.first+int64(start), sure, past, err, b.found[:0]

	var c cursor
	c.start(max(start, int(min(past-b.first, int64(len(b.window))))))
	if !sure {
		c.past = int(max(past-b.first, 0))
	}
	c.stop = b.end
	for {
		m, st := f.find(b.window, &c, true)
		if st == miss {
			return
		}
		b.found = append(b.found, located{m, st == tooLong})
		b.past = b.first + int64(m.end)
	}
}

// read reads the part, with what may be looked at before and after it.
func (p *searcher) read(f *finder, b *batch) error {
	if b.window == nil {
		b.window = make([]byte, min(int64(lookBehind+p.part+reach+f.smallest()), p.size))
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

// A whole is what the parts are put together to.
type whole struct {
	base    string // Options.Base
	past    int64  // the end of the last match
	lines   lines
	healed  []byte // of the last wrapper
	hyphens []int
}

// yield yields the matches of a part.
func (t *whole) yield(b *batch, yield func(Match, error) bool) bool {
	t.lines.counted = int(b.start - b.first) // what is before it was counted with the part before
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

// match makes a match of what was found.
func (t *whole) match(b *batch, m located) Match {
	t.lines.count(b.window, b.first, m.start)
	at := b.first + int64(m.start)
	out := Match{Offset: at, Length: m.end - m.start, Line: t.lines.line, Column: int(at-t.lines.from) + 1, Kind: m.kind}
	switch {
	case m.tooLong:
		return out
	case m.kind == Wrapped:
		t.healed, t.hyphens = heal(t.healed[:0], t.hyphens[:0], b.window[m.start+len("<URL:"):m.end-len(">")])
		out.Text = string(t.healed)
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
