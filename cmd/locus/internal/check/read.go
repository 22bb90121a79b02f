package check

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"

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
	files  []string // that were read
}

// argument reads an argument: stdin, a file or a folder. The checker reads URLs.
func (r *linkReader) argument(ctx context.Context, q check.Queue, arg string) error {
	if arg == "-" {
		return r.document(ctx, q, "-", cli.UntilDone(ctx, r.Stdin), document.Text, &check.Site{}, r.base)
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

// folder reads the files below a folder. It reports what it cannot read, and continues
// unless the queue fails.
func (r *linkReader) folder(ctx context.Context, q check.Queue, name string) error {
	var failed error
	err := r.EachFile(r.walker, name, func(name string, err error) error {
		if err == nil {
			err = r.file(ctx, q, name, true)
		} else {
			err = &unreadable{err}
		}
		if _, ok := errors.AsType[*unreadable](err); !ok || ctx.Err() != nil {
			return err
		}
		r.Report(err)
		failed = cli.ErrReported
		return nil
	})
	if err == nil {
		err = failed
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
	r.files = append(r.files, name)
	whole := io.MultiReader(bytes.NewReader(start[:n]), f)
	site, base := r.siteOf(name)
	return r.document(ctx, q, filepath.ToSlash(name), whole, document.ByName(name), site, base)
}

// siteOf returns the site of a file, and the base URL of the links in it.
func (r *linkReader) siteOf(name string) (*check.Site, url.URL) {
	file := r.FileURL(name)
	for _, site := range r.sites {
		if site.Contains(file) {
			return site, site.PageURL(file)
		}
	}
	if !r.base.IsZero() {
		file = r.base
	}
	return &check.Site{}, file
}

// linksAtOnce is how many links are added to the queue together.
const linksAtOnce = 1000

func (r *linkReader) document(ctx context.Context, q check.Queue, name string, from io.Reader, mode document.Mode, site *check.Site, base url.URL) error {
	batch := check.Source{Document: name}
	for l, err := range r.read.Links(from, mode, base) {
		if err != nil {
			return &unreadable{err}
		}
		l.URL = site.Local(l.URL)
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
