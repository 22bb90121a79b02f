package checkfiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"locus/access"
	"locus/access/engine"
	"locus/check/site"
	"locus/cmd/locus/internal/epub"
	"locus/url"
)

// books are the sites of books that were opened. Several goroutines may use them at once.
type books struct {
	mu  sync.Mutex
	all map[string]*bookSite // by the absolute names of books
}

// maxBooks is the number of books whose sites are remembered. A site has the names of all files of its book.
const maxBooks = 64

// A bookSite is a book as a site.
type bookSite struct {
	site  *site.Site
	files *bookFiles
}

// bookSite returns the site of the book at an absolute path. It opens the book unless its site is remembered.
func (r *Reader) bookSite(name string) (*bookSite, error) {
	b := &r.books
	b.mu.Lock()
	known := b.all[name]
	b.mu.Unlock()
	if known != nil {
		return known, nil
	}
	folder, err := url.Parse(r.fileURL(name).String() + bookMark)
	if err != nil {
		return nil, err
	}
	files := &bookFiles{open: func() (*os.File, error) { return r.Open(name) }, types: map[string]string{}}
	book, err := files.openEPUB()
	if err != nil {
		return nil, err
	}
	defer book.Close()
	for _, f := range book.Files.File {
		files.types[f.Name] = ""
	}
	for _, d := range book.Documents {
		files.types[d.Name] = d.Type
	}
	s := &bookSite{&site.Site{Folder: folder, Files: files, Index: []string{}, Extensions: []string{}}, files}
	s.site.Engine = s
	b.mu.Lock()
	defer b.mu.Unlock()
	if first, ok := b.all[name]; ok { // another goroutine was faster
		return first, nil
	}
	if b.all == nil || len(b.all) >= maxBooks {
		b.all = map[string]*bookSite{}
	}
	b.all[name] = s
	return s, nil
}

// Do opens a file of the book for Get. For Stat it succeeds without opening the file, because the site has already
// found the name. Other operations, and a Get with an Offset, are unsupported.
func (s *bookSite) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	name, err := url.Unescape(strings.TrimPrefix(req.URL.String(), s.site.Folder.String()))
	switch {
	case err != nil:
		return nil, engine.Fail("open", req.URL, err)
	case req.Op == access.Stat:
		return engine.Found(access.Entry{URL: req.URL, Size: -1}, nil)
	case req.Op != access.Get || req.Offset > 0:
		return nil, engine.Unsupported(req)
	}
	f, err := s.files.Open(name)
	if err != nil {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: err}
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, Type: s.files.types[name]}, Body: f}, nil
}

// bookFiles is the fs.FS of the files in a book. It opens the book for each file, so that the book need not stay open.
type bookFiles struct {
	open  func() (*os.File, error) // opens the file of the book
	types map[string]string        // the media types of documents by their names, and "" for each other file or folder
}

// An openBook is a book whose file is open.
type openBook struct {
	*epub.Book
	io.Closer
}

// openEPUB opens the book. The caller closes it.
func (b *bookFiles) openEPUB() (openBook, error) {
	f, err := b.open()
	if err != nil {
		return openBook{}, err
	}
	info, err := f.Stat()
	if err == nil {
		book, openErr := epub.Open(f, info.Size())
		if openErr == nil {
			return openBook{book, f}, nil
		}
		err = openErr
	}
	return openBook{}, errors.Join(err, f.Close())
}

// Open opens a file of the book, and its Close also closes the book. The error of an encrypted file is a
// [site.UncertainError].
func (b *bookFiles) Open(name string) (fs.File, error) {
	if _, ok := b.types[name]; !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	book, err := b.openEPUB()
	if err != nil {
		return nil, err
	}
	if book.IsEncrypted(name) {
		return nil, errors.Join(&site.UncertainError{Why: "it is encrypted"}, book.Close())
	}
	f, err := book.Files.Open(name)
	if err != nil {
		return nil, errors.Join(err, book.Close())
	}
	return &bookFile{f, book}, nil
}

// ReadDir returns the entries of a folder in the book.
func (b *bookFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	book, err := b.openEPUB()
	if err != nil {
		return nil, err
	}
	defer book.Close()
	return fs.ReadDir(book.Files, name)
}

// A bookFile is an open file of a book.
type bookFile struct {
	fs.File
	book io.Closer
}

// Close closes the file and the book.
func (f *bookFile) Close() error { return errors.Join(f.File.Close(), f.book.Close()) }

// A bookEngine opens the files in books. It passes all other requests to Engine.
type bookEngine struct {
	Engine access.Engine
	reader *Reader
}

// Do opens the URL of a file in a book, and passes every other request to Engine. If a book cannot be read, the error
// says why.
func (e *bookEngine) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	name, ok := bookIn(req.URL)
	if !ok {
		return e.Engine.Do(ctx, req)
	}
	in, err := e.reader.bookSite(name)
	if err != nil {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: fmt.Errorf("read the book: %w", err)}
	}
	return in.site.Do(ctx, req)
}

// bookIn returns the absolute path of the book if file is the URL of a file in a book. ok is false for other URLs.
func bookIn(file url.URL) (name string, ok bool) {
	text := file.String()
	at := strings.Index(strings.ToLower(text), bookExtension+bookMark)
	if at < 0 {
		return "", false
	}
	book, err := url.Parse(text[:at+len(bookExtension)])
	if err != nil {
		return "", false
	}
	return localPath(book)
}
