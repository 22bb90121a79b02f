// Package bound has connections that live no longer than a context.
package bound

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// A Conn is a connection that is of no use once its context is done: what waits
// to read or to write then ends. Its errors say why: that of the context, or
// net.ErrClosed after Close. It may be used by several goroutines at once.
type Conn struct {
	net.Conn
	ctx    context.Context
	stop   func() bool // ends the watch over ctx
	closed atomic.Bool
}

// Dial connects to address over TCP, as [Connect] does.
func Dial(ctx context.Context, dial func(ctx context.Context, network, address string) (net.Conn, error), address string) (*Conn, error) {
	conn, err := Connect(ctx, dial, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &Conn{
		Conn: conn,
		ctx:  ctx,
		stop: context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }),
	}, nil
}

// Usable returns why the connection is of no use any more; nil if it is.
func (c *Conn) Usable() error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if c.closed.Load() {
		return net.ErrClosed
	}
	return nil
}

// Read reads what the other side sends.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, c.why(err)
}

// Write sends.
func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, c.why(err)
}

// why returns what is behind an error of the connection.
func (c *Conn) why(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	if reason := c.Usable(); reason != nil {
		return reason
	}
	return err
}

// Close closes the connection. It may be called at any time, more than once.
func (c *Conn) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	c.stop()
	return c.Conn.Close()
}
