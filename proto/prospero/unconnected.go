package prospero

import (
	"net"

	"locus/proto/internal/wire"
)

// An unconnected socket sends to one address and receives from all.
type unconnected struct {
	net.PacketConn
	to net.Addr
}

func (l unconnected) Read(p []byte) (int, error) {
	n, _, err := l.ReadFrom(p)
	return n, err
}

func (l unconnected) Write(p []byte) (int, error) { return l.WriteTo(p, l.to) }

func (l unconnected) RemoteAddr() net.Addr { return l.to }

// listenToAll makes the exchange receive from any address. It does nothing if the
// client has no ListenPacket, or if the peer has sent a packet.
func (x *exchange) listenToAll() error {
	if x.hasHeard || x.unconnected || x.client.ListenPacket == nil {
		return nil
	}
	x.unconnected = true
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
	return x.dialer().WrapUDP(x.ctx, unconnected{p, conn.RemoteAddr()}, conn.Heard()), nil
}
