package sftp

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/mediatype"
	"locus/proto/internal/urilist"
	"locus/url"
)

// A listing is the Body of a directory. Its bytes are the URLs of the entries, one per line (text/uri-list, RFC 2483).
// It keeps the names of one reply, so a directory may have any number of names.
type listing struct {
	*stream
	segments []string // of the URL of the directory, without empty segments at the end
	text     urilist.Text
	next     []dirEntry
	pending  uint32 // the READDIR that waits for its reply; 0: there is none
	empty    int    // the replies in a row without names
}

// A dirEntry is a name in a directory.
type dirEntry struct {
	name string
	attr *Attributes
}

// openDirectory opens the listing of the directory of the URL, whose attributes are a. It waits for the first names,
// so that an error of the server becomes an error of Get, and not of the first Read. The Resource owns the connection.
func (o *operation) openDirectory(a *Attributes) (*access.Resource, error) {
	if o.req.Offset > 0 {
		return nil, engine.Reason("a listing starts at its beginning", access.ErrRange)
	}
	id, err := o.conn.send(typeOpendir, func(w *writer) { w.string(o.path) })
	if err != nil {
		return nil, err
	}
	handle, err := o.receiveHandle(id)
	if err != nil {
		return nil, err
	}
	l := &listing{stream: newStream(o, handle), segments: trimSlashes(o.view.Segments)}
	if err := l.ask(); err != nil {
		return nil, err
	}
	if err := l.fill(); err != nil && !access.IsEnd(err) {
		_ = l.closeHandle(handle) // after an error the connection is closed
		return nil, err
	}
	e := access.Entry{URL: o.req.URL, Type: urilist.Type}
	a.describe(&e)
	e.Kind = access.Unknown // List tells
	return &access.Resource{Entry: e, Body: l, List: l}, nil
}

// trimSlashes returns segments without the empty segments at its end.
func trimSlashes(segments []string) []string {
	for n := len(segments); n > 0 && segments[n-1] == ""; n-- {
		segments = segments[:n-1]
	}
	return segments
}

// ask sends the request for the next names, without waiting.
func (l *listing) ask() (err error) {
	l.pending, err = l.conn.send(typeReaddir, func(w *writer) { w.string(l.handle) })
	return err
}

// fill waits for the next names, at least one, and asks for the names after them. If l.next has names, it returns at
// once. At the end it gives the connection back and returns io.EOF.
func (l *listing) fill() error {
	for len(l.next) == 0 {
		if l.isDone {
			return io.EOF
		}
		r, err := l.conn.receive(l.pending, typeName)
		if hasStatus(err, statusEOF) {
			l.pending = 0
			l.complete()
			return io.EOF
		}
		if err != nil {
			return err
		}
		if l.next, err = readNames(r); err != nil {
			return err
		}
		if err := l.ask(); err != nil {
			return err
		}
		if l.empty++; len(l.next) > 0 {
			l.empty = 0
		}
		if l.empty > maxEmpty {
			return fmt.Errorf("%w: parts of a listing without names", access.ErrProtocol)
		}
	}
	return nil
}

// readNames reads the payload of NAME: the names and attributes of files, without "." and "..". The list may be empty.
func readNames(r *reader) ([]dirEntry, error) {
	const least = 12 // bytes of an entry without names and attributes
	count := r.uint32()
	if int64(count) > int64(len(r.data)/least) {
		return nil, fmt.Errorf("%w: %d names in a packet of %d bytes", access.ErrProtocol, count, len(r.data))
	}
	names := make([]dirEntry, 0, count)
	for range count {
		name := r.string(maxString)
		line := r.string(maxString) // of a listing, in a form that is not specified
		a := readAttributes(r)
		a.completeType(line)
		if name != "." && name != ".." {
			names = append(names, dirEntry{name, a})
		}
	}
	return names, malformed(r.err)
}

// Next returns the next entry, and io.EOF after the last one. Errors name the URL.
func (l *listing) Next() (e access.Entry, err error) {
	err = l.use("list", func() error {
		if err := l.fill(); err != nil {
			return err
		}
		e = l.entry(l.next[0])
		l.next = l.next[1:]
		return nil
	})
	return e, err
}

// entry returns the Entry of a name. Devices get no URL, because they cannot be opened, and names with "/" or NUL get no
// URL, because a path cannot contain them.
func (l *listing) entry(n dirEntry) access.Entry {
	e := access.Entry{Title: n.name, Size: -1}
	n.attr.describe(&e)
	if n.attr.isSpecial() || n.name == "" || strings.ContainsAny(n.name, "/\x00") {
		return e
	}
	if e.Kind == access.Object {
		e.Type = mediatype.ByName(n.name)
	}
	e.URL = l.urlOf(n.name, e.Kind == access.Directory)
	return e
}

// urlOf returns the URL of the file name in the directory, without a password. The URL of a directory ends in "/". If
// the request writes the user with other escapes than usual, so does the URL, because the two are compared.
func (l *listing) urlOf(name string, isDir bool) url.URL {
	v := l.view
	v.Password = url.Part{}
	v.Segments = append(slices.Clone(l.segments), name)
	if isDir {
		v.Segments = append(v.Segments, "")
	}
	u := v.URL()
	asked, _ := l.req.URL.User()
	if own, _ := u.User(); own == asked || l.view.Password.Present {
		return u
	}
	same, err := l.req.URL.Without(url.Query, url.Fragment)
	if err == nil {
		same, err = same.With(url.Path, url.Some(u.Path()))
	}
	if err != nil {
		return u
	}
	return same
}

// Read returns the URLs of the entries that Next has not returned.
func (l *listing) Read(p []byte) (int, error) { return l.text.Read(p, l.Next) }

// Close drops the pending request and gives the connection back. A second Close returns nil.
func (l *listing) Close() error {
	if l.busy.TryLock() {
		if l.conn != nil {
			l.conn.drop(l.pending)
		}
		l.busy.Unlock()
	}
	return l.stream.Close()
}
