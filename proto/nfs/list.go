package nfs

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/xdr"
	"locus/proto/internal/mediatype"
	"locus/proto/internal/urilist"
	"locus/url"
)

// lookups is the maximum number of LOOKUPs that are pending at once.
const lookups = 64

// A listing is the Body of a directory. Its bytes are the URLs of the entries, one per line
// (text/uri-list, RFC 2483).
type listing struct {
	*stream
	segments []string // of the URL of the directory, without empty segments at the end
	text     urilist.Text
	next     []dirEntry
	more     func() ([]dirEntry, error) // returns the next entries; io.EOF after the last
}

// A dirEntry is a name in a directory.
type dirEntry struct {
	name     string
	attr     *Attributes // nil if unknown
	isExport bool        // the directory is an export, or above one
}

// openListing returns the Resource of a listing. Each call of more returns the next entries, and
// io.EOF after the last ones.
func (o *operation) openListing(more func() ([]dirEntry, error)) *access.Resource {
	l := &listing{stream: newStream(o), segments: o.view.Segments, more: more}
	least := 0
	if o.view.IsAbsolute() {
		least = 1
	}
	for n := len(l.segments); n > least && l.segments[n-1] == ""; n-- {
		l.segments = l.segments[:n-1]
	}
	e := access.Entry{URL: o.req.URL, Type: urilist.Type, Size: -1}
	return &access.Resource{Entry: e, Body: l, List: l}
}

// openExports opens the listing of the exports below the path of the URL.
func (o *operation) openExports() (*access.Resource, error) {
	var names []dirEntry
	for _, name := range o.server.exports.children(o.names) {
		names = append(names, dirEntry{name: name, isExport: true})
	}
	r := o.openListing(func() ([]dirEntry, error) {
		next := names
		names = nil
		if len(next) == 0 {
			return nil, io.EOF
		}
		return next, nil
	})
	return r, nil
}

// openDirectory opens the listing of a directory. It waits for the first reply, so that an
// error of the server becomes an error of Get, and not of the first Read.
func (o *operation) openDirectory(p resolvedPath) (*access.Resource, error) {
	if o.req.Offset > 0 {
		return nil, engine.Reason("a listing starts at its beginning", access.ErrRange)
	}
	l, err := o.sizes(p.root.handle)
	if err != nil {
		return nil, err
	}
	d := &dirReader{operation: o, dir: p.handle, size: l.list}
	if err := d.ask(); err != nil {
		return nil, err
	}
	first, err := d.read()
	if err != nil && !access.IsEnd(err) {
		return nil, err
	}
	r := o.openListing(func() ([]dirEntry, error) {
		if first != nil {
			next := first
			first = nil
			return next, nil
		}
		return d.read()
	})
	r.ModTime, r.ID, r.Mode, r.Header, r.Sys = p.attr.modTime, p.attr.id(), p.attr.Mode.Perm(), p.attr.fields(), p.attr
	return r, nil
}

// Next returns the next entry, and io.EOF after the last one.
func (l *listing) Next() (e access.Entry, err error) {
	err = l.use("list", func() error {
		e, err = l.nextEntry()
		return err
	})
	return e, err
}

// nextEntry returns the next entry, and io.EOF after the last one. At the end it gives the
// connection back. The caller checks that the listing can still be read.
func (l *listing) nextEntry() (access.Entry, error) {
	for len(l.next) == 0 {
		if l.isDone {
			return access.Entry{}, io.EOF
		}
		var err error
		if l.next, err = l.more(); access.IsEnd(err) {
			l.complete()
			return access.Entry{}, io.EOF
		} else if err != nil {
			return access.Entry{}, err
		}
	}
	n := l.next[0]
	l.next = l.next[1:]
	return l.entry(n), nil
}

// entry returns the Entry of a name. Devices get no URL, because they cannot be opened, and
// names with "/" or NUL get no URL, because a path cannot contain them.
func (l *listing) entry(n dirEntry) access.Entry {
	e := access.Entry{Title: n.name, Size: -1}
	switch {
	case n.isExport:
		e.Kind = access.Directory
	case n.attr != nil:
		n.attr.describe(&e)
	}
	isSpecial := n.attr != nil && e.Kind == access.Unknown
	if isSpecial || n.name == "" || strings.ContainsAny(n.name, "/\x00") {
		return e
	}
	if e.Kind == access.Object {
		e.Type = mediatype.ByName(n.name)
	}
	e.URL = l.urlOf(n.name, e.Kind == access.Directory)
	return e
}

// urlOf returns the URL of a name in the directory. The URL of a directory ends in "/".
func (l *listing) urlOf(name string, isDir bool) url.URL {
	v := l.view
	v.Segments = append(slices.Clone(l.segments), name)
	if isDir {
		v.Segments = append(v.Segments, "")
	}
	return v.URL()
}

// Read returns the URLs of the entries, a line each.
func (l *listing) Read(p []byte) (int, error) { return l.text.Read(p, l.Next) }

// A dirReader reads a directory with READDIRPLUS, or with READDIR if the server lacks
// READDIRPLUS.
type dirReader struct {
	*operation
	dir   handle
	size  uint32 // maximum number of bytes of a reply
	plain bool   // use READDIR

	cookie uint64 // of the last entry
	verf   [8]byte
	loop   loopFinder
	xid    uint32 // of the pending call
	atEnd  bool
}

// ask sends the call for the next entries.
func (d *dirReader) ask() error {
	p := procReadDirPlus
	if d.plain {
		p = procReadDir
	}
	xid, w := d.conn.start(p)
	w.String(string(d.dir))
	w.Uint64(d.cookie)
	w.Fixed(d.verf[:])
	w.Uint32(d.size)
	if !d.plain {
		w.Uint32(d.size)
	}
	d.xid = xid
	return d.conn.flush(xid)
}

// read returns the next entries, at least one, or io.EOF. It sends the next call before it
// returns, so that the reply arrives while the caller uses the entries. If the server lacks
// READDIRPLUS, it uses READDIR.
func (d *dirReader) read() ([]dirEntry, error) {
	for !d.atEnd {
		names, err := d.receive()
		if d.isMissingPlus(err) {
			d.plain = true
			if err := d.ask(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if names, err = d.complete(names); err != nil {
			return nil, err
		}
		if !d.atEnd {
			err = d.ask()
		}
		if len(names) > 0 || err != nil {
			return names, err
		}
	}
	return nil, io.EOF
}

// isMissingPlus reports whether err, the error of the first call, means that the server lacks
// READDIRPLUS.
func (d *dirReader) isMissingPlus(err error) bool {
	return err != nil && !d.plain && d.cookie == 0 && (hasStatus(err, statusNotSupp, statusServerFault, statusTooSmall) || isProcUnavailable(err))
}

// receive reads the reply to the pending call and returns its entries. It sets cookie, verf and atEnd.
//
//	attributes verf *( TRUE fileid name cookie [ attributes handle ] ) FALSE eof (RFC 1813 §3.3.17)
func (d *dirReader) receive() ([]dirEntry, error) {
	_, r, record, err := d.conn.receive()
	if err != nil {
		return nil, named(err, procReadDirPlus)
	}
	if err := refusal(status(r.Uint32())); err != nil {
		return nil, err
	}
	readOptional(r)
	copy(d.verf[:], r.Fixed(len(d.verf)))
	var names []dirEntry
	for r.Bool() {
		r.Uint64() // fileid
		n := dirEntry{name: r.String(maxName)}
		d.cookie = r.Uint64()
		if !d.plain {
			n.attr = readOptional(r)
			readOptionalHandle(r)
		}
		if r.Err() == nil && d.loop.sees(d.cookie) {
			return nil, fmt.Errorf("%w: the listing of a directory repeats", access.ErrProtocol)
		}
		names = append(names, n)
	}
	d.atEnd = r.Bool()
	if err := r.Err(); err != nil {
		return nil, malformed(err)
	}
	d.conn.recycle(record)
	if len(names) == 0 && !d.atEnd {
		return nil, fmt.Errorf("%w: a part of a listing without entries", access.ErrProtocol)
	}
	return names, nil
}

// complete removes "." and "..", and looks up the names that came without attributes. It
// removes a name that does not exist any more. A name that the user may not look up stays,
// without attributes.
func (d *dirReader) complete(names []dirEntry) ([]dirEntry, error) {
	names = slices.DeleteFunc(names, func(n dirEntry) bool { return n.name == "." || n.name == ".." })
	var unknown []*dirEntry
	for i := range names {
		if names[i].attr == nil && names[i].name != "" {
			unknown = append(unknown, &names[i])
		}
	}
	for len(unknown) > 0 {
		n := min(len(unknown), lookups)
		if err := d.lookupAll(unknown[:n]); err != nil {
			return nil, err
		}
		unknown = unknown[n:]
	}
	return slices.DeleteFunc(names, func(n dirEntry) bool { return n.name == "" }), nil
}

// lookupAll sets the attributes of names. It sets the name of a file that does not exist to
// "". If a file cannot be looked up for another reason, its attributes stay nil.
func (d *dirReader) lookupAll(names []*dirEntry) error {
	handles := make([]handle, len(names))
	err := d.callAll(procLookup, len(names), func(i int, w *xdr.Writer) { lookupArgs(d.dir, names[i].name)(w) }, func(i int, s status, r *xdr.Reader) {
		switch s {
		case 0:
			n := readLookup(r)
			handles[i], names[i].attr = n.handle, n.attr
		case statusNoEnt:
			names[i].name = ""
		}
	})
	if err != nil {
		return err
	}
	var bare []int // names whose attributes are still missing
	for i, h := range handles {
		if h != "" && names[i].attr == nil {
			bare = append(bare, i)
		}
	}
	return d.callAll(procGetAttr, len(bare), func(i int, w *xdr.Writer) { w.String(string(handles[bare[i]])) }, func(i int, s status, r *xdr.Reader) {
		if s == 0 {
			names[bare[i]].attr = readAttributes(r)
		}
	})
}

// callAll makes n calls of p at once. args appends the arguments of call i. results gets the
// status of call i, and reads the rest of its reply. results is not called if the server
// refuses the call itself, and so does not execute it.
func (d *dirReader) callAll(p procedure, n int, args func(i int, w *xdr.Writer), results func(i int, s status, r *xdr.Reader)) error {
	calls := make(map[uint32]int, n)
	for i := range n {
		xid, w := d.conn.start(p)
		args(i, w)
		calls[xid] = i
		if err := d.conn.flush(xid); err != nil {
			return err
		}
	}
	for range n {
		xid, r, record, err := d.conn.receive()
		if err != nil && !isRefusal(err) {
			return err
		}
		if err == nil {
			results(calls[xid], status(r.Uint32()), r)
			if bad := r.Err(); bad != nil {
				return malformed(bad)
			}
		}
		d.conn.recycle(record)
	}
	return nil
}

// A loopFinder finds a cookie that repeats, in constant memory. It compares each cookie with
// the cookie at the last power of two (Brent's algorithm).
type loopFinder struct {
	saved       uint64
	count, next uint64
}

// sees records a cookie, and reports whether the cookies repeat. It keeps only one earlier
// cookie to compare with, so it finds a loop after a few rounds.
func (l *loopFinder) sees(cookie uint64) bool {
	if l.count > 0 && cookie == l.saved {
		return true
	}
	if l.count == l.next {
		l.saved, l.next = cookie, 2*l.count+1
	}
	l.count++
	return false
}
