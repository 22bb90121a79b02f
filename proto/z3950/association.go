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
	"locus/access/engine"
	"locus/internal/ber"
	"locus/internal/sentinel"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// An association is a connection after its Init (Z39.50 §3.2.1). Requests are never pipelined.
// One goroutine may make requests while another calls Close.
type association struct {
	caller  context.Context // of the request
	ctx     context.Context // derived from caller; cancelled by Close
	cancel  context.CancelCauseFunc
	dialer  wire.Dialer
	address string
	req     *access.Request
	view    scheme.Z3950 // without the password, so that URLs made from it do not contain it

	login    login
	hasLogin bool   // the login was taken from the URL, or the caller was asked for it
	server   Server // set by connect
	buf      bytes.Buffer
	reader   *bufio.Reader

	mu   sync.Mutex
	conn *wire.Conn // nil if it is not connected
}

// newAssociation returns an association that is not connected. Its login is the user and the
// password of the URL, if the URL has both. Its view lacks the password.
func (c Client) newAssociation(ctx context.Context, req *access.Request, v scheme.Z3950) *association {
	a := &association{
		caller: ctx, req: req, view: v, address: v.Address(defaultPort),
		dialer: wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle},
	}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	if v.User.Present && v.Password.Present {
		a.login, a.hasLogin = login{user: v.User.Text, password: v.Password.Text}, true
	}
	a.view.Password = url.Part{}
	return a
}

// connect connects, sends Init, and sets server. If the server refuses, connect sends the login in
// its other form, or asks the caller for a login, and tries again.
func (a *association) connect() error {
	if err := a.findLogin(); err != nil {
		return err
	}
	for {
		r, err := a.init()
		if err != nil {
			return err
		}
		if r.accepted {
			a.server = r.server
			return nil
		}
		a.disconnect()
		switch {
		case a.login != login{} && !a.login.isOpen && !errors.Is(r.refusal(), access.ErrTemporary):
			a.login.isOpen = true
		case a.login == login{}:
			if err := a.askLogin(r); err != nil {
				return err
			}
		default:
			refusal := r.refusal()
			if errors.Is(refusal, fs.ErrPermission) {
				refusal.Means = engine.Reason("", access.ErrLogin)
			}
			return refusal
		}
	}
}

// findLogin asks the caller for the login before the first Init, unless the URL has it or the
// caller was already asked. An empty answer is an anonymous login.
func (a *association) findLogin() error {
	if a.hasLogin {
		return nil
	}
	a.hasLogin = true
	user := a.view.User
	c, err := engine.Credentials(a.ctx, a.req, access.Challenge{URL: a.req.URL, Host: a.view.Name, User: user.Text, Optional: !user.Present})
	a.login = login{user: c.User, password: c.Password}
	return err
}

// askLogin asks the caller for a login, after the server refused an Init without a login. r is the
// refusal. The error wraps access.ErrPassword if the caller gives no login.
func (a *association) askLogin(r initResponse) error {
	c, err := engine.Credentials(a.ctx, a.req, access.Challenge{URL: a.req.URL, Host: a.view.Name})
	if errors.Is(err, access.ErrPassword) || err == nil && c == (access.Credentials{}) {
		refusal := r.refusal()
		refusal.Means = engine.Reason("it wants a login", access.ErrPassword, refusal.Means)
		return refusal
	}
	a.login = login{user: c.User, password: c.Password}
	return err
}

// refusal returns the error for an Init that the server did not accept. It wraps fs.ErrPermission,
// unless the diagnostic has another meaning.
func (r initResponse) refusal() *engine.Refusal {
	refusal := &engine.Refusal{Reply: access.Reply{Text: "the server refuses the session"}}
	if r.diagnostic != nil {
		refusal = r.diagnostic.refusal()
	}
	if refusal.Means == nil {
		refusal.Means = engine.Reason("", fs.ErrPermission)
	}
	return refusal
}

// init dials and sends an Init. It returns the reply, which may be a refusal.
func (a *association) init() (r initResponse, err error) {
	conn, err := a.dialer.DialPlain(a.ctx, a.address)
	if err != nil {
		return r, err
	}
	if err := a.setConn(conn); err != nil {
		return r, err
	}
	conn.Hide(a.login.password)
	m, err := a.roundTrip(initRequest(a.login), tagInitResponse)
	if err != nil {
		return r, err
	}
	return parseInit(m)
}

// setConn sets the connection. If the association has been closed meanwhile, setConn closes
// conn and returns an error.
func (a *association) setConn(conn *wire.Conn) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.checkOpen(); err != nil {
		conn.Close()
		return err
	}
	a.conn, a.reader = conn, bufio.NewReaderSize(conn, 32<<10)
	return nil
}

// errDropped reports that the server closed the connection instead of replying.
var errDropped = sentinel.New("the server closed the connection without an answer", io.ErrUnexpectedEOF)

// roundTrip sends a request and returns the reply with the tag. The reply is valid until the next
// call. If the server closes the association instead, the error is a closedError.
func (a *association) roundTrip(request []byte, tag uint32) (ber.Element, error) {
	if err := a.checkOpen(); err != nil {
		return ber.Element{}, err
	}
	a.mu.Lock()
	conn := a.conn
	a.mu.Unlock()
	if conn == nil {
		return ber.Element{}, errDropped
	}
	if _, err := conn.Write(request); err != nil {
		return ber.Element{}, a.readError(err)
	}
	if err := a.checkStart(); err != nil {
		return ber.Element{}, err
	}
	conn.StartLongReply()
	err := ber.Read(a.reader, &a.buf, maxMessage)
	conn.EndReply()
	if err != nil {
		return ber.Element{}, a.readError(err)
	}
	m, _, err := ber.Parse(a.buf.Bytes())
	switch {
	case err != nil:
		return ber.Element{}, malformed(err)
	case m.Is(tag) && m.IsConstructed:
		return m, nil
	case m.Is(tagClose):
		return ber.Element{}, parseClose(m)
	case m.Is(tagAccessControl):
		return ber.Element{}, engine.Reason("the server asks for a login in the middle of the session", errors.ErrUnsupported)
	}
	return ber.Element{}, fmt.Errorf("%w: a message with the tag %d, not %d", access.ErrProtocol, m.Tag, tag)
}

// checkStart waits for the first byte of the reply, and returns an error if the byte shows that the
// peer does not speak Z39.50, whose messages all start with a context tag.
func (a *association) checkStart() error {
	start, err := a.reader.Peek(1)
	if err != nil {
		return a.readError(err)
	}
	const mask, context = 0xe0, 0xa0
	if start[0]&mask != context {
		return engine.Reason("the server does not speak Z39.50", access.ErrProtocol)
	}
	return nil
}

// readError translates err, the error of a read or write: to the reason for which the association
// was closed, to errDropped if the server ended the connection, and to access.ErrTooLong or
// access.ErrProtocol if the message is malformed. It returns any other error unchanged.
func (a *association) readError(err error) error {
	if closed := a.checkOpen(); closed != nil {
		return closed
	}
	if access.IsEnd(err) {
		return errDropped
	}
	if _, isNetwork := errors.AsType[*net.OpError](err); isNetwork && !wire.IsTimeout(err) {
		return fmt.Errorf("%w: %w", errDropped, err)
	}
	return malformed(err)
}

// isBroken reports whether err means that the connection ended, and a request on a new connection
// may succeed.
func isBroken(err error) bool {
	if closed, ok := errors.AsType[*closedError](err); ok {
		return errors.Is(closed, access.ErrTemporary)
	}
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// checkOpen returns an error if the association is closed or its context is done.
func (a *association) checkOpen() error { return context.Cause(a.ctx) }

// disconnect closes the connection, if there is one.
func (a *association) disconnect() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conn != nil {
		a.conn.Close()
		a.conn = nil
	}
}

// closeTimeout is how long the server may take to accept a Close.
const closeTimeout = 2 * time.Second

// finish sends a Close and closes the association. The caller must not call finish while a request
// is pending.
func (a *association) finish() {
	a.mu.Lock()
	conn := a.conn
	a.mu.Unlock()
	if conn != nil && a.checkOpen() == nil {
		_ = conn.SetWriteDeadline(time.Now().Add(closeTimeout))
		_, _ = conn.Write(closeRequest()) // an error does not matter, because the association ends
	}
	a.Close()
}

// Close closes the association at once. Any goroutine may call it, more than once.
func (a *association) Close() error {
	a.cancel(net.ErrClosed)
	a.disconnect()
	return nil
}
