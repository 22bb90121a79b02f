package mail

import (
	"cmp"
	"context"
	"encoding/base64"
	"net"
	"strconv"
	"strings"

	"locus/proto/internal/wire"
)

// dial connects to a server. If implicit is set, the connection starts with TLS.
func dial(ctx context.Context, d wire.Dialer, address string, implicit bool) (*wire.Conn, error) {
	if implicit {
		return d.DialTLS(ctx, address)
	}
	return d.DialTCP(ctx, address)
}

// address returns a server's address. Port 0 means the port plain, or the port implicit if the
// connection starts with TLS.
func address(host string, port uint16, isImplicit bool, plain, implicit uint16) string {
	if isImplicit {
		plain = implicit
	}
	return net.JoinHostPort(host, strconv.Itoa(int(cmp.Or(port, plain))))
}

// plainResponse returns the response of PLAIN (RFC 4616 §2) in base64.
func plainResponse(user, password string) string {
	return encodeBase64("\x00" + user + "\x00" + password)
}

// encodeBase64 returns s in base64, with padding.
func encodeBase64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// secrets returns all forms in which SMTP and IMAP send a password, without padding. Errors hide
// them even if the server repeats them.
func secrets(user, password string) []string {
	return []string{
		strings.TrimRight(plainResponse(user, password), "="),
		strings.TrimRight(encodeBase64(password), "="),
		quotedText(password),
		password,
	}
}
