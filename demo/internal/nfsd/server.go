// Package nfsd is a small read-only NFS server, version 3 (RFC 1813) over TCP. The public file
// handle is the directory that it serves (RFC 2055). MOUNT (RFC 1813 appendix I) is at the same
// port, and exports that directory as "/".
//
// Notable divergences:
//   - It does not use a port mapper, and ignores the user, because everyone may read.
//   - RFC 2054 §7: a path that LOOKUP gets with the public file handle is relative to the
//     served directory even if it begins with "/".
//   - RFC 1813 §3.3.16: a cookie is the position of a name in its sorted directory, so it means
//     another name after the directory has changed.
package nfsd

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"net"
	"sync"
	"time"

	"locus/demo/internal/serve"
	"locus/internal/xdr"
)

const (
	idle    = time.Minute // limit for each Read and Write
	maxCall = 64 << 10    // bytes of a call
	maxPath = 1024        // MNTPATHLEN
)

// A Server serves the files of a file system. Change no field while it serves. Several
// goroutines may call Serve at once.
type Server struct {
	Files fs.FS     // its files are io.Seekers; it may be an fs.ReadLinkFS
	Log   serve.Log // called with each call, such as "LOOKUP texts"; may be nil

	once  sync.Once
	boot  uint32 // in every handle; different after a restart
	mu    sync.Mutex
	paths []string          // by number
	ids   map[string]uint32 // numbers by path
}

// init prepares s for its first connection.
func (s *Server) init() {
	s.boot = uint32(time.Now().UnixNano()) //nolint:gosec // it only has to differ
	s.paths, s.ids = []string{"."}, map[string]uint32{".": 0}
}

// Serve answers the calls of a connection, one after the other. The caller closes c. Serve
// ignores ctx, because it ends when c is closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	s.once.Do(s.init)
	c = serve.WithIdle(c, idle)
	r := bufio.NewReader(c)
	var buf []byte
	for {
		record, err := xdr.ReadRecord(r, buf, maxCall)
		if err != nil {
			return
		}
		buf = record
		reply, ok := s.answer(xdr.NewReader(record))
		if !ok {
			return
		}
		if _, err := c.Write(xdr.Frame(reply)); err != nil {
			return
		}
	}
}

// The programs that are served.
const (
	nfsProgram   = 100003
	mountProgram = 100005
	version      = 3
)

// Reasons not to do a call (RFC 5531 §9, accept_stat).
const (
	success         = 0
	progUnavailable = 1
	progMismatch    = 2
	procUnavailable = 3
	garbageArgs     = 4
)

// answer executes a call and returns the reply, which says why the call was refused if it was. ok
// is false if the message is not an RPC call, so that the connection must be closed.
func (s *Server) answer(r *xdr.Reader) (reply []byte, ok bool) {
	xid, kind, rpc := r.Uint32(), r.Uint32(), r.Uint32()
	program, vers, number := r.Uint32(), r.Uint32(), r.Uint32()
	for range 2 { // the user, and a verifier
		r.Uint32()
		r.Opaque(400)
	}
	if r.Err() != nil || kind != 0 || rpc != 2 {
		return nil, false
	}
	w := &xdr.Writer{Buf: make([]byte, 4, 256)}
	for _, v := range []uint32{xid, 1, 0, 0, 0} { // a reply, accepted, no verifier
		w.Uint32(v)
	}
	calls, ok := map[uint32]map[uint32]call{nfsProgram: nfsCalls, mountProgram: mountCalls}[program]
	c, known := calls[number]
	switch {
	case !ok:
		w.Uint32(progUnavailable)
	case vers != version:
		for _, v := range []uint32{progMismatch, version, version} {
			w.Uint32(v)
		}
	case !known:
		w.Uint32(procUnavailable)
	default:
		s.do(c, r, w)
	}
	return w.Buf, true
}

// A call is a procedure. do reads its arguments, appends its results, and returns a text for
// the log.
type call struct {
	name string
	do   func(s *Server, r *xdr.Reader, w *xdr.Writer) string
}

// do executes a call, appends its results to w, and logs it. If its arguments are malformed, do
// appends garbageArgs instead of the results.
func (s *Server) do(c call, r *xdr.Reader, w *xdr.Writer) {
	start := len(w.Buf)
	w.Uint32(success)
	what := c.do(s, r, w)
	if r.Err() != nil {
		w.Buf = w.Buf[:start]
		w.Uint32(garbageArgs)
		what = "(not understood)"
	}
	if what != "" {
		what = " " + what
	}
	s.Log.Line(c.name + what)
}

// mountCalls are the procedures of MOUNT, by number.
var mountCalls = map[uint32]call{
	0: {"MOUNT NULL", func(*Server, *xdr.Reader, *xdr.Writer) string { return "" }},
	1: {"MNT", (*Server).mount},
	2: {"DUMP", func(_ *Server, _ *xdr.Reader, w *xdr.Writer) string { w.Bool(false); return "" }},
	3: {"UMNT", func(_ *Server, r *xdr.Reader, _ *xdr.Writer) string { return quote(r.String(maxPath)) }},
	4: {"UMNTALL", func(*Server, *xdr.Reader, *xdr.Writer) string { return "" }},
	5: {"EXPORT", (*Server).exports},
}

// mount replies to MNT with a handle and with the authentication flavors that the server accepts,
// AUTH_NONE and AUTH_SYS. Like every call, it returns a text for the log, which is the quoted path.
func (s *Server) mount(r *xdr.Reader, w *xdr.Writer) string {
	path := r.String(maxPath)
	name, err := s.walk(".", path, true)
	if err == nil {
		if info, statErr := fs.Stat(s.Files, name); statErr != nil || !info.IsDir() {
			err = statusNotDir
		}
	}
	if err != nil {
		w.Uint32(uint32(statusOf(err)))
		return quote(path)
	}
	w.Uint32(0)
	w.Opaque(s.handle(name))
	w.Uint32(2)
	w.Uint32(0)
	w.Uint32(1)
	return quote(path)
}

// exports replies to EXPORT that the server exports "/" to everyone. It returns "" for the log.
func (s *Server) exports(_ *xdr.Reader, w *xdr.Writer) string {
	w.Bool(true)
	w.String("/")
	w.Bool(false) // no groups: everyone
	w.Bool(false)
	return ""
}

// quote returns s in quotes, for the log.
func quote(s string) string { return fmt.Sprintf("%q", s) }
