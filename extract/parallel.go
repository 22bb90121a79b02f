package extract

import (
	"io"
	"iter"
	"sync"
)

const (
	// partSize is the size of the parts of a text, each of which one worker searches.
	partSize = 1 << 20
	// boundaryReach is how far after the nominal start of a part boundary looks for white space.
	boundaryReach = 1 << 12
	// maxPending is how many results of a worker may wait for their turn.
	maxPending = 8
)

// Parallel finds the matches of [All] in the first size bytes of r. It splits the text into parts, which several
// workers search at the same time; fewer than one worker counts as one. For each part a worker calls do with the
// matches of the part, which do may keep. Parallel yields the results of do in the order of the text. The matches of
// all parts together are the matches of All.
//
// It takes about a megabyte of memory for each worker, and some bytes for each match in a part. Up to 8 results of
// each worker wait for their turn.
//
// The workers read r at the same time, as io.ReaderAt allows. If r fails, do gets the error after the matches before
// it, and the sequence ends with that part.
func Parallel[T any](r io.ReaderAt, size int64, o Options, workers int, do func(iter.Seq2[Match, error]) iter.Seq[T]) iter.Seq[T] {
	return parallel(&splitText{r: r, size: size, options: o, part: partSize}, workers, do)
}

// parallel yields the values that do makes of the matches in t, in order. It searches several parts at the same time,
// and ends after the first part that cannot be read.
func parallel[T any](t *splitText, workers int, do func(iter.Seq2[Match, error]) iter.Seq[T]) iter.Seq[T] {
	workers = max(workers, 1)
	type result struct {
		value         T
		isEnd, failed bool // set after the last value of a part; value is then unset
	}
	return func(yield func(T) bool) {
		quit := make(chan struct{})
		var all sync.WaitGroup
		defer all.Wait()
		defer close(quit)
		// Worker i searches every part n with n % workers == i. Before it passes on the matches of a part, it waits
		// for the state from the worker of the part before.
		turns, results := make([]chan state, workers), make([]chan result, workers)
		for i := range workers {
			turns[i], results[i] = make(chan state, 1), make(chan result, maxPending)
		}
		turns[0] <- state{lines: lines{line: 1}}
		for i := range workers {
			send := func(r result) bool {
				select {
				case results[i] <- r:
					return true
				case <-quit:
					return false
				}
			}
			all.Go(func() {
				b := &part{text: t, finder: newFinder(t.options)}
				for n := int64(i); n*int64(t.part) < t.size; n += int64(workers) {
					b.search(n, 0)
					select {
					case b.state = <-turns[i]:
					case <-quit:
						return
					}
					if past := b.state.past; past > b.start || !b.isIndependent && past > b.first {
						b.search(n, past)
					}
					if b.err == nil {
						turns[(i+1)%workers] <- b.next() // never blocks, because there is only one state at a time
					}
					for of := range do(b.matches) {
						if !send(result{value: of}) {
							return
						}
					}
					if !send(result{isEnd: true, failed: b.err != nil}) {
						return
					}
				}
			})
		}
		for n := int64(0); n*int64(t.part) < t.size; {
			r := <-results[n%int64(workers)]
			switch {
			case r.failed, !r.isEnd && !yield(r.value):
				return
			case r.isEnd:
				n++
			}
		}
	}
}

// A splitText is a text that is searched in parts.
type splitText struct {
	r       io.ReaderAt
	size    int64
	options Options
	part    int // the size of a part
}

// A part of a text starts at the first white space after its nominal start, because no stage of a finder reads back
// across white space. Its matches are then final, unless a match of the part before reaches into it. If there is no
// white space nearby, a stage may look back at bytes of the part before, so a match that reaches into those bytes
// matters too. In both cases the part is searched again from the end of that match. So every part is searched at most
// twice.
//
// A worker reuses one part for all the parts that it searches.
type part struct {
	text          *splitText
	finder        *finder
	window        []byte // the bytes of the part and the text around it
	first         int64  // the offset of the window in the text
	start         int64  // the offset of the part in the text
	end           int    // the end of the part in the window
	isIndependent bool   // the text before the part does not affect its matches
	found         []partMatch
	past          int64 // the end of the last match, as an offset in the text
	err           error
	state         state // the state of the text before the part
}

// A partMatch is a match in a part.
type partMatch struct {
	found
	tooLong bool
}

// A state is the information about the text before a part that the part needs.
type state struct {
	past  int64 // the end of the last match
	lines lines
}

// search reads part n of the text, and sets the fields of p for the part. p.found becomes the matches in the part that
// begin at past or later, where past is an offset in the text. If reading fails, search sets p.err and searches the
// bytes before the error.
func (p *part) search(n, past int64) {
	p.err = p.read(n)
	nominal := int(n*int64(p.text.part) - p.first)
	start, isIndependent := boundary(p.window, nominal)
	p.end, _ = boundary(p.window, nominal+p.text.part)
	if p.err != nil {
		p.end = len(p.window)
	}
	p.start, p.isIndependent, p.past, p.found = p.first+int64(start), isIndependent, past, p.found[:0]

	var c cursor
	c.moveTo(max(start, int(min(past-p.first, int64(len(p.window))))))
	if !isIndependent {
		c.floor = int(max(past-p.first, 0))
	}
	c.stop = p.end
	for {
		m, st := p.finder.find(window{p.window, true}, &c)
		if st == miss {
			return
		}
		p.found = append(p.found, partMatch{m, st == tooLong})
		p.past = p.first + int64(m.end)
	}
}

// read sets p.window to the bytes of part n, and the text before and after it that a finder may look at. After an error
// the window has the bytes before the error. The error is io.ErrUnexpectedEOF if the text is shorter than p.text.size.
func (p *part) read(n int64) error {
	t := p.text
	if p.window == nil {
		p.window = make([]byte, min(int64(lookBehind+t.part+boundaryReach+p.finder.minWindow()), t.size))
	}
	p.first = max(n*int64(t.part)-lookBehind, 0)
	p.window = p.window[:min(int64(cap(p.window)), t.size-p.first)]
	got, err := t.r.ReadAt(p.window, p.first)
	switch {
	case got == len(p.window):
		return nil
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	p.window = p.window[:got]
	return err
}

// boundary returns the offset in the window at which a part begins: after the next white space, if that is near, and
// otherwise at its nominal start, which is at. isIndependent is true if the text before the part cannot affect its
// matches.
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

// next returns the state at the end of p, which the next part needs.
func (p *part) next() state {
	l := p.lines()
	l.count(p.window, p.first, p.end)
	return state{max(p.state.past, p.past), l}
}

// lines returns the lines of p.state, with offsets in p.window, so that they can count on from the start of the part.
func (p *part) lines() lines {
	l := p.state.lines
	l.counted = int(p.start - p.first)
	return l
}

// matches yields the matches of the part, and then its error if there is one.
func (p *part) matches(yield func(Match, error) bool) {
	l, base := p.lines(), p.text.options.Base.String()
	for _, f := range p.found {
		l.count(p.window, p.first, f.start)
		at := p.first + int64(f.start)
		m, err := Match{Offset: at, Length: f.end - f.start, Line: l.line, Column: int(at-l.from) + 1, Kind: f.kind}, error(nil)
		switch {
		case f.tooLong:
			m.Text, err = string(beginning(p.window, f.found)), ErrTooLong
		case f.kind == Wrapped:
			joined, hyphens := joinLines(nil, nil, p.window[f.start+len("<URL:"):f.end-len(">")])
			m.Text, m.Hyphens = string(joined), hyphens
		default:
			m.Text = string(p.window[f.from:f.end])
			if f.kind == Path {
				m.Base = base
			}
		}
		if !yield(m, err) {
			return
		}
	}
	if p.err != nil {
		yield(Match{}, p.err)
	}
}
