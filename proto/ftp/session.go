package ftp

import (
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

// An errand is one access: what is to be done, and for whom.
type errand struct {
	client   Client
	ctx      context.Context
	req      *access.Request
	view     scheme.FTP // what the URL means
	wire     scheme.FTP // what is sent: where to go, and what is named there
	password typed
}

// A session is an errand on a control connection.
type session struct {
	*errand
	*control
	before []query     // are made with the next command that moves data
	reused bool        // the connection has served others
	over   atomic.Bool // the connection is no longer the session's
}

// begin gives the errand a control connection that is where a new one would be,
// or on the way from there to the URL's directory: one that has served others
// if there is one and it need not be fresh, else a new one.
func (e *errand) begin(fresh bool) (*session, error) {
	who, err := e.identity()
	if err != nil {
		return nil, err
	}
	for pause := firstPause; ; pause *= 2 {
		kept, err := e.client.Pool.take(e, who, fresh)
		if err != nil {
			return nil, err
		}
		if kept != nil {
			s := e.on(kept)
			if s.reused = true; s.approach() {
				return s, nil
			}
			s.drop()
			fresh = true
			continue
		}
		s, err := e.connect(who)
		if err == nil {
			return s, nil
		}
		if !isFull(err) || pause > lastPause || !e.client.Pool.wait(e.ctx, who.address, pause) {
			return nil, e.why(err)
		}
	}
}

// How long to wait before a server that has too many connections is asked
// again.
const (
	firstPause = time.Second
	lastPause  = 16 * time.Second
)

// isFull reports whether a server says that it has too many connections
// (RFC 959 §5.4, 421), and not that it wants TLS.
func isFull(err error) bool {
	refused, ok := errors.AsType[*access.Refusal](err)
	return ok && refused.Reply.Code == 421 && !errors.Is(err, ErrTLSRequired)
}

// on makes a session of a connection, bound to the errand's context.
func (e *errand) on(c *control) *session {
	c.answered = 0
	c.conn.Bind(e.ctx)
	return &session{errand: e, control: c}
}

// connect dials the server and logs in.
func (e *errand) connect(who identity) (*session, error) {
	c, err := e.dial(who)
	if err != nil {
		e.client.Pool.forget(who.address)
		return nil, err
	}
	s := e.on(c)
	if err := s.logIn(); err != nil {
		s.drop()
		return nil, err
	}
	return s, nil
}

// dial dials the server, and starts TLS at once if the URL is one of ftps.
func (e *errand) dial(who identity) (*control, error) {
	d := wire.Dialer{Dial: e.client.Dial, TLS: e.controlTLS(), Security: e.client.Security, Idle: e.client.Idle}
	dial := d.DialTCP
	if who.implicit {
		dial = d.DialTLS
	}
	conn, err := dial(e.ctx, who.address)
	if err != nil {
		return nil, err
	}
	keepAlive(conn)
	c := &control{login: who, conn: conn, data: d, replies: reply.NewConn(conn)}
	c.data.TLS = dataTLS(d.TLS)
	return c, nil
}

// keepAlive lets the system ask the other side every few seconds whether it is
// there: a control connection is silent while data come, and firewalls forget it;
// and who waits for data may wait for a machine that is gone.
func keepAlive(conn *wire.Conn) {
	if c, ok := conn.NetConn().(interface {
		SetKeepAliveConfig(config net.KeepAliveConfig) error
	}); ok {
		_ = c.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true}) // a nicety
	}
}

// why returns the cause of the context if it is done, or else err.
func (e *errand) why(err error) error {
	if e.ctx.Err() != nil {
		return context.Cause(e.ctx)
	}
	return err
}

// leave ends an access whose work is done: the connection is kept for others,
// or says goodbye.
func (s *session) leave() {
	if s.over.Swap(true) {
		return
	}
	if !s.conn.Unbind() {
		s.spoilt = true // its context was done before
	}
	if !s.client.Pool.put(s.control) {
		s.quit()
	}
}

// drop ends an access and its connection.
func (s *session) drop() {
	if s.over.Swap(true) {
		return
	}
	s.conn.Close()
	s.client.Pool.forget(s.login.address)
}

// end ends an access that gave err: its connection goes on if all that happened
// is that the server refused something.
func (s *session) end(err error) {
	if _, refused := errors.AsType[*access.Refusal](err); s.spoilt || err != nil && !refused {
		s.drop()
		return
	}
	s.leave()
}

// isStale reports whether an access failed because a connection that had served
// others was closed meanwhile: nothing was answered on it, and nothing done.
func (s *session) isStale() bool {
	return s.reused && s.spoilt && s.answered == 0 && s.ctx.Err() == nil
}

// approach goes back to where the login began, unless the URL's directory is
// further on the way. It reports whether the connection is where a new one
// would be after the same commands.
//
// RFC 1738 §3.2.5 calls a new connection the only reliable algorithm: a
// directory is left by its name only if the server, asked with PWD before the
// first CWD and again after coming back, gives the same answer twice.
func (s *session) approach() bool {
	if isPrefix(s.dirs, s.wire.Dirs) {
		return true
	}
	if s.home == "" {
		return false
	}
	var there string
	err := s.ask(
		query{"CWD " + s.home, func(r access.Reply) error { return s.expect(r, 2) }},
		query{"PWD", func(r access.Reply) error { there = directory(r); return nil }},
	)
	if err != nil || there != s.home {
		return false
	}
	s.dirs = nil
	s.answered = 0 // what comes now is the first of the access
	return true
}

func isPrefix(dirs, of []string) bool {
	return len(dirs) <= len(of) && slices.Equal(dirs, of[:len(dirs)])
}

// walk changes to each directory of the URL in turn (RFC 1738 §3.2.2), but for
// those that the connection has been led to already.
func (s *session) walk() error { return s.walkTo(s.wire.Dirs) }

func (s *session) walkTo(dirs []string) error {
	if len(dirs) == len(s.dirs) {
		return nil
	}
	if err := s.askHome(); err != nil {
		return err
	}
	for _, dir := range dirs[len(s.dirs):] {
		err := s.must(2, "CWD "+dir)
		if err != nil {
			s.spoilt = true
		}
		if err != nil && dir == "" {
			return advise(err, access.Advice(`an empty part of the path sends CWD without a directory; for the root directory write "/%2F"`))
		}
		if err != nil {
			return err
		}
		s.dirs = append(s.dirs, dir)
	}
	return nil
}

// askHome asks what the directory is called that the login began in, if the
// connection may have to come back there.
func (s *session) askHome() error {
	if s.client.Pool == nil || s.asked || len(s.dirs) > 0 {
		return nil
	}
	s.asked = true
	r, err := s.do("PWD")
	if err == nil {
		s.home = directory(r)
	}
	return err
}

// directory reads the answer to PWD (RFC 959 appendix II): a name between
// quotes, in which each quote is doubled. It is "" if there is none.
func directory(r access.Reply) string {
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
