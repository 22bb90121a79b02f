package nfs

import (
	"fmt"
	"io"

	"locus/access"
	"locus/internal/xdr"
	"locus/proto/internal/mediatype"
)

const (
	smallRead   = 32 << 10 // maximum size of a file that is read without FSINFO
	firstWindow = 2        // READs that are pending at the start
	maxWindow   = 8
	maxEmpty    = 64 // replies in a row without data
)

// get opens a file, a directory or the list of exports.
func (o *operation) get() (*access.Resource, error) {
	p, err := o.existing()
	if err != nil {
		return nil, err
	}
	if p.isExportList {
		return o.openExports()
	}
	switch p.attr.kind {
	case regular:
		return o.openFile(p)
	case directory:
		return o.openDirectory(p)
	}
	return nil, errNotRegular
}

// typeOf returns the media type of a file by its name; "" for an entry of another kind.
func typeOf(e access.Entry) string {
	if e.Kind != access.Object {
		return ""
	}
	return mediatype.ByName(e.Title)
}

// openFile opens a file at Request.Offset. It waits for the first reply, so that an error of the
// server becomes an error of Get.
func (o *operation) openFile(p resolvedPath) (*access.Resource, error) {
	req, a := o.req, p.attr
	if err := checkVersion(req, a); err != nil {
		return nil, err
	}
	e := access.Entry{URL: req.URL, Type: mediatype.ByName(o.title())}
	a.describe(&e)
	if req.Offset > e.Size {
		return nil, access.ErrRange
	}
	b := &body{stream: newStream(o), file: p.node, next: req.Offset, asked: req.Offset, end: e.Size, chunk: smallRead, window: firstWindow}
	if req.Length > 0 && req.Length < e.Size-req.Offset {
		b.end = req.Offset + req.Length
	}
	if b.end-b.next > smallRead {
		l, err := o.sizes(p.root.handle)
		if err != nil {
			return nil, err
		}
		b.chunk = l.read
	}
	if err := b.start(); err != nil {
		return nil, err
	}
	return &access.Resource{Entry: e, ETag: a.etag(), Offset: req.Offset, Body: b}, nil
}

// checkVersion checks the conditions of a Get for a file with these attributes. The error is
// access.ErrNotModified or access.ErrChanged.
func checkVersion(req *access.Request, a *Attributes) error {
	switch {
	case !req.IfChanged.IsZero() && a.isVersion(req.IfChanged):
		return access.ErrNotModified
	case !req.IfMatch.IsZero() && !a.isVersion(req.IfMatch):
		return access.ErrChanged
	}
	return nil
}

// sizes returns the limits that the server has for the file system of root. If the server refuses
// to say, they are defaultLimits.
func (o *operation) sizes(root handle) (limits, error) {
	if l, ok := o.server.limits[root]; ok {
		return l, nil
	}
	l, err := o.conn.fsInfo(root)
	if isRefusal(err) {
		l, err = defaultLimits, nil
	}
	if err == nil && len(o.server.limits) < mostServers {
		o.server.limits[root] = l
	}
	return l, err
}

// A body is the Body of a file.
type body struct {
	*stream
	file   node
	end    int64  // offset at which reading ends
	chunk  uint32 // bytes that one READ asks for
	window int    // maximum number of pending READs

	asked int64  // offset after the last byte that was asked for
	next  int64  // offset of the first byte that Read has not returned
	parts []part // pending READs and their replies, in the order of the file
	data  []byte // of the first part, from next on
	empty int    // replies in a row without data
}

// A part is one READ and its reply.
type part struct {
	xid    uint32
	offset int64
	count  uint32
	record []byte // the reply, once it has arrived
	data   []byte // points into record
	eof    bool
	isHere bool
}

// start requests the first parts and waits for a reply, so that an error becomes an error of Get,
// and not of the first Read. For an empty range, which needs no READ, it asks the server whether
// the user may read the file.
func (b *body) start() error {
	if b.next == b.end { // a READ of no bytes would not show whether the user may read the file
		ok, err := b.conn.mayRead(b.file.handle)
		if isRefusal(err) || err == nil && ok {
			b.complete()
			return nil
		}
		if err == nil {
			err = refusal(statusAccess)
		}
		return err
	}
	return b.fill()
}

// Read reads the file up to end. Its errors, except io.EOF, are *access.Error values with the URL.
func (b *body) Read(p []byte) (n int, err error) {
	err = b.use("read", func() error {
		n, err = b.read(p)
		return err
	})
	return n, err
}

// read reads the file up to end, and returns io.EOF there. When the last byte has been read, it
// gives the connection back. The caller checks that the body can still be read.
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
	if len(b.data) == 0 {
		b.shift()
	}
	if b.next == b.end {
		b.complete()
	}
	return n, nil
}

// shift removes the first part, because the caller has read it, and doubles the window.
func (b *body) shift() {
	first := &b.parts[0]
	b.conn.recycle(first.record)
	b.parts = b.parts[1:]
	b.window = min(b.window*2, maxWindow)
}

// fill sends READs and waits until data has the bytes at next. If the server sent fewer bytes than
// requested, fill asks for the rest.
func (b *body) fill() error {
	for {
		if err := b.ask(); err != nil {
			return err
		}
		first := &b.parts[0]
		for !first.isHere {
			if err := b.receive(); err != nil {
				return err
			}
		}
		if len(first.data) > 0 {
			b.empty = 0
			if err := b.askRest(first); err != nil {
				return err
			}
			b.data = b.parts[0].data
			return nil
		}
		if first.eof {
			return errShorter
		}
		if b.empty++; b.empty > maxEmpty {
			return fmt.Errorf("%w: replies without data", access.ErrProtocol)
		}
		if err := b.send(first, first.offset, first.count); err != nil {
			return err
		}
	}
}

// ask sends READs until the window is full.
func (b *body) ask() error {
	for len(b.parts) < b.window && b.asked < b.end {
		count := uint32(min(int64(b.chunk), b.end-b.asked)) //nolint:gosec // at most chunk
		b.parts = append(b.parts, part{})
		if err := b.send(&b.parts[len(b.parts)-1], b.asked, count); err != nil {
			return err
		}
		b.asked += int64(count)
	}
	return nil
}

// askRest asks for the bytes that are missing at the end of a short reply.
func (b *body) askRest(p *part) error {
	short := p.count - uint32(len(p.data)) //nolint:gosec // receive checks that data is not longer
	if short == 0 {
		return nil
	}
	if p.eof {
		return errShorter
	}
	offset := p.offset + int64(len(p.data))
	p.count = uint32(len(p.data)) //nolint:gosec // as above
	rest := make([]part, 0, len(b.parts)+1)
	rest = append(rest, b.parts[0], part{})
	b.parts = append(rest, b.parts[1:]...)
	return b.send(&b.parts[1], offset, short)
}

// send sends a READ for count bytes at offset, and makes p its part.
func (b *body) send(p *part, offset int64, count uint32) error {
	b.conn.recycle(p.record)
	xid, w := b.conn.start(procRead)
	w.String(string(b.file.handle))
	w.Uint64(uint64(offset)) //nolint:gosec // not negative
	w.Uint32(count)
	*p = part{xid: xid, offset: offset, count: count}
	return b.conn.flush(xid)
}

// receive reads one reply and stores it in its part.
func (b *body) receive() error {
	xid, r, record, err := b.conn.receive()
	if err != nil {
		return named(err, procRead)
	}
	p := b.partOf(xid)
	if p == nil {
		return fmt.Errorf("%w: a reply to an unknown READ", access.ErrProtocol)
	}
	if err := refusal(status(r.Uint32())); err != nil {
		return err
	}
	if err := b.checkSame(readOptional(r)); err != nil {
		return err
	}
	count := r.Uint32()
	p.eof = r.Bool()
	p.data = r.Opaque(int(p.count))
	if r.Err() == nil && int(count) != len(p.data) {
		r.Fail(xdr.ErrValue)
	}
	if err := r.Err(); err != nil {
		return malformed(err)
	}
	p.record, p.isHere = record, true
	return nil
}

// partOf returns the part whose reply has this xid, or nil if no part waits for it.
func (b *body) partOf(xid uint32) *part {
	for i := range b.parts {
		if p := &b.parts[i]; p.xid == xid && !p.isHere {
			return p
		}
	}
	return nil
}

// checkSame returns an error if the attributes in a reply show that the file was changed or
// became shorter since it was opened.
func (b *body) checkSame(a *Attributes) error {
	was := b.file.attr
	switch {
	case a == nil, a.size > was.size, a.modTime.Equal(was.modTime) && a.size == was.size:
		return nil
	case a.size < was.size:
		return errShorter
	}
	return access.ErrChanged
}
