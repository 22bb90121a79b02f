package ftp

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"sync"

	"locus/access"
	"locus/proto/internal/reply"
)

// A Policy says whether an ftp URL is fetched over TLS (RFC 4217).
type Policy uint8

const (
	Plain      Policy = iota // never
	TryTLS                   // if the server takes AUTH TLS; whoever is on the way can see to it that it does not
	RequireTLS               // or not at all
	implicit                 // TLS from the first octet: the URLs of ftps
)

// policy returns how URLs of a scheme are fetched.
func (c Client) policy(scheme string) Policy {
	if scheme == "ftps" {
		return implicit
	}
	return c.TLS
}

// ErrTLSRequired is the error of an access without TLS to a server that wants it.
var ErrTLSRequired = access.Reason("the server wants TLS", fs.ErrPermission)

var (
	errNoTLS   = access.Reason("no TLS, which is required", errors.ErrUnsupported)
	errClear   = access.Reason("data would go in the clear", errors.ErrUnsupported)
	errUnasked = fmt.Errorf("%w: there is more after the answer to AUTH TLS", access.ErrProtocol)
)

// authTLS puts TLS on the control connection, as the policy says.
func (s *session) authTLS() error {
	if s.login.tls != TryTLS && s.login.tls != RequireTLS {
		return nil
	}
	r, err := s.do("AUTH TLS")
	if err != nil {
		return err
	}
	if r.Code != 234 {
		if s.login.tls == TryTLS {
			return nil
		}
		return s.replies.Refused(r, errNoTLS)
	}
	if s.replies.R.Buffered() > 0 { // what came before TLS is nobody's word
		return errUnasked
	}
	return s.startTLS()
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

// startTLS shakes hands on the control connection.
func (s *session) startTLS() error {
	config := s.client.TLSConfig.Clone()
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if config.ServerName == "" {
		config.ServerName, _, _ = strings.Cut(s.view.Host.Name, "%")
	}
	config.ClientSessionCache = &tickets{}
	secure := tls.Client(s.raw, config)
	if err := secure.HandshakeContext(s.ctx); err != nil {
		return err
	}
	data := config.Clone()
	data.ClientSessionCache = readOnly{config.ClientSessionCache}
	secrets := s.replies.Secrets
	s.conn, s.secure = secure, data
	s.replies = reply.NewConn(secure)
	s.replies.Secrets = secrets
	return nil
}

// protect asks for TLS on data connections too (RFC 4217 §9).
func (s *session) protect() error {
	if s.secure == nil {
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

// secured puts TLS on a data connection, if the control connection has it. The
// session is that of the control connection, by which servers know that the
// client is the same one (RFC 4217 §10.2): many refuse data without that, with
// 522. The ticket has come by then, because with TLS 1.3 servers send it before
// their first reply, and replies have been read.
func (s *session) secured(data *bound) (net.Conn, error) {
	if s.secure == nil {
		return data, nil
	}
	secure := tls.Client(data, s.secure)
	if err := secure.HandshakeContext(s.ctx); err != nil {
		return nil, fmt.Errorf("TLS for data: %w", err)
	}
	return secure, nil
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
func closeWrite(data net.Conn) error {
	secure, ok := data.(*tls.Conn)
	if !ok {
		return data.Close()
	}
	if err := secure.CloseWrite(); err != nil {
		return err
	}
	b, _ := secure.NetConn().(*bound)
	if half, ok := b.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// isCut reports whether the end of a data connection, which err says, came
// without TLS's word that this is the end (close_notify). Package tls lets that
// pass between two records; but it asks for more only if it has not had that word.
func isCut(data net.Conn, err error) bool {
	secure, ok := data.(*tls.Conn)
	if !ok || !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	b, ok := secure.NetConn().(*bound)
	return ok && b.ended
}
