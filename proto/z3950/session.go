package z3950

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"sync"
	"time"

	"locus/access"
	"locus/internal/ber"
	"locus/internal/sentinel"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A session is a connection after its Init. Requests are never pipelined. One goroutine
// may make requests while another calls Close.
type session struct {
	caller  context.Context // of the request
	ctx     context.Context // derived from caller; cancelled by Close
	cancel  context.CancelCauseFunc
	dialer  wire.Dialer
	address string
	req     *access.Request
	view    scheme.Z3950 // without the password, so that URLs made of it have none

	login    login
	hasLogin bool   // login was found in the URL, or asked for
	server   Server // set by connect
	buf      bytes.Buffer
	reader   *bufio.Reader

	mu   sync.Mutex
	conn *wire.Conn // nil if there is none
}

// newSession returns a session. connect connects it.
func (c Client) newSession(ctx context.Context, req *access.Request, v scheme.Z3950) *session {
	s := &session{
		caller: ctx, req: req, view: v, address: v.Address(defaultPort),
		dialer: wire.Dialer{Dial: c.Dial, TLS: c.TLS, Security: c.Security, Idle: c.Idle},
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	if v.User.Present && v.Password.Present {
		s.login, s.hasLogin = login{user: v.User.Text, password: v.Password.Text}, true
	}
	s.view.Password = url.Part{}
	return s
}

// connect connects and sends Init. If the server refuses, connect tries the other forms
// of a login, and then asks for one.
func (s *session) connect() error {
	if err := s.findLogin(); err != nil {
		return err
	}
	for {
		r, err := s.init()
		if err != nil {
			return err
		}
		if r.accepted {
			s.server = r.server
			return nil
		}
		s.disconnect()
		switch {
		case s.login != login{} && !s.login.isOpen && !errors.Is(r.refusal(), access.ErrTemporary):
			s.login.isOpen = true
		case s.login == login{}:
			if err := s.askLogin(r); err != nil {
				return err
			}
		default:
			refusal := r.refusal()
			if errors.Is(refusal, fs.ErrPermission) {
				refusal.Means = access.Reason("", access.ErrLogin)
			}
			return refusal
		}
	}
}

// findLogin asks the caller for the login, before the server asks for one.
func (s *session) findLogin() error {
	if s.hasLogin {
		return nil
	}
	s.hasLogin = true
	user := s.view.User
	c, err := s.req.Credentials(s.ctx, access.Challenge{URL: s.req.URL, Host: s.view.Name, User: user.Text, Optional: !user.Present})
	s.login = login{user: c.User, password: c.Password}
	return err
}

// askLogin asks for a login after the server refused to go on without one.
func (s *session) askLogin(r initResponse) error {
	c, err := s.req.Credentials(s.ctx, access.Challenge{URL: s.req.URL, Host: s.view.Name})
	if errors.Is(err, access.ErrPassword) || err == nil && c == (access.Credentials{}) {
		refusal := r.refusal()
		refusal.Means = access.Reason("it wants a login", access.ErrPassword, refusal.Means)
		return refusal
	}
	s.login = login{user: c.User, password: c.Password}
	return err
}

// refusal returns why the server did not accept an Init.
func (r initResponse) refusal() *access.Refusal {
	refusal := &access.Refusal{Reply: access.Reply{Text: "the server refuses the session"}}
	if r.diagnostic != nil {
		refusal = r.diagnostic.refusal()
	}
	if refusal.Means == nil {
		refusal.Means = access.Reason("", fs.ErrPermission)
	}
	return refusal
}

// init dials and sends an Init.
func (s *session) init() (r initResponse, err error) {
	conn, err := s.dialer.DialPlain(s.ctx, s.address)
	if err != nil {
		return r, err
	}
	if err := s.setConn(conn); err != nil {
		return r, err
	}
	m, err := s.exchange(initRequest(s.login), tagInitResponse)
	if err != nil {
		return r, err
	}
	return parseInit(m)
}

// setConn sets the connection. If the session has been closed meanwhile, setConn closes
// conn and returns an error.
func (s *session) setConn(conn *wire.Conn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkOpen(); err != nil {
		conn.Close()
		return err
	}
	s.conn, s.reader = conn, bufio.NewReaderSize(conn, 32<<10)
	return nil
}

// errDropped says that the server closed the connection instead of an answer.
var errDropped = sentinel.New("the server closed the connection without an answer", io.ErrUnexpectedEOF)

// exchange sends a request and returns the reply, which has the tag and is valid until
// the next exchange.
func (s *session) exchange(request []byte, tag uint32) (ber.Element, error) {
	if err := s.checkOpen(); err != nil {
		return ber.Element{}, err
	}
	s.mu.Lock()
	conn := s.conn
	s.mu.Unlock()
	if conn == nil {
		return ber.Element{}, errDropped
	}
	if _, err := conn.Write(request); err != nil {
		return ber.Element{}, s.readError(err)
	}
	if err := s.checkStart(); err != nil {
		return ber.Element{}, err
	}
	conn.StartLongReply()
	err := ber.Read(s.reader, &s.buf, maxMessage)
	conn.EndReply()
	if err != nil {
		return ber.Element{}, s.readError(err)
	}
	m, _, err := ber.Parse(s.buf.Bytes())
	switch {
	case err != nil:
		return ber.Element{}, malformed(err)
	case m.Is(tag) && m.IsConstructed:
		return m, nil
	case m.Is(tagClose):
		return ber.Element{}, parseClose(m)
	case m.Is(tagAccessControl):
		return ber.Element{}, access.Reason("the server asks for a login in the middle of the session", errors.ErrUnsupported)
	}
	return ber.Element{}, fmt.Errorf("%w: a message with the tag %d, not %d", access.ErrProtocol, m.Tag, tag)
}

// checkStart returns an error if what comes is no message of Z39.50, all of which start
// with a context tag.
func (s *session) checkStart() error {
	start, err := s.reader.Peek(1)
	if err != nil {
		return s.readError(err)
	}
	const mask, context = 0xe0, 0xa0
	if start[0]&mask != context {
		return access.Reason("this is no Z39.50 server", access.ErrProtocol)
	}
	return nil
}

// readError returns the cause of an error of the connection.
func (s *session) readError(err error) error {
	if closed := s.checkOpen(); closed != nil {
		return closed
	}
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return errDropped
	}
	if _, isNetwork := errors.AsType[*net.OpError](err); isNetwork && !wire.IsTimeout(err) {
		return fmt.Errorf("%w: %w", errDropped, err)
	}
	return malformed(err)
}

// isBroken reports whether the connection ended, and a new one may do better.
func isBroken(err error) bool {
	if closed, ok := errors.AsType[*closedError](err); ok {
		return errors.Is(closed, access.ErrTemporary)
	}
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// checkOpen returns an error if the session is closed or its context is done.
func (s *session) checkOpen() error { return context.Cause(s.ctx) }

func (s *session) disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
}

// farewell is how long a server may take to accept a Close.
const farewell = 2 * time.Second

// finish tells the server that the session ends, and closes it. No request may be
// pending.
func (s *session) finish() {
	s.mu.Lock()
	conn := s.conn
	s.mu.Unlock()
	if conn != nil && s.checkOpen() == nil {
		_ = conn.SetWriteDeadline(time.Now().Add(farewell))
		_, _ = conn.Write(closeRequest()) // it ends anyway
	}
	s.Close()
}

// Close closes the session at once. Any goroutine may call it, more than once.
func (s *session) Close() error {
	s.cancel(net.ErrClosed)
	s.disconnect()
	return nil
}
