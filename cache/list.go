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

// saveEntries wraps the Body and the List of r, a listing that d has opened. The listing then
// writes its entries into file while it is read, and stores the file with the metadata stored at
// its end. The file is discarded if the listing is not read to its end, if an entry cannot be
// written, or if forgetKey is called before. saveEntries adds d to c.saving while d is still in
// c.pending, so that forgetKey always finds d in one of them.
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

// Read returns the listing as bytes. It discards the file, because a caller that reads the bytes
// does not read the entries.
func (l *savingList) Read(p []byte) (int, error) {
	l.end()
	return l.ReadCloser.Read(p)
}

// Next returns the next entry, and writes it into the file. At the end of the listing it stores the
// file. After an error, and if the entry is incomplete or cannot be written, it discards the file.
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

// write writes an entry into the file, if the file is still open. It returns false if the file is
// too large or cannot be written, so that the caller must discard it.
func (l *savingList) write(e access.Entry) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return true
	}
	_, err := l.file.Write(append(access.AppendEntry(nil, e), '\n'))
	return err == nil && l.file.n <= l.most && !l.file.folder.isFull()
}

// finish stores the file, unless it was discarded.
func (l *savingList) finish() {
	l.mu.Lock()
	if l.file != nil {
		l.file.finish(l.stored)
		l.file = nil
	}
	l.mu.Unlock()
	l.end()
}

// end discards the file, unless it is stored. After that, forgetKey no longer finds the decision.
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

// Close closes the listing. It discards the file if the listing was not read to its end.
func (l *savingList) Close() error {
	l.end()
	return l.ReadCloser.Close()
}

// A storedList is the Body and List of a stored listing.
type storedList struct {
	body  io.ReadCloser
	lines *bufio.Reader
	again func() (*access.Resource, error) // opens the listing at the server
	live  io.ReadCloser                    // the Body that again returned; nil if it was not called
}

// Next returns the next stored entry, and io.EOF at the end. An entry that cannot be parsed gives
// errDamaged.
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

// Read returns the listing as bytes. The first Read opens the listing at the server again, because
// only the entries are stored.
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

// Close closes the file, and the listing that Read opened.
func (l *storedList) Close() error {
	err := l.body.Close()
	if l.live != nil {
		err = errors.Join(err, l.live.Close())
	}
	return err
}
