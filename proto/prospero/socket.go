package prospero

import (
	"net"
	"net/netip"

	"locus/proto/internal/wire"
)

// An unconnected socket sends to one address and receives from all.
type unconnected struct {
	net.PacketConn
	to   net.Addr
	from net.Addr // of the last datagram
}

func (u *unconnected) Read(p []byte) (n int, err error) {
	n, u.from, err = u.ReadFrom(p)
	return n, err
}

func (u *unconnected) Write(p []byte) (int, error) { return u.WriteTo(p, u.to) }

func (u *unconnected) RemoteAddr() net.Addr { return u.to }

// isOfPeer reports whether the last datagram came from the host that u sends to.
func (u *unconnected) isOfPeer() bool {
	if u.from == nil {
		return false
	}
	from, err := netip.ParseAddrPort(u.from.String())
	to, errTo := netip.ParseAddrPort(u.to.String())
	return err == nil && errTo == nil && from.Addr().Unmap() == to.Addr().Unmap()
}

// connect makes address the peer.
func (x *exchange) connect(address string) error {
	conn, err := x.dialer().DialUDP(x.ctx, address)
	if err != nil {
		return err
	}
	if x.open != nil {
		if conn, err = x.disconnect(conn); err != nil {
			return err
		}
	}
	x.setConn(conn)
	return nil
}

func (x *exchange) dialer() wire.Dialer {
	c := x.client
	return wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}
}

func (x *exchange) setConn(conn *wire.Conn) {
	if x.conn != nil {
		x.conn.Close()
	}
	x.conn = conn
}

// listenToAll makes the exchange receive from any address. It does nothing if the
// client has no ListenPacket, or if the peer has sent a packet.
func (x *exchange) listenToAll() error {
	if x.hasHeard || x.open != nil || x.client.ListenPacket == nil {
		return nil
	}
	conn, err := x.disconnect(x.conn)
	if err != nil {
		return err
	}
	x.setConn(conn)
	return nil
}

// disconnect closes conn and returns an unconnected socket with the same peer. The
// address is allowed, because Dial has accepted it.
func (x *exchange) disconnect(conn *wire.Conn) (*wire.Conn, error) {
	defer conn.Close()
	p, err := x.client.ListenPacket(x.ctx, "udp", ":0")
	if err != nil {
		return nil, err
	}
	x.open = &unconnected{PacketConn: p, to: conn.RemoteAddr()}
	return x.dialer().WrapUDP(x.ctx, x.open, conn.Heard()), nil
}
