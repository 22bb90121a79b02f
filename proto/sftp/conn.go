package sftp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
)

// A conn is a connection to a server, with the user logged in and a channel for packets. One operation uses it at a
// time. Replies may come in any order, so a conn keeps the replies that nobody has waited for yet.
type conn struct {
	login   identity // of the connection; the password is the one that was used
	link    *link
	session ssh.Conn    // nil before the login
	channel ssh.Channel // nil before the login
	stderr  *tail       // the end of the server's standard error

	extensions map[string]string // of the server, by name
	ordered    bool              // the server writes in the order of the requests

	lastID  uint32
	pending map[uint32]*call // by id
	replies int              // since the operation began
	tap     engine.Tap
	unwatch func() bool // ends the binding to the context; false if the context was done
	spare   [][]byte    // memory for the next packets
	out     writer
}

// A call is a request whose reply has not been used.
type call struct {
	isDropped bool // the reply is not wanted
	isHere    bool
	kind      packetType
	packet    []byte // the reply, from its id on
}

// bind makes the connection belong to an operation with the context ctx: when ctx is done, the connection is
// closed, and the idle limit applies. bind also tells the hook in ctx about the connection. reused says whether an
// earlier request used it.
func (c *conn) bind(ctx context.Context, reused bool) {
	c.tap, c.replies = engine.TapOf(ctx), 0
	c.link.watch()
	c.unwatch = context.AfterFunc(ctx, func() { c.link.abort(context.Cause(ctx)) })
	if connected := access.ConnectedOf(ctx); connected != nil {
		at := access.Connection{Reused: reused}
		if remote := c.link.RemoteAddr(); remote != nil {
			at.Address = remote.String()
		}
		connected(at)
	}
}

// unbind ends the effect of bind. It returns false if the connection cannot be used again, because it was closed
// or the context was done.
func (c *conn) unbind() bool {
	c.link.unwatch()
	c.tap = nil
	return c.unwatch() && c.link.err() == nil
}

// Host returns the address of the server, host:port.
func (c *conn) Host() string { return c.login.address }

// Close closes the connection without waiting for the server.
func (c *conn) Close() error {
	if c.session != nil {
		_ = c.session.Close()
	}
	return c.link.Close()
}

// mostDropped is how many unwanted replies may be pending on an idle connection. The next operation reads them.
const mostDropped = 16

// isIdle reports whether the connection can serve another request. It is true if the caller has dropped every
// pending reply, and at most mostDropped replies are pending.
func (c *conn) isIdle() bool {
	if c.channel == nil || len(c.pending) > mostDropped {
		return false
	}
	for _, p := range c.pending {
		if !p.isDropped {
			return false
		}
	}
	return true
}

// open opens the channel for the file transfer protocol on the session, and agrees on version 3. The error wraps
// errNoSFTP if the server does not offer it.
func (c *conn) open() error {
	channel, requests, err := c.session.OpenChannel("session", nil)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoSFTP, err)
	}
	go ssh.DiscardRequests(requests)
	c.channel, c.stderr = channel, new(tail)
	go func() { _, _ = io.Copy(c.stderr, channel.Stderr()) }()
	ok, err := channel.SendRequest("subsystem", true, ssh.Marshal(struct{ Name string }{"sftp"}))
	if err != nil {
		return err
	}
	if !ok {
		return errNoSFTP
	}
	c.out.buf = append(c.out.buf[:0], 0, 0, 0, 5, byte(typeInit), 0, 0, 0, 3)
	if err := c.write(c.out.buf); err != nil {
		return err
	}
	return c.readVersion()
}

// readVersion reads VERSION (draft-ietf-secsh-filexfer-02 §4), and sets extensions and ordered.
func (c *conn) readVersion() error {
	kind, packet, err := c.readPacket()
	if err != nil {
		return err
	}
	r := reader{data: packet}
	version := r.uint32()
	if kind != typeVersion || r.err != nil {
		return fmt.Errorf("%w: the server does not begin with its version", access.ErrProtocol)
	}
	if version < 3 {
		return fmt.Errorf("%w: the server has version %d of the protocol", errNoSFTP, version)
	}
	c.extensions = make(map[string]string)
	for len(r.data) > 0 && r.err == nil {
		name := r.string(maxString)
		c.extensions[name] = r.string(maxString)
	}
	c.ordered = strings.Contains(string(c.session.ServerVersion()), "OpenSSH")
	return malformed(r.err)
}

// has reports whether the server has the extension with this name and exactly this version.
func (c *conn) has(name, version string) bool { return c.extensions[name] == version }

// send sends a request of this kind, and returns its id without waiting for the reply. args appends the fields
// after the id. The caller gets the reply with receive, or calls drop.
func (c *conn) send(kind packetType, args func(w *writer)) (uint32, error) {
	c.lastID++
	id := c.lastID
	c.out.buf = append(c.out.buf[:0], 0, 0, 0, 0, byte(kind))
	c.out.uint32(id)
	args(&c.out)
	binary.BigEndian.PutUint32(c.out.buf, uint32(len(c.out.buf)-4)) //nolint:gosec // at most a chunk and a name
	if c.pending == nil {
		c.pending = make(map[uint32]*call)
	}
	c.pending[id] = new(call)
	return id, c.write(c.out.buf)
}

// drop discards the reply to the request id, which may still have to arrive. An unknown id has no effect.
func (c *conn) drop(id uint32) {
	p := c.pending[id]
	if p == nil {
		return
	}
	if p.isHere {
		delete(c.pending, id)
		return
	}
	p.isDropped = true
}

// receive waits for the reply to the request id, and returns a reader of its fields. The error is a
// *engine.Refusal if the reply is STATUS with an error, and wraps access.ErrProtocol if the reply has another type
// than want. The memory of the reader may be recycled after its last use.
func (c *conn) receive(id uint32, want packetType) (*reader, error) {
	p := c.pending[id]
	for !p.isHere {
		if err := c.receiveNext(); err != nil {
			return nil, err
		}
	}
	delete(c.pending, id)
	r := &reader{data: p.packet[4:], packet: p.packet}
	switch p.kind {
	case typeStatus:
		err := readStatus(r)
		if err == nil && want != typeStatus {
			err = fmt.Errorf("%w: a reply without its data", access.ErrProtocol)
		}
		return r, err
	case want:
		return r, nil
	}
	return nil, fmt.Errorf("%w: a reply of type %d", access.ErrProtocol, p.kind)
}

// receiveNext reads one reply, which may answer any request, and keeps it for receive unless it was dropped. A
// reply to no request is an error.
func (c *conn) receiveNext() error {
	kind, packet, err := c.readPacket()
	if err != nil {
		return err
	}
	if len(packet) < 4 {
		return malformed(errShort)
	}
	id := binary.BigEndian.Uint32(packet)
	p := c.pending[id]
	switch {
	case p == nil || p.isHere:
		return fmt.Errorf("%w: a reply to no request", access.ErrProtocol)
	case p.isDropped:
		delete(c.pending, id)
		c.recycle(packet)
		return nil
	}
	p.isHere, p.kind, p.packet = true, kind, packet
	c.replies++
	return nil
}

// readPacket reads a packet. It returns the type, and the payload after the type, which begins with the id.
func (c *conn) readPacket() (packetType, []byte, error) {
	var head [5]byte
	if err := c.readFull(head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size < 1 || size > maxPacket {
		return 0, nil, fmt.Errorf("%w: a packet of %d bytes%s", access.ErrProtocol, size, c.chatter(head))
	}
	packet := c.memory(int(size) - 1)
	if err := c.readFull(packet); err != nil {
		return 0, nil, err
	}
	if c.tap != nil {
		c.tap.Received(head[:])
		c.tap.Received(packet)
	}
	return packetType(head[4]), packet, nil
}

// chatter returns an explanation for the error about a packet whose head is text; "" for another head. Such text
// usually comes from a start-up file of the user's shell, which must print nothing in sessions without a
// terminal.
func (c *conn) chatter(head [5]byte) string {
	if slices.ContainsFunc(head[:], func(b byte) bool { return b < ' ' || b > '~' }) {
		return ""
	}
	return fmt.Sprintf(": it begins with the text %q, perhaps of a start-up file of the user's shell", head)
}

// memory returns n bytes for a packet, from a recycled packet if possible. Their content is arbitrary.
func (c *conn) memory(n int) []byte {
	for i := len(c.spare) - 1; i >= 0; i-- {
		if p := c.spare[i]; cap(p) >= n {
			c.spare = slices.Delete(c.spare, i, i+1)
			return p[:n]
		}
	}
	return make([]byte, n, max(n, 64))
}

// mostSpare limits the packets whose memory is kept.
const mostSpare = 8

// recycle makes the memory of packet available to later packets. The caller must not use packet afterwards.
func (c *conn) recycle(packet []byte) {
	if len(c.spare) < mostSpare && cap(packet) > 0 {
		c.spare = append(c.spare, packet)
	}
}

// readFull fills p with bytes of the channel. The idle limit applies while it waits.
func (c *conn) readFull(p []byte) error {
	c.link.startWaiting()
	_, err := io.ReadFull(c.channel, p)
	c.link.stopWaiting()
	return c.reason(err)
}

// write sends a whole packet. The idle limit applies while it waits.
func (c *conn) write(packet []byte) error {
	if c.tap != nil {
		c.tap.Sent(packet)
	}
	c.link.startWaiting()
	_, err := c.channel.Write(packet)
	c.link.stopWaiting()
	return c.reason(err)
}

// reason returns the error for err, with which the connection failed: the reason for which the link was closed,
// an error with the text that the server wrote to its standard error, or err. The end of the connection becomes
// io.ErrUnexpectedEOF. It returns nil if err is nil.
func (c *conn) reason(err error) error {
	if err == nil {
		return nil
	}
	if reason := c.link.err(); reason != nil {
		return reason
	}
	if text := c.stderr.String(); text != "" && access.IsEnd(wireEnd(err)) {
		return fmt.Errorf("%w: the server says %q", io.ErrUnexpectedEOF, text)
	}
	return wire.Early(wireEnd(err))
}

// wireEnd returns io.EOF if err says that the connection has ended, and err otherwise.
func wireEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) {
		return io.EOF
	}
	return err
}

// A tail keeps the end of a text. Several goroutines may use it at once.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// mostTail limits the text that a tail keeps.
const mostTail = 400

// Write appends p to the text, of which only the last mostTail bytes stay. It never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-mostTail):]
	return len(p), nil
}

// String returns the kept text on one line. It returns "" for a nil tail.
func (t *tail) String() string {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.text)), " ")
}

// dial connects to the server of o, checks its key, and logs in. It returns the connection, which is also o.conn
// and bound to o. After an error o.conn is nil.
func (o *operation) dial() (*conn, error) {
	d := wire.Dialer{Dial: o.client.Dial, Idle: o.client.Idle}
	raw, err := d.Connect(o.ctx, "tcp", o.login.address)
	if err != nil {
		return nil, err
	}
	c := &conn{login: o.login, link: newLink(raw, d.IdleLimit())}
	o.conn = c
	c.bind(o.ctx, false)
	if err := o.logIn(c); err != nil {
		reason := c.link.err()
		c.unwatch()
		c.Close()
		o.conn = nil
		if reason != nil {
			err = reason
		}
		return nil, err
	}
	return c, nil
}

// logIn makes the key exchange of SSH on c, verifies the server's key, logs the user in, and opens the channel.
// On failure the caller closes c.
func (o *operation) logIn(c *conn) error {
	check, err := o.newHostCheck()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(o.ctx)
	defer cancel()
	l := &authentication{operation: o, ctx: ctx}
	var untrusted error
	var trusted ssh.PublicKey
	config := &ssh.ClientConfig{
		User: o.login.user, Auth: l.methods(), ClientVersion: "SSH-2.0-locus",
		HostKeyAlgorithms: check.algorithms(o.login.address),
		HostKeyCallback: func(address string, remote net.Addr, key ssh.PublicKey) error {
			// A server may exchange keys again, even after o has ended.
			if trusted != nil {
				return checkSameKey(trusted, key)
			}
			if untrusted = check.verify(address, remote, key); untrusted == nil {
				trusted = key
			}
			return untrusted
		},
	}
	c.link.startLogin()
	defer c.link.endLogin()
	session, channels, requests, err := ssh.NewClientConn(c.link, o.login.address, config)
	if untrusted != nil {
		return untrusted
	}
	if err != nil {
		return l.explain(err)
	}
	go ssh.DiscardRequests(requests)
	go rejectAll(channels)
	c.session, c.login = session, o.login
	return c.open()
}

// rejectAll rejects each channel that the server opens, such as a channel to a forwarded agent. It returns when
// the connection ends.
func rejectAll(channels <-chan ssh.NewChannel) {
	for c := range channels {
		_ = c.Reject(ssh.Prohibited, "this client accepts no channels") // after an error, the connection has ended
	}
}

// cleanupTime limits the removal of the file that a failed upload left.
const cleanupTime = 10 * time.Second
