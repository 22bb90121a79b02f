package accesstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"locus/access"
	"locus/url"
)

// A Server is a scripted server. Its connections are pipes in memory. The first
// connection follows the first script, and so on. A connection without a script fails
// the test.
type Server struct {
	t       testing.TB
	scripts []Script
	repeat  bool
	done    sync.WaitGroup

	mu     sync.Mutex
	dialed []string
	conns  []*Conn
}

// Serve returns a server that follows the scripts, in order, one for each connection. When
// the test ends it closes its connections. It fails the test if a script failed or was not
// used.
func Serve(t testing.TB, scripts ...Script) *Server {
	t.Helper()
	s := &Server{t: t, scripts: scripts}
	t.Cleanup(s.finish)
	return s
}

// ServeAll returns a server that follows script on every connection. When the test ends it
// closes its connections. It fails the test if the script failed on one of them.
func ServeAll(t testing.TB, script Script) *Server {
	t.Helper()
	s := &Server{t: t, scripts: []Script{script}, repeat: true}
	t.Cleanup(s.finish)
	return s
}

// Dial connects to the server; it ignores the address. Several goroutines may call it at
// once.
func (s *Server) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	client, server := net.Pipe()
	c := newConn(server)
	script, i, ok := s.accept(address, c)
	if !ok {
		s.t.Errorf("connection %d to %s %s: there is no script for it", i, network, address)
		return nil, fmt.Errorf("dial %s %s: no script", network, address)
	}
	s.done.Go(c.pump)
	s.done.Go(func() {
		defer server.Close()
		if err := c.run(script); err != nil {
			s.t.Errorf("connection %d to %s: %v", i, address, err)
		}
	})
	return client, nil
}

// accept records a connection to address, whose server end is c. It returns the script for the
// connection, and its number i, counted from 0. ok is false if all scripts are used.
func (s *Server) accept(address string, c *Conn) (script Script, i int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i = len(s.dialed)
	s.dialed = append(s.dialed, address)
	if !s.repeat && i >= len(s.scripts) {
		return nil, i, false
	}
	s.conns = append(s.conns, c)
	if s.repeat {
		return s.scripts[0], i, true
	}
	return s.scripts[i], i, true
}

// Dialed returns the addresses that were dialled so far, in order.
func (s *Server) Dialed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.dialed...)
}

// Received returns all that the client has sent so far on the i-th connection; "" if the
// server has fewer connections.
func (s *Server) Received(i int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= len(s.conns) {
		return ""
	}
	return s.conns[i].sent()
}

// Wait waits until every connection was closed, by the client or by its script.
func (s *Server) Wait() { s.done.Wait() }

// finish closes the connections, waits until their scripts have ended, and fails the test if a
// script was not used. It runs when the test ends.
func (s *Server) finish() {
	s.mu.Lock()
	for _, c := range s.conns {
		c.conn.Close()
	}
	dialed := len(s.dialed)
	s.mu.Unlock()
	s.done.Wait()
	if !s.repeat && dialed < len(s.scripts) && !s.t.Failed() {
		s.t.Errorf("%d of %d scripts were used", dialed, len(s.scripts))
	}
}

// run does the steps of the script in order. It returns nil at its end, or if the client closes,
// and otherwise the error of a step with its number.
func (c *Conn) run(script Script) error {
	for i, step := range script {
		err := step(c)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// Change does op, which changes something, with the URL of req and with body, which may be nil. A
// Size of 0 in req means that the size is unknown.
func Change(ctx context.Context, e access.Engine, op access.Op, req *access.Request, body io.Reader) error {
	_, err := Add(ctx, e, op, req, body)
	return err
}

// Add does op, which changes something, with the URL of req and with body, which may be nil. It
// returns the URL in the Resource: for Append, the URL of the resource that was added. A Size of 0
// in req means that the size is unknown.
func Add(ctx context.Context, e access.Engine, op access.Op, req *access.Request, body io.Reader) (url.URL, error) {
	next := req.WithOp(op)
	next.Body = body
	if next.Size == 0 {
		next.Size = -1
	}
	r, err := e.Do(ctx, next)
	if err != nil {
		return url.URL{}, err
	}
	return r.URL, nil
}
