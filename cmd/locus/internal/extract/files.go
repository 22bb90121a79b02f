package extract

import (
	"context"
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
		in := x.input(name, file, document.ByName(name), x.FileURL(name))
		info, err := file.Stat()
		if err != nil || !info.Mode().IsRegular() {
			x.read(in, 0)(yield)
			return
		}
		in.at = file
		start := make([]byte, 8<<10)
		n, _ := file.ReadAt(start, 0)
		foreign := document.ForeignIn(start[:n])
		if inFolder && (cli.IsBinary(start[:n]) || foreign.IsPacked) {
			return
		}
		if foreign.Name == "" && in.mode == document.Text && info.Size() >= long && workers > 1 {
			pages := func(part iter.Seq2[extract.Match, error]) iter.Seq[*page] { return x.pages(in, part, pageSize) }
			extract.Parallel(file, info.Size(), in.options.Find, workers, pages)(yield)
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
		ctx, quit := context.WithCancel(context.Background())
		var all sync.WaitGroup
		defer all.Wait()
		defer quit()
		for j := range x.jobs(ctx, root, &all) {
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

// jobs walks a folder, and reads its files until ctx is done.
func (x *extractor) jobs(ctx context.Context, root string, all *sync.WaitGroup) <-chan job {
	order, turns := make(chan job, 4*x.workers), make(chan struct{}, x.workers)
	all.Go(func() {
		defer close(order)
		// The only error is that ctx is done.
		_ = x.EachFile(x.walker, root, func(name string, err error) error {
			j := job{name: name}
			if err != nil {
				j.pages = make(chan *page, 1)
				j.pages <- x.errorPage(err)
				close(j.pages)
				return send(ctx, order, j)
			}
			if info, err := os.Lstat(x.Path(name)); err == nil && info.Size() < long {
				j.pages = make(chan *page, waiting)
			}
			if err := send(ctx, order, j); err != nil || j.pages == nil {
				return err
			}
			if err := send(ctx, turns, struct{}{}); err != nil {
				return err
			}
			all.Go(func() {
				x.sendPages(ctx, j)
				<-turns
			})
			return nil
		})
	})
	return order
}

// sendPages sends the pages of a file to the channel of its job.
func (x *extractor) sendPages(ctx context.Context, j job) {
	defer close(j.pages)
	for p := range x.file(j.name, true, 1) {
		if send(ctx, j.pages, p) != nil {
			return // nobody reads them
		}
	}
}

// send sends a value, unless ctx is done before.
func send[T any](ctx context.Context, to chan<- T, value T) error {
	select {
	case to <- value:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
