package z3950

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync/atomic"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/urilist"
	"locus/url"
)

// A listing is the Body and the List of every Resource except a record.
type listing struct {
	association *association
	url         url.URL
	source      func() (access.Entry, error) // returns io.EOF after the last entry
	text        urilist.Text                 // for Read
	isDone      bool                         // source has returned io.EOF
	closed      atomic.Bool
}

// listing returns a listing of the entries that source returns. The listing owns the association.
func (a *association) listing(source func() (access.Entry, error)) *listing {
	return &listing{association: a, url: a.req.URL, source: source, text: urilist.Text{Titles: true}}
}

// Next returns the next entry. After the last entry it ends the association and returns io.EOF.
func (l *listing) Next() (access.Entry, error) {
	e, err := l.next()
	return e, engine.FailReading("list", l.url, err)
}

// next returns the next entry, and io.EOF after the last one, when it also ends the association.
// Its errors do not name the URL.
func (l *listing) next() (access.Entry, error) {
	if err := l.checkOpen(); err != nil {
		return access.Entry{}, err
	}
	if l.isDone {
		return access.Entry{}, io.EOF
	}
	e, err := l.source()
	if access.IsEnd(err) {
		l.isDone = true
		l.association.finish()
	}
	return e, err
}

// Read reads a text/uri-list (RFC 2483). It has the title of each entry as a comment, and its
// URL.
func (l *listing) Read(p []byte) (int, error) {
	if err := l.checkOpen(); err != nil {
		return 0, engine.FailReading("read", l.url, err)
	}
	return l.text.Read(p, l.Next)
}

// checkOpen returns an error if the listing is closed or its context is done.
func (l *listing) checkOpen() error {
	if l.association.caller.Err() != nil {
		return context.Cause(l.association.caller)
	}
	if l.closed.Load() {
		return net.ErrClosed
	}
	return nil
}

// Close closes the listing and its connection.
func (l *listing) Close() error {
	l.closed.Store(true)
	return l.association.Close()
}

// A body is the Body of a record, which is in memory.
type body struct {
	ctx    context.Context
	r      *bytes.Reader
	closed atomic.Bool
}

// Read reads the record. It fails after ctx is done or the body is closed.
func (b *body) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	if b.closed.Load() {
		return 0, net.ErrClosed
	}
	return b.r.Read(p)
}

// Close makes further Reads fail.
func (b *body) Close() error {
	b.closed.Store(true)
	return nil
}
