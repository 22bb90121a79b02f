package ftp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/line"
	"locus/proto/internal/reply"
	"locus/scheme"
)

// A session is one connection to a server, logged in. It serves one access.
type session struct {
	client  Client
	ctx     context.Context
	view    scheme.FTP
	req     *access.Request
	control net.Conn
	replies *reply.Conn
	telnet  bool // the server reads commands as Telnet does
}

// connect dials the server of view and logs in.
func (c Client) connect(ctx context.Context, view scheme.FTP, req *access.Request) (*session, error) {
	s := &session{client: c, ctx: ctx, view: view, req: req}
	if c.Dial == nil {
		return nil, access.ErrNoDial
	}
	control, err := s.dial(view.Address(defaultPort))
	if err != nil {
		return nil, err
	}
	s.control = control
	s.replies = reply.NewConn(control)
	s.replies.Secrets = []string{view.Password.Text}
	if err := s.login(); err != nil {
		s.close()
		return nil, s.why(err)
	}
	return s, nil
}

// dial connects to address; the connection is closed as soon as the context is
// done.
func (s *session) dial(address string) (net.Conn, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := s.client.Dial(s.ctx, "tcp", address)
	if err != nil {
		return nil, s.why(err)
	}
	return &bound{Conn: conn, stop: context.AfterFunc(s.ctx, func() { conn.Close() })}, nil
}

// A bound connection is closed by its context.
type bound struct {
	net.Conn
	stop func() bool
}

func (b *bound) Close() error {
	b.stop()
	return b.Conn.Close()
}

func (s *session) close() { s.control.Close() }

// quit ends a session whose work is done. What becomes of the goodbye changes
// nothing, and it may not take long.
func (s *session) quit() {
	_ = s.control.SetWriteDeadline(time.Now().Add(time.Second))
	_ = s.replies.Send("QUIT")
	s.close()
}

// why returns what is behind err: the end of the context, if it has come.
func (s *session) why(err error) error {
	if done := s.ctx.Err(); done != nil {
		return done
	}
	return err
}

// login does what RFC 959 §5.4 draws for connecting and for USER and PASS, and
// RFC 1738 §3.2.1 says about names and passwords.
func (s *session) login() error {
	greeting, err := s.final()
	if err != nil {
		return err
	}
	s.telnet = !strings.Contains(greeting.Text, "vsFTPd")
	user := "anonymous"
	if s.view.User.Present {
		user = s.view.User.Text
	}
	r, err := s.do("USER " + user)
	if err != nil {
		return err
	}
	if r.Code == 331 {
		password, err := s.password(user)
		if err != nil {
			return err
		}
		if r, err = s.do("PASS " + password); err != nil {
			return err
		}
	}
	if r.Code == 332 {
		return s.replies.Refused(r, errAccount)
	}
	err = s.expect(r, 2)
	if errors.Is(err, fs.ErrPermission) && !s.view.User.Present {
		return advise(err, "a user name goes before the host: ftp://user@host/")
	}
	return err
}

// password returns the password for user.
func (s *session) password(user string) (string, error) {
	if !s.view.User.Present {
		email := cmp.Or(s.client.Email, "anonymous@")
		return email, line.Check("e-mail address", email, "")
	}
	if s.view.Password.Present {
		return s.view.Password.Text, nil
	}
	if s.req.Password == nil {
		return "", access.ErrPassword
	}
	password, err := s.req.Password(s.ctx, fmt.Sprintf("password for %q at %s", user, s.view.Host.Name))
	if err != nil {
		return "", err
	}
	s.replies.Secrets = []string{password}
	return password, line.Check("password", password, "")
}

// do sends a command and reads the reply to it. The control connection is a
// Telnet connection (RFC 959 §2.3), on which the octet 255 is doubled
// (RFC 854, IAC).
//
// QUIRK: vsftpd takes every octet as it comes; proftpd keeps to Telnet.
func (s *session) do(command string) (access.Reply, error) {
	if s.telnet {
		command = strings.ReplaceAll(command, "\xff", "\xff\xff")
	}
	return s.replies.Do(command)
}

// must sends a command and fails unless the code of the reply starts as want
// does.
func (s *session) must(want int, command string) error {
	r, err := s.do(command)
	if err != nil {
		return err
	}
	return s.expect(r, want)
}

func (s *session) expect(r access.Reply, want int) error {
	if !reply.Is(r, want) {
		return s.refused(r)
	}
	return nil
}

// refused returns r, which says no, as an error.
func (s *session) refused(r access.Reply) *reply.Error {
	return s.replies.Refused(r, meaning(r))
}

// maxPreliminary is how many 1yz replies may come before the one that counts.
// RFC 959 knows 110, 120, 125 and 150, and no command has more than two.
const maxPreliminary = 8

// final reads the reply that ends a command, or that greets, past those that
// only announce it.
func (s *session) final() (access.Reply, error) {
	for range maxPreliminary {
		r, err := s.replies.Read()
		if err != nil {
			return r, err
		}
		if r.Code >= 200 {
			return r, s.expect(r, 2)
		}
	}
	return access.Reply{}, fmt.Errorf("%w: %d replies announce another, and none ends the command", access.ErrProtocol, maxPreliminary)
}

// has reports whether the server names a feature (RFC 2389 §3.2). A server that
// does not know FEAT has none.
func (s *session) has(feature string) (bool, error) {
	r, err := s.do("FEAT")
	if err != nil || r.Code != 211 {
		return false, err
	}
	for l := range strings.Lines(r.Text) {
		name, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		if strings.EqualFold(name, feature) {
			return true, nil
		}
	}
	return false, nil
}
