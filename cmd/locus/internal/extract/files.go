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
func (x *extractor) file(name string, inFolder bool, workers int) iter.Seq[hit] {
	return func(yield func(hit) bool) {
		file, err := x.Open(name)
		if err != nil {
			yield(hit{err: err})
			return
		}
		defer file.Close()
		in := x.input(name, file, document.ByName(name), x.FileURL(name))
		info, err := file.Stat()
		if err != nil || !info.Mode().IsRegular() {
			x.read(in)(yield)
			return
		}
		in.at = file
		start := make([]byte, 8<<10)
		n, _ := file.ReadAt(start, 0)
		foreign := foreignIn(start[:n])
		if inFolder && (cli.IsBinary(start[:n]) || foreign.packed) {
			return
		}
		if foreign.name == "" && in.mode == document.Text && info.Size() >= long && workers > 1 {
			x.hits(in, extract.Parallel(file, info.Size(), in.options.Find, workers))(yield)
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
		ctx, quit := context.WithCancel(context.Background())
		var all sync.WaitGroup
		defer all.Wait()
		defer quit()
		for j := range x.jobs(ctx, root, &all) {
			for h := range x.hitsOf(j) {
				if !yield(h) {
					return
				}
			}
		}
	}
}

// hitsOf yields the hits of a job: those that were sent, or those of a long file.
func (x *extractor) hitsOf(j job) iter.Seq[hit] {
	if j.err == nil && j.hits == nil {
		return x.file(j.name, true, x.workers)
	}
	return func(yield func(hit) bool) {
		if j.err != nil {
			yield(hit{err: j.err})
			return
		}
		for batch := range j.hits {
			for _, h := range batch {
				if !yield(h) {
					return
				}
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
			j := job{name: name, err: err}
			if info, statErr := os.Lstat(x.Path(name)); err == nil && statErr == nil && info.Size() < long {
				j.hits = make(chan []hit, batches)
			}
			if err := send(ctx, order, j); err != nil || j.hits == nil {
				return err
			}
			if err := send(ctx, turns, struct{}{}); err != nil {
				return err
			}
			all.Go(func() {
				x.sendHits(ctx, j)
				<-turns
			})
			return nil
		})
	})
	return order
}

// sendHits sends the hits of a file to the channel of its job.
func (x *extractor) sendHits(ctx context.Context, j job) {
	defer close(j.hits)
	var batch []hit
	for h := range x.file(j.name, true, 1) {
		if batch = append(batch, h); len(batch) < batchSize {
			continue
		}
		if send(ctx, j.hits, batch) != nil {
			return
		}
		batch = nil
	}
	if len(batch) > 0 {
		_ = send(ctx, j.hits, batch) // the reader has gone
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
