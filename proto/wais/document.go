package wais

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"locus/access"
	"locus/access/engine"
	"locus/scheme"
	"locus/url"
)

const (
	defaultChunkSize = 96_000
	safeChunkSize    = 10_000 // every server can send so many bytes
	replyOverhead    = 200    // maximum size of a reply without text and document-id
)

// A document is the Body of a document. It fetches one chunk after the other.
type document struct {
	*link
	docRef

	next      int64 // offset at which the next request starts
	end       int64 // offset at which the requested range ends
	chunkSize int64 // bytes that one request asks for

	hasText         bool // the server has sent a text
	isSizeConfirmed bool // the server can send chunkSize bytes at once
	wasShort        bool // the last chunk was shorter than requested

	unread []byte // the rest of the last chunk
	err    error  // returned after unread
}

// openDocument fetches the first chunk of the document, and returns a Resource whose Body
// fetches the other chunks when they are read. The Body owns l. If the document is a source
// description in one chunk, Header and Sys have its values; if it is a catalog, the Resource is
// a listing. An empty range is access.ErrRange.
func (c Client) openDocument(l *link, req *access.Request, v scheme.WAIS) (*access.Resource, error) {
	d := c.newDocument(l, docRef{v.Database, v.WType, v.DocID})
	d.next = req.Offset
	if req.Length > 0 && req.Length < math.MaxInt64-req.Offset {
		d.end = req.Offset + req.Length
	}
	err := d.fetch()
	switch {
	case errors.Is(err, errDropped):
		return nil, c.explainDrop(l, req.URL, v)
	case access.IsEnd(err): // only if Offset is math.MaxInt64
		return nil, access.ErrRange
	case err != nil:
		return nil, err
	}
	r := &access.Resource{Entry: access.Entry{Type: mediaType(v.WType), Size: -1}, Offset: req.Offset, Body: d}
	if v.WType == typeSource && req.Offset == 0 && access.IsEnd(d.err) {
		if s, err := ParseSource(d.unread); err == nil {
			r.Header, r.Sys = s.fields(), &s
		}
	}
	if req.Offset == 0 && req.Length == 0 && isCatalog(v.Database, v.DocID) && bytes.HasPrefix(d.unread, []byte(catalogStart)) {
		list := newCatalog(d, v)
		r.Body, r.List = list, list
	}
	return r, nil
}

// explainDrop returns the error for a server that closed the connection instead of sending a
// document. It reconnects and searches the database, to return the server's error if the
// database does not exist. Otherwise it returns errDropped.
//
// QUIRK: a freeWAIS server dies if a document is requested from a database that does not exist.
// Only the reply to a search says that the database does not exist.
func (c Client) explainDrop(l *link, u url.URL, v scheme.WAIS) error {
	l.disconnect()
	if _, err := c.search(l, u, v, ""); errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return dropped()
}

// newDocument returns the Body of the document that ref names. It sends no request before the
// first Read. The Body owns l.
func (c Client) newDocument(l *link, ref docRef) *document {
	size := cmp.Or(c.Chunk, defaultChunkSize)
	if size < 0 {
		size = maxMessage
	}
	return &document{link: l, docRef: ref, end: math.MaxInt64, chunkSize: int64(size)}
}

// Read reads the document. It requests the next chunk when the last chunk has been read. It
// returns io.EOF at the end of the document or of the requested range.
func (d *document) Read(p []byte) (int, error) {
	if err := d.checkOpen(); err != nil {
		return 0, engine.FailReading("read", d.url, err)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if len(d.unread) == 0 && d.err == nil {
		if err := d.fetch(); err != nil {
			d.err = err
		}
	}
	if len(d.unread) == 0 {
		return 0, engine.FailReading("read", d.url, d.err)
	}
	n := copy(p, d.unread)
	d.unread = d.unread[n:]
	return n, nil
}

// fetch requests the next chunk, stores its text in unread, and advances next. It returns
// io.EOF if the document has no more text. If the chunk has the last text, it returns nil and
// sets d.err to io.EOF for the fetch that would follow. The document ends where the server says
// that the range is beyond the end, or sends an empty text. A chunk that is shorter than
// requested is not the end.
func (d *document) fetch() error {
	if d.next >= d.end {
		return io.EOF
	}
	p, requested, err := d.request()
	if err != nil {
		return err
	}
	d.unread = p.data
	d.next += int64(len(p.data))
	atEnd := p.diagnostic != nil && p.diagnostic.isEnd()
	switch {
	case p.hasData && (atEnd || p.diagnostic == nil && len(p.data) == 0):
		d.err = io.EOF
	case atEnd && d.hasText:
		return io.EOF
	case p.diagnostic != nil:
		d.unread = nil
		return p.diagnostic.refusal()
	case !p.hasData:
		return fmt.Errorf("a reply without text or diagnostic: %w", access.ErrProtocol)
	}
	d.hasText = true
	return d.checkSize(int64(len(p.data)), requested)
}

// checkSize compares the size of a chunk, got, with the requested size. It sets chunkSize to the
// size of the first short chunk, because the server cannot send more. After that only the chunk
// at the end may be short. Two short chunks in a row are an error, because the server does not
// send the requested bytes.
func (d *document) checkSize(got, requested int64) error {
	switch {
	case got == requested || got == 0:
		d.wasShort = false
	case !d.isSizeConfirmed:
		d.isSizeConfirmed, d.chunkSize = true, got
	case d.wasShort:
		return fmt.Errorf("the server sends less than requested, and no end: %w", access.ErrProtocol)
	default:
		d.wasShort = true
	}
	return nil
}

// request requests the next bytes of the document, and returns the server's chunk and the
// number of bytes requested. If the reply is empty, the chunk was too large for the server:
// request then sets chunkSize to safeChunkSize and tries again. It does not change next.
func (d *document) request() (p chunk, size int64, err error) {
	if _, _, err := d.connection(); err != nil { // sets d.limit
		return chunk{}, 0, err
	}
	size = min(d.chunkSize, d.end-d.next, max(1, d.limit-int64(len(d.docID))-replyOverhead))
	reply, err := d.roundTrip(d.rangeRequest(d.next, d.next+size))
	if errors.Is(err, errEmptyMessage) && size > safeChunkSize {
		d.chunkSize = safeChunkSize
		return d.request()
	}
	if err != nil {
		return chunk{}, 0, err
	}
	records, err := parseSearch(reply)
	if err != nil {
		return chunk{}, 0, err
	}
	p, err = parseChunk(records)
	if err == nil && int64(len(p.data)) > size {
		err = fmt.Errorf("%d bytes received, but %d requested: %w", len(p.data), size, access.ErrProtocol)
	}
	return p, size, err
}
