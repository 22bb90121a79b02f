package accesstest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"locus/access"
)

// patience is [Config.Patience] where none is given.
const patience = time.Minute

func newSuite(t *testing.T, c Config) *suite {
	c.Patience = cmp.Or(c.Patience, patience)
	s := &suite{Config: c, t: t, goroutines: runtime.NumGoroutine()}
	var dial Dial
	if c.Dial != nil {
		s.dials.dial = c.Dial
		dial = s.dials.Dial
	}
	s.engine = c.New(dial)
	return s
}

// A counter is a Dial that counts how many connections were made and how many
// are open.
type counter struct {
	dial Dial
	mu   sync.Mutex
	made int
	open int
}

func (c *counter) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	c.add(1, 0)
	conn, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.add(0, 1)
	return &counted{Conn: conn, close: sync.OnceFunc(func() { c.add(0, -1) })}, nil
}

func (c *counter) add(made, open int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made += made
	c.open += open
}

func (c *counter) counts() (made, open int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made, c.open
}

type counted struct {
	net.Conn
	close func()
}

func (c *counted) Close() error {
	defer c.close()
	return c.Conn.Close()
}

func (s *suite) dialsNothing() {
	s.t.Helper()
	if made, _ := s.dials.counts(); made > 0 {
		s.t.Errorf("%d connections were made, want none", made)
	}
}

// leavesNothing checks that the engine has closed its connections and ended its
// goroutines. An engine that keeps idle connections has a method
// CloseIdleConnections, as http.Client has.
func (s *suite) leavesNothing() {
	closeIdle := func() {}
	if idler, ok := s.engine.(interface{ CloseIdleConnections() }); ok {
		closeIdle = idler.CloseIdleConnections
	}
	var open, goroutines int
	settles := s.within(func() bool {
		closeIdle() // a connection may become idle only some time after Close
		_, open = s.dials.counts()
		goroutines = runtime.NumGoroutine()
		return open == 0 && goroutines <= s.goroutines
	})
	if !settles {
		s.t.Errorf("left behind: %d open connections and %d goroutines", open, goroutines-s.goroutines)
	}
}

// within reports whether ok comes true before Patience ends.
func (s *suite) within(ok func() bool) bool {
	for start := time.Now(); time.Since(start) < s.Patience; runtime.Gosched() {
		if ok() {
			return true
		}
	}
	return false
}

func (s *suite) cancelBeforeOpen() {
	ctx, cancel := context.WithCancel(s.t.Context())
	cancel()
	if err := s.fails(ctx, s.Object); !errors.Is(err, context.Canceled) {
		s.t.Errorf("Open with a context that is done = %v, want context.Canceled", err)
	}
}

func (s *suite) cancelWhileReading() {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	r := s.open(ctx, &access.Request{URL: s.Object})
	defer r.Body.Close()
	if _, err := io.ReadFull(r.Body, make([]byte, 1)); err != nil {
		s.t.Fatalf("reading the first octet: %v", err)
	}
	cancel()
	if n, err := r.Body.Read(make([]byte, 1)); n > 0 || !errors.Is(err, context.Canceled) {
		s.t.Errorf("Read after cancel = %d, %v, want 0, context.Canceled", n, err)
	}
}

func (s *suite) cancelStalled() {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	err := s.unblocks(func(*access.Resource) { cancel() }, ctx)
	if !errors.Is(err, context.Canceled) {
		s.t.Errorf("Read of a server that stalls, after cancel = %v, want context.Canceled", err)
	}
}

func (s *suite) closeStalled() {
	err := s.unblocks(func(r *access.Resource) { r.Body.Close() }, s.t.Context())
	if err == nil || errors.Is(err, io.EOF) {
		s.t.Errorf("Read of a server that stalls, after Close = %v, want an error that is not io.EOF", err)
	}
}

// unblocks opens what stalls, reads it, calls free while Read is stuck, and
// returns what reading gave.
func (s *suite) unblocks(free func(*access.Resource), ctx context.Context) error {
	s.t.Helper()
	r := s.open(ctx, &access.Request{URL: s.Stalled})
	defer r.Body.Close()
	if _, err := io.ReadFull(r.Body, make([]byte, 1)); err != nil {
		s.t.Fatalf("reading the first octet of %q: %v", s.Stalled, err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, r.Body)
		done <- err
	}()
	runtime.Gosched()
	free(r)
	select {
	case err := <-done:
		return err
	case <-time.After(s.Patience):
		s.t.Fatalf("Read is still stuck after %v", s.Patience)
		return nil
	}
}

func (s *suite) closeEarly() {
	r := s.open(s.t.Context(), &access.Request{URL: s.Object})
	if _, err := io.ReadFull(r.Body, make([]byte, 1)); err != nil {
		s.t.Fatalf("reading the first octet: %v", err)
	}
	r.Body.Close()
	r.Body.Close()
	if n, err := r.Body.Read(make([]byte, 1)); n > 0 || err == nil || errors.Is(err, io.EOF) {
		s.t.Errorf("Read after Close = %d, %v, want 0 and an error that is not io.EOF", n, err)
	}
}
