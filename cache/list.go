package cache

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"

	"locus/access"
	"locus/url/whatwg"
)

// saveEntries makes the listing r, which d has opened, write its entries into file while it
// is read. At the end of the listing, the cache keeps the file with the metadata stored. It
// discards the file if the listing is not read to its end, if an entry cannot be written, or if
// forgetKey is called before. forgetKey looks for d in the maps pending and saving. Call
// saveEntries while d is in pending, so that d is always in one of them.
func (c *Cache) saveEntries(d *decision, r *access.Resource, file *writing, stored *metadata) {
	saving := &savingList{ReadCloser: r.Body, decision: d, lister: r.List, file: file, stored: stored, most: c.Folder.largest()}
	r.Body, r.List = saving, saving
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saving == nil {
		c.saving = make(map[*decision]bool)
	}
	c.saving[d] = true
}

// A savingList is the Body and List of a listing that writes its entries into a file.
type savingList struct {
	io.ReadCloser
	decision *decision
	lister   access.Lister
	stored   *metadata
	most     int64

	mu   sync.Mutex // another goroutine may call Close
	file *writing   // nil once it is stored or discarded
}

// Read gives the bytes of the listing. It discards the file, because the caller does not
// read the entries then.
func (l *savingList) Read(p []byte) (int, error) {
	l.end()
	return l.ReadCloser.Read(p)
}

// Next returns the next entry, and writes it into the file.
func (l *savingList) Next() (access.Entry, error) {
	e, err := l.lister.Next()
	switch {
	case access.IsEnd(err):
		l.finish()
	case err != nil || e.Incomplete != nil || !l.write(e):
		l.end()
	}
	return e, err
}

// write writes an entry into the file. It returns false if the file must not grow any more.
func (l *savingList) write(e access.Entry) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return true
	}
	_, err := l.file.Write(append(access.AppendEntry(nil, e), '\n'))
	return err == nil && l.file.n <= l.most && !l.file.folder.isFull()
}

// finish stores the file.
func (l *savingList) finish() {
	l.mu.Lock()
	if l.file != nil {
		l.file.finish(l.stored)
		l.file = nil
	}
	l.mu.Unlock()
	l.end()
}

// end discards the file, if it is not stored, and takes the decision off the list of decisions
// that forgetKey can stop.
func (l *savingList) end() {
	l.mu.Lock()
	if l.file != nil {
		l.file.discard()
		l.file = nil
	}
	l.mu.Unlock()
	c := l.decision.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.saving, l.decision)
}

// Close discards the file if the listing was not read to its end.
func (l *savingList) Close() error {
	l.end()
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

// Read gives the bytes of the listing. The first Read asks the server for the listing again,
// because only the entries are stored.
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
