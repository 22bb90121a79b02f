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

	"locus/access"
)

// An upload is what a change sends. net/http may still read it when there is an
// answer already: end sees to that it does not read on.
type upload struct {
	r     io.Reader                 // nil for no octets at all
	size  int64                     // -1 if unknown
	again func() (io.Reader, error) // gives r from its start once more

	turn   chan struct{} // held while r is used
	sent   int64         // octets since the start
	body   *uploadBody   // what r is read for
	closed atomic.Bool

	mu  sync.Mutex
	err error // of r
}

func newUpload(req *access.Request) *upload {
	req = access.Rewindable(req)
	return &upload{r: req.Body, size: req.Size, again: req.GetBody, turn: make(chan struct{}, 1)}
}

// attach lets out have the octets.
func (u *upload) attach(out *http.Request) {
	if u.r == nil {
		return
	}
	b := &uploadBody{upload: u, ctx: out.Context(), buffer: make([]byte, 32<<10)}
	u.turn <- struct{}{} // at once: rewind has seen to that
	u.body = b
	<-u.turn
	if out.Body, out.ContentLength = b, u.size; u.size == 0 {
		out.Body = http.NoBody // or net/http takes 0 for an unknown length
	}
}

// An uploadBody is the octets for one request.
type uploadBody struct {
	*upload
	ctx    context.Context
	buffer []byte
}

// Read gives the octets, and an error if there are fewer than was said. It
// returns when ctx is done even if r does not: net/http waits for that.
func (b *uploadBody) Read(p []byte) (int, error) {
	select {
	case b.turn <- struct{}{}:
	case <-b.ctx.Done():
		return 0, context.Cause(b.ctx)
	}
	if b.closed.Load() || b.body != b {
		<-b.turn
		return 0, net.ErrClosed
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := b.read(b.buffer[:min(len(p), len(b.buffer))])
		done <- result{n, err}
		<-b.turn
	}()
	select {
	case r := <-done:
		return copy(p, b.buffer[:r.n]), r.err
	case <-b.ctx.Done():
		return 0, context.Cause(b.ctx)
	}
}

// read reads r, whose turn it is.
func (u *upload) read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.sent += int64(n)
	switch {
	case err == io.EOF && u.sent < u.size:
		err = io.ErrUnexpectedEOF
	case u.size >= 0 && u.sent > u.size:
		n, err = 0, errTooMany
	}
	if err != nil && err != io.EOF {
		u.fail(err)
	}
	return n, err
}

// Close closes nothing: the octets are the caller's.
func (b *uploadBody) Close() error { return nil }

func (u *upload) fail(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.err = err
}

// failure returns why the octets could not be had; err if they could.
func (u *upload) failure(err error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err != nil {
		return &sourceError{u.err}
	}
	return err
}

// rewind lets the octets be sent once more from their start.
func (u *upload) rewind(ctx context.Context) error {
	if u.r == nil {
		return nil
	}
	select {
	case u.turn <- struct{}{}:
		defer func() { <-u.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	u.body = nil
	if u.sent == 0 {
		return nil
	}
	r, err := u.again()
	if err != nil {
		return fmt.Errorf("the server wants the bytes once more: %w", err)
	}
	u.r, u.sent = r, 0
	return nil
}

// end stops the reading. It returns when none is under way any more, or when
// ctx is done.
func (u *upload) end(ctx context.Context) {
	u.closed.Store(true)
	select {
	case u.turn <- struct{}{}:
		<-u.turn
	case <-ctx.Done():
	}
}

var errTooMany = errors.New("it has more bytes than was said")

// A sourceError is the failure of what was to be sent.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return "what is to be sent: " + e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }
