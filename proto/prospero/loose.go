package prospero

import (
	"net"

	"locus/proto/internal/wire"
)

// loose is a connection without a connected socket: it sends to one address
// and receives from all.
type loose struct {
	net.PacketConn
	to net.Addr
}

func (l loose) Read(p []byte) (int, error) {
	n, _, err := l.ReadFrom(p)
	return n, err
}

func (l loose) Write(p []byte) (int, error) { return l.WriteTo(p, l.to) }

func (l loose) RemoteAddr() net.Addr { return l.to }

// listen receives from any address from now on, if the client may and nothing
// has come from the one that was asked.
func (x *exchange) listen() error {
	if x.heard || x.loose || x.client.ListenPacket == nil {
		return nil
	}
	x.loose = true
	conn, err := x.loosen(x.conn)
	if err != nil {
		return err
	}
	x.use(conn)
	return nil
}

// loosen gives a connection to where conn leads, which it closes: whoever
// dialled conn has let the address through.
func (x *exchange) loosen(conn *wire.Conn) (*wire.Conn, error) {
	defer conn.Close()
	p, err := x.client.ListenPacket(x.ctx, "udp", ":0")
	if err != nil {
		return nil, err
	}
	return x.dialer().WrapUDP(x.ctx, loose{p, conn.RemoteAddr()}, conn.Heard()), nil
}
