package nfsd

import (
	"errors"
	"io"
	"io/fs"
	"path"

	"locus/internal/xdr"
)

const (
	maxRead = 256 << 10
	maxList = 64 << 10
)

// nfsCalls are the procedures of NFS, by number.
var nfsCalls = map[uint32]call{
	0:  {"NULL", func(*Server, *xdr.Reader, *xdr.Writer) string { return "" }},
	1:  {"GETATTR", (*Server).getAttr},
	2:  refused("SETATTR", 1),
	3:  {"LOOKUP", (*Server).lookupCall},
	4:  {"ACCESS", (*Server).access},
	5:  {"READLINK", (*Server).readLinkCall},
	6:  {"READ", (*Server).read},
	7:  refused("WRITE", 1),
	8:  refused("CREATE", 1),
	9:  refused("MKDIR", 1),
	10: refused("SYMLINK", 1),
	11: refused("MKNOD", 1),
	12: refused("REMOVE", 1),
	13: refused("RMDIR", 1),
	14: refused("RENAME", 2),
	15: refused("LINK", 2),
	16: {"READDIR", func(s *Server, r *xdr.Reader, w *xdr.Writer) string { return s.readDir(r, w, false) }},
	17: {"READDIRPLUS", func(s *Server, r *xdr.Reader, w *xdr.Writer) string { return s.readDir(r, w, true) }},
	19: {"FSINFO", (*Server).fsInfo},
	21: refused("COMMIT", 1),
}

// refused returns a procedure that refuses a change, because the file system is read-only. For
// each of that many files and directories, its reply says that the attributes before and after
// the change are missing. For the file of LINK, it says so only of the attributes after the
// change.
func refused(name string, changes int) call {
	return call{name, func(_ *Server, _ *xdr.Reader, w *xdr.Writer) string {
		w.Uint32(uint32(statusReadOnly))
		for i := range changes {
			w.Bool(false) // attributes after the change
			if name != "LINK" || i > 0 {
				w.Bool(false) // attributes before the change
			}
		}
		return "(refused)"
	}}
}

// fail appends the status for err, and says that no attributes follow.
func fail(w *xdr.Writer, err error) {
	w.Uint32(uint32(statusOf(err)))
	w.Bool(false)
}

// file reads a handle, and returns the name and the attributes of its file. It does not follow a
// symbolic link. The error is a status if the handle is not valid.
func (s *Server) file(r *xdr.Reader) (name string, info fs.FileInfo, err error) {
	name, _, err = s.readHandle(r)
	if err == nil {
		info, err = s.lstat(name)
	}
	return name, info, err
}

// getAttr replies to GETATTR with the attributes of a file. It returns the name of the file for
// the log.
func (s *Server) getAttr(r *xdr.Reader, w *xdr.Writer) string {
	name, info, err := s.file(r)
	if err != nil {
		w.Uint32(uint32(statusOf(err)))
		return ""
	}
	w.Uint32(0)
	s.fattr(w, name, info)
	return quote(name)
}

// lookupCall replies to LOOKUP with the handle of a name in a directory. It returns the name of
// the file for the log.
func (s *Server) lookupCall(r *xdr.Reader, w *xdr.Writer) string {
	dir, isPublic, err := s.readHandle(r)
	name := r.String(maxPath)
	found := ""
	if err == nil {
		found, err = s.lookup(dir, name, isPublic)
	}
	if err != nil {
		fail(w, err)
		return quote(name)
	}
	w.Uint32(0)
	w.Opaque(s.handle(found))
	s.attributes(w, found)
	s.attributes(w, dir)
	return quote(name)
}

// access replies to ACCESS: it allows everyone to read, look up and execute, and forbids every
// change. It returns the name of the file for the log.
func (s *Server) access(r *xdr.Reader, w *xdr.Writer) string {
	name, _, err := s.file(r)
	wanted := r.Uint32()
	if err != nil {
		fail(w, err)
		return ""
	}
	const read, lookup, execute = 1, 2, 32
	w.Uint32(0)
	s.attributes(w, name)
	w.Uint32(wanted & (read | lookup | execute))
	return quote(name)
}

// readLinkCall replies to READLINK with the target of a symbolic link. It returns the name of
// the link for the log.
func (s *Server) readLinkCall(r *xdr.Reader, w *xdr.Writer) string {
	name, _, err := s.file(r)
	target, ok := s.readLink(name)
	if err == nil && !ok {
		err = statusInval
	}
	if err != nil {
		fail(w, err)
		return ""
	}
	w.Uint32(0)
	s.attributes(w, name)
	w.String(target)
	return quote(name)
}

// read replies to READ with at most maxRead bytes of a file. It returns the name of the file
// for the log.
func (s *Server) read(r *xdr.Reader, w *xdr.Writer) string {
	name, info, err := s.file(r)
	offset, count := r.Uint64(), r.Uint32()
	var data []byte
	if err == nil {
		data, err = s.readAt(name, info, offset, min(count, maxRead))
	}
	if err != nil {
		fail(w, err)
		return quote(name)
	}
	w.Uint32(0)
	s.attributes(w, name)
	w.Uint32(uint32(len(data))) //nolint:gosec // at most maxRead
	w.Bool(offset+uint64(len(data)) >= uint64(info.Size()))
	w.Opaque(data)
	return quote(name)
}

// readAt returns count bytes of a regular file at an offset, or fewer at the end of the file. The
// error is a status if the file is not regular.
func (s *Server) readAt(name string, info fs.FileInfo, offset uint64, count uint32) ([]byte, error) {
	if info.IsDir() {
		return nil, statusIsDir
	}
	if !info.Mode().IsRegular() {
		return nil, statusInval
	}
	if offset >= uint64(info.Size()) {
		return nil, nil
	}
	f, err := s.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	seeker, ok := f.(io.Seeker)
	if !ok {
		return nil, statusIO
	}
	if _, err := seeker.Seek(int64(offset), io.SeekStart); err != nil { //nolint:gosec // less than the size
		return nil, err
	}
	data := make([]byte, min(uint64(count), uint64(info.Size())-offset))
	n, err := io.ReadFull(f, data)
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return data[:n], err
}

// readDir replies to READDIR, or to READDIRPLUS if plus is set. It returns the name of the
// directory for the log.
func (s *Server) readDir(r *xdr.Reader, w *xdr.Writer, plus bool) string {
	name, info, err := s.file(r)
	cookie := r.Uint64()
	r.Fixed(8) // verifier
	size := r.Uint32()
	if plus {
		size = r.Uint32()
	}
	if err == nil && !info.IsDir() {
		err = statusNotDir
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = fs.ReadDir(s.Files, name)
	}
	if err == nil && cookie > uint64(len(entries)) {
		err = statusBadCookie
	}
	start := len(w.Buf)
	if err == nil {
		w.Uint32(0)
		s.attributes(w, name)
		w.Uint64(0) // verifier
		err = s.entries(w, name, entries[cookie:], cookie, start+int(min(size, maxList)), plus)
	}
	if err != nil {
		w.Buf = w.Buf[:start]
		fail(w, err)
	}
	return quote(name)
}

// entries appends entries of the directory dir until the reply has most bytes, and then whether
// the listing ends there. cookie is the number of entries of dir before them. With plus it also
// appends the attributes and the handle of each entry. If not even the first entry fits, the
// error is statusTooSmall.
func (s *Server) entries(w *xdr.Writer, dir string, entries []fs.DirEntry, cookie uint64, most int, plus bool) error {
	for i, e := range entries {
		before := len(w.Buf)
		name := path.Join(dir, e.Name())
		w.Bool(true)
		w.Uint64(uint64(s.id(name)) + 1)
		w.String(e.Name())
		w.Uint64(cookie + uint64(i) + 1) //nolint:gosec // not negative
		if plus {
			s.attributes(w, name)
			w.Bool(true)
			w.Opaque(s.handle(name))
		}
		if len(w.Buf)+8 <= most {
			continue
		}
		if w.Buf = w.Buf[:before]; i == 0 {
			return statusTooSmall
		}
		w.Bool(false)
		w.Bool(false)
		return nil
	}
	w.Bool(false)
	w.Bool(true)
	return nil
}

// fsInfo replies to FSINFO with the sizes that the server supports. It returns a text for the
// log.
func (s *Server) fsInfo(r *xdr.Reader, w *xdr.Writer) string {
	name, _, err := s.file(r)
	if err != nil {
		fail(w, err)
		return ""
	}
	w.Uint32(0)
	s.attributes(w, name)
	for _, v := range []uint32{maxRead, maxRead, 512, maxRead, maxRead, 512, maxList} {
		w.Uint32(v)
	}
	w.Uint64(1 << 62) // the largest file
	w.Uint32(0)       // times are exact to a nanosecond
	w.Uint32(1)
	const links, homogeneous = 2, 8
	w.Uint32(links | homogeneous)
	return quote(name)
}
