package nfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/xdr"
)

const (
	maxRestarts = 3        // restarts of the server during one upload
	syncedSize  = 64 << 10 // maximum size of a file that one WRITE stores, without COMMIT
)

// How a WRITE is stored (stable_how).
const (
	unstable = 0
	fileSync = 2
)

// An upload writes a Body into a file.
type upload struct {
	*operation
	file    handle
	chunk   int
	body    io.Reader
	offset  int64 // of the next byte to send
	pending []writeCall
	spare   [][]byte

	verf        verifier // of the first reply; if another reply has a different one, the server has restarted
	hasVerf     bool
	needsCommit bool // the server may hold data in memory only
}

// A writeCall is one call of WRITE.
type writeCall struct {
	xid    uint32
	offset int64
	data   []byte
}

// write writes the request's Body into file at an offset, and returns the offset of its end. The
// server has stored all data when write returns. If the server restarts meanwhile, write sends the
// whole Body again, until it has been sent maxRestarts times. If the Body cannot be read again,
// the error is errRestart.
func (o *operation) write(p resolvedPath, file handle, offset int64) (end int64, err error) {
	l, err := o.sizes(p.root.handle)
	if err != nil {
		return 0, err
	}
	req := engine.Rewindable(o.req)
	for range maxRestarts {
		o.bodyRead = true
		u := &upload{operation: o, file: file, chunk: int(l.write), body: engine.Content(req), offset: offset}
		if err = u.run(); !errors.Is(err, errRestart) {
			return u.offset, err
		}
		if err := u.drain(); err != nil {
			return 0, err
		}
		if req.GetBody == nil {
			return 0, err
		}
		again, bodyErr := req.GetBody()
		if bodyErr != nil {
			return 0, fmt.Errorf("%w: %w", errRestart, bodyErr)
		}
		next := *req
		next.Body = again
		req = &next
	}
	return 0, err
}

// run writes the whole Body, waits for all replies, and commits. The error is errRestart if the
// server has restarted.
func (u *upload) run() error {
	for atEnd := false; !atEnd || len(u.pending) > 0; {
		if !atEnd && len(u.pending) < maxWindow {
			var err error
			if atEnd, err = u.sendNext(); err != nil {
				return err
			}
			continue
		}
		if err := u.receive(); err != nil {
			return err
		}
	}
	return u.commit()
}

// sendNext reads the next bytes of the Body and sends them. atEnd reports whether they were the
// last.
func (u *upload) sendNext() (atEnd bool, err error) {
	data := u.buffer()
	n := 0
	for n < len(data) && err == nil {
		var more int
		more, err = u.body.Read(data[n:])
		n += more
	}
	if err != nil && !access.IsEnd(err) {
		return false, err
	}
	atEnd = err != nil
	if n == 0 {
		return atEnd, nil
	}
	how := uint32(unstable)
	if atEnd && !u.hasVerf && len(u.pending) == 0 && n <= syncedSize {
		how = fileSync
	}
	w := writeCall{offset: u.offset, data: data[:n]}
	u.offset += int64(n)
	return atEnd, u.send(w, how)
}

// buffer returns chunk bytes of memory for the data of one call.
func (u *upload) buffer() []byte {
	if n := len(u.spare); n > 0 {
		b := u.spare[n-1]
		u.spare = u.spare[:n-1]
		return b
	}
	return make([]byte, u.chunk)
}

// send sends a WRITE. how says whether the server must store the data before it replies.
func (u *upload) send(w writeCall, how uint32) error {
	xid, args := u.conn.start(procWrite)
	args.String(string(u.file))
	args.Uint64(uint64(w.offset))    //nolint:gosec // not negative
	args.Uint32(uint32(len(w.data))) //nolint:gosec // at most chunk
	args.Uint32(how)
	args.Opaque(w.data)
	w.xid = xid
	u.pending = append(u.pending, w)
	return u.conn.flush(xid)
}

// receive reads one reply. If the server took only a part of the bytes, receive sends the rest
// again. If the server took no bytes, the error is errShortWrite; if it has restarted meanwhile,
// the error is errRestart.
func (u *upload) receive() error {
	xid, r, record, err := u.conn.receive()
	if err != nil {
		return named(err, procWrite)
	}
	defer u.conn.recycle(record)
	w, ok := u.take(xid)
	if !ok {
		return fmt.Errorf("%w: a reply to an unknown WRITE", access.ErrProtocol)
	}
	if err := refusal(status(r.Uint32())); err != nil {
		return err
	}
	readChange(r)
	count, how, verf := r.Uint32(), r.Uint32(), readVerifier(r)
	if r.Err() == nil && (uint64(count) > uint64(len(w.data)) || how > fileSync) {
		r.Fail(xdr.ErrValue)
	}
	if err := r.Err(); err != nil {
		return malformed(err)
	}
	if u.hasVerf && verf != u.verf {
		return errRestart
	}
	u.verf, u.hasVerf = verf, true
	u.needsCommit = u.needsCommit || how != fileSync
	switch {
	case count == 0:
		return errShortWrite
	case int(count) < len(w.data):
		w.offset, w.data = w.offset+int64(count), w.data[count:]
		return u.send(w, unstable)
	}
	if cap(w.data) >= u.chunk {
		u.spare = append(u.spare, w.data[:u.chunk])
	}
	return nil
}

// drain reads the replies to all pending calls, so that the connection can be used again.
func (u *upload) drain() error {
	for range u.pending {
		_, _, record, err := u.conn.receive()
		if err != nil && !isRefusal(err) {
			return err
		}
		u.conn.recycle(record)
	}
	return nil
}

// take removes the pending call with this xid, and returns it. ok is false if there is no such
// call.
func (u *upload) take(xid uint32) (call writeCall, ok bool) {
	for i, w := range u.pending {
		if w.xid == xid {
			u.pending = append(u.pending[:i], u.pending[i+1:]...)
			return w, true
		}
	}
	return writeCall{}, false
}

// commit makes the server store the data that it holds in memory only (RFC 1813 §4.8). The error is
// errRestart if the server has restarted and lost data.
func (u *upload) commit() error {
	if !u.needsCommit {
		return nil
	}
	verf, _, err := u.conn.commit(u.file)
	if err == nil && verf != u.verf {
		return errRestart
	}
	return err
}

// settle checks that a written file has size bytes, sets its mode unless mode is 0, and its time,
// and returns its attributes.
func (o *operation) settle(file handle, size int64, mode fs.FileMode) (*Attributes, error) {
	a, err := o.conn.getAttr(file)
	if err != nil {
		return nil, err
	}
	if a.length() != size {
		return nil, fmt.Errorf("%w: it has %d of %d", errShortWrite, a.length(), size)
	}
	var set change
	if mode != 0 && a.Mode.Perm() != mode {
		set.mode = modeBits(mode)
	}
	if t := o.req.ModTime; !t.IsZero() && canStore(t) {
		set.modTime = &t
	}
	if set == (change{}) {
		return a, nil
	}
	if err := o.conn.setAttr(file, set); err != nil {
		return nil, err
	}
	return o.conn.getAttr(file)
}

// modeBits returns permissions as a mode3.
func modeBits(mode fs.FileMode) *uint32 {
	bits := uint32(mode.Perm())
	return &bits
}

// cleanupTime limits the removal of the file that a failed upload left.
const cleanupTime = 10 * time.Second

// removePart removes the file that a failed upload left, and returns cause. If the removal
// fails, the error has a hint. removePart uses a new connection if this one has pending calls.
func (o *operation) removePart(dir handle, name string, cause error) error {
	var err error
	if o.conn.isIdle() && o.ctx.Err() == nil {
		err = o.conn.remove(procRemove, dir, name)
	} else {
		err = o.removeOnNewConn(dir, name)
	}
	if err == nil || hasStatus(err, statusNoEnt) {
		return cause
	}
	return leftover(cause, name)
}

// removeOnNewConn removes a file over a new connection, even if ctx is done.
func (o *operation) removeOnNewConn(dir handle, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(o.ctx), cleanupTime)
	defer cancel()
	c, err := o.client.connect(ctx, o.view.Address(defaultPort))
	if err != nil {
		return err
	}
	defer c.Close()
	c.identity = o.conn.identity
	return c.remove(procRemove, dir, name)
}

// leftover returns cause with the advice that a part of the file may remain under this name.
func leftover(cause error, name string) error {
	return access.WithRemedy(cause, access.Advice(fmt.Sprintf("a part of the file may remain on the server as %q", name)))
}
