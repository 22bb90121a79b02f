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
)

// A Conn is a connection to a server. One goroutine may read while another
// writes. Close may be called at any time, more than once. Deadlines
// (SetDeadline and others) apply besides the idle limit; their errors are those
// of package net.
type Conn struct {
	net.Conn // socket, or TLS over it
	socket   *socket
	address  string // the dialed address; "" after Wrap
	tls      *tls.Config
	security access.Security
	tap      access.Tap // of the context; nil: nobody sees the bytes
}

// Read reads from the server. Over TLS, an end without close_notify is
// io.ErrUnexpectedEOF.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.read(p)
	if c.tap != nil && n > 0 {
		c.tap.Received(p[:n])
	}
	return n, err
}

// Write sends p.
func (c *Conn) Write(p []byte) (int, error) {
	if c.tap != nil { // before Write: the reply may come before that returns
		c.tap.Sent(p)
	}
	return c.Conn.Write(p)
}

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

// Bind binds the connection to ctx instead of its former context, and to the Tap of
// ctx. No Read or Write may be pending.
func (c *Conn) Bind(ctx context.Context) {
	c.socket.unbind()
	c.socket.bind(ctx)
	c.tap = access.TapOf(ctx)
}

// BindAgain is [Conn.Bind] for a connection that has served another request. It tells the
// request of ctx so.
func (c *Conn) BindAgain(ctx context.Context) {
	c.Bind(ctx)
	tell(ctx, c.socket.Conn, true)
}

// Unbind releases the connection from its context. It returns false if the
// context was already done. Then the connection can no longer be used.
func (c *Conn) Unbind() bool { return c.socket.unbind() }

// SetIdle changes the idle limit, also of pending Reads and Writes; 0 and negative: no
// limit.
func (c *Conn) SetIdle(limit time.Duration) { c.socket.setIdle(limit) }

// IdleLimit returns the idle limit; 0 means none.
func (c *Conn) IdleLimit() time.Duration {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	return c.socket.idle
}

// Heard returns the time of the last datagram received, or of the connection if
// there was none.
func (c *Conn) Heard() time.Time {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	return c.socket.lastDatagram
}

// RestartIdle restarts the idle limit of Reads of datagrams, for a caller that did not
// wait for one meanwhile.
func (c *Conn) RestartIdle() {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	c.socket.lastDatagram = time.Now()
}

// NetConn returns the connection that Dial returned.
func (c *Conn) NetConn() net.Conn { return c.socket.Conn }

// IsLocal reports whether the server is on this machine. A loopback address behind a proxy
// is on another one: its Network is neither tcp nor udp.
func (c *Conn) IsLocal() bool {
	remote := c.socket.RemoteAddr()
	if remote == nil || remote.Network() != "tcp" && remote.Network() != "udp" {
		return false
	}
	a, err := netip.ParseAddrPort(remote.String())
	return err == nil && a.Addr().Unmap().IsLoopback()
}

// Close closes the connection at once. Over TLS it sends no close_notify, which
// could block. CloseWrite sends one.
func (c *Conn) Close() error { return c.socket.Close() }

// CloseWrite tells the server that no more bytes follow. Read still works. It
// fails with errors.ErrUnsupported if the connection does not support it; TLS
// always does.
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
	return access.Reason("the connection cannot be closed for writing only", errors.ErrUnsupported)
}
