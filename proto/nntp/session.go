package nntp

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/bound"
	"locus/proto/internal/cleartext"
	"locus/proto/internal/wire"
	"locus/proto/internal/reply"
)

// A session is one connection to a server. It serves one access.
type session struct {
	client    Client
	ctx       context.Context
	to        target
	req       *access.Request
	server    string      // its name, for TLS and for people
	raw       *bound.Conn // as it was dialled
	wire      *reply.Conn
	conn      net.Conn // raw, or TLS over it
	encrypted bool
	asked     bool              // for a login
	sent      bool              // what cannot be sent again
	able      map[string]string // what CAPABILITIES says: arguments by label; nil if the server does not know it
}

// onSession does something on a session of its own, which it closes if that
// fails.
func onSession[T any](ctx context.Context, c Client, to target, req *access.Request, do func(*session) (T, error)) (T, error) {
	var nothing T
	s, err := c.connect(ctx, to, req)
	if err != nil {
		return nothing, err
	}
	result, err := permitted(s, do)
	if err != nil {
		s.close()
		return nothing, s.why(err)
	}
	return result, nil
}

// permitted does something, again if the server first wants TLS or a login.
func permitted[T any](s *session, do func(*session) (T, error)) (T, error) {
	for {
		result, err := do(s)
		if satisfied, why := s.satisfy(err); why != nil {
			return result, why
		} else if !satisfied {
			return result, err
		}
	}
}

// satisfy gives the server what a reply says that it wants. It does so once.
func (s *session) satisfy(err error) (satisfied bool, why error) {
	refused, ok := errors.AsType[*access.Refusal](err)
	switch {
	case !ok || s.sent:
		return false, nil
	case refused.Reply.Code == 483 && !s.encrypted && !s.client.NoTLS && s.has("STARTTLS"):
		return true, s.startTLS()
	case refused.Reply.Code == 480 && !s.asked:
		s.asked = true
		user, known, err := s.user()
		if user == "" || err != nil {
			return false, err
		}
		return true, s.login(user, known)
	}
	return false, nil
}

// connect dials the server and learns what it can do.
func (c Client) connect(ctx context.Context, to target, req *access.Request) (*session, error) {
	address, err := c.address(to)
	if err != nil {
		return nil, err
	}
	conn, err := bound.Dial(ctx, c.Dial, address)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	s := &session{client: c, ctx: ctx, to: to, req: req, raw: conn, conn: conn}
	s.server, _, _ = net.SplitHostPort(address) // it was just dialled
	if err := s.greet(); err != nil {
		s.close()
		return nil, s.why(err)
	}
	return s, nil
}

func (s *session) close() { s.raw.Close() }

// quit ends a session whose work is done. What becomes of the goodbye changes
// nothing, and it may not take long.
func (s *session) quit() {
	_ = s.raw.SetWriteDeadline(time.Now().Add(time.Second))
	_ = s.wire.Send("QUIT")
	s.close()
}

// why returns what is behind err: the end of the context, if it has come.
func (s *session) why(err error) error { return cmp.Or(s.ctx.Err(), err) }

// greet reads the greeting (RFC 3977 §5.1).
func (s *session) greet() error {
	if s.to.secure {
		if err := s.encrypt(); err != nil {
			return err
		}
	}
	s.wire = reply.NewConn(s.conn)
	r, err := s.wire.Read()
	if err != nil {
		return err
	}
	if !reply.Is(r, 20) {
		return s.refused(r)
	}
	return s.introduce()
}

// introduce learns what the server can do, and makes it a server for readers if
// it is another one (RFC 3977 §5.3).
func (s *session) introduce() error {
	if err := s.learn(); err != nil {
		return err
	}
	wantsTLS := s.client.StartTLS && !s.encrypted
	if wantsTLS && (s.has("STARTTLS") || !s.has("MODE-READER")) {
		return s.startTLS()
	}
	if s.able != nil && (s.has("READER") || !s.has("MODE-READER")) {
		return nil
	}
	if _, err := permitted(s, (*session).modeReader); err != nil || !wantsTLS || s.encrypted {
		return err
	}
	return s.startTLS() // INN encrypts for readers alone
}

func (s *session) modeReader() (access.Reply, error) {
	r, err := s.wire.Do("MODE READER")
	switch {
	case err != nil:
		return r, err
	case reply.Is(r, 20) && s.able != nil:
		return r, s.learn()
	case reply.Is(r, 20) || r.Code == 500 || r.Code == 501: // servers of RFC 977 have no modes
		return r, nil
	}
	return r, s.refused(r)
}

// maxCapabilities bounds what CAPABILITIES may say.
const maxCapabilities = 1000

// learn asks what the server can do (RFC 3977 §5.2).
func (s *session) learn() error {
	s.able = nil
	r, err := s.wire.Do("CAPABILITIES")
	switch {
	case err != nil:
		return err
	case r.Code == 400:
		return s.refused(r)
	case r.Code != 101:
		return nil
	}
	able := map[string]string{}
	lines := s.lines()
	for range maxCapabilities {
		text, err := lines.next()
		if errors.Is(err, io.EOF) {
			s.able = able
			return nil
		}
		if err != nil {
			return err
		}
		label, arguments, _ := strings.Cut(text, " ")
		able[strings.ToUpper(label)] = strings.ToUpper(arguments)
	}
	return fmt.Errorf("%w: more than %d capabilities", access.ErrTooLong, maxCapabilities)
}

func (s *session) has(label string) bool {
	_, ok := s.able[label]
	return ok
}

// startTLS encrypts the connection (RFC 4642) and learns anew what the server
// can do.
func (s *session) startTLS() error {
	r, err := s.wire.Do("STARTTLS")
	if err != nil {
		return err
	}
	if r.Code != 382 {
		return s.refused(r)
	}
	if s.wire.R.Buffered() > 0 { // it was sent in the clear, by anybody
		return fmt.Errorf("%w: octets between STARTTLS and TLS", access.ErrProtocol)
	}
	if err := s.encrypt(); err != nil {
		return err
	}
	s.wire = reply.NewConn(s.conn)
	return s.introduce()
}

func (s *session) encrypt() error {
	config := &tls.Config{}
	if s.client.TLS != nil {
		config = s.client.TLS.Clone()
	}
	config.ServerName = cmp.Or(config.ServerName, s.server)
	conn := tls.Client(s.raw, config)
	if err := conn.HandshakeContext(s.ctx); err != nil {
		return err
	}
	s.conn, s.encrypted = conn, true
	return nil
}

// login says who the user is (RFC 4643 §2.3), encrypted if the server can. It
// asks for the password if that is not known.
func (s *session) login(user, known string) error {
	if err := wire.CheckArgument("user name", user, " \t"); err != nil {
		return err
	}
	if err := s.protect(); err != nil {
		return err
	}
	r, err := s.wire.Do("AUTHINFO USER " + user)
	if err != nil {
		return err
	}
	if r.Code == 381 {
		password, err := s.password(user, known)
		if err != nil {
			return err
		}
		if r, err = s.wire.Do("AUTHINFO PASS " + password); err != nil {
			return err
		}
	}
	if r.Code != 281 {
		return s.refused(r)
	}
	if s.able == nil {
		return nil
	}
	return s.learn()
}

// user returns who logs in, and the password if it is known; "" if nobody does.
func (s *session) user() (user, password string, err error) {
	if s.client.Login == nil {
		return s.client.User, "", nil
	}
	return s.client.Login(s.server, s.client.User)
}

// protect sees to it that a password can be sent: encrypted if the server can,
// and in the clear to this machine alone, if the user does not say otherwise.
func (s *session) protect() error {
	switch {
	case s.encrypted, s.client.NoTLS:
		return nil
	case s.has("STARTTLS"):
		return s.startTLS()
	case cleartext.IsLocal(s.conn):
		return nil
	}
	return cleartext.Refused("nntps:// begins with TLS, --news-no-tls sends the password all the same")
}

// password returns the password that is known, or asks for it.
func (s *session) password(user, known string) (password string, err error) {
	password = known
	if known == "" {
		if s.req.Password == nil {
			return "", access.ErrPassword
		}
		if password, err = s.req.Password(s.ctx, fmt.Sprintf("password for %q at %s", user, s.server)); err != nil {
			return "", err
		}
	}
	s.wire.Secrets = []string{password}
	return password, wire.CheckArgument("password", password, "")
}

// must sends a command and fails unless the reply to it has the code want.
func (s *session) must(want int, command string) (access.Reply, error) {
	r, err := s.wire.Do(command)
	if err == nil && r.Code != want {
		err = s.refused(r)
	}
	return r, err
}

// refused returns r, which says no, as an error.
func (s *session) refused(r access.Reply) error {
	e := s.wire.Refused(r, meaning(r))
	user, _, _ := s.user()
	e.Tip = advice(r, user)
	return e
}

// isUnknown reports whether err says that a server does not know a command.
func isUnknown(err error) bool {
	refused, ok := errors.AsType[*access.Refusal](err)
	return ok && errors.Is(refused.Means, errors.ErrUnsupported)
}

// lines returns the lines of the multi-line reply that comes next.
func (s *session) lines() *lines {
	return &lines{r: bufio.NewReaderSize(&dots{r: s.wire.R}, maxLine)}
}
