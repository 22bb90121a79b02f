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
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
)

// A session is one connection to a server. It serves one request.
type session struct {
	client  Client
	ctx     context.Context
	to      target
	req     *access.Request
	server  string // host name, for TLS and messages
	conn    *wire.Conn
	replies *reply.Conn // over conn
	loginState
	posted       bool            // an article was sent, so nothing can be repeated
	capabilities map[string]bool // from CAPABILITIES; nil if the server does not have it
}

// A loginState says how far a login has come.
type loginState struct {
	loginTried       bool
	credentialsAsked bool               // Request.Login was called
	credentials      access.Credentials // result of Request.Login
}

// withRetry runs do. If the server demands TLS or a login, it provides that and
// runs do again.
func (s *session) withRetry(do func() error) error {
	for {
		err := do()
		if resolved, failed := s.resolve(err); failed != nil {
			return failed
		} else if !resolved {
			return err
		}
	}
}

// resolve provides what err demands, TLS or a login, once each. It reports
// whether the command should be repeated.
func (s *session) resolve(err error) (resolved bool, failed error) {
	refused, ok := errors.AsType[*access.Refusal](err)
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

// connect dials the server and reads its capabilities.
func (c Client) connect(ctx context.Context, to target, req *access.Request) (*session, error) {
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
	s := &session{client: c, ctx: ctx, to: to, req: req, conn: conn, replies: reply.NewConn(conn)}
	s.server, _, _ = net.SplitHostPort(address) // the address is valid, since it was dialed
	if err := s.greet(); err != nil {
		s.close()
		return nil, s.cause(err)
	}
	return s, nil
}

func (s *session) close() { s.conn.Close() }

// quit sends QUIT and closes the connection. Errors are ignored, and it may
// take a second at most.
func (s *session) quit() {
	_ = s.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_ = s.replies.Send("QUIT")
	s.close()
}

// cause returns the cause of the context if it is done, else err.
func (s *session) cause(err error) error {
	return cmp.Or(context.Cause(s.ctx), err)
}

// greet reads the greeting (RFC 3977 §5.1).
func (s *session) greet() error {
	r, err := s.replies.Read()
	if err != nil {
		return err
	}
	if !reply.Is(r, 20) {
		return s.refusal(r)
	}
	return s.selectReader()
}

// selectReader reads the capabilities, and sends MODE READER if needed (RFC
// 3977 §5.3).
func (s *session) selectReader() error {
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

func (s *session) modeReader() error {
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

// maxCapabilities limits the reply to CAPABILITIES.
const maxCapabilities = 1000

// readCapabilities asks for the capabilities (RFC 3977 §5.2).
func (s *session) readCapabilities() error {
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
	able := map[string]bool{}
	lines := s.multiline()
	for range maxCapabilities {
		text, err := lines.next()
		if access.IsEnd(err) {
			s.capabilities = able
			return nil
		}
		if err != nil {
			return err
		}
		label, _, _ := strings.Cut(text, " ")
		able[strings.ToUpper(label)] = true
	}
	return fmt.Errorf("%w: more than %d capabilities", access.ErrTooLong, maxCapabilities)
}

// startTLS starts TLS (RFC 4642) and reads the capabilities again.
func (s *session) startTLS() error {
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

// logIn logs in, once. It returns false if there is no user, or the session
// tried before.
func (s *session) logIn() (tried bool, err error) {
	if s.loginTried {
		return false, nil
	}
	s.loginTried = true
	c, err := s.login()
	if err != nil || c.User == "" {
		return false, err
	}
	return true, s.authenticate(c)
}

// login returns the user and, if known, the password. An empty user means no
// login.
func (s *session) login() (access.Credentials, error) {
	if s.client.User != "" {
		return access.Credentials{User: s.client.User}, nil
	}
	var err error
	if !s.credentialsAsked {
		s.credentials, err = s.req.Credentials(s.ctx, access.Challenge{URL: s.req.URL, Host: s.server, Optional: true})
		s.credentialsAsked = err == nil
	}
	return s.credentials, err
}

// authenticate logs in (RFC 4643 §2.3), over TLS if the server has it. It asks
// for the password if that is empty.
func (s *session) authenticate(c access.Credentials) error {
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
			c, err = s.req.Credentials(s.ctx, access.Challenge{URL: s.req.URL, Host: s.server, User: c.User})
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

// securePassword fails unless a password may be sent. It starts TLS if the
// server has it. Else [wire.Conn.CheckPassword] decides.
func (s *session) securePassword() error {
	if !s.conn.IsTLS() && s.client.Security != access.NeverTLS && s.capabilities["STARTTLS"] {
		return s.startTLS()
	}
	return s.conn.CheckPassword("nntp", "nntps")
}

// doExpect sends a command and fails unless the reply has the code want.
func (s *session) doExpect(want int, command string) (access.Reply, error) {
	r, err := s.replies.Do(command)
	if err == nil && r.Code != want {
		err = s.refusal(r)
	}
	return r, err
}

// refusal returns a negative reply as an error.
func (s *session) refusal(r access.Reply) error {
	e := s.replies.Refused(r, replyError(r))
	switch r.Code {
	case 480:
		if c, _ := s.login(); c.User == "" {
			e.Remedy = access.NeedLogin
		}
	case 483:
		e.Remedy = access.Advice("the server requires TLS: use nntps://host/group")
	}
	return e
}

// replyError returns the error that a negative reply stands for (RFC 3977
// §3.2.1, RFC 4643). It returns nil if the code has no general meaning.
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

// isUnknown reports whether the server does not know the command.
func isUnknown(err error) bool {
	refused, ok := errors.AsType[*access.Refusal](err)
	return ok && errors.Is(refused.Means, errors.ErrUnsupported)
}

// maxBlock limits the multi-line reply to a command for a window of a group.
const maxBlock = 64 << 20

// multiline returns a reader for the lines of the multi-line reply that
// follows. It may have maxBlock bytes.
func (s *session) multiline() *lineReader {
	return &lineReader{r: bufio.NewReaderSize(&limitedReader{r: &dotReader{r: s.replies.R}, left: maxBlock}, maxLine)}
}
