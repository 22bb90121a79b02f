package mail

import (
	"context"
	"net"

	"locus/proto/internal/wire"
)

// Dial is a function that connects, like DialContext of a net.Dialer.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// dial connects to a server. It starts TLS at once if implicit is set.
func dial(ctx context.Context, d wire.Dialer, address string, implicit bool) (*wire.Conn, error) {
	if implicit {
		return d.DialTLS(ctx, address)
	}
	return d.DialTCP(ctx, address)
}
