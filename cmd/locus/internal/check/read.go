package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"locus/check"
	"locus/cmd/locus/internal/cli"
	"locus/console"
	"locus/extract/document"
	"locus/internal/lazy"
	"locus/url"
	"locus/walk"
)

// A linkReader reads the documents whose links are checked.
type linkReader struct {
	*cli.Env
	here   string // the current folder
	walker walk.Walker
	base   url.URL
	sites  []*check.Site
	read   check.LinkReader
	pages  check.Pages

	sources   sources
	lacksRoot atomic.Bool // a link begins with "/", and no site is known

	isFiltered bool // --include says which files are read

	mu    sync.Mutex
	files []string // that were read

	skipped struct{ binary, compressed skippedFiles }
}

// argument reads an argument: stdin, a file or a folder. The checker reads URLs.
func (r *linkReader) argument(ctx context.Context, q check.Queue, arg string) error {
	if arg == "-" {
		return r.add(ctx, q, "-", r.read.Links(console.UntilDone(ctx, r.Stdin), document.Text, r.base))
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
	names := make(chan string, waitingFiles)
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

// waitingFiles is how many names of files wait for a reader.
const waitingFiles = 64

// unreadable is an error of a file or folder that cannot be read.
type unreadable struct{ err error }

func (e *unreadable) Error() string { return e.err.Error() }
func (e *unreadable) Unwrap() error { return e.err }

// starts hold the starts of files while they are read.
var starts = sync.Pool{New: func() any { b := make([]byte, 8<<10); return &b }}

// file reads the links of a file. It skips a binary file if inFolder is set.
func (r *linkReader) file(ctx context.Context, q check.Queue, name string, inFolder bool) error {
	f, err := r.Open(name)
	if err != nil {
		return &unreadable{err}
	}
	defer f.Close()
	buffer := starts.Get().(*[]byte)
	defer starts.Put(buffer)
	start := *buffer
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return &unreadable{err}
	}
	file, mode := r.fileURL(name), check.ModeByName(name)
	site := r.siteOf(file)
	if inFolder && (!r.isText(name, start[:n]) || r.isCode(name, mode, site)) {
		return nil
	}
	r.mu.Lock()
	r.files = append(r.files, name)
	r.mu.Unlock()
	if f := document.ForeignIn(start[:n]); f.Name != "" && !check.IsEncoded(start[:n]) {
		return &unreadable{fmt.Errorf("%s: %w", name, &document.ForeignError{Foreign: f})}
	}
	whole := io.MultiReader(bytes.NewReader(start[:n]), f)
	links := r.pages.Links(r.readerOf(name, site), whole, mode, file, site)
	if !site.Contains(file) && !r.base.IsZero() {
		links = r.read.Links(whole, mode, r.base)
	}
	return r.add(ctx, q, filepath.ToSlash(name), links)
}

// isText reports whether a file in a folder is read, by its start. It notes what is skipped
// though it may have links.
func (r *linkReader) isText(name string, start []byte) bool {
	isDocument := check.ModeByName(name) != document.Text
	isEncoded, isPacked := check.IsEncoded(start), document.ForeignIn(start).IsPacked
	switch {
	case isPacked && !(isEncoded && isDocument):
		r.skipped.compressed.add(name)
		return false
	case isPacked:
		_, err := r.Stat(strings.TrimSuffix(name, ".gz"))
		return err != nil // else it is a copy of that file
	case isEncoded || !cli.IsBinary(start):
		return true
	case isDocument:
		r.skipped.binary.add(name)
	}
	return false
}

// programs are the extensions of files with source code.
var programs = lazy.Value[[]string]{Make: func() []string {
	return strings.Fields(".bash .c .cc .cjs .cpp .cs .cxx .dart .go .h .hpp .java .jl .js .jsx .kt .lua .m .map .mjs .php .pl .pm .ps1 " +
		".py .r .rb .rs .scala .sh .sql .swift .ts .tsx .zig")
}}

// isCode reports whether a file in a folder is not read because it has code. In a site all
// files are code but those whose links a browser shows. With --include and --code no file is.
func (r *linkReader) isCode(name string, mode document.Mode, site *check.Site) bool {
	if r.read.Code || r.isFiltered {
		return false
	}
	switch mode {
	case document.Text:
		return site.HasIndex() || slices.Contains(programs.Get(), strings.ToLower(filepath.Ext(name)))
	case document.JSON, document.Man, document.Mail, document.TeX:
		return site.HasIndex()
	}
	return false
}

// skippedFiles are files that were not read.
type skippedFiles struct {
	mu    sync.Mutex
	count int
	first string // by name
}

func (s *skippedFiles) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count++; s.first == "" || name < s.first {
		s.first = name
	}
}

// saySkipped says which files were skipped though they may have links.
func (r *linkReader) saySkipped() {
	r.skipped.binary.say(r.Env, "binary file with the name of a document", "binary files with names of documents")
	r.skipped.compressed.say(r.Env, "compressed file", "compressed files")
}

func (s *skippedFiles) say(e *cli.Env, one, several string) {
	switch s.count {
	case 0:
	case 1:
		e.Say(fmt.Sprintf("skipped 1 %s: %s", one, s.first))
	default:
		e.Say(fmt.Sprintf("skipped %d %s, such as %s", s.count, several, s.first))
	}
}

// baseOf returns the base URL of the links in a file.
func (r *linkReader) baseOf(name string) url.URL {
	file := r.fileURL(name)
	site := r.siteOf(file)
	if !site.Contains(file) && !r.base.IsZero() {
		return r.base
	}
	return site.PageURL(file)
}

// fileURL returns the URL of a file. FileURL would ask the system for the current folder each time.
func (r *linkReader) fileURL(name string) url.URL {
	if r.here != "" && !filepath.IsAbs(name) {
		name = filepath.Join(r.here, name)
	}
	return r.FileURL(name)
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

// batches hold the links of documents until they are added.
var batches = sync.Pool{New: func() any { return new([]check.Link) }}

// add adds the links of a document to the queue.
func (r *linkReader) add(ctx context.Context, q check.Queue, name string, links iter.Seq2[check.Link, error]) error {
	kept := batches.Get().(*[]check.Link)
	batch := check.Source{Document: name, Links: (*kept)[:0]}
	defer func() {
		clear(batch.Links[:cap(batch.Links)]) // their texts are not kept
		*kept = batch.Links[:0]
		batches.Put(kept)
	}()
	for l, err := range links {
		if err != nil {
			return &unreadable{fmt.Errorf("%s: %w", name, err)}
		}
		batch.Links = append(batch.Links, l)
		if l.Bad == check.NoRoot {
			r.lacksRoot.Store(true)
		}
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
