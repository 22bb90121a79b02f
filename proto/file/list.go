package file

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"

	"locus/access"
	"locus/proto/internal/mediatype"
	"locus/proto/internal/urilist"
	"locus/scheme"
	"locus/url"
)

// batchSize limits the entries of a directory in memory. Entries are sorted by name within a batch.
const batchSize = 10_000

// A listing is the Body and the List of a directory.
type listing struct {
	ctx     context.Context
	file    *os.File
	url     url.URL                               // the requested URL
	child   func(name string, isDir bool) url.URL // returns the URL of an entry
	pending []fs.DirEntry                         // the entries that Next returns next
	err     error                                 // the error after pending
	text    urilist.Text
	closed  atomic.Bool
}

// childOf returns a function that returns the URL of an entry of the directory dir. The URL of a
// directory ends in "/".
func childOf(dir scheme.File) func(name string, isDir bool) url.URL {
	base := dir.Segments
	for n := len(base); n > 0 && base[n-1] == ""; n-- {
		base = base[:n-1]
	}
	return func(name string, isDir bool) url.URL {
		child := dir
		child.Segments = append(slices.Clone(base), name)
		if isDir {
			child.Segments = append(child.Segments, "")
		}
		return child.URL()
	}
}

// Next returns the next entry, and io.EOF after the last one. It skips a file that was removed
// meanwhile. Devices, pipes and sockets have the zero URL, and a file whose attributes cannot be
// read has only a Title and a URL.
func (l *listing) Next() (access.Entry, error) {
	for {
		if err := l.ctx.Err(); err != nil {
			return access.Entry{}, failure("list", l.url, err)
		}
		if l.closed.Load() {
			return access.Entry{}, failure("list", l.url, fs.ErrClosed)
		}
		if len(l.pending) == 0 {
			if err := l.fill(); err != nil {
				return access.Entry{}, err
			}
		}
		d := l.pending[0]
		l.pending = l.pending[1:]
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was removed meanwhile
		}
		e := access.Entry{Title: d.Name(), URL: l.urlOf(d), Size: -1}
		if err == nil {
			e = entry(e.Title, e.URL, info)
		}
		return e, nil
	}
}

// fill reads the next batch of entries into pending, sorted by name within the batch. The error
// is io.EOF after the last entry.
func (l *listing) fill() error {
	if l.err == nil {
		l.pending, l.err = l.file.ReadDir(batchSize)
		slices.SortFunc(l.pending, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	}
	switch {
	case len(l.pending) > 0:
		return nil
	case access.IsEnd(l.err):
		return io.EOF
	}
	return failure("list", l.url, l.err)
}

// urlOf returns the URL of d. It returns the zero URL for devices, pipes and sockets, because
// the engine does not open them.
func (l *listing) urlOf(d fs.DirEntry) url.URL {
	if !d.IsDir() && !d.Type().IsRegular() && d.Type()&fs.ModeSymlink == 0 {
		return url.URL{}
	}
	return l.child(d.Name(), d.IsDir())
}

// Read reads the listing as a text/uri-list. It has only the entries that Next has not returned.
func (l *listing) Read(p []byte) (int, error) { return l.text.Read(p, l.Next) }

// Close closes the directory. A second Close returns nil.
func (l *listing) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	return l.file.Close()
}

// entry returns an Entry with the URL u and the attributes in info. Only a regular file has a
// Size and a Type, which is guessed from the extension of title.
func entry(title string, u url.URL, info fs.FileInfo) access.Entry {
	e := access.Entry{Title: title, URL: u, Size: -1, ModTime: info.ModTime(), Mode: info.Mode().Perm(), Sys: info}
	switch mode := info.Mode(); {
	case mode.IsDir():
		e.Kind = access.Directory
	case mode&fs.ModeSymlink != 0:
		e.Kind = access.Link
	case mode.IsRegular():
		e.Kind, e.Size, e.Type = access.Object, info.Size(), mediatype.ByName(title)
	}
	return e
}
