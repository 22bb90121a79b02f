package main

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"locus/extract"
	"locus/extract/document"
	"locus/scheme"
	"locus/url"
)

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
		n, _ := file.ReadAt(start, 0)
		foreign := foreignIn(start[:n])
		switch {
		case inFolder && (isBinary(start[:n]) || foreign.packed):
			return
		case foreign.name != "":
			yield(hit{err: fmt.Errorf("read %s: %w", name, foreign.error())})
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

const (
	// batchSize is how many hits of a file in a folder are handed on at once.
	batchSize = 128
	// batches is how many of those may wait until it is the file's turn.
	batches = 8
)

// A job is a file in a folder, or what went wrong.
type job struct {
	name string
	err  error
	hits chan []hit // nil for what is read in its turn
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
			for h := range x.turn(j) {
				if !yield(h) {
					return
				}
			}
		}
	}
}

// turn gives what was found in a file, or finds it.
func (x *extractor) turn(j job) iter.Seq[hit] {
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
				x.find(j, quit)
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
		// The only error is that nobody wants more.
		_ = x.walk.files(root, func(name string, err error) error {
			j := job{name: name, err: err}
			if info, statErr := os.Lstat(name); err == nil && statErr == nil && info.Size() < long {
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

// find hands on what is in a file, until nobody wants more.
func (x *extractor) find(j job, quit <-chan struct{}) {
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
