package cache

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"locus/access"
	"locus/url/whatwg"
)

// saveEntries makes the listing r write its entries into a file while it is read. At the
// end of the listing the file is stored with the metadata stored.
func (c *Cache) saveEntries(r *access.Resource, stored *metadata) {
	file, err := c.Folder.create()
	if err != nil {
		return
	}
	saving := &savingList{ReadCloser: r.Body, lister: r.List, file: file, stored: stored, most: c.Folder.largest()}
	r.Body, r.List = saving, saving
}

// A savingList is the Body and List of a listing that writes its entries into a file.
type savingList struct {
	io.ReadCloser
	lister access.Lister
	file   *writing // nil once it is stored or discarded
	stored *metadata
	most   int64
}

// Read gives the bytes of the listing. It discards the file, because the caller does not
// read the entries then.
func (l *savingList) Read(p []byte) (int, error) {
	l.discard()
	return l.ReadCloser.Read(p)
}

// Next returns the next entry.
func (l *savingList) Next() (access.Entry, error) {
	e, err := l.lister.Next()
	switch {
	case l.file == nil:
	case access.IsEnd(err):
		l.file.finish(l.stored)
		l.file = nil
	case err != nil:
		l.discard()
	case e.Incomplete != nil:
		l.discard()
	default:
		l.write(e)
	}
	return e, err
}

func (l *savingList) write(e access.Entry) {
	_, err := l.file.Write(append(access.AppendEntry(nil, e), '\n'))
	if err != nil || l.file.n > l.most || l.file.folder.isFull() {
		l.discard()
	}
}

func (l *savingList) discard() {
	if l.file != nil {
		l.file.discard()
		l.file = nil
	}
}

// Close discards the file if the listing was not read to its end.
func (l *savingList) Close() error {
	l.discard()
	return l.ReadCloser.Close()
}

// A storedList is the Body and List of a stored listing.
type storedList struct {
	body  io.ReadCloser
	lines *bufio.Reader
	again func() (*access.Resource, error)
	live  io.ReadCloser // the Body of again; nil if it was not called
}

// Next returns the next entry.
func (l *storedList) Next() (access.Entry, error) {
	if l.lines == nil {
		l.lines = bufio.NewReader(l.body)
	}
	line, err := l.lines.ReadBytes('\n')
	if err != nil {
		return access.Entry{}, err
	}
	e, err := access.ParseEntry(line, whatwg.Standard)
	if err != nil {
		return access.Entry{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return e, nil
}

// Read gives the bytes of the listing. It asks the server again, because only the entries
// are stored.
func (l *storedList) Read(p []byte) (int, error) {
	if l.live == nil {
		r, err := l.again()
		if err != nil {
			return 0, err
		}
		l.live = r.Body
	}
	return l.live.Read(p)
}

// Close closes the file, and the Body of again if it was called.
func (l *storedList) Close() error {
	err := l.body.Close()
	if l.live != nil {
		err = errors.Join(err, l.live.Close())
	}
	return err
}
