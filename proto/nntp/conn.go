package nntp

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
)

// A serverConn is a connection to a server. It serves one request.
type serverConn struct {
	client  Client
	ctx     context.Context
	to      target
	req     *access.Request
	server  string // the host name that Request.Login is told
	conn    *wire.Conn
	replies *reply.Conn // reads and writes conn
	loginState
	posted       bool            // POST was accepted, so the request cannot be repeated
	capabilities map[string]bool // from CAPABILITIES; nil if the server does not know that command
}

// A loginState records the steps of the login that were done.
type loginState struct {
	loginTried       bool
	credentialsAsked bool               // Request.Login was called
	credentials      access.Credentials // the result of Request.Login
}

// withRetry runs do. If the error of do is a demand for TLS or a login, withRetry starts TLS or
// logs in, and runs do again. It does each at most once. If TLS or the login fails, it returns the
// error of TLS or of the login, and otherwise the error of the last do.
func (s *serverConn) withRetry(do func() error) error {
	for {
		err := do()
		if resolved, failed := s.resolve(err); failed != nil {
			return failed
		} else if !resolved {
			return err
		}
	}
}

// resolve starts TLS or logs in, if err is a refusal that demands it. It does each only once, and
// neither after an article was posted. resolved reports whether the command should be repeated.
// failed is the error of TLS or of the login.
func (s *serverConn) resolve(err error) (resolved bool, failed error) {
	refused, ok := errors.AsType[*engine.Refusal](err)
	switch {
	case !ok || s.posted:
		return false, nil
	case refused.Reply.Code == 483 && !s.conn.IsTLS() && s.client.Security != access.NeverTLS && s.capabilities["STARTTLS"]:
		return true, s.startTLS()
	case refused.Reply.Code == 480:
		return s.logIn()
	}
	return false, nil
}

// connect dials the server of to, reads its greeting and its capabilities, and selects the mode for
// readers. It starts TLS if TLS is required. The caller closes the connection.
func (c Client) connect(ctx context.Context, to target, req *access.Request) (*serverConn, error) {
	address, err := c.address(to)
	if err != nil {
		return nil, err
	}
	d := wire.Dialer{Dial: c.Dial, TLS: c.TLS, Security: c.Security, Idle: c.Idle}
	dial := d.DialTCP
	if to.secure {
		dial = d.DialTLS
	}
	conn, err := dial(ctx, address)
	if err != nil {
		return nil, err
	}
	s := &serverConn{client: c, ctx: ctx, to: to, req: req, conn: conn, replies: reply.NewConn(conn)}
	s.server, _, _ = net.SplitHostPort(address) // the address is valid because it was dialed
	if err := s.greet(); err != nil {
		s.close()
		return nil, s.cause(err)
	}
	return s, nil
}

// close closes the connection without QUIT.
func (s *serverConn) close() { s.conn.Close() }

// quit sends QUIT and closes the connection. It does not wait for the reply. It ignores errors, and
// takes a second at most.
func (s *serverConn) quit() {
	_ = s.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_ = s.replies.Send("QUIT")
	s.close()
}

// cause returns the cause of the context if the context is done, else err.
func (s *serverConn) cause(err error) error {
	return cmp.Or(context.Cause(s.ctx), err)
}

// greet reads the greeting (RFC 3977 §5.1), and calls selectReader if the server accepts the
// client.
func (s *serverConn) greet() error {
	r, err := s.replies.Read()
	if err != nil {
		return err
	}
	if !reply.Is(r, 20) {
		return s.refusal(r)
	}
	return s.selectReader()
}

// selectReader reads the capabilities. It sends MODE READER if the server is in another mode or has
// no CAPABILITIES (RFC 3977 §5.3), and starts TLS if TLS is required.
func (s *serverConn) selectReader() error {
	if err := s.readCapabilities(); err != nil {
		return err
	}
	wantsTLS := s.client.Security == access.RequireTLS && !s.conn.IsTLS()
	if wantsTLS && (s.capabilities["STARTTLS"] || !s.capabilities["MODE-READER"]) {
		return s.startTLS()
	}
	if s.capabilities != nil && (s.capabilities["READER"] || !s.capabilities["MODE-READER"]) {
		return nil
	}
	if err := s.withRetry(s.modeReader); err != nil || !wantsTLS || s.conn.IsTLS() {
		return err
	}
	return s.startTLS() // INN offers STARTTLS only after MODE READER
}

// modeReader sends MODE READER and reads the capabilities again, because the command may change
// them. It returns nil if the server does not know the command, because such a server has no other
// mode.
func (s *serverConn) modeReader() error {
	r, err := s.replies.Do("MODE READER")
	switch {
	case err != nil:
		return err
	case reply.Is(r, 20) && s.capabilities != nil:
		return s.readCapabilities()
	case reply.Is(r, 20) || r.Code == 500 || r.Code == 501: // servers of RFC 977 have no modes
		return nil
	}
	return s.refusal(r)
}

// maxCapabilities limits the lines in the reply to CAPABILITIES.
const maxCapabilities = 1000

// readCapabilities asks the server for its capabilities (RFC 3977 §5.2), and stores their labels in
// upper case. s.capabilities becomes nil if the server does not know the command.
func (s *serverConn) readCapabilities() error {
	s.capabilities = nil
	r, err := s.replies.Do("CAPABILITIES")
	switch {
	case err != nil:
		return err
	case r.Code == 400:
		return s.refusal(r)
	case r.Code != 101:
		return nil
	}
	capabilities := map[string]bool{}
	lines := s.multiline()
	for range maxCapabilities {
		text, err := lines.next()
		if access.IsEnd(err) {
			s.capabilities = capabilities
			return nil
		}
		if err != nil {
			return err
		}
		label, _, _ := strings.Cut(text, " ")
		capabilities[strings.ToUpper(label)] = true
	}
	return fmt.Errorf("%w: more than %d capabilities", access.ErrTooLong, maxCapabilities)
}

// startTLS starts TLS (RFC 4642) and calls selectReader again, because TLS may change the
// capabilities and the mode.
func (s *serverConn) startTLS() error {
	r, err := s.replies.Do("STARTTLS")
	if err != nil {
		return err
	}
	if r.Code != 382 {
		return s.refusal(r)
	}
	if err := s.conn.StartTLS(s.replies.R); err != nil {
		return err
	}
	return s.selectReader()
}

// logIn logs in. tried is true if it sent the login, and false if no user is known. Every call
// after the first returns false without an effect, because the server has then refused the login or
// wants more than a login.
func (s *serverConn) logIn() (tried bool, err error) {
	if s.loginTried {
		return false, nil
	}
	s.loginTried = true
	c, err := s.loginCredentials()
	if err != nil || c.User == "" {
		return false, err
	}
	return true, s.authenticate(c)
}

// loginCredentials returns the user and, if known, the password: from Client.User, or else from
// Request.Login. It remembers the answer of Request.Login, and asks again only after an error. An
// empty user means no login.
func (s *serverConn) loginCredentials() (access.Credentials, error) {
	if s.client.User != "" {
		return access.Credentials{User: s.client.User}, nil
	}
	var err error
	if !s.credentialsAsked {
		s.credentials, err = engine.Credentials(s.ctx, s.req, access.Challenge{URL: s.req.URL, Host: s.server, Optional: true})
		s.credentialsAsked = err == nil
	}
	return s.credentials, err
}

// authenticate logs in with c (RFC 4643 §2.3), after starting TLS if the server offers it. It calls
// Request.Login for the password if c lacks one. After the login it reads the capabilities again. A
// wrong password is access.ErrLogin.
func (s *serverConn) authenticate(c access.Credentials) error {
	if err := wire.CheckArgument("user name", c.User, " \t"); err != nil {
		return err
	}
	if err := s.securePassword(); err != nil {
		return err
	}
	r, err := s.replies.Do("AUTHINFO USER " + c.User)
	if err != nil {
		return err
	}
	if r.Code == 381 {
		if c.Password == "" {
			c, err = engine.Credentials(s.ctx, s.req, access.Challenge{URL: s.req.URL, Host: s.server, User: c.User})
		}
		if err == nil {
			err = wire.CheckArgument("password", c.Password, "")
		}
		if err != nil {
			return err
		}
		s.replies.Secrets = []string{c.Password}
		if r, err = s.replies.Do("AUTHINFO PASS " + c.Password); err != nil {
			return err
		}
	}
	switch r.Code {
	case 281:
	case 481: // RFC 4643 §2.3.1
		return s.replies.Refused(r, access.ErrLogin)
	default:
		return s.refusal(r)
	}
	if s.capabilities == nil {
		return nil
	}
	return s.readCapabilities()
}

// securePassword prepares the connection for a password: it starts TLS if the server offers TLS and
// Security allows it. Otherwise it returns an error unless [wire.Conn.CheckPassword] allows a
// password without TLS.
func (s *serverConn) securePassword() error {
	if !s.conn.IsTLS() && s.client.Security != access.NeverTLS && s.capabilities["STARTTLS"] {
		return s.startTLS()
	}
	return s.conn.CheckPassword("nntp", "nntps")
}

// doExpect sends a command and returns the reply. It returns an error, with the reply, if the code
// is not want.
func (s *serverConn) doExpect(want int, command string) (access.Reply, error) {
	r, err := s.replies.Do(command)
	if err == nil && r.Code != want {
		err = s.refusal(r)
	}
	return r, err
}

// refusal returns the error for r, a negative reply. The error suggests a login or TLS if the
// server demands one of them. It may call Request.Login to learn whether a user is known.
func (s *serverConn) refusal(r access.Reply) error {
	e := s.replies.Refused(r, replyError(r))
	switch r.Code {
	case 480:
		if c, _ := s.loginCredentials(); c.User == "" {
			e.Remedy = access.NeedLogin
		}
	case 483:
		e.Remedy = access.Advice("the server requires TLS: use nntps://host/group")
	}
	return e
}

// replyError returns the error that a negative reply stands for (RFC 3977 §3.2.1, RFC 4643). It
// returns nil if the code has no general meaning.
func replyError(r access.Reply) error {
	switch r.Code {
	case 400, 403, 436:
		return access.ErrTemporary
	case 411, 420, 421, 422, 423, 430:
		return fs.ErrNotExist
	case 440, 480, 481, 482, 483, 502:
		return fs.ErrPermission
	case 401, 500, 501, 503, 580:
		return errors.ErrUnsupported
	}
	return nil
}

// isUnknownCommand reports whether err is the refusal of a server that does not support the
// command. It is false for nil.
func isUnknownCommand(err error) bool {
	refused, ok := errors.AsType[*engine.Refusal](err)
	return ok && errors.Is(refused.Means, errors.ErrUnsupported)
}

// maxBlock limits a multi-line reply that is read into memory, such as a window of a group.
const maxBlock = 64 << 20

// multiline returns a reader for the lines of the multi-line reply that follows. A reply of more
// than maxBlock bytes is an access.ErrTooLong.
func (s *serverConn) multiline() *lineReader {
	return &lineReader{r: bufio.NewReaderSize(&limitedReader{r: &dotReader{r: s.replies.R}, left: maxBlock}, maxLine)}
}
