package nfs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/internal/xdr"
	"locus/proto/internal/wire"
)

// Programs and versions of ONC RPC (RFC 1833, RFC 1813).
const (
	portmapProgram, portmapVersion = 100000, 2
	nfsProgram, nfsVersion         = 100003, 3
	mountProgram, mountVersion     = 100005, 3
)

const (
	maxData   = 1 << 20          // bytes of a file in one READ or WRITE
	maxReply  = maxData + 64<<10 // bytes of a reply
	maxVerf   = 400              // RFC 5531 §8.2
	bufferLen = 64 << 10
)

// A conn is a connection for RPC calls (RFC 5531) over TCP. One goroutine uses it at a time;
// another may close it.
type conn struct {
	*wire.Conn
	r        *bufio.Reader
	key      string    // see operation.key
	identity *Identity // nil: AUTH_NONE
	lastXID  uint32
	pending  []uint32   // xids of the calls without a reply, the oldest first
	out      xdr.Writer // the message to send
	replies  int        // number of replies received for this request
	spare    [][]byte   // buffers for records
}

// newConn returns a conn that makes RPC calls on c. firstXID is one less than the xid of its first
// call.
func newConn(c *wire.Conn, identity *Identity, firstXID uint32) *conn {
	return &conn{Conn: c, r: bufio.NewReaderSize(c, bufferLen), identity: identity, lastXID: firstXID}
}

// Host returns the key. Connections with the same key are interchangeable.
func (c *conn) Host() string { return c.key }

// A procedure is a procedure of an RPC program.
type procedure struct {
	program, version, number uint32
	name                     string
}

// start begins a call and returns its xid. The caller appends the arguments to the
// Writer and calls flush.
//
//	xid CALL rpcvers=2 prog vers proc cred verf args (RFC 5531 §9)
func (c *conn) start(p procedure) (xid uint32, args *xdr.Writer) {
	c.lastXID++
	w := &c.out
	w.Buf = append(w.Buf[:0], 0, 0, 0, 0) // the header of the record
	for _, v := range []uint32{c.lastXID, 0, 2, p.program, p.version, p.number} {
		w.Uint32(v)
	}
	c.credential(w)
	w.Uint32(0) // a verifier of AUTH_NONE
	w.Uint32(0)
	return c.lastXID, w
}

const authSys = 1

// credential appends the credential of a call: AUTH_SYS with the identity (RFC 5531 appendix A), or
// AUTH_NONE. It leaves out the name of this machine and the time of the call.
func (c *conn) credential(w *xdr.Writer) {
	if c.identity == nil {
		w.Uint32(0)
		w.Uint32(0)
		return
	}
	groups := c.identity.Groups[:min(len(c.identity.Groups), maxGroups)]
	w.Uint32(authSys)
	w.Uint32(uint32(4 * (5 + len(groups)))) //nolint:gosec // at most maxGroups
	w.Uint32(0)                             // stamp
	w.String("")                            // machine name
	w.Uint32(c.identity.UID)
	w.Uint32(c.identity.GID)
	w.Uint32(uint32(len(groups))) //nolint:gosec // at most maxGroups
	for _, g := range groups {
		w.Uint32(g)
	}
}

// flush sends the call that start began.
func (c *conn) flush(xid uint32) error {
	c.pending = append(c.pending, xid) // even if Write fails, so that the connection is not used again
	_, err := c.Write(xdr.Frame(c.out.Buf))
	return err
}

// receive returns the next reply and the xid of its call. results points into record, which the
// caller passes to recycle after use. If the server refuses the call, err is an *rpcError and
// the connection can still be used.
func (c *conn) receive() (xid uint32, results *xdr.Reader, record []byte, err error) {
	if _, err = c.r.Peek(1); err != nil {
		return 0, nil, nil, brokenRecord(err)
	}
	c.StartLongReply()
	record, err = xdr.ReadRecord(c.r, c.buffer(), maxReply)
	c.EndReply()
	if err != nil {
		return 0, nil, nil, brokenRecord(err)
	}
	r := xdr.NewReader(record)
	xid = r.Uint32()
	i := slices.Index(c.pending, xid)
	if isReply := r.Uint32() == 1; r.Err() != nil || !isReply || i < 0 {
		return 0, nil, nil, fmt.Errorf("%w: a message that answers no call", access.ErrProtocol)
	}
	c.pending = slices.Delete(c.pending, i, i+1)
	c.replies++
	refused := readStatus(r)
	if err := r.Err(); err != nil {
		return 0, nil, nil, malformed(err)
	}
	if refused != nil {
		return xid, nil, record, refused
	}
	return xid, r, record, nil
}

// brokenRecord translates err, the error of reading a record: to access.ErrTooLong for a long
// record, and to errClosed for the end of the connection.
func brokenRecord(err error) error {
	if errors.Is(err, xdr.ErrLong) {
		return engine.Reason(fmt.Sprintf("the server sent a message of more than %d bytes", maxReply), access.ErrTooLong)
	}
	if access.IsEnd(err) {
		return errClosed
	}
	return err
}

var errClosed = sentinel.New("the server closed the connection without an answer", io.ErrUnexpectedEOF)

// malformed returns err, the error of parsing a reply, as an access.ErrProtocol.
func malformed(err error) error { return fmt.Errorf("%w: %w", access.ErrProtocol, err) }

// readStatus reads the part of the reply before the results (RFC 5531 §9, reply_body). It returns
// an *rpcError if the server refuses the call. If the part is malformed, it returns nil and sets
// the error of r.
func readStatus(r *xdr.Reader) error {
	const accepted, denied = 0, 1
	switch r.Uint32() {
	case accepted:
		r.Uint32() // verifier
		r.Opaque(maxVerf)
		switch stat := r.Uint32(); stat {
		case 0:
		case progMismatch:
			return &rpcError{accept: stat, low: r.Uint32(), high: r.Uint32()}
		default:
			return &rpcError{accept: stat}
		}
	case denied:
		const authError = 1
		if r.Uint32() == authError {
			return &rpcError{auth: r.Uint32(), isAuth: true}
		}
		return &rpcError{} // the server speaks another version of RPC
	default:
		r.Fail(xdr.ErrValue)
	}
	return nil
}

// buffer returns a recycled record, or nil if there is none.
func (c *conn) buffer() []byte {
	if n := len(c.spare); n > 0 {
		b := c.spare[n-1]
		c.spare = c.spare[:n-1]
		return b
	}
	return nil
}

// recycle keeps record as a buffer for a later record. The caller must not use it any more.
func (c *conn) recycle(record []byte) {
	if cap(record) > 0 && len(c.spare) < maxWindow {
		c.spare = append(c.spare, record)
	}
}

// call makes one call. args appends its arguments, and results reads the reply. The conn must
// have no pending call.
func (c *conn) call(p procedure, args func(*xdr.Writer), results func(*xdr.Reader) error) error {
	xid, w := c.start(p)
	args(w)
	if err := c.flush(xid); err != nil {
		return err
	}
	_, r, record, err := c.receive()
	defer c.recycle(record)
	if err != nil {
		return named(err, p)
	}
	err = results(r)
	if bad := r.Err(); bad != nil {
		return malformed(bad)
	}
	return err
}

// named adds the name of the procedure to an *rpcError. If the server lacks NFS version 3, the
// result is not an *rpcError, because no other call can succeed.
func named(err error, p procedure) error {
	refused, ok := errors.AsType[*rpcError](err)
	if !ok {
		return err
	}
	if refused.accept == progMismatch && p.program == nfsProgram {
		return refused.versionError()
	}
	refused.name = p.name
	return err
}

// isIdle reports whether the server has replied to every call, so that the next request can use
// the connection.
func (c *conn) isIdle() bool { return len(c.pending) == 0 && c.r.Buffered() == 0 && c.Err() == nil }
