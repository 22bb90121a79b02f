package cache

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"locus/access"
	"locus/url/whatwg"
)

// record makes the listing r write its entries into a file while it is read. At its
// end the file is stored with the record stored.
func (c *Cache) record(r *access.Resource, stored *record) {
	file, err := c.Folder.create()
	if err != nil {
		return
	}
	recording := &recording{ReadCloser: r.Body, lister: r.List, file: file, stored: stored, most: c.Folder.largest()}
	r.Body, r.List = recording, recording
}

// A recording is the Body and List of a listing that writes its entries into a file.
type recording struct {
	io.ReadCloser
	lister access.Lister
	file   *writing // nil once it is stored or discarded
	stored *record
	most   int64
}

// Read gives the bytes of the listing, which are not stored.
func (r *recording) Read(p []byte) (int, error) {
	r.discard()
	return r.ReadCloser.Read(p)
}

// Next returns the next entry.
func (r *recording) Next() (access.Entry, error) {
	e, err := r.lister.Next()
	switch {
	case r.file == nil:
	case access.IsEnd(err):
		r.file.finish(r.stored)
		r.file = nil
	case err != nil:
		r.discard()
	case e.Incomplete != nil:
		r.discard()
	default:
		r.write(e)
	}
	return e, err
}

func (r *recording) write(e access.Entry) {
	_, err := r.file.Write(append(access.AppendEntry(nil, e), '\n'))
	if err != nil || r.file.n > r.most || r.file.folder.isFull() {
		r.discard()
	}
}

func (r *recording) discard() {
	if r.file != nil {
		r.file.discard()
		r.file = nil
	}
}

// Close discards the file if the listing was not read to its end.
func (r *recording) Close() error {
	r.discard()
	return r.ReadCloser.Close()
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

// Read gives the bytes of the listing. They are not stored, so it asks the server
// again.
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

// Close closes the file, and the Body if there is one.
func (l *storedList) Close() error {
	err := l.body.Close()
	if l.live != nil {
		err = errors.Join(err, l.live.Close())
	}
	return err
}
