package check

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"path/filepath"
	"runtime"
	"sync"

	"locus/check"
	"locus/cmd/locus/internal/cli"
	"locus/extract/document"
	"locus/url"
	"locus/walk"
)

// A linkReader reads the documents whose links are checked.
type linkReader struct {
	*cli.Env
	walker walk.Walker
	base   url.URL
	sites  []*check.Site
	read   check.LinkReader
	pages  check.Pages

	mu    sync.Mutex
	files []string // that were read
}

// argument reads an argument: stdin, a file or a folder. The checker reads URLs.
func (r *linkReader) argument(ctx context.Context, q check.Queue, arg string) error {
	if arg == "-" {
		return r.add(ctx, q, "-", r.read.Links(cli.UntilDone(ctx, r.Stdin), document.Text, r.base))
	}
	if page, ok := r.ArgumentURL(arg); ok {
		return check.Start(ctx, q, page)
	}
	info, err := r.Stat(arg)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return r.folder(ctx, q, arg)
	}
	return r.file(ctx, q, arg, false)
}

// folder reads the files below a folder, several at once. It reports what it cannot read,
// and continues unless the queue fails.
func (r *linkReader) folder(ctx context.Context, q check.Queue, name string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	failed := false
	handle := func(err error) error {
		if _, ok := errors.AsType[*unreadable](err); !ok || ctx.Err() != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.Report(err)
		failed = true
		return nil
	}
	names := make(chan string)
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for name := range names {
				if err := handle(r.file(ctx, q, name, true)); err != nil {
					cancel(err)
				}
			}
		})
	}
	err := r.EachFile(r.walker, name, func(name string, err error) error {
		if err != nil {
			return handle(&unreadable{err})
		}
		select {
		case names <- name:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(names)
	readers.Wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil && failed {
		err = cli.ErrReported
	}
	return err
}

// unreadable is an error of a file or folder that cannot be read.
type unreadable struct{ err error }

func (e *unreadable) Error() string { return e.err.Error() }
func (e *unreadable) Unwrap() error { return e.err }

// file reads the links of a file. It skips a binary file if inFolder is set.
func (r *linkReader) file(ctx context.Context, q check.Queue, name string, inFolder bool) error {
	f, err := r.Open(name)
	if err != nil {
		return &unreadable{err}
	}
	defer f.Close()
	start := make([]byte, 8<<10)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return &unreadable{err}
	}
	if inFolder && cli.IsBinary(start[:n]) {
		return nil
	}
	r.mu.Lock()
	r.files = append(r.files, name)
	r.mu.Unlock()
	whole := io.MultiReader(bytes.NewReader(start[:n]), f)
	file, mode := r.FileURL(name), document.ByName(name)
	site := r.siteOf(file)
	links := r.pages.Links(r.read, whole, mode, file, site)
	if !site.Contains(file) && !r.base.IsZero() {
		links = r.read.Links(whole, mode, r.base)
	}
	return r.add(ctx, q, filepath.ToSlash(name), links)
}

// baseOf returns the base URL of the links in a file.
func (r *linkReader) baseOf(name string) url.URL {
	file := r.FileURL(name)
	site := r.siteOf(file)
	if !site.Contains(file) && !r.base.IsZero() {
		return r.base
	}
	return site.PageURL(file)
}

// siteOf returns the site of a file; an empty one if there is none.
func (r *linkReader) siteOf(file url.URL) *check.Site {
	for _, site := range r.sites {
		if site.Contains(file) {
			return site
		}
	}
	return &check.Site{}
}

// linksAtOnce is how many links are added to the queue together.
const linksAtOnce = 1000

// add adds the links of a document to the queue.
func (r *linkReader) add(ctx context.Context, q check.Queue, name string, links iter.Seq2[check.Link, error]) error {
	batch := check.Source{Document: name}
	for l, err := range links {
		if err != nil {
			return &unreadable{err}
		}
		batch.Links = append(batch.Links, l)
		if len(batch.Links) < linksAtOnce {
			continue
		}
		if err := check.Seed(ctx, q, batch); err != nil {
			return err
		}
		batch.Links = batch.Links[:0]
	}
	return check.Seed(ctx, q, batch)
}
