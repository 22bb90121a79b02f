// Package serve has code that the demo's servers share: a bounded number of connections, idle
// timeouts, and lines of bounded length.
package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"time"
)

// Connections is the recommended maximum number of simultaneous connections of a server.
const Connections = 64

// A Log is called with each request of a client. A nil Log ignores them.
type Log func(line string)

// Line calls l with a line, unless l is nil.
func (l Log) Line(line string) {
	if l != nil {
		l(line)
	}
}

// ErrLineTooLong reports that a line is longer than the reader's buffer.
var ErrLineTooLong = errors.New("line too long")

// Run accepts connections from l and calls handle for each in its own goroutine, until ctx is done
// or l fails. At most limit connections are open at once; Run accepts the next one when a call has
// returned. Run closes each connection after handle. When Run returns, l and every connection are
// closed and every handle has returned. It returns nil if ctx was done.
func Run(ctx context.Context, l net.Listener, limit int, handle func(context.Context, net.Conn)) error {
	ctx, cancel := context.WithCancel(ctx)
	l = Limit(l, limit)
	defer l.Close()
	context.AfterFunc(ctx, func() { l.Close() })

	var handlers sync.WaitGroup
	defer handlers.Wait()
	defer cancel()
	for {
		c, err := l.Accept()
		if ctx.Err() != nil {
			if err == nil {
				c.Close()
			}
			return nil
		}
		if err != nil {
			return err
		}
		handlers.Go(func() {
			defer c.Close()
			defer context.AfterFunc(ctx, func() { c.Close() })()
			handle(ctx, c)
			linger(c)
		})
	}
}

// linger closes the writing side of c, and discards the bytes that the client still sends, for at
// most five seconds or 64 KiB. This is needed because a connection that is closed with unread bytes
// is reset, possibly before the client has read everything.
func linger(c net.Conn) {
	w, ok := c.(interface{ CloseWrite() error })
	if !ok || w.CloseWrite() != nil || c.SetReadDeadline(time.Now().Add(5*time.Second)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, c, 64<<10) // errors do not matter
}

// Limit returns a listener that accepts from l and has at most limit open connections. If there are
// as many, Accept waits until a connection is closed.
func Limit(l net.Listener, limit int) net.Listener {
	return &limited{Listener: l, slots: make(chan struct{}, limit), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	slots  chan struct{}
	once   sync.Once
	closed chan struct{}
}

// Accept returns the next connection, once fewer than limit connections are open. After Close the
// error is net.ErrClosed.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slot{Conn: c, release: sync.OnceFunc(func() { <-l.slots })}, nil
}

// Close closes the listener, and ends every waiting Accept.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type slot struct {
	net.Conn
	release func()
}

// Close closes the connection, and makes room for another one.
func (s *slot) Close() error {
	defer s.release()
	return s.Conn.Close()
}

// CloseWrite closes the writing side. The error is errors.ErrUnsupported if the connection cannot
// do that.
func (s *slot) CloseWrite() error {
	if w, ok := s.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return errors.ErrUnsupported
}

// WithIdle returns a connection on which each Read and Write takes at most idle.
func WithIdle(c net.Conn, idle time.Duration) net.Conn { return &idleConn{c, idle} }

type idleConn struct {
	net.Conn
	idle time.Duration
}

// Read reads from the connection, for at most p.idle.
func (p *idleConn) Read(b []byte) (int, error) {
	if err := p.SetReadDeadline(time.Now().Add(p.idle)); err != nil {
		return 0, err
	}
	return p.Conn.Read(b)
}

// Write writes to the connection, for at most p.idle.
func (p *idleConn) Write(b []byte) (int, error) {
	if err := p.SetWriteDeadline(time.Now().Add(p.idle)); err != nil {
		return 0, err
	}
	return p.Conn.Write(b)
}

// Line reads a line and returns it without its CR LF or LF. If the line is longer than r's
// buffer, the error is [ErrLineTooLong].
func Line(r *bufio.Reader) (string, error) {
	b, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", ErrLineTooLong
	}
	if err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b[:len(b)-1], []byte("\r"))), nil
}

// Host returns the host of a network address, or the whole text if it has no port.
func Host(a net.Addr) string {
	host, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	return host
}

// A Link leads from one server to the root of another on the same host.
type Link struct {
	Title  string
	Scheme string
	Login  string // before the host, with "@"; "" if the server needs none
	Port   uint16
}

// URL returns the URL of the link on host, a name or an address without brackets.
func (l Link) URL(host string) string {
	return l.Scheme + "://" + l.Login + net.JoinHostPort(host, strconv.Itoa(int(l.Port))) + "/"
}
