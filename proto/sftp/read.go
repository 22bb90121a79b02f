package sftp

import (
	"fmt"
	"io"
	"math"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/mediatype"
)

const (
	// chunkSize is how many bytes one READ or WRITE has. With its header it fits into one packet of SSH.
	chunkSize   = 32<<10 - 64
	firstWindow = 2 // READs that are pending at the start
	maxWindow   = 64
	maxEmpty    = 64 // replies in a row without data or names
)

// get returns the Resource of the file or directory of the URL, which owns the connection. To save a round trip, it
// asks for the attributes and opens the file before it knows whether it is a file. For a special file, such as a
// pipe, the error is errNotRegular, and the connection is closed.
func (o *operation) get() (*access.Resource, error) {
	attributes, err := o.conn.send(typeStat, func(w *writer) { w.string(o.path) })
	if err != nil {
		return nil, err
	}
	if o.mustBeDir() {
		return o.getDirectory(attributes)
	}
	opened, err := o.conn.send(typeOpen, func(w *writer) { openArgs(w, o.path, openRead, change{}) })
	if err != nil {
		return nil, err
	}
	a, err := o.receiveAttributes(attributes)
	if err != nil {
		o.conn.drop(opened)
		return nil, err
	}
	if a.isSpecial() {
		// The server may wait until somebody writes to a pipe before it opens it, and executes no other request meanwhile.
		o.conn.link.abort(errNotRegular)
		return nil, errNotRegular
	}
	handle, openErr := o.receiveHandle(opened)
	switch {
	case openErr != nil && !isRefusal(openErr):
		return nil, openErr
	case a.kind() == access.Directory:
		if openErr == nil {
			if err := o.closeHandle(handle); err != nil {
				return nil, err
			}
		}
		return o.openDirectory(a)
	case openErr != nil:
		return nil, openErr
	}
	r, err := o.openFile(a, handle)
	if err != nil {
		_ = o.closeHandle(handle)
	}
	return r, err
}

// getDirectory returns the listing of the directory of the URL. attributes is the id of the request for its
// attributes, whose reply getDirectory awaits. The error is errNotDir if the file is not a directory.
func (o *operation) getDirectory(attributes uint32) (*access.Resource, error) {
	a, err := o.receiveAttributes(attributes)
	switch {
	case err != nil:
		return nil, err
	case a.isOtherKind():
		return nil, errNotDir
	}
	return o.openDirectory(a)
}

// Flags of OPEN (draft-ietf-secsh-filexfer-02 §6.3).
const (
	openRead     = 1
	openWrite    = 2
	openCreate   = 8
	openTruncate = 16
	openNew      = 32 // the file must not exist
)

// openArgs appends the arguments of OPEN to w. flags are flags of OPEN.
func openArgs(w *writer, path string, flags uint32, attributes change) {
	w.string(path)
	w.uint32(flags)
	attributes.write(w)
}

// openFile returns the Resource of an open file, from Request.Offset on. a are the attributes of the file, and
// handle is its handle. It checks the conditions of the request, and waits for the first bytes, so that an error of
// the server becomes an error of Get. On failure the caller closes the handle.
func (o *operation) openFile(a *Attributes, handle string) (*access.Resource, error) {
	req := o.req
	if err := engine.CheckTime(req, a.ModTime); err != nil {
		return nil, err
	}
	if !req.IfMatch.IsZero() && !a.isVersion(req.IfMatch) {
		return nil, access.ErrChanged
	}
	e := access.Entry{URL: req.URL, Type: mediatype.ByName(o.name())}
	a.describe(&e)
	e.Size = a.Size
	b := &body{stream: newStream(o, handle), attr: a, next: req.Offset, asked: req.Offset, end: a.Size, window: firstWindow}
	switch {
	case a.Size < 0:
		b.end = math.MaxInt64
	case req.Offset > a.Size:
		return nil, access.ErrRange
	case a.Size == 0: // one READ tells whether the file has bytes
		b.end, b.window = math.MaxInt64, 1
	}
	if req.Length > 0 && req.Length < b.end-req.Offset {
		b.end = req.Offset + req.Length
	}
	if err := b.fill(); err != nil && !access.IsEnd(err) {
		return nil, err
	}
	if a.Size == 0 && len(b.data) > 0 {
		e.Size = -1 // as for a file in /proc
	}
	return &access.Resource{Entry: e, Offset: req.Offset, Body: b}, nil
}

// A body is the Body of a file.
type body struct {
	*stream
	attr   *Attributes // when the file was opened
	end    int64       // the offset at which reading ends
	window int         // the maximum number of pending READs

	asked  int64  // the offset after the last byte that was asked for
	next   int64  // the offset of the first byte that Read has not returned
	parts  []part // the pending READs, in the order of the file
	packet []byte // the reply that data belongs to
	data   []byte // the bytes from next on
	empty  int    // the replies in a row without data
	final  uint32 // the id of the FSTAT after the last READ; 0 before it was sent
}

// A part is a pending READ.
type part struct {
	id     uint32
	offset int64
	count  int
}

// Read reads the file up to the size that it had when it was opened. If that size was unknown or 0, it reads to the end
// of the file. If the file has become shorter or was changed, Read returns an error. Errors name the URL.
func (b *body) Read(p []byte) (n int, err error) {
	err = b.use("read", func() error {
		n, err = b.read(p)
		return err
	})
	return n, err
}

// read reads the file as Read does, and returns io.EOF after the last byte. The caller checks that the body can still be
// read. Errors do not name the URL.
func (b *body) read(p []byte) (int, error) {
	switch {
	case b.isDone:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	if len(b.data) == 0 {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	b.next += int64(n)
	return n, nil
}

// fill keeps READs pending and waits for the bytes at the offset next, which it stores in data. At the end of the
// file it gives the connection back and returns io.EOF.
func (b *body) fill() error {
	for {
		if b.packet != nil {
			b.conn.recycle(b.packet)
			b.packet = nil
		}
		if b.next == b.end {
			return b.conclude()
		}
		if err := b.ask(); err != nil {
			return err
		}
		first := b.parts[0]
		r, err := b.conn.receive(first.id, typeData)
		if hasStatus(err, statusEOF) {
			if b.attr.Size > 0 {
				return errShorter
			}
			return b.conclude()
		}
		if err != nil {
			return err
		}
		data := r.bytes(first.count)
		if r.err != nil {
			return malformed(r.err)
		}
		if err := b.advance(len(data)); err != nil {
			return err
		}
		if len(data) > 0 {
			b.data, b.packet = data, r.packet
			return nil
		}
	}
}

// advance removes the first pending READ, of which n bytes have arrived. If n is less than it asked for, advance
// sends a READ for the other bytes, which becomes the first. It doubles the window, up to maxWindow. Too many
// replies without data, one after another, are an error.
func (b *body) advance(n int) error {
	first := b.parts[0]
	b.parts = b.parts[1:]
	b.window = min(b.window*2, maxWindow)
	if b.empty++; n > 0 {
		b.empty = 0
	}
	if b.empty > maxEmpty {
		return fmt.Errorf("%w: replies without data", access.ErrProtocol)
	}
	if n == first.count {
		return nil
	}
	rest, err := b.send(first.offset+int64(n), first.count-n)
	b.parts = append([]part{rest}, b.parts...)
	return err
}

// ask sends READs until the window is full. After the last READ it asks for the attributes, which show whether the
// file changed in the meantime.
func (b *body) ask() error {
	for len(b.parts) < b.window && b.asked < b.end {
		p, err := b.send(b.asked, int(min(chunkSize, b.end-b.asked)))
		if err != nil {
			return err
		}
		b.parts = append(b.parts, p)
		b.asked += int64(p.count)
	}
	if b.asked < b.end || b.final != 0 {
		return nil
	}
	var err error
	b.final, err = b.conn.send(typeFstat, func(w *writer) { w.string(b.handle) })
	return err
}

// send sends a READ for count bytes at offset, and returns it as a pending READ. It does not add it to parts.
func (b *body) send(offset int64, count int) (part, error) {
	id, err := b.conn.send(typeRead, func(w *writer) {
		w.string(b.handle)
		w.uint64(uint64(offset)) //nolint:gosec // not negative
		w.uint32(uint32(count))  //nolint:gosec // at most chunkSize
	})
	return part{id, offset, count}, err
}

// conclude returns io.EOF after it has checked that the file has not changed, and gives the connection back. If the
// file has changed, it returns the error of checkSame.
func (b *body) conclude() error {
	b.dropParts()
	if b.final != 0 {
		now, err := b.receiveAttributes(b.final)
		if err != nil && !isRefusal(err) {
			return err
		}
		if err := b.checkSame(now); err != nil {
			return err
		}
	}
	b.complete()
	return io.EOF
}

// dropParts discards the replies to the pending READs, which may still have to arrive.
func (b *body) dropParts() {
	for _, p := range b.parts {
		b.conn.drop(p.id)
	}
	b.parts = nil
}

// checkSame compares now, the present attributes of the file, with the attributes when it was opened. The error is
// errShorter if the file became shorter, and access.ErrChanged if its time differs at the same size. A longer file,
// and a nil now, are no error.
func (b *body) checkSame(now *Attributes) error {
	was := b.attr
	switch {
	case now == nil, now.Size > was.Size, now.ModTime.Equal(was.ModTime) && now.Size == was.Size:
		return nil
	case now.Size < was.Size:
		return errShorter
	}
	return access.ErrChanged
}

// Close drops the pending requests and gives the connection back. A second Close returns nil.
func (b *body) Close() error {
	if b.busy.TryLock() {
		if b.conn != nil {
			b.dropParts()
			b.conn.drop(b.final)
		}
		b.busy.Unlock()
	}
	return b.stream.Close()
}
