package mail

import (
	"context"
	"net"

	"locus/access"
	"locus/proto/internal/wire"
)

// Dial connects; it is the type of the method DialContext of a net.Dialer.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// dial connects to a server, and starts TLS at once if implicit is set.
func dial(ctx context.Context, d wire.Dialer, address string, implicit bool) (*wire.Conn, error) {
	if implicit {
		return d.DialTLS(ctx, address)
	}
	return d.DialTCP(ctx, address)
}

// A tipped error says what the user can do about it.
type tipped struct {
	error
	tip string
}

// Unwrap returns the error itself.
func (t *tipped) Unwrap() error { return t.error }

// Hint returns what the user can do about it.
func (t *tipped) Suggest() access.Remedy { return access.Advice(t.tip) }
