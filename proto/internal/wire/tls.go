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

// ShouldStartTLS reports whether to ask the server for TLS, which it offers or
// not. It fails with [ErrNotOffered] if TLS is required and not offered.
func (c *Conn) ShouldStartTLS(offered bool) (bool, error) {
	switch {
	case c.IsTLS(), c.security == access.NeverTLS:
		return false, nil
	case !offered && c.security == access.RequireTLS:
		return false, ErrNotOffered
	}
	return offered, nil
}

// StartTLS starts TLS once the server has agreed to it. r is what the connection
// was read through; nil if it was not read. If r has bytes left they came before
// TLS, from anybody who is on the way: the error is then [access.ErrProtocol].
// After StartTLS r reads what comes over TLS. The handshake has the idle limit and
// the context of the connection.
func (c *Conn) StartTLS(r *bufio.Reader) error {
	if r == nil {
		return c.handshake()
	}
	if r.Buffered() > 0 {
		return fmt.Errorf("%w: it sent more in the clear when TLS was to begin", access.ErrProtocol)
	}
	if err := c.handshake(); err != nil {
		return err
	}
	r.Reset(c)
	return nil
}

// handshake puts TLS on the connection.
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
		config.ServerName, _, _ = strings.Cut(host, "%") // a zone is nobody's name
	}
	secure := tls.Client(c.socket, config)
	if err := secure.Handshake(); err != nil {
		return err
	}
	c.Conn = secure
	return nil
}

// CheckPassword fails with [ErrCleartext] if a password that is sent now could be
// read by others: without TLS it goes to this machine alone, unless Security is
// NeverTLS. secure is the scheme that begins with TLS, for the Remedy; "" for none.
func (c *Conn) CheckPassword(protocol, secure string) error {
	if c.IsTLS() || c.security == access.NeverTLS || c.IsLocal() {
		return nil
	}
	return &cleartextError{access.AllowCleartext{Protocol: protocol, Secure: secure}}
}

// A cleartextError is [ErrCleartext] with what the caller can do about it.
type cleartextError struct{ remedy access.AllowCleartext }

func (e *cleartextError) Error() string          { return ErrCleartext.Error() }
func (e *cleartextError) Unwrap() error          { return ErrCleartext }
func (e *cleartextError) Suggest() access.Remedy { return e.remedy }
