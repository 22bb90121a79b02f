package sftp

import (
	"fmt"
	"io"

	"locus/access"
	"locus/access/engine"
)

// An upload writes a Body into a file.
type upload struct {
	*operation
	handle  string
	body    io.Reader
	next    int64 // the offset of the next byte to send
	stored  int64 // the offset before which the server has stored every byte
	pending []pendingWrite
}

// A pendingWrite is a WRITE that has no reply yet.
type pendingWrite struct {
	id  uint32
	end int64
}

// A bodyError reports that the Body of a request could not be read.
type bodyError struct{ error }

// Unwrap returns the error of the Body.
func (e bodyError) Unwrap() error { return e.error }

// store writes the request's Body into an open file from offset on, sets the attributes in set, and closes the file.
// The server has stored every byte before the offset stored, which is valid with an error, too. After an error store
// closes the file too, because the connection may be used again.
func (o *operation) store(handle string, offset int64, set change) (stored int64, err error) {
	stored, err = o.write(handle, offset)
	if err == nil {
		return stored, o.finishFile(handle, stored, set)
	}
	if o.conn.link.err() == nil {
		_ = o.closeHandle(handle) // err is the reason
	}
	return stored, err
}

// write writes the request's Body into an open file from offset on. The server has stored every byte before the offset
// stored, which is valid with an error, too. If the Body cannot be read, the error is a bodyError.
func (o *operation) write(handle string, offset int64) (stored int64, err error) {
	u := &upload{operation: o, handle: handle, body: engine.Content(o.req), next: offset, stored: offset}
	err = u.run()
	if err != nil && o.conn.link.err() == nil {
		u.drain()
	}
	return u.stored, err
}

// run writes the whole Body and waits for every reply. It stops at the first error; replies may then be pending.
func (u *upload) run() error {
	u.bodyRead = true
	chunk := make([]byte, chunkSize)
	for {
		n, err := readChunk(u.body, chunk)
		if n > 0 {
			if err := u.send(chunk[:n]); err != nil {
				return err
			}
		}
		if access.IsEnd(err) {
			break
		}
		if err != nil {
			return bodyError{err}
		}
	}
	for len(u.pending) > 0 {
		if err := u.receive(); err != nil {
			return err
		}
	}
	return nil
}

// readChunk reads from r until p is full or r fails. err is nil if p is full, unless r returned an error with the
// last bytes.
func readChunk(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = r.Read(p[n:])
		n += more
	}
	return n, err
}

// send sends a WRITE of data at the offset next. If maxWindow replies are pending, it first waits for the first of
// them.
func (u *upload) send(data []byte) error {
	if len(u.pending) >= maxWindow {
		if err := u.receive(); err != nil {
			return err
		}
	}
	id, err := u.conn.send(typeWrite, func(w *writer) {
		w.string(u.handle)
		w.uint64(uint64(u.next)) //nolint:gosec // not negative
		w.bytes(data)
	})
	u.next += int64(len(data))
	u.pending = append(u.pending, pendingWrite{id, u.next})
	return err
}

// receive waits for the reply to the first pending WRITE, and advances stored. There must be a pending WRITE.
func (u *upload) receive() error {
	first := u.pending[0]
	u.pending = u.pending[1:]
	if _, err := u.conn.receive(first.id, typeStatus); err != nil {
		return err
	}
	u.stored = first.end
	return nil
}

// drain waits for the replies to all pending WRITEs after a failure, so that the connection can be used again. It
// advances stored while they succeed without a gap.
func (u *upload) drain() {
	isContiguous := true
	for _, p := range u.pending {
		_, err := u.conn.receive(p.id, typeStatus)
		if err != nil && !isRefusal(err) {
			return
		}
		if isContiguous = isContiguous && err == nil; isContiguous {
			u.stored = p.end
		}
	}
	u.pending = nil
}

// finishFile sets the attributes in set of a written file, checks that it has size bytes, and closes it. The error
// wraps errShortWrite if the file has another size. finishFile waits for the reply to CLOSE, because a server may
// report only then that a file could not be stored.
//
// It sends the requests together, to save round trips. A server obeys them in their order, because they are for the same
// file (draft-ietf-secsh-filexfer-02 §6.1).
func (o *operation) finishFile(handle string, size int64, set change) error {
	onHandle := func(w *writer) { w.string(handle) }
	var setting, asking, closing uint32 // the ids of the requests; setting is 0 if set has no attributes
	var err error
	if set != (change{}) {
		setting, err = o.conn.send(typeFsetstat, func(w *writer) { onHandle(w); set.write(w) })
	}
	if err == nil {
		asking, err = o.conn.send(typeFstat, onHandle)
	}
	if err == nil {
		closing, err = o.conn.send(typeClose, onHandle)
	}
	if err == nil && setting != 0 {
		_, err = o.conn.receive(setting, typeStatus)
	}
	if err == nil {
		err = o.checkStored(asking, size)
	}
	if err == nil {
		_, err = o.conn.receive(closing, typeStatus)
	}
	o.conn.drop(asking) // these replies may be left after an error
	o.conn.drop(closing)
	return err
}

// checkStored waits for the reply to FSTAT, the request id. The error wraps errShortWrite if the file has another size
// than size.
func (o *operation) checkStored(id uint32, size int64) error {
	a, err := o.receiveAttributes(id)
	if err != nil {
		return err
	}
	if a.Size >= 0 && a.Size != size {
		return fmt.Errorf("%w: it has %d of %d", errShortWrite, a.Size, size)
	}
	return nil
}

// removePart removes the file at path, which a failed upload left, and returns cause. If it cannot remove the file,
// the error says that the file may remain.
func (o *operation) removePart(path string, cause error) error {
	err := o.atCleanup(func(o *operation) error {
		return o.command(typeRemove, func(w *writer) { w.string(path) })
	})
	if err == nil || hasStatus(err, statusNoFile) {
		return cause
	}
	return leftover(cause, path)
}
