package checkfiles

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"sync"

	"locus/check"
)

// Folder adds the links of the files below a folder to q. It reads several files at once, and remembers the folder for
// LeadsOut. It calls Report for each file or folder that it cannot read, and then isWhole is false. An error of the
// queue or of ctx ends the reading, and Folder returns it.
func (r *Reader) Folder(ctx context.Context, q check.Queue, folder string) (isWhole bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	isWhole = true
	r.mu.Lock()
	r.folders = append(r.folders, folder)
	r.mu.Unlock()
	handle := func(err error) error {
		if _, ok := errors.AsType[*unreadable](err); !ok || ctx.Err() != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		isWhole = false
		if r.Report != nil {
			r.Report(err)
		}
		return nil
	}
	waiting := make(chan []string, waitingBatches)
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			var b buffer
			for names := range waiting {
				for _, name := range names {
					if ctx.Err() != nil {
						break
					}
					if err := handle(r.addFile(ctx, q, name, &b, true)); err != nil {
						cancel(err)
					}
				}
			}
		})
	}
	names := batch{send: func(names []string) error {
		select {
		case waiting <- names:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}}
	err = r.Walk(folder, func(name string, err error) error {
		if err != nil {
			return handle(&unreadable{err})
		}
		return names.add(name)
	})
	if err == nil {
		err = names.flush()
	}
	close(waiting)
	readers.Wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	return isWhole, err
}

const (
	// waitingBatches is the number of batches that may wait for a reader.
	waitingBatches = 4

	// maxBatch is the number of names in a full batch. A batch that ends with a folder may be sent
	// with fewer names.
	maxBatch = 32
	minBatch = 8
)

// A batch has names of files for one reader. Links of files in one folder often lead to the same
// places, so the reader has most of these places in its cache.
type batch struct {
	send   func([]string) error // passes the names to a reader
	names  []string
	folder string // of the last file
}

// add adds the name of a file. If the batch is full, or if it has at least minBatch names and the file is in another
// folder, add sends the batch first. It returns the error of sending.
func (b *batch) add(name string) error {
	folder := filepath.Dir(name)
	if len(b.names) >= maxBatch || len(b.names) >= minBatch && folder != b.folder {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.names, b.folder = append(b.names, name), folder
	return nil
}

// flush sends the names of the batch, if there are any, and empties the batch.
func (b *batch) flush() error {
	if len(b.names) == 0 {
		return nil
	}
	names := b.names
	b.names = nil
	return b.send(names)
}
