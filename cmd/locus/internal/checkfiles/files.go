// Package checkfiles reads the links of files and folders into the queue of a check, and rewrites
// those that have moved.
//
//	r := &checkfiles.Reader{Dir: here, Open: os.Open, Stat: os.Stat, Walk: walk}
//	engine, sites, err := r.AddSites(client, checkfiles.SiteOptions{Folders: []string{"doc"}})
//	…
//	isWhole, err := r.Folder(ctx, queue, "doc")
//	…
//	checker := &check.Checker{Engine: engine, Sites: sites, Pages: &r.Pages}
//	err = checker.Run(ctx, queue)
package checkfiles

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"locus/check"
	"locus/check/site"
	"locus/extract/document"
	"locus/scheme"
	"locus/url"
)

// A Reader reads the documents whose links are checked. Set its fields before its first call.
// Several goroutines may then call its methods at once, but for Rewritings and the other
// methods that say what was read: these follow the last file. All calls add to one queue. Do not
// copy it.
type Reader struct {
	// Where files are. Names are those that the caller of a method gives, and those that Walk
	// makes of them. Reports show them as they are.

	Dir  string                                   // the folder in which relative names begin; absolute
	Open func(name string) (*os.File, error)      // opens a file; needed
	Stat func(name string) (fs.FileInfo, error)   // says what a name is; needed
	Walk func(folder string, do WalkedFile) error // calls do for each file below a folder; needed for folders

	// What is read.

	Links check.LinkReader // which links; its Sources are set for each file
	Base  url.URL          // the URL of files that are in no site; the zero URL: their own

	// IsFiltered means that the caller chose the files of folders by their names. Those with
	// source code are then read, too.
	IsFiltered bool

	// Report, if not nil, is called with the error of each file or folder that Folder cannot
	// read. Calls do not overlap.
	Report func(error)

	// Pages remember what was read, for the Checker.
	Pages check.Pages

	sites     []*site.Site
	faults    []error // of the sites
	sources   sources
	lacksRoot atomic.Bool

	mu      sync.Mutex
	names   []string // of the files that were read
	skipped struct{ binary, compressed Skipped }
}

// A WalkedFile is called with the name of a file, or with the error of a folder or a file that
// cannot be read. If it returns an error, the walk ends with that.
type WalkedFile func(name string, err error) error

// LacksRoot reports whether a link begins with "/" in a file of no site: nobody can tell where
// it leads.
func (r *Reader) LacksRoot() bool { return r.lacksRoot.Load() }

// Text adds the links of a text, such as standard input, to q. Reports call the text name.
func (r *Reader) Text(ctx context.Context, q check.Queue, name string, text io.Reader) error {
	return r.add(ctx, q, name, r.Links.Links(text, document.Text, r.Base))
}

// File adds the links of a file to q. It fails if the file cannot be read, or if q fails.
func (r *Reader) File(ctx context.Context, q check.Queue, name string) error {
	b := buffers.Get().(*buffer)
	defer buffers.Put(b)
	return r.file(ctx, q, name, b, false)
}

// unreadable is an error of a file or folder that cannot be read.
type unreadable struct{ err error }

func (e *unreadable) Error() string { return e.err.Error() }
func (e *unreadable) Unwrap() error { return e.err }

// file adds the links of a file to q, and uses the memory of b. Of the files in a folder (inFolder)
// it skips those that have no links to check: see isText and isCode.
func (r *Reader) file(ctx context.Context, q check.Queue, name string, b *buffer, inFolder bool) error {
	f, err := r.Open(name)
	if err != nil {
		return &unreadable{err}
	}
	defer f.Close()
	if err := b.readStart(f); err != nil {
		return &unreadable{err}
	}
	start := b.text[:min(len(b.text), markSize)]
	file, mode := r.fileURL(name), check.ModeByName(name)
	site := r.siteOf(file)
	if inFolder && (!r.isText(name, start) || r.isCode(name, mode, site)) {
		return nil
	}
	r.mu.Lock()
	r.names = append(r.names, name)
	r.mu.Unlock()
	if f := document.ForeignIn(start); f.Name != "" && !check.IsEncoded(start) {
		return &unreadable{fmt.Errorf("%s: %w", name, &document.ForeignError{Foreign: f})}
	}
	limit := maxWhole
	if mode == document.Text || check.IsEncoded(start) { // it is read piece by piece
		limit = maxKept
	}
	whole, err := b.readOn(f, limit)
	if err != nil {
		return &unreadable{err}
	}
	links := r.Pages.Links(r.readerOf(name, site), whole, mode, file, site)
	if !site.Contains(file) && !r.Base.IsZero() {
		links = r.Links.Links(whole, mode, r.Base)
	}
	return r.add(ctx, q, filepath.ToSlash(name), links)
}

// programs are the extensions of files with source code.
var programs = strings.Fields(".bash .c .cc .cjs .cpp .cs .cxx .dart .go .h .hpp .java .jl .js .jsx .kt .lua .m .map .mjs .php .pl .pm .ps1 " +
	".py .r .rb .rs .scala .sh .sql .swift .ts .tsx .zig")

// isCode reports whether a file in a folder is not read because it has code. In a site all
// files are code but those whose links a browser shows. With IsFiltered and Links.Code no file is.
func (r *Reader) isCode(name string, mode document.Mode, site *site.Site) bool {
	if r.Links.Code || r.IsFiltered {
		return false
	}
	switch mode {
	case document.Text:
		return site.HasIndex() || slices.Contains(programs, strings.ToLower(filepath.Ext(name)))
	case document.JSON, document.Man, document.Mail, document.TeX:
		return site.HasIndex()
	}
	return false
}

// baseOf returns the base URL of the links in a file.
func (r *Reader) baseOf(name string) url.URL {
	file := r.fileURL(name)
	site := r.siteOf(file)
	if !site.Contains(file) && !r.Base.IsZero() {
		return r.Base
	}
	return site.PageURL(file)
}

// path returns the full path of a file.
func (r *Reader) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(r.Dir, name)
}

// fileURL returns the URL of a file; the zero URL if it has none.
func (r *Reader) fileURL(name string) url.URL {
	view, err := scheme.LocalFile(runtime.GOOS, r.path(name))
	if err != nil {
		return url.URL{}
	}
	return view.URL()
}

// siteOf returns the site of a file; an empty one if there is none.
func (r *Reader) siteOf(file url.URL) *site.Site {
	for _, site := range r.sites {
		if site.Contains(file) {
			return site
		}
	}
	return &site.Site{}
}

// linksAtOnce is how many links are added to the queue together.
const linksAtOnce = 1000

// batches hold the links of documents until they are added.
var batches = sync.Pool{New: func() any { return new([]check.Link) }}

// add adds the links of a document to the queue.
func (r *Reader) add(ctx context.Context, q check.Queue, name string, links iter.Seq2[check.Link, error]) error {
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
		if l.Bad == site.NoRoot {
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
