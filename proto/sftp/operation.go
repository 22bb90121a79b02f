package sftp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// An operation executes one request.
type operation struct {
	client Client
	ctx    context.Context
	req    *access.Request
	view   scheme.SFTP
	path   string // on the server; relative to the home directory if view.Home is set
	login  identity

	conn     *conn   // nil before open, and after finish
	prompted *string // the password that Request.Login has returned
	reused   bool    // conn served an earlier request
	bodyRead bool    // a part of the request's Body was read
}

// newOperation returns the operation for req, without a connection. It returns an error for a URL of another scheme,
// and for names with "/" or NUL, which a server cannot have. Without Dial the error is access.ErrNoDial.
func (c Client) newOperation(ctx context.Context, req *access.Request) (*operation, error) {
	if req.URL.Scheme() != "sftp" {
		return nil, fmt.Errorf("%w: the scheme is not sftp", errors.ErrUnsupported)
	}
	v, err := scheme.ParseSFTP(req.URL)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range v.Segments {
		if name == "" || name == "." {
			continue
		}
		if i := strings.IndexAny(name, "/\x00"); i >= 0 {
			return nil, &wire.ArgumentError{What: "file name", Byte: name[i], Offset: i, Ends: "name"}
		}
		names = append(names, name)
	}
	o := &operation{client: c, ctx: ctx, req: req, view: v, path: strings.Join(names, "/")}
	switch {
	case !v.Home:
		o.path = "/" + o.path
	case o.path == "":
		o.path = "."
	}
	if c.Dial == nil {
		return nil, access.ErrNoDial
	}
	return o, nil
}

// mustBeDir reports whether the URL names a directory, because its path is empty or ends in "/".
func (o *operation) mustBeDir() bool {
	n := len(o.view.Segments)
	return n == 0 || o.view.Segments[n-1] == ""
}

// isTop reports whether the URL names the root or the home directory.
func (o *operation) isTop() bool { return o.path == "/" || o.path == "." }

// name returns the last name of the path on the server.
func (o *operation) name() string { return path.Base(o.path) }

// siblingOf returns the path of the file name in the directory of the path p.
func siblingOf(p, name string) string { return p[:strings.LastIndexByte(p, '/')+1] + name }

// open sets o.conn and o.login: it takes an idle connection from the Pool, or dials and logs in. If isNew is true it
// always dials.
func (o *operation) open(isNew bool) (err error) {
	if o.login, err = o.newIdentity(); err != nil {
		return err
	}
	c, err := o.client.Pool.acquire(o, isNew)
	if err != nil {
		return err
	}
	if o.conn, o.reused = c, c != nil; o.reused {
		return nil
	}
	if o.conn, err = o.dial(); err != nil {
		o.client.Pool.shared().Forget(o.login.address)
	}
	return err
}

// execute sends the packets of the request, and waits for the result. The Resource of a Get finishes the operation
// when it is closed or read to its end. For every other Op, execute finishes the operation if it succeeds. After an
// error the caller must call finish.
func (o *operation) execute() (*access.Resource, error) {
	e := access.Entry{URL: o.req.URL, Size: -1}
	var err error
	switch o.req.Op {
	case access.Get:
		return o.get()
	case access.Stat:
		e, err = o.stat()
	case access.Put:
		e.ModTime, err = o.put()
	case access.Append:
		e.URL, err = url.URL{}, o.append()
	case access.Delete:
		err = o.remove()
	case access.MakeDir:
		err = o.makeDir()
	}
	if err != nil {
		return nil, err
	}
	o.finish()
	return engine.Found(e, nil)
}

// finish gives the connection back to the Pool, which closes it if it cannot be used again. Later calls have no
// effect.
func (o *operation) finish() {
	c := o.conn
	if c == nil {
		return
	}
	o.conn = nil
	o.client.Pool.release(c)
}

// isStale reports whether the operation, which failed with err, can be executed again on a new connection: the
// server has closed a connection of an earlier request before it replied to this request, and the Body was not read.
func (o *operation) isStale(err error) bool {
	return o.reused && !o.bodyRead && o.conn != nil && o.conn.replies == 0 && o.ctx.Err() == nil && !isRefusal(err) && !wire.IsTimeout(err)
}

// cause returns the cause of the context if the context is done and err is not the server's reply. Otherwise it returns
// err.
func (o *operation) cause(err error) error {
	if o.ctx.Err() != nil && !isRefusal(err) {
		return context.Cause(o.ctx)
	}
	return err
}

// lookUp returns the attributes of a path. kind is typeStat, which follows symbolic links, or typeLstat.
func (o *operation) lookUp(kind packetType, path string) (*Attributes, error) {
	id, err := o.conn.send(kind, func(w *writer) { w.string(path) })
	if err != nil {
		return nil, err
	}
	return o.receiveAttributes(id)
}

// receiveAttributes waits for the reply to the request id, and returns the attributes in it.
func (o *operation) receiveAttributes(id uint32) (*Attributes, error) {
	r, err := o.conn.receive(id, typeAttrs)
	if err != nil {
		return nil, err
	}
	a := readAttributes(r)
	return a, malformed(r.err)
}

// command sends a request that is answered by STATUS alone, and waits for the reply.
func (o *operation) command(kind packetType, args func(w *writer)) error {
	id, err := o.conn.send(kind, args)
	if err == nil {
		_, err = o.conn.receive(id, typeStatus)
	}
	return err
}

// receiveHandle waits for the reply to OPEN or OPENDIR, the request id, and returns the handle in it.
func (o *operation) receiveHandle(id uint32) (string, error) {
	r, err := o.conn.receive(id, typeHandle)
	if err != nil {
		return "", err
	}
	handle := r.string(maxHandle)
	return handle, malformed(r.err)
}

// closeHandle sends CLOSE, and does not wait for the reply. It returns only the error of sending.
func (o *operation) closeHandle(handle string) error {
	id, err := o.conn.send(typeClose, func(w *writer) { w.string(handle) })
	o.conn.drop(id)
	return err
}

// stat returns the Entry of the URL. It follows symbolic links. The error is errNotDir if the URL names a directory
// and the server has another file there.
func (o *operation) stat() (access.Entry, error) {
	e := access.Entry{URL: o.req.URL, Size: -1}
	a, err := o.lookUp(typeStat, o.path)
	if err != nil {
		return e, err
	}
	a.describe(&e)
	switch {
	case o.mustBeDir() && a.isOtherKind():
		return e, errNotDir
	case o.mustBeDir() && a.hasMode:
		e.Kind, e.Size = access.Directory, -1
	}
	return e, nil
}

// atCleanup calls f, which sends requests after a failure, and returns its error. The operation that f gets is o if
// its connection is still usable, and otherwise a copy of o with a new connection, which works even if the context
// of o is done.
func (o *operation) atCleanup(f func(o *operation) error) error {
	if o.ctx.Err() == nil && o.conn.link.err() == nil && o.conn.isIdle() {
		return f(o)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(o.ctx), cleanupTime)
	defer cancel()
	other := *o
	other.ctx, other.conn, other.client.Pool, other.reused = ctx, nil, nil, false
	var err error
	if other.conn, err = other.dial(); err != nil {
		return err
	}
	defer other.finish()
	return f(&other)
}

// timeToStore returns the ModTime of the request. It returns the zero time if the request has no ModTime, or if the
// protocol cannot express it.
func (o *operation) timeToStore() time.Time {
	if !canStore(o.req.ModTime) {
		return time.Time{}
	}
	return o.req.ModTime
}
