package nfs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A session does one request.
type session struct {
	client Client
	ctx    context.Context
	req    *access.Request
	view   scheme.NFS
	names  []string // of the path, without empty ones

	conn      *conn // nil after finish
	server    server
	reused    bool // conn was idle before
	wasCached bool // a handle came from an earlier request
	bodyRead  bool // a part of the request's Body was read
}

// parse reads the URL of a request, and refuses names that no server has.
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

// mustBeDir reports whether the URL says that it names a directory.
func (s *session) mustBeDir() bool {
	n := len(s.view.Segments)
	return n == 0 || s.view.Segments[n-1] == ""
}

// key names the server, the user and how the server was dialled, for the Pool.
func (s *session) key() string {
	id := s.client.identity()
	return fmt.Sprint(s.client.MountPort, id.UID, id.GID, id.Groups, s.req.PublicOnly, " ", s.view.Address(defaultPort))
}

// open gets a connection. isNew wants one that was not used before.
func (s *session) open(isNew bool) error {
	s.server = s.client.Pool.known(s.key())
	s.wasCached = len(s.server.roots) > 0
	idle, err := s.client.Pool.acquire(s.ctx, s.key(), isNew)
	if err != nil {
		return err
	}
	if idle != nil {
		s.conn, s.reused = idle, true
		return nil
	}
	return s.redial()
}

// redial replaces the connection by a new one.
func (s *session) redial() error {
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
	c, err := s.dial(s.view.Address(defaultPort))
	if err != nil {
		s.client.Pool.shared().Forget(s.key())
		return err
	}
	if s.server.noUser {
		c.identity = nil
	}
	c.key = s.key()
	s.conn = c
	return nil
}

// execute executes the request. The Resource of a Get releases the session.
func (s *session) execute() (*access.Resource, error) {
	e := access.Entry{URL: s.req.URL, Size: -1}
	var err error
	switch s.req.Op {
	case access.Get:
		return s.get()
	case access.Stat:
		e, err = s.stat()
	case access.Put:
		e.ModTime, err = s.put()
	case access.Append:
		e.URL, err = url.URL{}, s.append()
	case access.Delete:
		err = s.remove()
	case access.MakeDir:
		err = s.makeDir()
	}
	if err != nil {
		return nil, err
	}
	s.finish()
	return access.Found(e, nil)
}

// finish gives the connection back to the Pool, or closes it if a call has no reply.
func (s *session) finish() {
	c := s.conn
	if c == nil {
		return
	}
	s.conn = nil
	s.client.Pool.learn(s.key(), s.server)
	s.client.Pool.release(c)
}

// mayRetry reports whether the request failed because of a connection or a handle that
// this client kept from an earlier request, and nothing was changed.
func (s *session) mayRetry(err error) bool {
	if s.bodyRead || s.ctx.Err() != nil {
		return false
	}
	if s.wasCached && hasStatus(err, statusStale, statusBadHandle) {
		return true
	}
	return s.reused && s.conn != nil && s.conn.replies == 0 && !isRefusal(err) && !wire.IsTimeout(err)
}

// cause returns why the context is done, if it is, and else err.
func (s *session) cause(err error) error {
	if s.ctx.Err() != nil && !isRefusal(err) {
		return context.Cause(s.ctx)
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

// A place is what a path leads to.
type place struct {
	node           // zero if it is missing
	missing bool   // its directory exists, and it does not
	dir     node   // the directory that has it; zero for a root
	name    string // its name there
	root    node   // where the path starts
	isList  bool   // it is no directory of the server, but above its exports
}

// find looks up what the URL names. follow says whether a link at its end is followed.
func (s *session) find(follow bool) (place, error) {
	p, err := s.findPublic(follow)
	if err == nil || !errors.Is(err, errNoPublic) {
		return p, err
	}
	root, below, isList, err := s.mountFor(s.names)
	switch {
	case err != nil:
		return place{}, err
	case isList:
		return place{isList: true}, nil
	}
	return s.walk(root, below, follow)
}

// findPublic is find from the public directory. It returns errNoPublic if the server
// has none.
func (s *session) findPublic(follow bool) (place, error) {
	if s.server.noPublic {
		return place{}, errNoPublic
	}
	if s.view.IsAbsolute() {
		return s.findAbsolute(follow)
	}
	if s.isRead() && len(s.names) > 0 && isPlain(s.names) {
		n, err := s.publicLookup(strings.Join(s.names, "/"))
		switch {
		case err == nil && n.attr.kind != symlink:
			return place{node: n, root: n}, nil
		case err != nil && !isRefusal(err) || isAuth(err) || errors.Is(err, errNoPublic):
			return place{}, err
		}
	}
	root, err := s.publicRoot()
	if err != nil {
		return place{}, err
	}
	return s.walk(root, s.names, follow)
}

// findAbsolute finds an absolute path from the public directory (RFC 2054 §6.1).
func (s *session) findAbsolute(follow bool) (place, error) {
	if !isPlain(s.names) || len(s.names) == 0 {
		return place{}, errNoPublic
	}
	above := s.names[:len(s.names)-1]
	n, err := s.publicLookup("/" + strings.Join(above, "/"))
	if isRefusal(err) && !isAuth(err) { // it may be mounted
		return place{}, errNoPublic
	}
	if err != nil {
		return place{}, err
	}
	return s.walk(rootDir{node: n, path: above, hasPath: true}, s.names[len(above):], follow)
}

// isRead reports whether the request needs no directory above the file.
func (s *session) isRead() bool { return s.req.Op == access.Get || s.req.Op == access.Stat }

// isPlain reports whether all names mean the same with and without escapes.
func isPlain(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return name == ".." || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == '%' })
	})
}

// publicLookup looks up a path from the public file handle. It returns errNoPublic if
// the server has no such handle.
func (s *session) publicLookup(path string) (node, error) {
	n, err := s.conn.lookup("", path)
	if isAuth(err) && s.client.Identity == nil && s.conn.identity != nil {
		s.conn.identity, s.server.noUser = nil, true
		n, err = s.conn.lookup("", path)
	}
	if hasStatus(err, statusStale, statusBadHandle, statusNotSupp) {
		s.server.noPublic = true
		return n, errNoPublic
	}
	if isAuth(err) {
		err = withLowPort(err)
	}
	return n, err
}

// publicRoot returns the public directory.
func (s *session) publicRoot() (rootDir, error) {
	if root, ok := s.server.roots[""]; ok {
		return root, nil
	}
	root := rootDir{}
	n, err := s.publicLookup(".")
	if isRefusal(err) && !isAuth(err) {
		root.isPublic = true
		n.attr, err = s.conn.getAttr("")
		if isRefusal(err) {
			s.server.noPublic = true
			return root, errNoPublic
		}
	}
	if err != nil {
		return root, err
	}
	root.node = n
	s.server.roots[""] = root
	return root, nil
}
