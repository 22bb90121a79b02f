package accesstest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"locus/access"
	"locus/proto"
)

// timeout is the default of [Config.Timeout].
const timeout = time.Minute

// newSuite returns a suite whose engine is checked, and whose connections are counted.
func newSuite(t *testing.T, c Config) *suite {
	if c.Timeout = cmp.Or(c.Timeout, timeout); c.Timeout < 0 {
		c.Timeout = math.MaxInt64
	}
	s := &suite{Config: c, t: t, goroutines: runtime.NumGoroutine()}
	var dial proto.Dial
	if c.Dial != nil {
		s.dials.dial = c.Dial
		dial = s.dials.Dial
	}
	s.engine = checked{c.New(dial), t}
	return s
}

// A counter is a Dial that counts the connections it made and those still open.
type counter struct {
	dial       proto.Dial
	made, open atomic.Int64
}

// Dial connects with dial. It counts the call in made, and the connection in open until it is
// closed.
func (c *counter) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	c.made.Add(1)
	conn, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.open.Add(1)
	return &counted{Conn: conn, close: sync.OnceFunc(func() { c.open.Add(-1) })}, nil
}

type counted struct {
	net.Conn
	close func()
}

// Close closes the connection and takes it off the count of open ones. A second Close does not
// count.
func (c *counted) Close() error {
	defer c.close()
	return c.Conn.Close()
}

// dialsNothing fails the test if the engine has dialled since the suite was made.
func (s *suite) dialsNothing() {
	s.t.Helper()
	if made := s.dials.made.Load(); made > 0 {
		s.t.Errorf("%d connections were made, want 0", made)
	}
}

// leavesNothing fails the test if the engine keeps connections open, or goroutines running, for
// longer than Timeout. It calls CloseIdleConnections, if the engine has that method.
func (s *suite) leavesNothing() {
	closeIdle := func() {}
	if idler, ok := s.engine.(checked).Engine.(interface{ CloseIdleConnections() }); ok {
		closeIdle = idler.CloseIdleConnections
	}
	var open int64
	var goroutines int
	isSettled := s.becomesTrue(func() bool {
		closeIdle() // a connection may become idle only some time after Close
		open = s.dials.open.Load()
		goroutines = runtime.NumGoroutine()
		return open == 0 && goroutines <= s.goroutines
	})
	if !isSettled {
		s.t.Errorf("left behind: %d open connections and %d goroutines", open, goroutines-s.goroutines)
	}
}

// becomesTrue calls ok until it returns true, and returns true; false if Timeout passes before
// that.
func (s *suite) becomesTrue(ok func() bool) bool {
	for start := time.Now(); time.Since(start) < s.Timeout; runtime.Gosched() {
		if ok() {
			return true
		}
	}
	return false
}

// cancelBeforeOpen tests that a request whose context is done fails with context.Canceled.
func (s *suite) cancelBeforeOpen() {
	ctx, cancel := context.WithCancel(s.t.Context())
	cancel()
	if err := s.fails(ctx, s.Object); !errors.Is(err, context.Canceled) {
		s.t.Errorf("Open with a context that is done = %v, want context.Canceled", err)
	}
}

// cancelWhileReading tests that Read fails with context.Canceled when the context is cancelled
// after the first byte.
func (s *suite) cancelWhileReading() {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	r := s.open(ctx, &access.Request{URL: s.Object})
	defer r.Body.Close()
	if _, err := io.ReadFull(r.Body, make([]byte, 1)); err != nil {
		s.t.Fatalf("reading the first byte: %v", err)
	}
	cancel()
	if n, err := r.Body.Read(make([]byte, 1)); n > 0 || !errors.Is(err, context.Canceled) {
		s.t.Errorf("Read after cancel = %d, %v, want 0, context.Canceled", n, err)
	}
}

// cancelStalled tests that cancelling the context ends a Read that waits for a silent server.
func (s *suite) cancelStalled() {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	err := s.readStalled(func(*access.Resource) { cancel() }, ctx)
	if !errors.Is(err, context.Canceled) {
		s.t.Errorf("Read of a server that stalls, after cancel = %v, want context.Canceled", err)
	}
}

// closeStalled tests that Close ends a Read that waits for a silent server, with an error other
// than io.EOF.
func (s *suite) closeStalled() {
	err := s.readStalled(func(r *access.Resource) { r.Body.Close() }, s.t.Context())
	if err == nil || errors.Is(err, io.EOF) {
		s.t.Errorf("Read of a server that stalls, after Close = %v, want an error that is not io.EOF", err)
	}
}

// readStalled opens the stalled resource with ctx, reads one byte, and reads the rest in another
// goroutine. It calls unblock, waits for the reading to end, and returns its error. It ends the
// test if that takes longer than Timeout.
func (s *suite) readStalled(unblock func(*access.Resource), ctx context.Context) error {
	s.t.Helper()
	r := s.open(ctx, &access.Request{URL: s.Stalled})
	defer r.Body.Close()
	if _, err := io.ReadFull(r.Body, make([]byte, 1)); err != nil {
		s.t.Fatalf("reading the first byte of %q: %v", s.Stalled, err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, r.Body)
		done <- err
	}()
	runtime.Gosched()
	unblock(r)
	select {
	case err := <-done:
		return err
	case <-time.After(s.Timeout):
		s.t.Fatalf("Read is still stuck after %v", s.Timeout)
		return nil
	}
}

// closeEarly tests that the Body can be closed before its end, and twice, and that a later Read
// fails with an error other than io.EOF.
func (s *suite) closeEarly() {
	r := s.open(s.t.Context(), &access.Request{URL: s.Object})
	if _, err := io.ReadFull(r.Body, make([]byte, 1)); err != nil {
		s.t.Fatalf("reading the first byte: %v", err)
	}
	r.Body.Close()
	r.Body.Close()
	if n, err := r.Body.Read(make([]byte, 1)); n > 0 || err == nil || errors.Is(err, io.EOF) {
		s.t.Errorf("Read after Close = %d, %v, want 0 and an error that is not io.EOF", n, err)
	}
}
