package wire

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A Sender is a connection whose Write has an idle limit: it fails with an [*IdleError] if the
// server does not accept a byte for that time. Read has no idle limit.
// A Sender remembers the first bytes of the server, because they tell which protocol it speaks.
// Read waits for the first Write, because net/http drops a greeting that it reads before it sends a request.
type Sender struct {
	net.Conn
	socket *socket

	used    chan struct{} // closed by the first Write, or by Close
	setUsed func()        // closes used; may be called again

	answered atomic.Bool   // ExpectAnswer was called
	ended    chan struct{} // closed by the first Read that fails, or by Close
	setEnded func()        // closes ended; may be called again

	began    [32]byte // the first bytes that Read has returned
	beganLen atomic.Int32
}

// Sender returns conn as a Sender with the idle limit of d.
func (d Dialer) Sender(conn net.Conn) *Sender {
	used, ended := make(chan struct{}), make(chan struct{})
	return &Sender{
		Conn:    conn,
		socket:  d.Wrap(context.Background(), conn).socket,
		used:    used,
		setUsed: sync.OnceFunc(func() { close(used) }),

		ended:    ended,
		setEnded: sync.OnceFunc(func() { close(ended) }),
	}
}

// Read waits for the first call of Write or Close, and then reads from the server. It keeps the first bytes for Began.
// One goroutine may call Read at a time.
func (s *Sender) Read(p []byte) (int, error) {
	<-s.used
	n, err := s.Conn.Read(p)
	if err != nil {
		s.setEnded()
	}
	if had := s.beganLen.Load(); n > 0 && int(had) < len(s.began) {
		s.beganLen.Store(had + int32(copy(s.began[had:], p[:n])))
	}
	return n, err
}

// Began returns the first 32 bytes that Read has returned, or fewer if it has returned fewer.
func (s *Sender) Began() string { return string(s.began[:s.beganLen.Load()]) }

// ExpectAnswer tells s that from now on another goroutine reads until Read fails, or closes s. A Write that fails then
// waits for that, at most answerWait. So net/http gets the answer of a server that refuses a request, and closes the
// connection, before it has read the whole request. Otherwise net/http would drop the answer. Write does not wait after
// a timeout, nor with a deadline, with which package tls sends its last message before it closes the connection.
func (s *Sender) ExpectAnswer() { s.answered.Store(true) }

// answerWait limits the time in which a Write that has failed waits for the reader. After a reset the last bytes are
// already there. It is a limit because the reader itself may write, such as an alert of TLS.
const answerWait = 5 * time.Second

// Write sends p. The idle limit restarts whenever the server accepts some bytes. See also [Sender.ExpectAnswer].
func (s *Sender) Write(p []byte) (int, error) {
	s.setUsed()
	n, err := s.socket.Write(p)
	s.socket.endWrite()
	if err == nil || IsTimeout(err) || !s.answered.Load() || s.socket.hasLimit(writing) {
		return n, err
	}
	select {
	case <-s.ended:
	case <-time.After(answerWait):
	}
	return n, err
}

// IsSending reports whether a Write is pending and the server has accepted bytes recently. If the server accepts none,
// Write fails after the idle limit. IsSending is false after twice the idle limit without progress, because conn may
// not support deadlines.
func (s *Sender) IsSending() bool {
	s.socket.mu.Lock()
	defer s.socket.mu.Unlock()
	since := s.socket.writeStart
	return !since.IsZero() && time.Since(since) < 2*s.socket.idle
}

// SetDeadline sets a deadline for Read and Write; zero means no deadline.
func (s *Sender) SetDeadline(t time.Time) error {
	return errors.Join(s.SetReadDeadline(t), s.SetWriteDeadline(t))
}

// SetWriteDeadline sets a deadline for Write in addition to the idle limit; zero means no deadline.
func (s *Sender) SetWriteDeadline(t time.Time) error { return s.socket.SetWriteDeadline(t) }

// Close closes the connection, and ends pending calls of Read and Write. A second Close returns nil.
func (s *Sender) Close() error {
	s.setUsed()
	s.setEnded()
	return s.socket.Close()
}
