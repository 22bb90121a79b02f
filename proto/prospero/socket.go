package prospero

import (
	"net"
	"net/netip"

	"locus/proto/internal/wire"
)

// An unconnectedConn is a net.Conn over an unconnected UDP socket. It sends to one address and
// receives from all.
type unconnectedConn struct {
	net.PacketConn
	to   net.Addr
	from net.Addr // the sender of the last datagram that was read; nil before the first
}

// Read reads a datagram from any sender into p, and stores the sender in from.
func (u *unconnectedConn) Read(p []byte) (n int, err error) {
	n, u.from, err = u.ReadFrom(p)
	return n, err
}

// Write sends p as a datagram to u.to.
func (u *unconnectedConn) Write(p []byte) (int, error) { return u.WriteTo(p, u.to) }

// RemoteAddr returns the address that Write sends to.
func (u *unconnectedConn) RemoteAddr() net.Addr { return u.to }

// isFromPeer reports whether the last datagram came from the host that u sends to, from any
// of its ports.
func (u *unconnectedConn) isFromPeer() bool {
	if u.from == nil {
		return false
	}
	from, err := netip.ParseAddrPort(u.from.String())
	to, errTo := netip.ParseAddrPort(u.to.String())
	return err == nil && errTo == nil && from.Addr().Unmap() == to.Addr().Unmap()
}

// connect opens a socket to address and closes the previous socket. If the previous socket
// received from any address, the new socket does so too. It sends nothing.
func (r *ardpRequest) connect(address string) error {
	conn, err := r.dialer().DialUDP(r.ctx, address)
	if err != nil {
		return err
	}
	if r.unconnected != nil {
		if conn, err = r.disconnect(conn); err != nil {
			return err
		}
	}
	r.setConn(conn)
	return nil
}

// dialer returns a dialer with the Dial, Security and Idle of the client.
func (r *ardpRequest) dialer() wire.Dialer {
	c := r.client
	return wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}
}

// setConn makes conn the connection of the request, and closes the previous one.
func (r *ardpRequest) setConn(conn *wire.Conn) {
	if r.conn != nil {
		r.conn.Close()
	}
	r.conn = conn
}

// listenToAll makes the request receive from any address. It has no effect if the client has
// no ListenPacket, if the request already receives from any address, or if a packet of the
// reply has arrived.
func (r *ardpRequest) listenToAll() error {
	if r.hasReceived || r.unconnected != nil || r.client.ListenPacket == nil {
		return nil
	}
	conn, err := r.disconnect(r.conn)
	if err != nil {
		return err
	}
	r.setConn(conn)
	return nil
}

// disconnect closes conn, and returns a connection that sends to the same address but
// receives from all. Sending there is allowed, because Dial has accepted the address. It
// sets r.unconnected.
func (r *ardpRequest) disconnect(conn *wire.Conn) (*wire.Conn, error) {
	defer conn.Close()
	p, err := r.client.ListenPacket(r.ctx, "udp", ":0")
	if err != nil {
		return nil, err
	}
	r.unconnected = &unconnectedConn{PacketConn: p, to: conn.RemoteAddr()}
	return r.dialer().WrapUDP(r.ctx, r.unconnected, conn.Heard()), nil
}
