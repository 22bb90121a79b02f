package ftp

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"locus/access"
	"locus/proto/internal/wire"
)

// ErrTLSRequired is the error of an access without TLS to a server that wants it.
var ErrTLSRequired = access.Reason("the server wants TLS", fs.ErrPermission)

var errClear = access.Reason("data would go in the clear", errors.ErrUnsupported)

// authTLS starts TLS on the control connection, as Security says.
func (s *session) authTLS() error {
	security := s.client.Security
	wants := security == access.RequireTLS || security == access.OpportunisticTLS && s.view.User.Present
	if s.conn.IsTLS() || !wants {
		return nil
	}
	r, err := s.do("AUTH TLS")
	switch {
	case err != nil:
		return err
	case r.Code == 234:
		return s.conn.StartTLS(s.replies.R)
	case security == access.RequireTLS:
		return s.replies.Refused(r, wire.ErrNotOffered)
	}
	return s.live(r)
}

// demandsTLS reports whether a reply to a client without TLS says that the server
// wants TLS. During the login all refusals are about the session; after it most are
// about a file, whose name may be in the text.
//
// QUIRK: RFC 4217 §5 has 534 for this. Servers answer 421 (pure-ftpd), 503
// (FileZilla Server), 530 (vsftpd) or 550 (proftpd, pyftpdlib) during the login,
// and 522 (vsftpd, proftpd) when data are to be sent.
func demandsTLS(r access.Reply, loggedIn bool) bool {
	switch {
	case r.Code == 534:
		return true
	case r.Code < 400 || loggedIn && r.Code != 522:
		return false
	}
	text := strings.ToLower(r.Text)
	return slices.ContainsFunc([]string{"tls", "ssl", "encrypt", "cleartext", "use auth"}, func(word string) bool { return strings.Contains(text, word) })
}

// controlTLS returns the configuration of TLS for a control connection.
func (e *errand) controlTLS() *tls.Config {
	config := e.client.TLS.Clone()
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if config.ServerName == "" {
		config.ServerName, _, _ = strings.Cut(e.view.Host.Name, "%")
	}
	config.ClientSessionCache = &tickets{}
	return config
}

// dataTLS returns the configuration of TLS for the data connections of a control
// connection.
func dataTLS(control *tls.Config) *tls.Config {
	config := control.Clone()
	config.ClientSessionCache = readOnly{control.ClientSessionCache}
	return config
}

// protect asks for TLS on data connections too (RFC 4217 §9).
func (s *session) protect() error {
	if !s.conn.IsTLS() {
		return nil
	}
	return s.ask(
		query{"PBSZ 0", func(r access.Reply) error { return s.expect(r, 2) }},
		query{"PROT P", func(r access.Reply) error {
			if r.Code != 200 {
				return s.replies.Refused(r, errClear)
			}
			return nil
		}},
	)
}

// secureData starts TLS on a data connection, if the control connection has it. The
// session is that of the control connection, by which servers know that the
// client is the same one (RFC 4217 §10.2): many refuse data without that, with
// 522. The ticket has come by then, because with TLS 1.3 servers send it before
// their first reply, and replies have been read.
func (s *session) secureData(data *wire.Conn) error {
	if !s.conn.IsTLS() {
		return nil
	}
	if err := data.StartTLS(nil); err != nil {
		return fmt.Errorf("TLS for data: %w", err)
	}
	return nil
}

// tickets holds the TLS session of one control connection, whatever the key.
type tickets struct {
	mu   sync.Mutex
	last *tls.ClientSessionState
}

func (t *tickets) Get(string) (*tls.ClientSessionState, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last, t.last != nil
}

func (t *tickets) Put(_ string, session *tls.ClientSessionState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = session
}

// readOnly gives tickets and takes none: those of a data connection say nothing
// about the control connection.
type readOnly struct{ tls.ClientSessionCache }

func (readOnly) Put(string, *tls.ClientSessionState) {}

// closeWrite says that no more octets come. Over TLS the connection stays open
// for what the server may still send: closing it on unread octets, such as a
// ticket, would be a reset, and the server could lose the end of the file.
func closeWrite(data *wire.Conn) error {
	if !data.IsTLS() {
		return data.Close()
	}
	return data.CloseWrite()
}
