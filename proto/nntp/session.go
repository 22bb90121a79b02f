package nntp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
)

// A session is one connection to a server. It serves one access.
type session struct {
	client  Client
	ctx     context.Context
	to      target
	req     *access.Request
	server  string // its name, for TLS and for people
	conn    *wire.Conn
	replies *reply.Conn        // over conn
	asked   bool               // for a login
	named   bool               // Request.Login was called
	found   access.Credentials // what it gave
	sent    bool               // what cannot be sent again
	able    map[string]string  // what CAPABILITIES says: arguments by label; nil if the server does not know it
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
	case refused.Reply.Code == 483 && !s.conn.IsTLS() && s.client.Security != access.NeverTLS && s.has("STARTTLS"):
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
	s.server, _, _ = net.SplitHostPort(address) // it was just dialled
	if err := s.greet(); err != nil {
		s.close()
		return nil, s.why(err)
	}
	return s, nil
}

func (s *session) close() { s.conn.Close() }

// quit ends a session whose work is done. What becomes of the goodbye changes
// nothing, and it may not take long.
func (s *session) quit() {
	_ = s.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_ = s.replies.Send("QUIT")
	s.close()
}

// why returns the cause of the context if it is done, or else err.
func (s *session) why(err error) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return err
}

// greet reads the greeting (RFC 3977 §5.1).
func (s *session) greet() error {
	r, err := s.replies.Read()
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
	wantsTLS := s.client.Security == access.RequireTLS && !s.conn.IsTLS()
	if wantsTLS && (s.has("STARTTLS") || !s.has("MODE-READER")) {
		return s.startTLS()
	}
	if s.able != nil && (s.has("READER") || !s.has("MODE-READER")) {
		return nil
	}
	if _, err := permitted(s, (*session).modeReader); err != nil || !wantsTLS || s.conn.IsTLS() {
		return err
	}
	return s.startTLS() // INN encrypts for readers alone
}

func (s *session) modeReader() (access.Reply, error) {
	r, err := s.replies.Do("MODE READER")
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
	r, err := s.replies.Do("CAPABILITIES")
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
	r, err := s.replies.Do("STARTTLS")
	if err != nil {
		return err
	}
	if r.Code != 382 {
		return s.refused(r)
	}
	if err := s.conn.StartTLS(s.replies.R); err != nil {
		return err
	}
	return s.introduce()
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
	r, err := s.replies.Do("AUTHINFO USER " + user)
	if err != nil {
		return err
	}
	if r.Code == 381 {
		password, err := s.password(user, known)
		if err != nil {
			return err
		}
		if r, err = s.replies.Do("AUTHINFO PASS " + password); err != nil {
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
	if s.client.User != "" {
		return s.client.User, "", nil
	}
	if !s.named {
		s.found, err = s.req.Credentials(s.ctx, access.Challenge{URL: s.req.URL, Host: s.server, Optional: true})
		s.named = err == nil
	}
	return s.found.User, s.found.Password, err
}

// protect makes sure that a password can be sent: over TLS if the server can, and
// in the clear as [wire.Conn.CheckPassword] allows it.
func (s *session) protect() error {
	if !s.conn.IsTLS() && s.client.Security != access.NeverTLS && s.has("STARTTLS") {
		return s.startTLS()
	}
	return s.conn.CheckPassword("nntp", "nntps")
}

// password returns the password that is known, or asks for it.
func (s *session) password(user, known string) (password string, err error) {
	password = known
	if known == "" {
		c, err := s.req.Credentials(s.ctx, access.Challenge{URL: s.req.URL, Host: s.server, User: user})
		if err != nil {
			return "", err
		}
		password = c.Password
	}
	s.replies.Secrets = []string{password}
	return password, wire.CheckArgument("password", password, "")
}

// must sends a command and fails unless the reply to it has the code want.
func (s *session) must(want int, command string) (access.Reply, error) {
	r, err := s.replies.Do(command)
	if err == nil && r.Code != want {
		err = s.refused(r)
	}
	return r, err
}

// refused returns r, which says no, as an error.
func (s *session) refused(r access.Reply) error {
	e := s.replies.Refused(r, meaning(r))
	user, _, _ := s.user()
	e.Remedy = s.remedy(r, user)
	return e
}

// isUnknown reports whether err says that a server does not know a command.
func isUnknown(err error) bool {
	refused, ok := errors.AsType[*access.Refusal](err)
	return ok && errors.Is(refused.Means, errors.ErrUnsupported)
}

// lines returns the lines of the multi-line reply that comes next.
func (s *session) lines() *lines {
	return &lines{r: bufio.NewReaderSize(&dots{r: s.replies.R}, maxLine)}
}
