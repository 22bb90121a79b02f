package ftp

import (
	"cmp"
	"context"
	"errors"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
	"locus/scheme"
)

// An operation is one request and what is known about it.
type operation struct {
	client   Client
	ctx      context.Context
	req      *access.Request
	view     scheme.FTP // the parts of the URL
	sent     scheme.FTP // view with names in the server's character set
	prompted *string    // the password that Request.Login supplied; nil until asked
}

// A session is an operation on a control connection.
type session struct {
	*operation
	*control
	pendingQueries []query     // sent together with the next transfer command
	storedTime     time.Time   // the time that the server gave an uploaded file; zero: its own
	reused         bool        // the connection has served another request
	otherDirs      bool        // requests before this one went to other directories
	released       atomic.Bool // the session no longer owns the connection
}

// openSession returns a session on a logged-in connection. It takes one from
// the pool unless forceNew is set, else it dials. The connection is in the
// login directory, or on the way from there to the URL's directory.
func (o *operation) openSession(forceNew bool) (*session, error) {
	id, err := o.newIdentity()
	if err != nil {
		return nil, err
	}
	delay, otherDirs := firstRetryDelay, false
	for {
		kept, err := o.client.Pool.acquire(o, id, forceNew)
		if err != nil {
			return nil, err
		}
		if kept != nil {
			s := o.newSession(kept)
			if s.reused = true; s.resetDir() {
				return s, nil
			}
			if !s.broken {
				s.quit()
			}
			s.drop()
			forceNew, otherDirs = true, true
			continue
		}
		s, err := o.connect(id)
		if err == nil {
			s.otherDirs = otherDirs
			return s, nil
		}
		// A server may still count the connection that was just closed.
		justClosed := otherDirs && delay == firstRetryDelay
		if !isTooMany(err) || delay > maxRetryDelay || !o.client.Pool.waitForChange(o.ctx, id.address, delay, justClosed) {
			return nil, o.cause(err)
		}
		delay *= 2
	}
}

// The delays between tries if the server has too many connections.
const (
	firstRetryDelay = time.Second
	maxRetryDelay   = 16 * time.Second
)

// isTooMany reports whether the server has too many connections (RFC 959 §5.4,
// 421). A 421 that demands TLS does not count.
func isTooMany(err error) bool {
	refused, ok := errors.AsType[*access.Refusal](err)
	return ok && refused.Reply.Code == 421 && !errors.Is(err, ErrTLSRequired)
}

// newSession binds a connection to the context of the operation.
func (o *operation) newSession(c *control) *session {
	c.replyCount = 0
	c.conn.Bind(o.ctx)
	return &session{operation: o, control: c}
}

// connect dials the server and logs in. For ftps URLs it starts TLS at once. TLS
// sessions of data connections resume that of the control connection, and do
// not replace it.
func (o *operation) connect(id identity) (*session, error) {
	d := wire.Dialer{Dial: o.client.Dial, TLS: o.controlTLS(), Security: o.client.Security, Idle: o.client.Idle}
	dial := d.DialTCP
	if id.implicit {
		dial = d.DialTLS
	}
	conn, err := dial(o.ctx, id.address)
	if err != nil {
		o.client.Pool.forget(id.address)
		return nil, err
	}
	keepAlive(conn)
	c := &control{login: id, conn: conn, dataDialer: d, replies: reply.NewConn(conn)}
	c.dataDialer.TLS = d.TLS.Clone()
	c.dataDialer.TLS.ClientSessionCache = readOnlyCache{d.TLS.ClientSessionCache}
	s := o.newSession(c)
	if err := s.logIn(); err != nil {
		s.drop()
		return nil, err
	}
	return s, nil
}

// keepAlive enables TCP keep-alive. A control connection is silent during a
// transfer, and firewalls drop silent connections. On a data connection it
// detects a peer that is gone.
func keepAlive(conn *wire.Conn) {
	if c, ok := conn.NetConn().(interface {
		SetKeepAliveConfig(config net.KeepAliveConfig) error
	}); ok {
		_ = c.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true}) // optional, so errors are ignored
	}
}

// cause returns the cause of the context if it is done, else err.
func (o *operation) cause(err error) error {
	return cmp.Or(context.Cause(o.ctx), err)
}

// release ends a request that succeeded. The connection goes to the pool, or is
// closed with QUIT.
func (s *session) release() {
	if s.released.Swap(true) {
		return
	}
	if !s.conn.Unbind() {
		s.broken = true // its context was done before
	}
	if !s.client.Pool.keep(s.control) {
		s.quit()
	}
}

func (s *session) drop() {
	if s.released.Swap(true) {
		return
	}
	s.conn.Close()
	s.client.Pool.forget(s.login.address)
}

// finish ends a request that returned err. The connection is kept if err is nil
// or a refusal by the server. After any other error it is closed.
func (s *session) finish(err error) {
	if _, refused := errors.AsType[*access.Refusal](err); s.broken || err != nil && !refused {
		s.drop()
		return
	}
	s.release()
}

// isStale reports whether a reused connection was closed while idle. Then no
// reply came, and nothing was done.
func (s *session) isStale() bool {
	return s.reused && s.broken && s.replyCount == 0 && s.ctx.Err() == nil
}

// resetDir returns to the login directory, unless the connection is on the way
// to the URL's directory. It reports whether changeDir can go on from
// here; if not, the connection must be replaced.
//
// PWD is asked in the login directory (see askHome) and again after the return.
// Both answers must be equal.
func (s *session) resetDir() bool {
	if isPrefix(s.dirs, s.sent.Dirs) {
		return true
	}
	if s.home == "" {
		return false
	}
	var there string
	err := s.ask(
		query{"CWD " + s.home, func(r access.Reply) error { return s.expect(r, 2) }},
		query{"PWD", func(r access.Reply) error { there = parsePWD(r); return nil }},
	)
	if err != nil || there != s.home {
		return false
	}
	s.dirs = nil
	s.replyCount = 0 // the request starts here
	return true
}

func isPrefix(dirs, of []string) bool {
	return len(dirs) <= len(of) && slices.Equal(dirs, of[:len(dirs)])
}

// changeDir changes to each directory of the URL in turn (RFC 1738 §3.2.2). It
// skips those that the connection is already in.
func (s *session) changeDir() error {
	dirs := s.sent.Dirs
	if len(dirs) == len(s.dirs) {
		return nil
	}
	if err := s.askHome(); err != nil {
		return err
	}
	for _, dir := range dirs[len(s.dirs):] {
		if err := s.doExpect(2, "CWD "+dir); err != nil {
			s.broken = true
			if dir == "" {
				return withRemedy(err, access.Advice(`an empty part of the path sends CWD without a directory; for the root directory write "/%2F"`))
			}
			return err
		}
		s.dirs = append(s.dirs, dir)
	}
	return nil
}

// askHome asks for the name of the login directory before the first CWD. It
// does so only if several requests share the login: RFC 1738 §3.2.2 has no PWD.
func (s *session) askHome() error {
	if s.homeAsked || len(s.dirs) > 0 || !s.reused && !s.otherDirs {
		return nil
	}
	s.homeAsked = true
	r, err := s.do("PWD")
	if err == nil {
		s.home = parsePWD(r)
	}
	return err
}

// parsePWD reads the reply to PWD (RFC 959 appendix II): a quoted name, in
// which quotes are doubled. It returns "" if there is none.
func parsePWD(r access.Reply) string {
	if r.Code != 257 || len(r.Text) == 0 || r.Text[0] != '"' {
		return ""
	}
	var name []byte
	for i := 1; i < len(r.Text); i++ {
		if r.Text[i] == '"' {
			if i++; i == len(r.Text) || r.Text[i] != '"' {
				return string(name)
			}
		}
		name = append(name, r.Text[i])
	}
	return ""
}
