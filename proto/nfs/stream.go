package nfs

import (
	"context"
	"net"
	"sync"
	"sync/atomic"

	"locus/access"
	"locus/access/engine"
)

// A stream holds the connection of a Body until the Body was read to its end or closed.
type stream struct {
	*operation
	opened *conn // the connection of the operation, also after finish

	busy   sync.Mutex  // held while the connection is used
	closed atomic.Bool // may be set while the connection is used
	err    error       // why the stream cannot be read further, or nil
	isDone bool        // everything was read

	mu       sync.Mutex
	released bool // the connection was given back
}

// newStream returns a stream that holds the connection of o.
func newStream(o *operation) *stream { return &stream{operation: o, opened: o.conn} }

// use calls f, which reads from the connection, unless the stream cannot be used any more. The
// error of f, except io.EOF, is the error of every later use. It names op and the URL.
func (s *stream) use(op string, f func() error) error {
	s.busy.Lock()
	defer s.busy.Unlock()
	err := s.check()
	if err == nil {
		if err = f(); err != nil && !access.IsEnd(err) {
			err = s.explain(err)
			s.err = err
		}
	}
	return engine.FailReading(op, s.req.URL, err)
}

// check returns an error if the stream cannot be used any more.
func (s *stream) check() error {
	switch {
	case s.closed.Load():
		return net.ErrClosed
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	}
	return s.err
}

// explain translates err, the error of a call: to net.ErrClosed after Close, to errReplaced if the
// file is gone, and to the cause of the context if the context is done. It returns any other error
// unchanged.
func (s *stream) explain(err error) error {
	if s.closed.Load() {
		return net.ErrClosed
	}
	if hasStatus(err, statusStale, statusBadHandle) {
		return errReplaced
	}
	return s.cause(err)
}

// complete gives the connection back after everything was read.
func (s *stream) complete() {
	s.isDone = true
	s.release()
}

// release gives the connection back. Afterwards interrupt must not close it.
func (s *stream) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.released = true
	s.finish()
}

// Close gives the connection back, or closes it if a call is pending. It may be called during a
// Read, which then fails.
func (s *stream) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	if !s.busy.TryLock() {
		s.interrupt()
		s.busy.Lock()
	}
	defer s.busy.Unlock()
	s.release()
	return nil
}

// interrupt makes a pending Read fail, by closing the connection. It has no effect after release.
func (s *stream) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.released {
		s.opened.Close()
	}
}
