package ftp

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"locus/access"
	"locus/internal/sentinel"
	"locus/proto/internal/wire"
)

// ErrTLSRequired is the error of a request without TLS if the server requires TLS.
var ErrTLSRequired = sentinel.New("the server requires TLS", fs.ErrPermission)

var errClear = sentinel.New("the data would not be encrypted", errors.ErrUnsupported)

// startTLS starts TLS on the control connection if Client.Security asks for it. OpportunisticTLS
// asks for it only if the URL has a user. If the server refuses TLS, that is an error only with
// RequireTLS.
func (b *boundConn) startTLS() error {
	security := b.client.Security
	wants := security == access.RequireTLS || security == access.OpportunisticTLS && b.view.User.Present
	if b.conn.IsTLS() || !wants {
		return nil
	}
	r, err := b.do("AUTH TLS")
	switch {
	case err != nil:
		return err
	case r.Code == 234:
		err := b.conn.StartTLS(b.replies.R)
		if err != nil && security == access.OpportunisticTLS && !errors.Is(err, access.ErrProtocol) {
			return access.WithRemedy(err, access.AllowCleartext{Protocol: "ftp"})
		}
		return err
	case security == access.RequireTLS:
		return b.replies.Refused(r, wire.ErrNotOffered)
	}
	return nil
}

// demandsTLS reports whether a reply to a client without TLS means that the server requires TLS.
// Only the code and the text tell. During the login any refusal with such a text counts. After the
// login only 522 counts, because most refusals are about a file, whose name may be in the text.
//
// QUIRK: RFC 4217 §5 has 534 for this. Servers send 421 (pure-ftpd), 503 (FileZilla Server), 530
// (vsftpd) or 550 (proftpd, pyftpdlib) during the login, and 522 (vsftpd, proftpd) for a transfer.
func demandsTLS(r access.Reply, loggedIn bool) bool {
	return r.Code == 534 || r.Code >= 400 && (!loggedIn || r.Code == 522) &&
		hasWord(r, "tls", "ssl", "encrypt", "cleartext", "use auth")
}

// controlTLS returns the TLS configuration of the control connection. It has a cache of its own for
// one TLS session, the one that the data connections resume.
func (o *operation) controlTLS() *tls.Config {
	config := o.client.TLS.Clone()
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if config.ServerName == "" {
		config.ServerName, _, _ = strings.Cut(o.view.Host.Name, "%")
	}
	config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	return config
}

// protectData asks for TLS on data connections (RFC 4217 §9). If the server refuses, the data are
// not encrypted, or the request fails if TLS is required.
func (b *boundConn) protectData() error {
	if !b.conn.IsTLS() {
		return nil
	}
	required := b.login.implicit || b.client.Security == access.RequireTLS
	return b.ask(
		query{"PBSZ 0", func(r access.Reply) error {
			if required {
				return b.expect(r, 2)
			}
			return nil
		}},
		query{"PROT P", func(r access.Reply) error {
			b.clearData = r.Code != 200
			if b.clearData && required {
				return b.replies.Refused(r, errClear)
			}
			return nil
		}},
	)
}

// secureData starts TLS on a data connection. It resumes the TLS session of the control connection,
// because servers recognise the client by it (RFC 4217 §10.2) and many refuse data without it
// (522). The ticket has arrived by then, because TLS 1.3 servers send it before their first reply.
func secureData(data *wire.Conn) error {
	if err := data.StartTLS(nil); err != nil {
		return fmt.Errorf("TLS for data: %w", err)
	}
	return nil
}

// A readOnlyCache ignores the tickets of data connections, so that every data connection resumes
// the TLS session of the control connection.
type readOnlyCache struct{ tls.ClientSessionCache }

// Put does nothing.
func (readOnlyCache) Put(string, *tls.ClientSessionState) {}

// closeWrite tells the server that the data of an upload are complete. With TLS it leaves the
// connection open for reading, because closing a connection with unread bytes, such as a ticket,
// resets it, and the server could lose the end of the file.
func closeWrite(data *wire.Conn) error {
	if !data.IsTLS() {
		return data.Close()
	}
	return data.CloseWrite()
}
