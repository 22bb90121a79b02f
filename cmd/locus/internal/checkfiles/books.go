package checkfiles

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"locus/check"
	"locus/cmd/locus/internal/epub"
	"locus/url"
)

// An EPUB is read as a site: its documents are pages, and links lead to the files in the book. A file in a book has the
// name and the URL of the book, then bookMark, then its name in the book:
//
//	book.epub!/OEBPS/ch1.xhtml
//	file:///home/ada/book.epub!/OEBPS/ch1.xhtml
//
// Reader.addBook (this file) reads the documents of a book. The engine in booksite.go opens the files of books for the
// Checker. It finds the book by the URL alone, so that a run can be resumed without reading the book again.

const (
	bookExtension = ".epub"
	bookMark      = "!/"
)

// isBook reports whether the name of a file ends in .epub, in any case.
func isBook(name string) bool { return strings.EqualFold(filepath.Ext(name), bookExtension) }

// maxFaults is how many faults of a book are reported.
const maxFaults = 10

// addBook adds the links of the documents in the book f to q. If documents cannot be read, it adds the links of the
// others, and returns one unreadable error with the faults. An error of q or ctx ends the reading at once.
func (r *Reader) addBook(ctx context.Context, q check.Queue, name string, f *os.File, b *buffer) error {
	info, err := f.Stat()
	if err != nil {
		return &unreadable{err}
	}
	book, err := epub.Open(f, info.Size())
	if err != nil {
		return &unreadable{fmt.Errorf("%s: %w", name, err)}
	}
	in, err := r.bookSite(r.path(name))
	if err != nil {
		return &unreadable{err}
	}
	faults := book.Faults
	for _, d := range book.Documents {
		err := r.addBookDocument(ctx, q, name, in, book, d, b)
		unread, isFault := errors.AsType[*unreadable](err)
		if err != nil && (!isFault || ctx.Err() != nil) {
			return err
		}
		if isFault {
			faults = append(faults, fmt.Errorf("%s: %w", d.Name, unread.err))
		}
	}
	for _, l := range book.Links {
		if err := r.add(ctx, q, inBook(name, l.Document), in.links(l)); err != nil {
			return err
		}
	}
	return bookFaults(name, faults)
}

// inBook returns the name by which reports call the file name in a book: book.epub!/ch1.xhtml.
func inBook(book, name string) string { return filepath.ToSlash(book) + bookMark + name }

// addBookDocument adds the links of the document d in a book to q. name is the name of the book, and b is
// overwritten. The error is unreadable if the document cannot be read.
func (r *Reader) addBookDocument(ctx context.Context, q check.Queue, name string, in *bookSite, book *epub.Book, d epub.Document, b *buffer) error {
	at, err := in.url(d.Name)
	if err != nil {
		return &unreadable{err}
	}
	f, err := book.Files.Open(d.Name)
	if err != nil {
		return &unreadable{err}
	}
	defer f.Close()
	if err := b.readStart(f); err != nil {
		return &unreadable{err}
	}
	whole, err := b.readRest(f, maxWhole)
	if err != nil {
		return &unreadable{err}
	}
	return r.add(ctx, q, inBook(name, d.Name), r.Pages.Links(r.Links, whole, d.Mode, at, in.site))
}

// links yields one link, from the structure of the book, as a check.Link. If its target cannot be a URL, the link is
// Bad.
func (s *bookSite) links(l epub.Link) iter.Seq2[check.Link, error] {
	return func(yield func(check.Link, error) bool) {
		link := check.Link{URL: l.Target, Line: l.Line, Column: l.Column, Bad: l.Bad}
		if l.Bad == "" {
			at, err := s.url(l.Target)
			if link.URL = at.String(); err != nil {
				link.URL, link.Bad = l.Target, err.Error()
			}
		}
		yield(link, nil)
	}
}

// url returns the URL of the file in the book with this name.
func (s *bookSite) url(name string) (url.URL, error) {
	return s.site.Folder.JoinPath(strings.Split(path.Clean(name), "/")...)
}

// bookFaults returns one unreadable error with the first maxFaults faults of a book, and the number of the others. It
// returns nil for an empty list.
func bookFaults(name string, faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	var texts []string
	for _, fault := range faults[:min(len(faults), maxFaults)] {
		texts = append(texts, fault.Error())
	}
	if more := len(faults) - maxFaults; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return &unreadable{fmt.Errorf("%s: %s", name, strings.Join(texts, "; "))}
}
