package nfsd

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"locus/internal/xdr"
)

// A status is an nfsstat3.
type status uint32

// Error makes status an error. The server sends the number, and not this text.
func (s status) Error() string { return "a status of NFS" }

const (
	statusNoEnt       status = 2
	statusIO          status = 5
	statusAccess      status = 13
	statusNotDir      status = 20
	statusIsDir       status = 21
	statusInval       status = 22
	statusReadOnly    status = 30
	statusNameTooLong status = 63
	statusStale       status = 70
	statusBadCookie   status = 10003
	statusTooSmall    status = 10005
)

// statusOf returns the status that err is or wraps. For any other error it returns the status that
// is nearest in meaning, or else statusIO.
func statusOf(err error) status {
	s, ok := errors.AsType[status](err)
	switch {
	case ok:
		return s
	case errors.Is(err, fs.ErrNotExist):
		return statusNoEnt
	case errors.Is(err, fs.ErrPermission):
		return statusAccess
	}
	return statusIO
}

// handle returns the handle of the file with that name, a path in Files. It stays the same until
// the server restarts.
func (s *Server) handle(name string) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, s.boot), s.id(name))
}

// id returns the number of the file with that name. It gives the next number to a name that it sees
// for the first time.
func (s *Server) id(name string) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok := s.ids[name]
	if !ok {
		id = uint32(len(s.paths)) //nolint:gosec // as many as there are files
		s.paths, s.ids[name] = append(s.paths, name), id
	}
	return id
}

// readHandle reads a handle and returns the name of its file. isPublic is true for the empty
// handle, which is the public one. The error is statusStale for a handle that this server did not
// make since its start.
func (s *Server) readHandle(r *xdr.Reader) (name string, isPublic bool, err error) {
	h := r.Opaque(64)
	if len(h) == 0 {
		return ".", true, nil
	}
	if len(h) != 8 || binary.BigEndian.Uint32(h) != s.boot {
		return "", false, statusStale
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := binary.BigEndian.Uint32(h[4:])
	if uint64(id) >= uint64(len(s.paths)) {
		return "", false, statusStale
	}
	return s.paths[id], false, nil
}

// lookup returns the name in Files of the file that a client calls name in the directory dir. For
// the public directory, name is a path with escapes (RFC 2054 §6.1). The error is a status if there
// is no such file.
func (s *Server) lookup(dir, name string, isPublic bool) (string, error) {
	if isPublic {
		unescaped, err := url.PathUnescape(name)
		if err != nil {
			return "", statusInval
		}
		return s.walk(dir, unescaped, false)
	}
	if strings.Contains(name, "/") {
		return "", statusInval
	}
	return s.enter(dir, name)
}

// walk returns the name in Files of the file at the path p, which begins at the directory dir. It
// follows symbolic links, but a link at the end only if follow is true. Too many links are an
// error.
func (s *Server) walk(dir, p string, follow bool) (string, error) {
	const maxLinks, maxNames = 20, 1000
	links, names := 0, strings.Split(p, "/")
	for i := 0; i < len(names); i++ {
		name, err := s.enter(dir, names[i])
		if err != nil {
			return "", err
		}
		target, isLink := s.readLink(name)
		if !isLink || !follow && i == len(names)-1 {
			dir = name
			continue
		}
		links++
		if path.IsAbs(target) {
			dir = "."
		}
		names = append(strings.Split(target, "/"), names[i+1:]...)
		if i = -1; links > maxLinks || len(names) > maxNames {
			return "", statusIO
		}
	}
	return dir, nil
}

// enter returns the name in Files of the file called name in the directory dir, which may be ".."
// or ".". ".." in the top directory is the top directory. A file that does not exist is an error.
func (s *Server) enter(dir, name string) (string, error) {
	info, err := s.lstat(dir)
	if err != nil {
		return "", err
	}
	switch {
	case !info.IsDir():
		return "", statusNotDir
	case name == "" || name == ".":
		return dir, nil
	case name == "..":
		return path.Dir(dir), nil
	case len(name) > 255:
		return "", statusNameTooLong
	}
	full := path.Join(dir, name)
	_, err = s.lstat(full)
	return full, err
}

// lstat returns the attributes of a file, without following a symbolic link.
func (s *Server) lstat(name string) (fs.FileInfo, error) { return fs.Lstat(s.Files, name) }

// readLink returns the target of a symbolic link. ok is false if the file is not a symbolic link.
func (s *Server) readLink(name string) (target string, ok bool) {
	info, err := s.lstat(name)
	if err != nil || info.Mode().Type() != fs.ModeSymlink {
		return "", false
	}
	target, err = fs.ReadLink(s.Files, name)
	return target, err == nil
}

// attributes appends a post_op_attr: the attributes of a file, or a mark that they are missing if
// the file does not exist.
func (s *Server) attributes(w *xdr.Writer, name string) {
	info, err := s.lstat(name)
	w.Bool(err == nil)
	if err == nil {
		s.fattr(w, name, info)
	}
}

// fattr appends info, the attributes of a file, as an fattr3 (RFC 1813 §2.6).
func (s *Server) fattr(w *xdr.Writer, name string, info fs.FileInfo) {
	kind, mode := uint32(1), uint32(0o444)
	switch {
	case info.IsDir():
		kind, mode = 2, 0o555
	case info.Mode().Type() == fs.ModeSymlink:
		kind, mode = 5, 0o777
	}
	size := uint64(max(info.Size(), 0)) //nolint:gosec // not negative
	w.Uint32(kind)
	w.Uint32(mode)
	w.Uint32(1) // links
	w.Uint32(0) // owner
	w.Uint32(0)
	w.Uint64(size)
	w.Uint64(size) // used
	w.Uint64(0)    // device
	w.Uint64(1)    // file system
	w.Uint64(uint64(s.id(name)) + 1)
	for range 3 { // read, changed, attributes changed
		t := info.ModTime()
		w.Uint32(uint32(max(t.Unix(), 0))) //nolint:gosec // until 2106
		w.Uint32(uint32(t.Nanosecond()))   //nolint:gosec // less than 2^30
	}
}
