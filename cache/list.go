package cache

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"locus/access"
	"locus/url"
)

// A storedEntry is an entry of a stored listing: a line of JSON.
type storedEntry struct {
	Title   []byte // it need not be UTF-8
	URL     url.URL
	Kind    access.Kind
	Type    string
	Size    int64
	ModTime time.Time
	Facts   []access.Fact `json:",omitempty"`
}

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
	case errors.Is(err, io.EOF):
		r.file.finish(r.stored)
		r.file = nil
	case err != nil:
		r.discard()
	case isIncomplete(e):
		r.discard()
	default:
		r.write(e)
	}
	return e, err
}

// isIncomplete reports whether e says that its listing leaves entries out.
func isIncomplete(e access.Entry) bool {
	_, ok := e.Sys.(access.Incomplete)
	return ok
}

func (r *recording) write(e access.Entry) {
	line, err := json.Marshal(storedEntry{[]byte(e.Title), e.URL, e.Kind, e.Type, e.Size, e.ModTime, access.Facts(e.Sys)})
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
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
	var k storedEntry
	if err := json.Unmarshal(line, &k); err != nil {
		return access.Entry{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	e := access.Entry{Title: string(k.Title), URL: k.URL, Kind: k.Kind, Type: k.Type, Size: k.Size, ModTime: k.ModTime}
	if len(k.Facts) > 0 {
		e.Sys = &Hit{facts: k.Facts}
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
