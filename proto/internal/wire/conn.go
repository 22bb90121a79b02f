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
// writes; Close may be called at any time, more than once. The deadlines that
// SetDeadline and its kin set apply besides the idle limit: when one of them
// passes the error is that of package net.
type Conn struct {
	net.Conn // socket, or TLS over it
	socket   *socket
	address  string // what was dialled; "" if it was wrapped
	tls      *tls.Config
	security access.Security
}

// Read reads what the server sends. Over TLS, an end that the server did not
// announce is io.ErrUnexpectedEOF.
func (c *Conn) Read(p []byte) (int, error) {
	if c.Conn == net.Conn(c.socket) {
		return c.socket.Read(p)
	}
	if err := c.Err(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.EOF) && c.socket.ended.Load() {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Err returns why the connection cannot be used: the cause of the context, or
// net.ErrClosed after Close; nil if it can.
func (c *Conn) Err() error {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	return c.socket.err()
}

// Bind binds the connection to ctx instead of the context before.
func (c *Conn) Bind(ctx context.Context) {
	c.Unbind()
	c.socket.bind(ctx)
}

// Unbind lets the connection outlive its context. It returns false if the
// context was done before: then the connection can no longer be used.
func (c *Conn) Unbind() bool {
	if !c.socket.unbind() {
		return false
	}
	c.socket.bind(context.Background())
	return true
}

// SetIdle changes the idle limit, of pending Reads and Writes too; 0 is no limit.
func (c *Conn) SetIdle(limit time.Duration) { c.socket.setIdle(limit) }

// Heard returns when the last datagram arrived; if none has, when the connection
// was made.
func (c *Conn) Heard() time.Time {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	return c.socket.heard
}

// NetConn returns the connection as it was dialled.
func (c *Conn) NetConn() net.Conn { return c.socket.Conn }

// IsLocal reports whether what is sent stays on this machine.
func (c *Conn) IsLocal() bool {
	remote := c.socket.RemoteAddr()
	if remote == nil {
		return false
	}
	a, err := netip.ParseAddrPort(remote.String())
	return err == nil && a.Addr().Unmap().IsLoopback()
}

// Close closes the connection at once. Over TLS it sends no close_notify, since
// that could wait for the server; CloseWrite does.
func (c *Conn) Close() error { return c.socket.Close() }

// CloseWrite tells the server that nothing more is sent. What the server sends
// can still be read. It fails with errors.ErrUnsupported if the connection below
// cannot do that; TLS can always do it.
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
	return access.Reason("the connection cannot be closed for writing alone", errors.ErrUnsupported)
}
