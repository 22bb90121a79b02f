package mail

import (
	"context"
	"crypto/tls"
	"net"

	dialling "locus/proto/internal/bound"
)

// Dial connects; it is the type of the method DialContext of a net.Dialer.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// A bound connection is closed by its context.
type bound struct {
	net.Conn
	stop func() bool
}

// Close closes the connection.
func (b *bound) Close() error {
	b.stop()
	return b.Conn.Close()
}

// connect dials, and makes the connection secure at once if implicit is set.
func connect(ctx context.Context, dial Dial, address string, implicit bool, config *tls.Config) (net.Conn, error) {
	conn, err := dialling.Connect(ctx, dial, "tcp", address)
	if err != nil {
		return nil, err
	}
	b := &bound{Conn: conn, stop: context.AfterFunc(ctx, func() { conn.Close() })}
	if !implicit {
		return b, nil
	}
	secure, err := secured(ctx, b, address, config)
	if err != nil {
		b.Close()
		return nil, err
	}
	return secure, nil
}

// secured returns conn with TLS on it, to a server that proves that it is the
// host of address.
func secured(ctx context.Context, conn net.Conn, address string, config *tls.Config) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName = host
	}
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	return secure, nil
}

// A tipped error says what the user can do about it.
type tipped struct {
	error
	tip string
}

// Unwrap returns the error itself.
func (t *tipped) Unwrap() error { return t.error }

// Hint returns what the user can do about it.
func (t *tipped) Hint() string { return t.tip }
