package wire

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"strings"

	"locus/access"
)

// IsTLS reports whether the connection is encrypted.
func (c *Conn) IsTLS() bool { return c.Conn != net.Conn(c.socket) }

// ShouldStartTLS reports whether to ask the server for TLS: the server offers it, as offered says,
// Security allows it, and the connection does not use TLS yet. The error is [ErrNotOffered] if TLS
// is required and not offered.
func (c *Conn) ShouldStartTLS(offered bool) (bool, error) {
	switch {
	case c.IsTLS(), c.security == access.NeverTLS:
		return false, nil
	case !offered && c.security == access.RequireTLS:
		return false, ErrNotOffered
	}
	return offered, nil
}

// StartTLS starts TLS after the server has agreed. r is the reader of the connection; it may be
// nil. After StartTLS r reads the decrypted bytes. If r still has bytes buffered, an attacker may
// have sent them before TLS; the error is then [access.ErrProtocol]. The handshake uses the idle
// limit and the context of the connection.
func (c *Conn) StartTLS(r *bufio.Reader) error {
	if r == nil {
		return c.handshake()
	}
	if r.Buffered() > 0 {
		return fmt.Errorf("%w: the server sent unencrypted bytes after agreeing to TLS", access.ErrProtocol)
	}
	if err := c.handshake(); err != nil {
		return err
	}
	r.Reset(c)
	return nil
}

// handshake starts TLS as a client. The server must have a certificate for the ServerName of the
// configuration or, if that is "", for the host of the dialed address.
func (c *Conn) handshake() error {
	config := c.tls.Clone()
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(c.address)
		if err != nil {
			host = c.address
		}
		config.ServerName, _, _ = strings.Cut(host, "%") // certificates have no zones
	}
	secure := tls.Client(c.socket, config)
	if err := secure.Handshake(); err != nil {
		return err
	}
	c.Conn = secure
	return nil
}

// CheckPassword returns [ErrCleartext] if a password would be sent unencrypted to another machine,
// unless Security is NeverTLS. The error's remedy names protocol, and the scheme secure, which uses
// TLS and may be "".
func (c *Conn) CheckPassword(protocol, secure string) error {
	if c.IsTLS() || c.security == access.NeverTLS || c.IsLocal() {
		return nil
	}
	return access.WithRemedy(ErrCleartext, access.AllowCleartext{Protocol: protocol, Secure: secure})
}
