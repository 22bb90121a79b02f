package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"locus/extract"
	"locus/extract/document"
	"locus/render"
	"locus/scheme"
	"locus/url"
)

// An input is a text that URLs are found in.
type input struct {
	name    string // of the file, or the URL
	mode    document.Mode
	from    io.Reader
	at      io.ReaderAt // the same, for context; nil if there is none
	options document.Options
}

// read finds what is in an input.
func (x *extractor) read(in *input) iter.Seq[hit] {
	if x.json != nil && in.at == nil {
		kept := &recent{r: in.from, most: 320 << 10} // a Scanner's window, and what is before it
		if in.mode != document.Text {
			kept.most = 1 << 30 // it is all read before anything is found, up to the limit
		}
		in.from, in.at = kept, kept
	}
	return x.hits(in, in.mode.All(in.from, in.options))
}

// hits makes hits of matches.
func (x *extractor) hits(in *input, matches iter.Seq2[extract.Match, error]) iter.Seq[hit] {
	return func(yield func(hit) bool) {
		for m, err := range matches {
			h := hit{err: err}
			switch {
			case errors.Is(err, extract.ErrTooLong):
				h.err = fmt.Errorf("%s:%d:%d: %w of %d octets, left out", in.name, m.Line, m.Column, err, m.Length)
			case err != nil:
				h.err = fmt.Errorf("read %s: %w", in.name, err)
			default:
				h = x.hit(in, m)
			}
			if !yield(h) {
				return
			}
		}
	}
}

func (x *extractor) hit(in *input, m extract.Match) hit {
	u, err := m.URL()
	h := hit{url: u, text: u.String()}
	if err != nil {
		h.text = url.Escape(string(m.Text), printable)
	}
	if x.json == nil {
		return h
	}
	h.json = &matchJSON{
		Text: render.Octets(string(m.Text)), Kind: m.Kind.String(), File: render.Octets(in.name), Offset: m.Offset, Length: m.Length,
		Line: m.Line, Column: m.Column, Base: m.Base, Place: m.Place, Context: contextOf(in.at, m),
	}
	if err == nil {
		h.json.URL = h.text
	}
	if len(m.Hyphens) > 0 {
		h.json.Readings = slices.Collect(m.Readings())
	}
	return h
}

// printable are the octets that stand for themselves in a line of what is no URL.
var printable = func() (set url.Set) {
	for c := '!'; c < 0x7f; c++ {
		set = set.With(string(c))
	}
	return set
}()

// contextOf returns the line that a match is in, or what is near it; nil if it
// cannot be read any more.
func contextOf(at io.ReaderAt, m extract.Match) any {
	const near = 80
	from := max(m.Offset-near, 0)
	before := int(m.Offset - from)
	buf := make([]byte, before+min(m.Length, 2048)+near)
	n, _ := at.ReadAt(buf, from)
	end := before + min(m.Length, 2048)
	if n < end {
		return nil
	}
	text := string(buf[:n])
	if i := strings.LastIndexByte(text[:before], '\n'); i >= 0 {
		text, end = text[i+1:], end-i-1
	}
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		text = text[:end+i]
	}
	return strings.ToValidUTF8(strings.TrimRight(text, "\r"), "")
}

// flushing is stdin. Before it waits for more it lets what was found go.
type flushing struct{ *process }

func (f flushing) Read(p []byte) (int, error) {
	if err := f.out.Flush(); err != nil {
		return 0, err
	}
	return f.stdin.Read(p)
}

// recent is a reader that can tell what it last read.
type recent struct {
	r    io.Reader
	most int
	text []byte // the end of what was read
	past int64  // how much was read before
}

func (r *recent) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if drop := len(r.text) + n - r.most; drop > r.most/4 { // now and then, not each time
		drop = min(drop, len(r.text))
		r.past += int64(drop)
		r.text = r.text[:copy(r.text, r.text[drop:])]
	}
	r.text = append(r.text, p[:n]...)
	return n, err
}

// ReadAt reads what is still kept.
func (r *recent) ReadAt(p []byte, at int64) (int, error) {
	if at < r.past || at-r.past > int64(len(r.text)) {
		return 0, io.EOF
	}
	n := copy(p, r.text[at-r.past:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// long is the length from which a plain text is searched in parts.
const long = 8 << 20

// file finds what is in a file. Of those that a folder holds, binary ones hold
// nothing.
func (x *extractor) file(name string, inFolder bool, workers int) iter.Seq[hit] {
	return func(yield func(hit) bool) {
		file, err := os.Open(name)
		if err != nil {
			yield(hit{err: err})
			return
		}
		defer file.Close()
		in := &input{name: name, mode: x.mode, from: file, options: x.options}
		if !x.forced {
			in.mode = document.ByName(name)
		}
		if in.options.URL.String() == "" {
			in.options.URL = fileURL(name)
		}
		info, err := file.Stat()
		if err != nil || !info.Mode().IsRegular() {
			x.read(in)(yield)
			return
		}
		in.at = file
		start := make([]byte, 8<<10)
		switch n, _ := file.ReadAt(start, 0); {
		case inFolder && isBinary(start[:n]):
			return
		case isUTF16(start[:n]):
			yield(hit{err: fmt.Errorf("read %s: a text in UTF-16 is to be made UTF-8 first, as by iconv -f UTF-16 -t UTF-8", name)})
			return
		}
		if in.mode == document.Text && info.Size() >= long && workers > 1 {
			x.hits(in, extract.Parallel(file, info.Size(), in.options.Find, workers))(yield)
			return
		}
		x.read(in)(yield)
	}
}

// fileURL returns the URL of a file, the zero URL if it has none.
func fileURL(name string) url.URL {
	full, err := filepath.Abs(name)
	if err != nil {
		return url.URL{}
	}
	view, err := scheme.LocalFile(runtime.GOOS, full)
	if err != nil {
		return url.URL{}
	}
	return view.URL()
}

// A job is a file in a folder, or what went wrong.
type job struct {
	name string
	err  error
	hits chan []hit
}

// folder finds what is in the files below a folder, several at once, and gives
// it in the order of their names. Long files are read in their turn.
func (x *extractor) folder(root string) iter.Seq[hit] {
	return func(yield func(hit) bool) {
		quit := make(chan struct{})
		var all sync.WaitGroup
		defer all.Wait()
		defer close(quit)
		for j := range x.jobs(root, quit, &all) {
			hits := iter.Seq[hit](func(yield func(hit) bool) { yield(hit{err: j.err}) })
			switch {
			case j.hits != nil:
				hits = slices.Values(<-j.hits)
			case j.err == nil:
				hits = x.file(j.name, true, x.workers)
			}
			for h := range hits {
				if !yield(h) {
					return
				}
			}
		}
	}
}

var errQuit = errors.New("quit")

// jobs walks a folder and starts workers for its files.
func (x *extractor) jobs(root string, quit <-chan struct{}, all *sync.WaitGroup) <-chan job {
	work, order := make(chan job), make(chan job, 4*x.workers)
	for range x.workers {
		all.Go(func() {
			for j := range work {
				j.hits <- slices.Collect(x.file(j.name, true, 1))
			}
		})
	}
	send := func(to chan<- job, j job) error {
		select {
		case to <- j:
			return nil
		case <-quit:
			return errQuit
		}
	}
	all.Go(func() {
		defer close(work)
		defer close(order)
		err := x.walk.files(root, func(name string) error {
			j := job{name: name}
			if info, err := os.Lstat(name); err == nil && info.Size() < long {
				j.hits = make(chan []hit, 1)
			}
			err := send(order, j)
			if err == nil && j.hits != nil {
				err = send(work, j)
			}
			return err
		})
		if err != nil && !errors.Is(err, errQuit) {
			_ = send(order, job{err: err}) // nobody is there to be told
		}
	})
	return order
}
