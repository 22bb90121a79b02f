// Package checkfiles adds the links of files and folders to the queue of a check. It also rewrites links that
// have moved.
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

// A Reader reads the documents whose links are checked. Set its fields before the first call of a method.
// Several goroutines may call Text, File and Folder at once, with the same queue. Call Rewritings, Skipped and
// LacksRoot after the last file, because they report on all files. Do not copy a Reader.
type Reader struct {
	// Files. The names are the arguments of the methods and the names that Walk finds. Reports show them
	// unchanged.

	Dir  string                                   // the folder in which relative names begin; absolute
	Open func(name string) (*os.File, error)      // opens a file; needed
	Stat func(name string) (fs.FileInfo, error)   // describes a file; needed
	Walk func(folder string, do WalkedFile) error // calls do for each file below a folder; needed for folders

	// Links.

	Links check.LinkReader // which links; its Sources are set for each file
	Base  url.URL          // the base URL of files outside of all sites; the zero URL: the URL of each file

	// IsFiltered means that the user chose the files of folders by their names. Files with source
	// code are then read, too, because the user asked for them.
	IsFiltered bool

	// Report, if not nil, is called with the error of each file or folder that Folder cannot
	// read. Calls do not overlap.
	Report func(error)

	// Pages keep the anchors and links of the files for the Checker, so that it need not read them again.
	Pages check.Pages

	sites     []*site.Site
	faults    []error // of the sites
	sources   sources
	books     books
	lacksRoot atomic.Bool

	mu      sync.Mutex
	names   []string // of the files that were read
	folders []string // the arguments of Folder
	skipped struct{ binary, compressed, reports Skipped }
}

// A WalkedFile is called with the name of a file, or with the error of a folder or a file that
// cannot be read. If it returns an error, the walk ends with this error.
type WalkedFile func(name string, err error) error

// LacksRoot reports whether a file outside of all sites has a link that begins with "/". Such a link cannot be
// checked, because its root is unknown.
func (r *Reader) LacksRoot() bool { return r.lacksRoot.Load() }

// Text adds the links of a text, such as standard input, to q. Reports call the text name.
func (r *Reader) Text(ctx context.Context, q check.Queue, name string, text io.Reader) error {
	return r.add(ctx, q, name, r.Links.Links(text, document.Text, r.Base))
}

// File adds the links of a file to q. It fails if the file cannot be read, or if q fails.
func (r *Reader) File(ctx context.Context, q check.Queue, name string) error {
	b := buffers.Get().(*buffer)
	defer buffers.Put(b)
	return r.addFile(ctx, q, name, b, false)
}

// unreadable is the error for a file or folder that cannot be read. Folder reports it and goes on.
type unreadable struct{ err error }

func (e *unreadable) Error() string { return e.err.Error() }
func (e *unreadable) Unwrap() error { return e.err }

// addFile adds the links of a file, or of the documents in a book, to q. It uses b for the text, and remembers the name
// of a file, but not of a book, for Rewritings. If the file was found in a folder (inFolder), it skips binary files,
// source code and reports of earlier runs: see isText, isCode and isReport. The error is unreadable if the file cannot
// be read, and otherwise an error of q.
func (r *Reader) addFile(ctx context.Context, q check.Queue, name string, b *buffer, inFolder bool) error {
	f, err := r.Open(name)
	if err != nil {
		return &unreadable{err}
	}
	defer f.Close()
	if err := b.readStart(f); err != nil {
		return &unreadable{err}
	}
	if isBook(name) {
		return r.addBook(ctx, q, name, f, b)
	}
	start := b.text[:min(len(b.text), markSize)]
	file, mode := r.fileURL(name), check.ModeByName(name)
	if mode == document.Text {
		mode = document.ByContent(start)
	}
	site := r.siteOf(file)
	if inFolder && (!r.isText(name, start) || r.isCode(name, mode, site) || r.isReport(name, start)) {
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
	whole, err := b.readRest(f, limit)
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

// isCode reports whether a file that was found in a folder is skipped because it is code. In a site every file counts
// as code unless a browser shows its links. isCode returns false if the user has chosen the files (IsFiltered) or wants
// the links in code (Links.Code).
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

// baseOf returns the base URL of the links in a file: the page's URL in its site. Outside of all sites it is r.Base, or
// the file URL if r.Base is zero.
func (r *Reader) baseOf(name string) url.URL {
	file := r.fileURL(name)
	site := r.siteOf(file)
	if !site.Contains(file) && !r.Base.IsZero() {
		return r.Base
	}
	return site.PageURL(file)
}

// path returns the absolute path of a file. A relative name starts in r.Dir.
func (r *Reader) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(r.Dir, name)
}

// fileURL returns the file URL of a file; the zero URL if no file URL can name it.
func (r *Reader) fileURL(name string) url.URL {
	view, err := scheme.LocalFile(runtime.GOOS, r.path(name))
	if err != nil {
		return url.URL{}
	}
	return view.URL()
}

// siteOf returns the site that contains a file. Outside of all sites it returns an empty Site, whose Contains is
// always false.
func (r *Reader) siteOf(file url.URL) *site.Site {
	for _, site := range r.sites {
		if site.Contains(file) {
			return site
		}
	}
	return &site.Site{}
}

// linksAtOnce is the number of links that are added to the queue together.
const linksAtOnce = 1000

// batches hold the links of documents until they are added.
var batches = sync.Pool{New: func() any { return new([]check.Link) }}

// add adds links, which come from the document name, to q in batches, and remembers for LacksRoot whether one lacks
// its root. If links yields an error, add returns it as an unreadable error.
func (r *Reader) add(ctx context.Context, q check.Queue, name string, links iter.Seq2[check.Link, error]) error {
	kept := batches.Get().(*[]check.Link)
	batch := check.Source{Document: name, Links: (*kept)[:0]}
	defer func() {
		clear(batch.Links[:cap(batch.Links)]) // so that their texts can be freed
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
