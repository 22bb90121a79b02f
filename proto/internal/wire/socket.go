package wire

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"locus/access"
)

// A socket is a connection with an idle limit and a context. A Conn uses it directly, or through
// TLS.
//
// Each Read or Write sets a deadline on the connection (arm), unless the current deadline is close
// enough. When that deadline passes, rearm sets it again if the idle limit has not passed yet. When
// the context is done, interrupt sets a deadline in the past. translate returns the reason for the
// timeout that follows.
type socket struct {
	net.Conn
	datagrams bool        // the idle limit of Read counts from lastDatagram
	hasEnded  atomic.Bool // Read has returned io.EOF

	mu            sync.Mutex
	ctx           context.Context
	unbindContext func() bool   // ends the binding to ctx
	idle          time.Duration // 0 means no limit
	lastDatagram  time.Time     // the time of the last datagram
	limits        [2]time.Time  // the caller's deadlines, by direction; may be zero
	armed         [2]time.Time  // the deadlines that Conn has, by direction; may be zero
	reply         replyLimit
	writeStart    time.Time // the start of the idle limit of a pending Write; zero if no Write is pending
	closed        bool
}

// A direction is reading or writing.
type direction int

const (
	reading direction = iota
	writing
)

// past returns a deadline that ends pending Reads and Writes.
func past() time.Time { return time.Unix(1, 0) }

// bind binds the socket to ctx: when ctx is done, Read and Write fail with its cause.
func (s *socket) bind(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ctx = ctx
	s.unbindContext = context.AfterFunc(ctx, s.interrupt)
}

// unbind releases the socket from its context. It returns false if the context was already done.
func (s *socket) unbind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unbindContext() || s.ctx.Err() != nil {
		return false
	}
	s.ctx, s.unbindContext = context.Background(), func() bool { return true }
	return true
}

// interrupt is called when ctx is done, and ends pending Reads and Writes. It holds mu, so that arm
// does not set another deadline afterwards.
func (s *socket) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil {
		return // the socket is bound to another context now
	}
	if s.Conn.SetDeadline(past()) != nil {
		_ = s.Conn.Close() // because it does not support deadlines
	}
}

// err returns the reason why the connection cannot be used, or nil. The caller
// holds mu.
func (s *socket) err() error {
	switch {
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case s.closed:
		return net.ErrClosed
	}
	return nil
}

// Read reads within the idle limit. It returns the cause of the context, or net.ErrClosed, if one
// of these ended the wait.
func (s *socket) Read(p []byte) (int, error) {
	start, err := s.arm(reading)
	if err != nil {
		return 0, err
	}
	n, err := s.Conn.Read(p)
	for n == 0 && s.rearm(err, reading, start) {
		n, err = s.Conn.Read(p)
	}
	s.recordRead(n, err)
	if n == 0 && access.IsEnd(err) {
		s.hasEnded.Store(true)
	}
	return n, s.translate(err, reading, start)
}

// recordRead records that a Read returned n and err, which may restart the idle limit of datagrams
// or of a long reply.
func (s *socket) recordRead(n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.datagrams && err == nil {
		s.lastDatagram = time.Now()
	}
	if s.reply.isLong {
		s.reply.progress(n)
	}
}

// Write sends p. The idle limit restarts whenever the server accepts some
// bytes.
func (s *socket) Write(p []byte) (int, error) {
	for sent := 0; ; {
		start, err := s.arm(writing)
		if err != nil {
			return sent, err
		}
		n, err := s.Conn.Write(p[sent:])
		for n == 0 && s.rearm(err, writing, start) {
			n, err = s.Conn.Write(p[sent:])
		}
		sent += n
		err = s.translate(err, writing, start)
		if n == 0 || sent == len(p) || !IsTimeout(err) {
			return sent, err
		}
	}
}

// endWrite records that no Write is pending.
func (s *socket) endWrite() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeStart = time.Time{}
}

// arm sets the deadline of a Read or Write that starts now. It returns the start of the idle limit
// of that Read or Write. The error is the reason why the connection cannot be used.
func (s *socket) arm(d direction) (start time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.err(); err != nil {
		return start, err
	}
	start = s.idleStart(d)
	switch {
	case d == writing:
		s.writeStart = start
	case s.reply.did != "":
		s.reply.readStart = time.Now()
	}
	if !s.isArmed(d, start) {
		_ = s.apply(d, start) // Read or Write returns the same error
	}
	return start, nil
}

// idleStart returns the time from which the idle limit of a Read or Write that starts now counts:
// the last datagram, the start of the reply, or now. The caller holds mu.
func (s *socket) idleStart(d direction) time.Time {
	switch {
	case d == reading && s.datagrams:
		return s.lastDatagram
	case d == reading && s.reply.did != "":
		return s.reply.start
	}
	return time.Now()
}

// slack determines how early a deadline may be: by the idle limit divided by slack. This tolerance
// saves most Reads and Writes a call to set the deadline. If the deadline passes early, rearm sets
// it again.
const slack = 16

// isArmed reports whether the deadline of the connection is already right for an idle limit that starts at start, so
// that arm need not set it. If the caller of Read or Write has set a deadline, the deadline of the connection must be
// equal to it, and the idle limit must not end earlier. Otherwise the deadline of the connection may be a little
// earlier than the end of the idle limit. The caller of isArmed holds mu.
func (s *socket) isArmed(d direction, start time.Time) bool {
	if limit := s.limits[d]; !limit.IsZero() {
		return s.armed[d].Equal(limit) && (s.idle == 0 || !start.Add(s.idle).Before(limit))
	}
	if s.idle == 0 || s.armed[d].IsZero() {
		return false
	}
	early := start.Add(s.idle).Sub(s.armed[d])
	return early >= 0 && early < s.idle/slack
}

// rearm sets the deadline again if err is a timeout although the idle limit has not passed yet, and
// the caller of Read or Write has set no deadline. It reports whether it has done so; Read or Write
// then tries again.
func (s *socket) rearm(err error, d direction, start time.Time) bool {
	if !IsTimeout(err) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err() != nil || !s.limits[d].IsZero() || s.idle == 0 || time.Since(start) >= s.idle {
		return false
	}
	return s.apply(d, start) == nil
}

// IsTimeout reports whether err is a timeout, such as an [*IdleError].
func IsTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// apply sets the deadline of the connection for a direction: start plus the idle limit, or the
// caller's deadline if that is earlier. The caller holds mu.
func (s *socket) apply(d direction, start time.Time) error {
	var at time.Time
	if s.idle > 0 {
		at = start.Add(s.idle)
	}
	if limit := s.limits[d]; !limit.IsZero() && (at.IsZero() || limit.Before(at)) {
		at = limit
	}
	s.armed[d] = at
	if d == reading {
		return s.Conn.SetReadDeadline(at)
	}
	return s.Conn.SetWriteDeadline(at)
}

// translate returns the reason for err: the cause of the context, net.ErrClosed after Close, or an
// *IdleError if the idle limit has passed. It returns other errors unchanged, such as the timeout of
// a deadline that the caller of Read or Write has set.
func (s *socket) translate(err error, d direction, start time.Time) error {
	if err == nil || access.IsEnd(err) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if reason := s.err(); reason != nil {
		return reason
	}
	if !IsTimeout(err) {
		return err
	}
	now := time.Now()
	capped := !s.limits[d].IsZero() && !now.Before(s.limits[d])
	if capped || s.idle == 0 || now.Sub(start) < s.idle {
		return err
	}
	did := "sent nothing"
	switch {
	case d == writing:
		did = "accepted nothing"
	case s.reply.did != "" && now.Sub(s.reply.readStart) < s.idle-s.idle/slack: // it sent some bytes meanwhile
		did = s.reply.did
	}
	return &IdleError{Did: did, Limit: s.idle, cause: err}
}

// setIdle sets the idle limit, also for pending Reads and Writes. Zero or less means no limit.
func (s *socket) setIdle(limit time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = max(limit, 0)
	_ = s.refresh(reading, writing) // the next Read or Write returns the same error
}

// SetDeadline sets a deadline in addition to the idle limit; zero means no deadline.
func (s *socket) SetDeadline(t time.Time) error { return s.setLimit(t, reading, writing) }

// SetReadDeadline is like SetDeadline, for Read only.
func (s *socket) SetReadDeadline(t time.Time) error { return s.setLimit(t, reading) }

// SetWriteDeadline is like SetDeadline, for Write only.
func (s *socket) SetWriteDeadline(t time.Time) error { return s.setLimit(t, writing) }

// setLimit sets the caller's deadline of each of the directions, also for pending Reads and Writes.
func (s *socket) setLimit(t time.Time, directions ...direction) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range directions {
		s.limits[d] = t
	}
	return s.refresh(directions...)
}

// hasLimit reports whether the caller has set a deadline for d.
func (s *socket) hasLimit(d direction) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.limits[d].IsZero()
}

// refresh sets the deadlines of directions as if a Read or Write started now, also for pending
// ones. It does nothing if ctx is done. The caller holds mu.
func (s *socket) refresh(directions ...direction) (err error) {
	if s.ctx.Err() != nil {
		return nil //nolint:nilerr // a Read or Write returns that error
	}
	for _, d := range directions {
		err = errors.Join(err, s.apply(d, s.idleStart(d)))
	}
	return err
}

// Close closes the connection and ends pending Reads and Writes. A second Close returns nil.
func (s *socket) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.unbindContext()
	s.mu.Unlock()
	return s.Conn.Close()
}
