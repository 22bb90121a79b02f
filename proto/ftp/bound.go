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
	"locus/access/engine"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
	"locus/scheme"
)

// An operation is one request and the values that were derived from it.
type operation struct {
	client   Client
	ctx      context.Context
	req      *access.Request
	view     scheme.FTP // the parts of the URL
	sent     scheme.FTP // the parts, with names in the server's character set
	prompted *string    // the password that Request.Login supplied; nil until asked
	content  []byte     // the Body, for the case that the request is executed again; nil until uploadPipelined has read it
}

// A boundConn is a control connection that executes an operation. It owns the connection until
// release or drop.
type boundConn struct {
	*operation
	*controlConn
	pendingQueries []query     // sent together with the next transfer command
	storedTime     time.Time   // the time that the server has set for an uploaded file; zero if it set none
	timeCode       int         // the code of the reply to MDTM for the file that the URL names; 0 if not asked
	reused         bool        // the connection has served another request
	otherDirs      bool        // earlier requests of this login went to other directories
	released       atomic.Bool // release or drop was called
}

// openConn returns a logged-in connection. It takes the connection from the pool unless forceNew is
// set or the pool has none; then it dials. The connection has entered only directories that the
// URL's path starts with. If the server has too many connections, openConn tries again after 1, 2,
// 4, 8 and 16 seconds, or earlier if a connection of the pool is closed or becomes free.
func (o *operation) openConn(forceNew bool) (*boundConn, error) {
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
			b := o.bind(kept, kept.conn.BindAgain)
			if b.reused = true; b.resetDir() {
				return b, nil
			}
			if !b.broken {
				b.quit()
			}
			b.drop()
			forceNew, otherDirs = true, true
			continue
		}
		b, err := o.connect(id)
		if err == nil {
			b.otherDirs = otherDirs
			return b, nil
		}
		// A server may still count the connection that openConn has just closed.
		justClosed := otherDirs && delay == firstRetryDelay
		if !isTooMany(err) || delay > maxRetryDelay || !o.client.Pool.waitForChange(o.ctx, id.address, delay, justClosed) {
			return nil, o.cause(err)
		}
		delay *= 2
	}
}

// The delays between two tries if the server has too many connections. Each is twice the delay before.
const (
	firstRetryDelay = time.Second
	maxRetryDelay   = 16 * time.Second
)

// isTooMany reports whether err is the refusal of a server that has too many connections (RFC 959
// §5.4, 421). A 421 that demands TLS does not count.
func isTooMany(err error) bool {
	refused, ok := errors.AsType[*engine.Refusal](err)
	return ok && refused.Reply.Code == 421 && !errors.Is(err, ErrTLSRequired)
}

// bind returns c as the connection of the operation, and sets its count of replies to 0. It calls tie, which is Bind or
// BindAgain of c.conn, so that reads and writes of c end when the context of the operation is done.
func (o *operation) bind(c *controlConn, tie func(context.Context)) *boundConn {
	c.replyCount = 0
	tie(o.ctx)
	return &boundConn{operation: o, controlConn: c}
}

// connect dials the server and logs in. For ftps URLs it starts TLS before the greeting. The TLS sessions of data
// connections resume the TLS session of the control connection, and do not replace it. If connect fails, it tells the
// pool that the connection is gone, and closes it.
func (o *operation) connect(id identity) (*boundConn, error) {
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
	c := &controlConn{login: id, conn: conn, dataDialer: d, replies: reply.NewConn(conn)}
	c.dataDialer.TLS = d.TLS.Clone()
	c.dataDialer.TLS.ClientSessionCache = readOnlyCache{d.TLS.ClientSessionCache}
	b := o.bind(c, conn.Bind)
	if err := b.logIn(); err != nil {
		b.quitIfRefused(err)
		b.drop()
		return nil, err
	}
	return b, nil
}

// keepAlive enables TCP keep-alive if conn has a method for it. A control connection needs it
// because it is silent during a transfer, and firewalls drop silent connections. On a data
// connection it detects a peer that is gone.
func keepAlive(conn *wire.Conn) {
	if c, ok := conn.NetConn().(interface {
		SetKeepAliveConfig(config net.KeepAliveConfig) error
	}); ok {
		_ = c.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true}) // optional, so errors are ignored
	}
}

// cause returns the cause of the context if the context is done, and otherwise err, which may be nil.
func (o *operation) cause(err error) error {
	return cmp.Or(context.Cause(o.ctx), err)
}

// release ends a request that succeeded. It puts the connection into the pool, or closes it with
// QUIT if the pool does not keep it. Only the first call of release or drop has an effect.
func (b *boundConn) release() {
	if b.released.Swap(true) {
		return
	}
	if !b.conn.Unbind() {
		b.broken = true // its context was done before
	}
	if !b.client.Pool.keep(b.controlConn) {
		b.quit()
	}
}

// drop closes the connection without QUIT, and tells the pool that it is gone. Only the first call of release or drop
// has an effect.
func (b *boundConn) drop() {
	if b.released.Swap(true) {
		return
	}
	b.conn.Close()
	if b.disordered {
		b.client.Pool.noteDisorder(b.login.address)
	}
	b.client.Pool.forget(b.login.address)
}

// finish ends a request that returned err. It releases the connection if err is nil or a refusal by the server, because
// the connection is still usable then. After any other error, and if the connection is broken, it drops the connection.
func (b *boundConn) finish(err error) {
	if _, refused := errors.AsType[*engine.Refusal](err); b.broken || err != nil && !refused {
		b.quitIfRefused(err)
		b.drop()
		return
	}
	b.release()
}

// quitIfRefused sends QUIT and closes the connection if err is a refusal by the server. Otherwise it does nothing. The
// caller calls drop afterwards.
func (b *boundConn) quitIfRefused(err error) {
	if _, refused := errors.AsType[*engine.Refusal](err); refused {
		b.quit()
	}
}

// isStale reports whether a reused connection was closed while it was idle. The request can then be
// repeated, because it got no reply and changed nothing.
func (b *boundConn) isStale() bool {
	return b.reused && b.broken && b.replyCount == 0 && b.ctx.Err() == nil
}

// resetDir returns to the login directory, and clears dirs and the count of replies, unless the
// connection has entered only directories that the URL's path starts with. It reports whether
// changeDir can go on from here; if not, the caller replaces the connection.
//
// The result of PWD after the return must equal the result of PWD in the login directory (see
// askHome), because only that proves that CWD has led back.
func (b *boundConn) resetDir() bool {
	if isPrefix(b.dirs, b.sent.Dirs) {
		return true
	}
	if b.home == "" {
		return false
	}
	var there string
	err := b.ask(
		query{"CWD " + b.home, func(r access.Reply) error { return b.expect(r, 2) }},
		query{"PWD", func(r access.Reply) error { there = parsePWD(r); return nil }},
	)
	if err != nil || there != b.home {
		return false
	}
	b.dirs = nil
	b.replyCount = 0 // the request starts here
	return true
}

// isPrefix reports whether dirs starts with the elements of prefix.
func isPrefix(prefix, dirs []string) bool {
	return len(prefix) <= len(dirs) && slices.Equal(prefix, dirs[:len(prefix)])
}

// changeDir changes to each directory of the URL in turn (RFC 1738 §3.2.2). It skips the directories that the
// connection has already entered. After a refusal the connection is broken, because its directory is then unknown.
func (b *boundConn) changeDir() error {
	dirs := b.sent.Dirs
	if len(dirs) == len(b.dirs) {
		return nil
	}
	if err := b.askHome(); err != nil {
		return err
	}
	for _, dir := range dirs[len(b.dirs):] {
		if err := b.doExpect(2, "CWD "+dir); err != nil {
			b.broken = true
			if dir == "" {
				return withRemedy(err, access.Advice(`an empty part of the path sends CWD without a directory; for the root directory write "/%2F"`))
			}
			return err
		}
		b.dirs = append(b.dirs, dir)
	}
	return nil
}

// askHome asks for the name of the login directory before the first CWD, and sets home to it, or to "" if the server
// does not tell it. It does so only if several requests share the login, because RFC 1738 §3.2.2 does not allow PWD.
func (b *boundConn) askHome() error {
	if b.homeAsked || len(b.dirs) > 0 || !b.reused && !b.otherDirs {
		return nil
	}
	b.homeAsked = true
	r, err := b.do("PWD")
	if err == nil {
		b.home = parsePWD(r)
	}
	return err
}

// parsePWD returns the directory in a reply to PWD (RFC 959 appendix II): a quoted name, in which
// quotes are doubled. It returns "" if the reply has no such name.
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
