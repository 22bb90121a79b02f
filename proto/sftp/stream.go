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

// newStream returns a stream that reads the open handle with the connection of o, and owns both.
func newStream(o *operation, handle string) *stream {
	return &stream{operation: o, handle: handle, link: o.conn.link}
}

// use calls f, which reads from the connection, while no other call of use runs, and returns its
// error as an error of the operation op with the URL. It does not call f if the stream is closed,
// its context is done, or f has failed before.
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

// check returns an error if the stream is closed, its context is done, or an earlier use has
// failed.
func (s *stream) check() error {
	switch {
	case s.closed.Load():
		return net.ErrClosed
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	}
	return s.err
}

// explain returns the reason for err, the error of a request: net.ErrClosed if the stream was
// closed, the cause of the context if the context is done, or else err.
func (s *stream) explain(err error) error {
	if s.closed.Load() {
		return net.ErrClosed
	}
	return s.cause(err)
}

// complete records that everything was read, and gives the connection back.
func (s *stream) complete() {
	s.isDone = true
	s.release()
}

// release closes the handle and gives the connection back. It has an effect once. interrupt has no
// effect afterwards, because the connection may serve another request.
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

// Close gives the connection back, or closes it if many replies are pending. It may be called
// during a Read, which then fails. A second Close returns nil.
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

// interrupt makes a waiting Read fail, by closing the connection.
func (s *stream) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.released {
		s.link.abort(net.ErrClosed)
	}
}
