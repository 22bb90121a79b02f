package extract

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"sync"

	"locus/cmd/locus/internal/cli"
	"locus/extract"
	"locus/extract/document"
)

// long is the size from which a plain text is searched in parts.
const long = 8 << 20

// file finds the URLs in a file. It skips a binary file if inFolder is set.
func (x *extractor) file(name string, inFolder bool, workers int) iter.Seq[hit] {
	return func(yield func(hit) bool) {
		file, err := x.Open(name)
		if err != nil {
			yield(hit{err: err})
			return
		}
		defer file.Close()
		in := x.input(name, file, document.ByName(name))
		if in.options.URL.IsZero() {
			in.options.URL = x.FileURL(name)
		}
		info, err := file.Stat()
		if err != nil || !info.Mode().IsRegular() {
			x.read(in)(yield)
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
			yield(hit{err: fmt.Errorf("read %s: %w", name, foreign.error())})
			return
		}
		if in.mode == document.Text && info.Size() >= long && workers > 1 {
			hits := func(part iter.Seq2[extract.Match, error]) []hit { return slices.Collect(x.hits(in, part)) }
			for part := range extract.Parallel(file, info.Size(), in.options.Find, workers, hits) {
				for _, h := range part {
					if !yield(h) {
						return
					}
				}
			}
			return
		}
		x.read(in)(yield)
	}
}

const (
	// batchSize is the number of hits that are sent at once.
	batchSize = 128
	// batches is how many batches of a file may wait for its turn.
	batches = 8
)

// A job is a file in a folder, or an error.
type job struct {
	name string
	err  error
	hits chan []hit // nil: the file is read when its turn comes
}

// folder finds the URLs in the files below a folder. It reads several files at once, and
// yields their hits in the order of the names. Long files are read one at a time.
func (x *extractor) folder(root string) iter.Seq[hit] {
	return func(yield func(hit) bool) {
		quit := make(chan struct{})
		var all sync.WaitGroup
		defer all.Wait()
		defer close(quit)
		for j := range x.jobs(root, quit, &all) {
			for h := range x.hitsOf(j) {
				if !yield(h) {
					return
				}
			}
		}
	}
}

// hitsOf yields the hits of a job: those that a worker has sent, or those of a long file.
func (x *extractor) hitsOf(j job) iter.Seq[hit] {
	switch {
	case j.err != nil:
		return func(yield func(hit) bool) { yield(hit{err: j.err}) }
	case j.hits == nil:
		return x.file(j.name, true, x.workers)
	}
	return func(yield func(hit) bool) {
		for batch := range j.hits {
			for _, h := range batch {
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
			j := job{name: name, err: err}
			if info, statErr := os.Lstat(x.Path(name)); err == nil && statErr == nil && info.Size() < long {
				j.hits = make(chan []hit, batches)
			}
			err = send(order, j)
			if err == nil && j.hits != nil {
				err = send(work, j)
			}
			return err
		})
	})
	return order
}

// send sends the hits of a file to the channel of its job, until quit is closed.
func (x *extractor) send(j job, quit <-chan struct{}) {
	defer close(j.hits)
	var batch []hit
	send := func() bool {
		select {
		case j.hits <- batch:
			batch = nil
			return true
		case <-quit:
			return false
		}
	}
	for h := range x.file(j.name, true, 1) {
		if batch = append(batch, h); len(batch) == batchSize && !send() {
			return
		}
	}
	if len(batch) > 0 {
		send()
	}
}
