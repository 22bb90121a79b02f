package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/pires/go-proxyproto"
	"github.com/pires/go-proxyproto/tlvparse"

	"locus/internal/forwarded"
)

// proxyHeaderTime is the time in which a trusted proxy must send its PROXY header. Proxies send it at once.
const proxyHeaderTime = 5 * time.Second

// maxProxyHeader is the size of the buffer for a PROXY header and the bytes that arrive with it. A header of version 1
// has at most 107 bytes. A header of version 2 may be longer than the buffer, because the library bounds it.
const maxProxyHeader = 1 << 10

// A proxyListener accepts connections. A connection of a trusted proxy begins with a PROXY header (the PROXY protocol of
// HAProxy, version 1 and 2), which the proxyListener reads. It closes a connection of a trusted proxy without such a
// header. It returns other connections unchanged, so a PROXY header of a stranger is not valid HTTP.
//
// It reads each header in a goroutine of its own, because net/http asks for the address of a connection while it accepts
// it: one slow proxy would delay all clients.
type proxyListener struct {
	net.Listener
	proxies forwarded.Proxies
	log     *slog.Logger // may be nil

	accepted chan acceptedConn
	ctx      context.Context //nolint:containedctx // it ends with Close
	cancel   context.CancelFunc
}

// An acceptedConn is a result of Accept.
type acceptedConn struct {
	net.Conn
	err error
}

// newProxyListener returns a listener that accepts the connections of l and closes l with Close. It starts to accept
// connections at once. log gets a line for each connection of a proxy without a valid header; nil discards the lines.
func newProxyListener(l net.Listener, proxies forwarded.Proxies, log *slog.Logger) *proxyListener {
	p := &proxyListener{Listener: l, proxies: proxies, log: log, accepted: make(chan acceptedConn)}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	go p.acceptAll()
	return p
}

// Accept returns the next connection whose client is known: a *proxiedConn from a trusted proxy, or the connection of
// another peer. After Close, the error is net.ErrClosed.
func (l *proxyListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c.Conn, c.err
	case <-l.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close closes the listener, and the connections that Accept has not returned. It leaves other connections open.
func (l *proxyListener) Close() error {
	l.cancel()
	return l.Listener.Close()
}

// acceptAll accepts connections, and delivers them or starts to read their headers, until the listener is closed.
func (l *proxyListener) acceptAll() {
	for {
		c, err := l.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			l.deliver(acceptedConn{err: err})
			return
		case err != nil:
			l.deliver(acceptedConn{err: err}) // net/http waits before it accepts again
		case l.isTrusted(c):
			go l.readHeader(c)
		default:
			l.deliver(acceptedConn{Conn: c})
		}
	}
}

// isTrusted reports whether the peer of c is a trusted proxy, which must send a PROXY header.
func (l *proxyListener) isTrusted(c net.Conn) bool {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	return err == nil && l.proxies.Contains(at.Addr())
}

// deliver waits until Accept returns c. If l is closed first, it closes the connection of c.
func (l *proxyListener) deliver(c acceptedConn) {
	select {
	case l.accepted <- c:
	case <-l.ctx.Done():
		if c.Conn != nil {
			_ = c.Conn.Close() // the client is told nothing either way
		}
	}
}

// readHeader reads the PROXY header of c, a connection of a trusted proxy, and delivers the connection. If the header
// is missing or invalid, it closes and logs the connection. It does not log a connection without any byte, because
// programs that check a server's health open such connections.
func (l *proxyListener) readHeader(c net.Conn) {
	stop := context.AfterFunc(l.ctx, func() { _ = c.Close() })
	proxied, err := readProxyHeader(c)
	stop()
	if err == nil {
		l.deliver(acceptedConn{Conn: proxied})
		return
	}
	_ = c.Close() // the error of the header is the reason
	if l.log != nil && !errors.Is(err, errNoByte) && l.ctx.Err() == nil {
		l.log.Warn("a proxy was refused", slog.String("client", c.RemoteAddr().String()), slog.String("error", err.Error()))
	}
}

// errNoByte is the error for a connection that ends, or stays silent, before its first byte.
var errNoByte = errors.New("the connection has no PROXY header")

// readProxyHeader reads the PROXY header of c within proxyHeaderTime, and returns c with the addresses in the header.
// The error wraps errNoByte if c sends no byte. The caller closes c after an error.
func readProxyHeader(c net.Conn) (*proxiedConn, error) {
	if err := c.SetReadDeadline(time.Now().Add(proxyHeaderTime)); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(c, maxProxyHeader)
	if _, err := in.Peek(1); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoByte, err)
	}
	h, err := proxyproto.Read(in)
	if err != nil {
		return nil, fmt.Errorf("read the PROXY header: %w", err)
	}
	unread, _ := in.Peek(in.Buffered()) // it has as many bytes
	proxied := &proxiedConn{Conn: c, unread: unread}
	proxied.setHeader(h)
	return proxied, c.SetReadDeadline(time.Time{})
}

// A proxiedConn is a connection of a client through a proxy. Its addresses are the two ends of the connection between
// the client and the proxy, if the proxy tells them.
type proxiedConn struct {
	net.Conn
	unread        []byte   // bytes after the header that Read has not returned
	remote, local net.Addr // nil: the addresses of Conn
	namesClient   bool     // the header has the address of the client
	isEncrypted   bool     // the client uses TLS, and the proxy has ended it
}

// setHeader takes the addresses from a header, and whether the client uses TLS. It ignores a header with LOCAL or
// UNKNOWN, which a proxy sends if it opens a connection for itself, such as to check the server's health.
func (c *proxiedConn) setHeader(h *proxyproto.Header) {
	from, to, ok := h.TCPAddrs()
	if h.Command.IsLocal() || !ok {
		return
	}
	c.remote, c.local, c.namesClient = from, to, true
	all, err := h.TLVs()
	if err != nil {
		return
	}
	for _, one := range all {
		if ssl, err := tlvparse.SSL(one); err == nil && ssl.ClientSSL() {
			c.isEncrypted = true
		}
	}
}

// Read returns the bytes after the header: first the bytes that arrived together with it, then further bytes of Conn.
func (c *proxiedConn) Read(p []byte) (int, error) {
	if len(c.unread) > 0 {
		n := copy(p, c.unread)
		c.unread = c.unread[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// RemoteAddr returns the address of the client or, if the header does not tell it, of the proxy.
func (c *proxiedConn) RemoteAddr() net.Addr {
	if c.remote != nil {
		return c.remote
	}
	return c.Conn.RemoteAddr()
}

// LocalAddr returns the address at which the proxy has accepted the client or, if the header does not tell it, the
// local address of Conn.
func (c *proxiedConn) LocalAddr() net.Addr {
	if c.local != nil {
		return c.local
	}
	return c.Conn.LocalAddr()
}

// CloseWrite closes the writing half of the connection. It returns errors.ErrUnsupported if Conn has no CloseWrite.
func (c *proxiedConn) CloseWrite() error { return closeWrite(c.Conn) }

// proxiedConnOf returns the connection of the request with this context, or nil if the connection has no PROXY header.
// It looks inside a TLS connection.
func proxiedConnOf(ctx context.Context) *proxiedConn {
	c, _ := ctx.Value(arrivalKey{}).(net.Conn)
	if t, ok := c.(*targetConn); ok {
		c = t.Conn
	}
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	p, _ := c.(*proxiedConn)
	return p
}
