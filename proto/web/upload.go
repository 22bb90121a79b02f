package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/access/engine"
)

// An upload is the body of a change. net/http may still read it after the response; stop prevents
// that.
type upload struct {
	source  io.Reader                 // nil if the change has no body
	size    int64                     // -1 if unknown
	getBody func() (io.Reader, error) // returns source from its start

	lock    chan struct{} // held while source is used
	sent    int64         // the bytes read from source
	allRead atomic.Bool   // all bytes were read from source
	current *uploadBody   // the only uploadBody that may read source
	closed  atomic.Bool
	failed  atomic.Pointer[error] // the error of source; nil before it
}

// newUpload returns the body of req.
func newUpload(req *access.Request) *upload {
	req = engine.Rewindable(req)
	return &upload{source: req.Body, size: req.Size, getBody: req.GetBody, lock: make(chan struct{}, 1)}
}

// attach makes the upload the body of out, and sets the ContentLength. The request to which it was attached before can
// no longer read it. An upload without a source has no effect.
func (u *upload) attach(out *http.Request) {
	if u.source == nil {
		return
	}
	ended := make(chan struct{})
	b := &uploadBody{upload: u, ctx: out.Context(), buffer: make([]byte, 32<<10), ended: ended, setEnded: sync.OnceFunc(func() { close(ended) })}
	u.lock <- struct{}{} // does not block because rewind has waited
	u.current = b
	<-u.lock
	if out.Body, out.ContentLength = b, u.size; u.size == 0 {
		out.Body = http.NoBody // because net/http takes a length of 0 for unknown
	}
}

// An uploadBody is the body of one request. It reads source only while it is current.
type uploadBody struct {
	*upload
	ctx    context.Context
	buffer []byte

	ended    chan struct{} // closed by Close
	setEnded func()        // closes ended; may be called again
}

// Read returns bytes of the upload, and an error if source has fewer or more than size. It returns
// when ctx is done even if source blocks, because net/http waits for Read.
func (b *uploadBody) Read(p []byte) (int, error) {
	select {
	case b.lock <- struct{}{}:
	case <-b.ctx.Done():
		return 0, context.Cause(b.ctx)
	}
	if b.closed.Load() || b.current != b {
		<-b.lock
		return 0, net.ErrClosed
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := b.readSource(b.buffer[:min(len(p), len(b.buffer))])
		done <- result{n, err}
		<-b.lock
	}()
	select {
	case r := <-done:
		return copy(p, b.buffer[:r.n]), r.err
	case <-b.ctx.Done():
		return 0, context.Cause(b.ctx)
	}
}

// readSource reads from source. A source with another number of bytes than size is an error. The caller holds lock.
func (u *upload) readSource(p []byte) (int, error) {
	n, err := u.source.Read(p)
	u.sent += int64(n)
	switch {
	case access.IsEnd(err) && u.sent < u.size:
		err = io.ErrUnexpectedEOF
	case u.size >= 0 && u.sent > u.size:
		n, err = 0, errTooLong
	}
	if access.IsEnd(err) || err == nil && u.sent == u.size {
		u.allRead.Store(true)
	}
	if err != nil && !access.IsEnd(err) {
		failed := err
		u.failed.Store(&failed)
	}
	return n, err
}

// Close records that net/http reads no more. It does not close source, because the caller of the engine owns the body.
func (b *uploadBody) Close() error {
	b.setEnded()
	return nil
}

// length returns the size of the body, after a response that reports success. If size is unknown, it is the number of
// bytes sent; -1 if a Read is still pending.
func (u *upload) length() int64 {
	if u.size >= 0 {
		return u.size
	}
	select {
	case u.lock <- struct{}{}:
		defer func() { <-u.lock }()
		return u.sent
	default:
		return -1
	}
}

// isComplete reports whether net/http has read the whole body, so that the server can have it. The caller has read the
// response. isComplete waits until net/http closes the body or ctx is done, at most continueTimeout, because a server may
// answer while net/http still sends.
func (u *upload) isComplete(ctx context.Context) bool {
	if u.source == nil || u.size == 0 || u.allRead.Load() {
		return true
	}
	select {
	case <-u.current.ended:
	case <-ctx.Done():
	case <-time.After(continueTimeout):
	}
	return u.allRead.Load()
}

// orSourceError returns the error of source, or err if source has not failed.
func (u *upload) orSourceError(err error) error {
	if failed := u.failed.Load(); failed != nil {
		return sourceError(*failed)
	}
	return err
}

// rewind prepares the upload to be sent again from its start. It waits for a pending Read. The error is the error of
// getBody, or the cause of ctx.
func (u *upload) rewind(ctx context.Context) error {
	if u.source == nil {
		return nil
	}
	select {
	case u.lock <- struct{}{}:
		defer func() { <-u.lock }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	u.current = nil
	if u.sent == 0 {
		return nil
	}
	r, err := u.getBody()
	if err != nil {
		return fmt.Errorf("the server asked for the body again: %w", err)
	}
	u.source, u.sent = r, 0
	u.allRead.Store(false)
	return nil
}

// stop prevents further reads. It returns when no read is pending, or ctx is done.
func (u *upload) stop(ctx context.Context) {
	u.closed.Store(true)
	select {
	case u.lock <- struct{}{}:
		<-u.lock
	case <-ctx.Done():
	}
}

var errTooLong = errors.New("it is longer than its size")

// sourceError returns err with the information that the body could not be read.
func sourceError(err error) error { return fmt.Errorf("read the body: %w", err) }
