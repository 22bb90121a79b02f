package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"time"

	"locus/access"
	"locus/access/engine"
)

// A Conn is a connection to a server. One goroutine may read while another writes. Close may be
// called at any time, more than once. Deadlines (SetDeadline and others) apply in addition to the
// idle limit; their errors are the errors of package net.
type Conn struct {
	net.Conn // socket, or TLS over it
	socket   *socket
	address  string // the dialed address; "" after Wrap
	tls      *tls.Config
	security access.Security
	tap      engine.Tap // the Tap of the context; may be nil
}

// Read reads from the server, and shows the bytes to the Tap if there is one. It fails with an
// [*IdleError] if the idle limit passes. Over TLS, an end without close_notify is
// io.ErrUnexpectedEOF.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.read(p)
	if c.tap != nil && n > 0 {
		c.tap.Received(p[:n])
	}
	return n, err
}

// Write shows p to the Tap, if there is one, and sends p. It fails with an [*IdleError] if the
// server does not accept a byte within the idle limit.
func (c *Conn) Write(p []byte) (int, error) {
	if c.tap != nil { // before Write, because the reply may come before Write returns
		c.tap.Sent(p)
	}
	return c.Conn.Write(p)
}

// Hide calls Hide of the Tap, if there is one. It must be called before a password is sent: see [engine.Tap].
func (c *Conn) Hide(texts ...string) {
	if c.tap != nil {
		c.tap.Hide(texts...)
	}
}

// read reads from the server for Read, which then shows the bytes to the Tap.
func (c *Conn) read(p []byte) (int, error) {
	if c.Conn == net.Conn(c.socket) {
		return c.socket.Read(p)
	}
	if err := c.Err(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	if access.IsEnd(err) && c.socket.hasEnded.Load() {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Err returns the reason why the connection cannot be used: the cause of the
// context, or net.ErrClosed after Close. It returns nil if the connection can
// be used.
func (c *Conn) Err() error {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	return c.socket.err()
}

// Bind binds the connection to ctx and the Tap of ctx, in the place of its former context. No Read
// or Write may be pending.
func (c *Conn) Bind(ctx context.Context) {
	c.socket.unbind()
	c.socket.bind(ctx)
	c.tap = engine.TapOf(ctx)
}

// BindAgain is like [Conn.Bind], for a connection that has served another request. It also calls
// the function of access.WithConnected, if ctx has one, with Reused set.
func (c *Conn) BindAgain(ctx context.Context) {
	c.Bind(ctx)
	reportConnection(ctx, c.socket.Conn, true)
}

// Unbind releases the connection from its context. It returns false if the
// context was already done. Then the connection can no longer be used.
func (c *Conn) Unbind() bool { return c.socket.unbind() }

// SetIdle changes the idle limit, also for pending Reads and Writes. Zero or less means no limit.
func (c *Conn) SetIdle(limit time.Duration) { c.socket.setIdle(limit) }

// IdleLimit returns the idle limit; 0 means no limit.
func (c *Conn) IdleLimit() time.Duration {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	return c.socket.idle
}

// Heard returns the time from which the idle limit of datagrams counts: the time of the last datagram
// received, or of a later RestartIdle. Before both, it is the time at which the connection was made,
// or the time that WrapUDP got.
func (c *Conn) Heard() time.Time {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	return c.socket.lastDatagram
}

// RestartIdle restarts the idle limit for Reads of datagrams. A caller needs it after a time in
// which it did not wait for a datagram, because the limit counts from the last datagram.
func (c *Conn) RestartIdle() {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	c.socket.lastDatagram = time.Now()
}

// NetConn returns the connection that Dial returned, or the argument of Wrap. Its Read and Write
// bypass TLS, the idle limit and the context.
func (c *Conn) NetConn() net.Conn { return c.socket.Conn }

// IsLocal reports whether the server is on this machine. A loopback address behind a proxy does not
// count, because it is on another machine; its Network is neither tcp nor udp.
func (c *Conn) IsLocal() bool {
	remote := c.socket.RemoteAddr()
	if remote == nil || remote.Network() != "tcp" && remote.Network() != "udp" {
		return false
	}
	a, err := netip.ParseAddrPort(remote.String())
	return err == nil && a.Addr().Unmap().IsLoopback()
}

// Close closes the connection at once. Over TLS it does not send close_notify, because that could
// block; CloseWrite does.
func (c *Conn) Close() error { return c.socket.Close() }

// CloseWrite tells the server that no more bytes follow. Read still works. The error is
// errors.ErrUnsupported if the connection does not support it; TLS always does.
func (c *Conn) CloseWrite() error {
	secure, isTLS := c.Conn.(*tls.Conn)
	if isTLS {
		if err := secure.CloseWrite(); err != nil {
			return err
		}
	}
	half, ok := c.socket.Conn.(interface{ CloseWrite() error })
	switch {
	case ok:
		return half.CloseWrite()
	case isTLS:
		return nil
	}
	return engine.Reason("the connection cannot be closed for writing only", errors.ErrUnsupported)
}
