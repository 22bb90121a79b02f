package sftp

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
	handle string
	link   *link // of the connection, also after finish

	busy   sync.Mutex  // held while the connection is used
	closed atomic.Bool // may be set while the connection is used
	err    error       // why the stream cannot be read further, or nil
	isDone bool        // everything was read

	mu       sync.Mutex
	released bool // the connection was given back
}

func newStream(o *operation, handle string) *stream {
	return &stream{operation: o, handle: handle, link: o.conn.link}
}

// use calls f, which reads from the connection, and returns its error as an error of op.
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

// explain returns the reason why a request failed with err.
func (s *stream) explain(err error) error {
	if s.closed.Load() {
		return net.ErrClosed
	}
	return s.cause(err)
}

// complete gives the connection back after everything was read.
func (s *stream) complete() {
	s.isDone = true
	s.release()
}

// release closes the handle and gives the connection back. Afterwards interrupt must not close it.
func (s *stream) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released {
		return
	}
	s.released = true
	if s.conn != nil && s.conn.link.err() == nil && s.ctx.Err() == nil {
		_ = s.closeHandle(s.handle) // after an error the connection is closed
	}
	s.finish()
}

// Close gives the connection back, or closes it if many replies are pending. It may be called during a Read, which then
// fails.
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

// interrupt ends a pending Read.
func (s *stream) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.released {
		s.link.abort(net.ErrClosed)
	}
}
