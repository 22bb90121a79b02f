package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A socket is a connection with an idle limit, bound to a context. A Conn reads
// and writes it, or TLS over it.
type socket struct {
	net.Conn
	datagrams bool        // the idle limit of Read counts from heard
	ended     atomic.Bool // Read has met the end

	mu     sync.Mutex
	ctx    context.Context
	stop   func() bool   // ends the binding to ctx
	idle   time.Duration // 0: no limit
	heard  time.Time     // when the last datagram arrived
	caps   [2]time.Time  // deadlines besides the idle limit, by direction; zero: none
	armed  [2]time.Time  // deadlines that are set on Conn, by direction; zero: none
	closed bool
}

// A direction is that of the bytes.
type direction int

const (
	reading direction = iota
	writing
)

// past is a deadline that ends whatever waits.
var past = time.Unix(1, 0)

func (s *socket) bind(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ctx = ctx
	s.stop = context.AfterFunc(ctx, s.interrupt)
}

func (s *socket) unbind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop() && s.ctx.Err() == nil
}

// interrupt ends pending Reads and Writes. It takes the lock so that no deadline
// that was set before the context was done comes after it.
func (s *socket) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil {
		return // it is bound to another context by now
	}
	if s.Conn.SetDeadline(past) != nil {
		_ = s.Conn.Close() // one that knows no deadlines
	}
}

// err returns why the connection cannot be used. The caller holds the lock.
func (s *socket) err() error {
	switch {
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case s.closed:
		return net.ErrClosed
	}
	return nil
}

// Read reads what the server sends.
func (s *socket) Read(p []byte) (int, error) {
	began, err := s.arm(reading)
	if err != nil {
		return 0, err
	}
	n, err := s.Conn.Read(p)
	for n == 0 && s.rearm(err, reading, began) {
		n, err = s.Conn.Read(p)
	}
	if s.datagrams && err == nil {
		s.mu.Lock()
		s.heard = time.Now()
		s.mu.Unlock()
	}
	if n == 0 && errors.Is(err, io.EOF) {
		s.ended.Store(true)
	}
	return n, s.explain(err, reading, began)
}

// Write sends p. The idle limit starts anew whenever the server has accepted some
// of it.
func (s *socket) Write(p []byte) (int, error) {
	for sent := 0; ; {
		began, err := s.arm(writing)
		if err != nil {
			return sent, err
		}
		n, err := s.Conn.Write(p[sent:])
		for n == 0 && s.rearm(err, writing, began) {
			n, err = s.Conn.Write(p[sent:])
		}
		sent += n
		err = s.explain(err, writing, began)
		if n == 0 || sent == len(p) || !isTimeout(err) {
			return sent, err
		}
	}
}

// arm sets the deadline of one Read or Write, and returns when its idle limit
// begins to count.
func (s *socket) arm(d direction) (began time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.err(); err != nil {
		return began, err
	}
	began = time.Now()
	if s.datagrams && d == reading {
		began = s.heard
	}
	if s.isArmed(d, began) {
		return began, nil
	}
	_ = s.apply(d, began) // an error is that of Read or Write, too
	return began, nil
}

// slack is which part of the idle limit a deadline may be early: then it is not set
// anew for each Read and Write. One that passes early is set anew; see rearm.
const slack = 16

// isArmed reports whether the deadline that is set is close enough to the one that
// the idle limit wants. The caller holds the lock.
func (s *socket) isArmed(d direction, began time.Time) bool {
	if s.idle == 0 || s.armed[d].IsZero() || !s.caps[d].IsZero() {
		return false
	}
	early := began.Add(s.idle).Sub(s.armed[d])
	return early >= 0 && early < s.idle/slack
}

// rearm sets the deadline anew if err says that it has passed before the idle limit
// that counts from began has. It reports whether it did.
func (s *socket) rearm(err error, d direction, began time.Time) bool {
	if !isTimeout(err) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err() != nil || !s.caps[d].IsZero() || s.idle == 0 || time.Since(began) >= s.idle {
		return false
	}
	return s.apply(d, began) == nil
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// apply sets the deadline of a direction: the idle limit from began on, or what
// SetDeadline has set if that is earlier. The caller holds the lock.
func (s *socket) apply(d direction, began time.Time) error {
	var at time.Time
	if s.idle > 0 {
		at = began.Add(s.idle)
	}
	if limit := s.caps[d]; !limit.IsZero() && (at.IsZero() || limit.Before(at)) {
		at = limit
	}
	s.armed[d] = at
	if d == reading {
		return s.Conn.SetReadDeadline(at)
	}
	return s.Conn.SetWriteDeadline(at)
}

// explain returns what is behind an error of the connection.
func (s *socket) explain(err error, d direction, began time.Time) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if reason := s.err(); reason != nil {
		return reason
	}
	late, ok := errors.AsType[net.Error](err)
	if !ok || !late.Timeout() {
		return err
	}
	now := time.Now()
	capped := !s.caps[d].IsZero() && !now.Before(s.caps[d])
	if capped || s.idle == 0 || now.Sub(began) < s.idle {
		return err
	}
	did := "sent nothing"
	if d == writing {
		did = "accepted nothing"
	}
	return &IdleError{Did: did, Limit: s.idle, cause: err}
}

func (s *socket) setIdle(limit time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = limit
	s.refresh(reading, writing)
}

// SetDeadline limits Read and Write besides the idle limit; zero does not.
func (s *socket) SetDeadline(t time.Time) error { return s.limit(t, reading, writing) }

// SetReadDeadline is SetDeadline for Read alone.
func (s *socket) SetReadDeadline(t time.Time) error { return s.limit(t, reading) }

// SetWriteDeadline is SetDeadline for Write alone.
func (s *socket) SetWriteDeadline(t time.Time) error { return s.limit(t, writing) }

func (s *socket) limit(t time.Time, directions ...direction) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range directions {
		s.caps[d] = t
	}
	return s.refresh(directions...)
}

// refresh sets the deadlines of pending Reads and Writes anew, unless they are
// to end. The caller holds the lock.
func (s *socket) refresh(directions ...direction) (err error) {
	if s.ctx.Err() != nil {
		return nil
	}
	for _, d := range directions {
		began := time.Now()
		if s.datagrams && d == reading {
			began = s.heard
		}
		err = errors.Join(err, s.apply(d, began))
	}
	return err
}

// Close closes the connection. It may be called more than once.
func (s *socket) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.stop()
	s.mu.Unlock()
	return s.Conn.Close()
}
