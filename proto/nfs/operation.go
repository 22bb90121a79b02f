package nfs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	view   scheme.NFS
	names  []string // of the path, without empty names

	conn      *conn // nil after finish
	server    serverInfo
	reused    bool // conn served an earlier request
	wasCached bool // server comes from the Pool, so its handles may be stale
	bodyRead  bool // a part of the request's Body was read
}

// parse returns the parts of the URL of a request, and the names in its path, without "" and ".".
// It refuses names that a server cannot have.
func parse(req *access.Request) (v scheme.NFS, names []string, err error) {
	if req.URL.Scheme() != "nfs" {
		return v, nil, fmt.Errorf("%w: the scheme is not nfs", errors.ErrUnsupported)
	}
	if v, err = scheme.ParseNFS(req.URL); err != nil {
		return v, nil, err
	}
	for _, name := range v.Segments {
		if name == "" || name == "." {
			continue
		}
		if i := strings.IndexAny(name, "/\x00"); i >= 0 {
			return v, nil, &wire.ArgumentError{What: "file name", Byte: name[i], Offset: i, Ends: "name"}
		}
		names = append(names, name)
	}
	return v, names, nil
}

// mustBeDir reports whether the URL names a directory, because its path ends in "/" or is
// empty.
func (o *operation) mustBeDir() bool {
	n := len(o.view.Segments)
	return n == 0 || o.view.Segments[n-1] == ""
}

// key returns the key for the Pool. It contains the server, the user and the way of dialing.
func (o *operation) key() string {
	id := o.client.identity()
	return fmt.Sprint(o.client.MountPort, id.UID, id.GID, id.Groups, o.req.PublicOnly, " ", o.view.Address(defaultPort))
}

// open sets server from the facts of the Pool, and conn from the Pool or by dialing. With isNew it
// always dials.
func (o *operation) open(isNew bool) error {
	o.server = o.client.Pool.recall(o.key())
	o.wasCached = len(o.server.roots) > 0
	idle, err := o.client.Pool.acquire(o.ctx, o.key(), isNew)
	if err != nil {
		return err
	}
	if idle != nil {
		o.conn, o.reused = idle, true
		return nil
	}
	return o.redial()
}

// redial replaces the connection by a new one.
func (o *operation) redial() error {
	if o.conn != nil {
		o.conn.Close()
		o.conn = nil
	}
	c, err := o.dial(o.view.Address(defaultPort))
	if err != nil {
		o.client.Pool.shared().Forget(o.key())
		return err
	}
	if o.server.noUser {
		c.identity = nil
	}
	c.key = o.key()
	o.conn = c
	return nil
}

// execute sends the calls of the request. The Resource of a Get finishes the operation when it is
// closed. For every other Op, execute finishes the operation if it succeeds. After an error the
// caller must call finish.
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

// finish gives the connection and the facts about the server back to the Pool. It closes the
// connection if a call is pending. A second finish does nothing.
func (o *operation) finish() {
	c := o.conn
	if c == nil {
		return
	}
	o.conn = nil
	o.client.Pool.learn(o.key(), o.server)
	o.client.Pool.release(c)
}

// mayRetry reports whether the operation can be executed again: it has changed nothing, and it
// failed because of a connection or a handle from an earlier request.
func (o *operation) mayRetry(err error) bool {
	if o.bodyRead || o.ctx.Err() != nil {
		return false
	}
	if o.wasCached && hasStatus(err, statusStale, statusBadHandle) {
		return true
	}
	return o.reused && o.conn != nil && o.conn.replies == 0 && !isRefusal(err) && !wire.IsTimeout(err)
}

// cause returns the cause of the context if the context is done and err is not the server's
// reply. Otherwise it returns err.
func (o *operation) cause(err error) error {
	if o.ctx.Err() != nil && !isRefusal(err) {
		return context.Cause(o.ctx)
	}
	return err
}

// A rootDir is a directory from which paths are looked up.
type rootDir struct {
	node
	path     []string // absolute on the server
	hasPath  bool     // path is known
	isPublic bool     // its handle is the public one, so names are escaped
}

// A resolvedPath is the file or directory that a path leads to.
type resolvedPath struct {
	node                // zero if it is missing
	isMissing    bool   // its directory exists, but has no such name
	dir          node   // the directory that contains it; zero for a root
	name         string // its name in dir
	root         node   // the root that the path starts at
	isExportList bool   // it is above the exports, so its listing is made from the exports
}

// find resolves the path of the URL. follow says whether a symbolic link at the end is followed. If
// only the last name is missing, that is not an error, but isMissing is set.
func (o *operation) find(follow bool) (resolvedPath, error) {
	p, err := o.findPublic(follow)
	if err == nil || !errors.Is(err, errNoPublic) {
		return p, err
	}
	root, below, isList, err := o.mountFor(o.names)
	switch {
	case err != nil:
		return resolvedPath{}, err
	case isList:
		return resolvedPath{isExportList: true}, nil
	}
	return o.walk(root, below, follow)
}

// findPublic resolves the path from the public directory. follow says whether a symbolic link at
// the end is followed. It returns errNoPublic if the server lacks a public directory, or if MOUNT
// must resolve the path instead.
func (o *operation) findPublic(follow bool) (resolvedPath, error) {
	if o.server.noPublic {
		return resolvedPath{}, errNoPublic
	}
	if o.view.IsAbsolute() {
		return o.findAbsolute(follow)
	}
	if o.isRead() && len(o.names) > 0 && isPlain(o.names) {
		n, err := o.publicLookup(strings.Join(o.names, "/"))
		switch {
		case err == nil && n.attr.kind != symlink:
			return resolvedPath{node: n, root: n}, nil
		case err != nil && !isRefusal(err) || isAuth(err) || errors.Is(err, errNoPublic):
			return resolvedPath{}, err
		}
	}
	root, err := o.publicRoot()
	if err != nil {
		return resolvedPath{}, err
	}
	return o.walk(root, o.names, follow)
}

// findAbsolute resolves an absolute path from the public directory (RFC 2054 §6.1). follow says
// whether a symbolic link at the end is followed. The error is errNoPublic if MOUNT must resolve
// the path instead.
func (o *operation) findAbsolute(follow bool) (resolvedPath, error) {
	if !isPlain(o.names) || len(o.names) == 0 {
		return resolvedPath{}, errNoPublic
	}
	above := o.names[:len(o.names)-1]
	n, err := o.publicLookup("/" + strings.Join(above, "/"))
	if isRefusal(err) && !isAuth(err) { // MOUNT may know it
		return resolvedPath{}, errNoPublic
	}
	if err != nil {
		return resolvedPath{}, err
	}
	return o.walk(rootDir{node: n, path: above, hasPath: true}, o.names[len(above):], follow)
}

// isRead reports whether the operation only reads, so that it does not need the directory above
// the file.
func (o *operation) isRead() bool { return o.req.Op == access.Get || o.req.Op == access.Stat }

// isPlain reports whether a server reads the path of these names in the same way whether or not
// it decodes escapes: the names are printable ASCII without "%". A name ".." is not plain
// either.
func isPlain(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return name == ".." || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == '%' })
	})
}

// publicLookup looks up a path from the public file handle. If Client.Identity is nil and the
// server refuses the user nobody, it looks up the path without an identity. If the server has no
// public file handle, the error is errNoPublic. Later operations at this server remember both
// facts.
func (o *operation) publicLookup(path string) (node, error) {
	n, err := o.conn.lookup("", path)
	if isAuth(err) && o.client.Identity == nil && o.conn.identity != nil {
		o.conn.identity, o.server.noUser = nil, true
		n, err = o.conn.lookup("", path)
	}
	if hasStatus(err, statusStale, statusBadHandle, statusNotSupp) {
		o.server.noPublic = true
		return n, errNoPublic
	}
	if isAuth(err) {
		err = withLowPort(err)
	}
	return n, err
}

// publicRoot returns the public directory. It returns errNoPublic if the server lacks one, and
// remembers this.
func (o *operation) publicRoot() (rootDir, error) {
	if root, ok := o.server.roots[""]; ok {
		return root, nil
	}
	root := rootDir{}
	n, err := o.publicLookup(".")
	if isRefusal(err) && !isAuth(err) {
		root.isPublic = true
		n.attr, err = o.conn.getAttr("")
		if isRefusal(err) {
			o.server.noPublic = true
			return root, errNoPublic
		}
	}
	if err != nil {
		return root, err
	}
	root.node = n
	o.server.roots[""] = root
	return root, nil
}
