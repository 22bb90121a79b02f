package extract

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"

	"locus/cmd/locus/internal/cli"
	"locus/extract"
	"locus/extract/document"
)

// long is the size from which a plain text is searched in parts.
const long = 8 << 20

// file finds the URLs in a file. It skips a binary file if inFolder is set.
func (x *extractor) file(name string, inFolder bool, workers int) iter.Seq[*page] {
	return func(yield func(*page) bool) {
		file, err := x.Open(name)
		if err != nil {
			yield(x.errorPage(err))
			return
		}
		defer file.Close()
		in := x.input(name, file, document.ByName(name))
		if in.options.URL.IsZero() {
			in.options.URL = x.FileURL(name)
		}
		info, err := file.Stat()
		if err != nil || !info.Mode().IsRegular() {
			x.read(in, 1)(yield)
			return
		}
		in.at = file
		start := make([]byte, 8<<10)
		n, _ := file.ReadAt(start, 0)
		foreign := foreignIn(start[:n])
		switch {
		case inFolder && (cli.IsBinary(start[:n]) || foreign.packed):
			return
		case foreign.name != "":
			yield(x.errorPage(fmt.Errorf("read %s: %w", name, foreign.error())))
			return
		}
		if in.mode == document.Text && info.Size() >= long && workers > 1 {
			extract.Parallel(file, info.Size(), in.options.Find, workers, func(part iter.Seq2[extract.Match, error]) *page {
				p := x.newPage()
				for m, err := range part {
					x.add(p, in, m, err)
				}
				return p
			})(yield)
			return
		}
		x.read(in, pageSize)(yield)
	}
}

// waiting is how many pages of a file may wait for its turn.
const waiting = 8

// A job is a file in a folder.
type job struct {
	name  string
	pages chan *page // nil: the file is read when its turn comes
}

// folder finds the URLs in the files below a folder. It reads several files at once, and
// yields their pages in the order of the names. Long files are read one at a time.
func (x *extractor) folder(root string) iter.Seq[*page] {
	return func(yield func(*page) bool) {
		quit := make(chan struct{})
		var all sync.WaitGroup
		defer all.Wait()
		defer close(quit)
		for j := range x.jobs(root, quit, &all) {
			for p := range x.pagesOf(j) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// pagesOf yields the pages of a job: those in its channel, or those of a long file.
func (x *extractor) pagesOf(j job) iter.Seq[*page] {
	if j.pages == nil {
		return x.file(j.name, true, x.workers)
	}
	return func(yield func(*page) bool) {
		for p := range j.pages {
			if !yield(p) {
				return
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
				x.send(j, quit)
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
		// The only error is errQuit.
		_ = x.EachFile(x.walker, root, func(name string, err error) error {
			j := job{name: name}
			if err != nil {
				j.pages = make(chan *page, 1)
				j.pages <- x.errorPage(err)
				close(j.pages)
				return send(order, j)
			}
			if info, err := os.Lstat(x.Path(name)); err == nil && info.Size() < long {
				j.pages = make(chan *page, waiting)
			}
			err = send(order, j)
			if err == nil && j.pages != nil {
				err = send(work, j)
			}
			return err
		})
	})
	return order
}

// send sends the pages of a file to the channel of its job, until quit is closed.
func (x *extractor) send(j job, quit <-chan struct{}) {
	defer close(j.pages)
	for p := range x.file(j.name, true, 1) {
		select {
		case j.pages <- p:
		case <-quit:
			return
		}
	}
}
