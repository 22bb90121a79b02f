package nfs_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/internal/xdr"
)

// A memory is an NFS server, version 3, that keeps its files in memory. MOUNT is at the same
// port.
type memory struct {
	addr    string
	exports []string                                       // the exported paths; the tree of the first is served
	public  bool                                           // the root of the tree is the public directory
	noPlus  bool                                           // the server lacks READDIRPLUS
	noLink  bool                                           // the server lacks LINK
	bare    bool                                           // replies omit the optional attributes and handles
	most    int                                            // bytes in one READ or WRITE; 0: 64 KiB
	refuse  map[string]uint32                              // the status for procedures, by their names
	before  func(call *rpcCall, w *xdr.Writer) (done bool) // may reply to a call itself

	after   func(call *rpcCall, w *xdrWriter) // may change a reply, if not nil
	flush   func() []byte                     // returns one more reply, or nil
	reads   int                               // number of READ calls
	sparse  int64                             // if not 0, the size of every file, whose bytes are their offset in MiB
	endless uint64                            // if not 0, the number of entries in every directory
	batch   uint64                            // endless entries in one reply
	cycle   uint64                            // if not 0, cookies repeat after so many entries

	mu      sync.Mutex
	files   map[string]*memFile // by handle
	next    int
	log     []string
	verf    uint64
	callers map[string]bool // the users that the calls named
}

type memFile struct {
	kind    uint32 // 1 file, 2 directory, 5 link
	mode    uint32
	data    []byte
	names   map[string]string // handles by name, of a directory
	modTime time.Time
	id      int
}

// An rpcCall is a call that a memory received.
type rpcCall struct {
	program, proc uint32
	name          string // of the procedure
	args          *xdr.Reader
}

var procNames = map[uint32]string{
	0: "NULL", 1: "GETATTR", 2: "SETATTR", 3: "LOOKUP", 4: "ACCESS", 5: "READLINK", 6: "READ", 7: "WRITE", 8: "CREATE", 9: "MKDIR",
	12: "REMOVE", 13: "RMDIR", 14: "RENAME", 15: "LINK", 16: "READDIR", 17: "READDIRPLUS", 19: "FSINFO", 21: "COMMIT",
}

const root = "root"

// newMemory starts a server with the files, by their paths. "dir/" is a directory, and "name@"
// is a symbolic link to the text.
func newMemory(t testing.TB, files map[string]string) *memory {
	t.Helper()
	m := &memory{exports: []string{"/"}, files: map[string]*memFile{}, verf: 1, callers: map[string]bool{}}
	m.files[root] = &memFile{kind: 2, mode: 0o755, names: map[string]string{}, modTime: epoch}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		m.add(path, files[path])
	}
	m.listen(t)
	return m
}

type xdrWriter = xdr.Writer

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)

func (m *memory) listen(t testing.TB) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.addr = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				defer context.AfterFunc(ctx, func() { c.Close() })()
				m.serve(c)
			})
		}
	})
	t.Cleanup(func() {
		cancel()
		l.Close()
		all.Wait()
	})
}

func (m *memory) add(path, content string) string {
	at := root
	parts := strings.Split(strings.TrimSuffix(path, "/"), "/")
	for i, name := range parts {
		isLast := i == len(parts)-1
		target, isLink := strings.CutSuffix(name, "@")
		if isLink {
			name = target
		}
		h, ok := m.files[at].names[name]
		if !ok {
			f := &memFile{kind: 2, mode: 0o755, names: map[string]string{}, modTime: epoch}
			if isLast && !strings.HasSuffix(path, "/") {
				f = &memFile{kind: 1, mode: 0o644, data: []byte(content), modTime: epoch}
			}
			if isLink {
				f.kind = 5
			}
			h = m.store(f)
			m.files[at].names[name] = h
		}
		at = h
	}
	return at
}

func (m *memory) store(f *memFile) (handle string) {
	m.next++
	f.id = m.next
	h := fmt.Sprintf("handle%d", m.next)
	m.files[h] = f
	return h
}

// calls returns the names of the procedures that were called since the last call of calls.
func (m *memory) calls() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.log
	m.log = nil
	return log
}

// content returns the bytes of the named file in the root.
func (m *memory) content(name string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, ok := m.files[root].names[name]
	if !ok {
		return "", false
	}
	return string(m.files[h].data), true
}

// names returns the names in the root.
func (m *memory) names() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.files[root].names))
}

func (m *memory) serve(c net.Conn) {
	r := bufio.NewReader(c)
	for {
		record, err := xdr.ReadRecord(r, nil, 2<<20)
		if err != nil {
			return
		}
		args := xdr.NewReader(record)
		xid := args.Uint32()
		args.Uint32()
		args.Uint32()
		call := &rpcCall{program: args.Uint32()}
		args.Uint32()
		call.proc = args.Uint32()
		m.mu.Lock()
		flavor := args.Uint32()
		m.callers[fmt.Sprintf("%d %x", flavor, args.Opaque(400))] = true
		args.Uint32()
		args.Opaque(400)
		call.args, call.name = args, procNames[call.proc]
		if call.program == 100005 {
			call.name = map[uint32]string{0: "MOUNT", 1: "MNT", 3: "UMNT", 5: "EXPORT"}[call.proc]
		}
		m.log = append(m.log, call.name)
		w := &xdr.Writer{Buf: make([]byte, 4)}
		w.Uint32(xid)
		w.Uint32(1)
		if m.before == nil || !m.before(call, w) {
			for range 4 {
				w.Uint32(0)
			}
			m.answer(call, w)
		}
		if call.name == "READ" {
			m.reads++
		}
		if m.after != nil {
			m.after(call, w)
		}
		var late []byte
		if m.flush != nil && len(w.Buf) > 0 {
			late = m.flush()
		}
		m.mu.Unlock()
		if len(w.Buf) == 0 { // the reply comes later
			continue
		}
		if len(w.Buf) == 4+8 { // before asks to close the connection
			return
		}
		if _, err := c.Write(xdr.Frame(w.Buf)); err != nil {
			return
		}
		if late != nil {
			if _, err := c.Write(xdr.Frame(late)); err != nil {
				return
			}
		}
	}
}

// encoded returns the arguments as XDR strings.
func encoded(args ...string) *xdr.Reader {
	var w xdr.Writer
	for _, a := range args {
		w.String(a)
	}
	return xdr.NewReader(w.Buf)
}

// acceptStat makes the reply refuse the call. The accept_stat is in its last four bytes.
func acceptStat(w *xdr.Writer, stat uint32) {
	w.Buf = w.Buf[:len(w.Buf)-4]
	w.Uint32(stat)
}

func (m *memory) answer(c *rpcCall, w *xdr.Writer) {
	if s, ok := m.refuse[c.name]; ok {
		if s > 20000 {
			acceptStat(w, s-20000)
			return
		}
		w.Uint32(s)
		w.Buf = append(w.Buf, make([]byte, 16)...)
		return
	}
	r := c.args
	fail := func(s uint32) {
		w.Uint32(s)
		for range 4 {
			w.Bool(false)
		}
	}
	switch c.name {
	case "NULL", "MOUNT", "UMNT":
		return
	case "EXPORT":
		for _, e := range m.exports {
			w.Bool(true)
			w.String(e)
			w.Bool(true)
			w.String("*")
			w.Bool(false)
		}
		w.Bool(false)
		return
	case "MNT":
		if !slices.Contains(m.exports, r.String(1024)) {
			w.Uint32(2)
			return
		}
		w.Uint32(0)
		w.String(root)
		w.Uint32(1)
		w.Uint32(1)
		return
	}
	h := r.String(64)
	isPublic := h == "" && m.public
	if isPublic {
		h = root
	}
	f, ok := m.files[h]
	if !ok {
		status := uint32(70)
		if h == "" {
			status = 10001
		}
		fail(status)
		return
	}
	m.file(c, w, f, h, isPublic, fail)
}

func (m *memory) file(c *rpcCall, w *xdr.Writer, f *memFile, h string, isPublic bool, fail func(uint32)) {
	r := c.args
	change := func() { // a wcc_data
		w.Bool(false)
		m.attributes(w, h)
	}
	switch c.name {
	case "GETATTR":
		w.Uint32(0)
		m.fattr(w, h)
	case "SETATTR":
		m.set(r, f)
		w.Uint32(0)
		change()
	case "LOOKUP":
		name := r.String(4096)
		found, status := m.lookup(h, name, isPublic)
		if status != 0 {
			fail(status)
			return
		}
		w.Uint32(0)
		w.String(found)
		m.attributes(w, found)
		m.attributes(w, h)
	case "ACCESS":
		w.Uint32(0)
		m.attributes(w, h)
		allowed := uint32(0)
		if f.mode&0o444 != 0 {
			allowed = 1
		}
		w.Uint32(allowed)
	case "READLINK":
		w.Uint32(0)
		m.attributes(w, h)
		w.Opaque(f.data)
	case "READ":
		m.read(r, w, f, h, fail)
	case "WRITE":
		offset, count, how, data := r.Uint64(), r.Uint32(), r.Uint32(), r.Opaque(2<<20)
		data = data[:min(len(data), m.limit())]
		if end := int(offset) + len(data); end > len(f.data) {
			f.data = append(f.data, make([]byte, end-len(f.data))...)
		}
		copy(f.data[offset:], data)
		f.modTime = f.modTime.Add(time.Second)
		w.Uint32(0)
		change()
		w.Uint32(min(count, uint32(len(data))))
		w.Uint32(how)
		w.Uint64(m.verf)
	case "COMMIT":
		w.Uint32(0)
		change()
		w.Uint64(m.verf)
	case "CREATE", "MKDIR":
		m.create(c, w, f, fail, change)
	case "REMOVE", "RMDIR":
		name := r.String(4096)
		if _, ok := f.names[name]; !ok {
			fail(2)
			return
		}
		if n := m.files[f.names[name]]; c.name == "RMDIR" && len(n.names) > 0 {
			fail(66)
			return
		}
		delete(f.names, name)
		w.Uint32(0)
		change()
	case "RENAME":
		from, _, to := r.String(4096), r.String(64), r.String(4096)
		f.names[to] = f.names[from]
		delete(f.names, from)
		w.Uint32(0)
		change()
		change()
	case "LINK":
		if m.noLink {
			acceptStat(w, 3)
			return
		}
		dir, name := m.files[r.String(64)], r.String(4096)
		if _, exists := dir.names[name]; exists {
			fail(17)
			return
		}
		dir.names[name] = h
		w.Uint32(0)
		m.attributes(w, h)
		change()
	case "READDIR", "READDIRPLUS":
		m.readDir(c, w, f, h)
	case "FSINFO":
		w.Uint32(0)
		m.attributes(w, h)
		for range 7 {
			w.Uint32(uint32(m.limit()))
		}
		w.Buf = append(w.Buf, make([]byte, 24)...)
	default:
		acceptStat(w, 3)
	}
}

func (m *memory) limit() int {
	if m.most > 0 {
		return m.most
	}
	return 64 << 10
}

// lookup returns a handle. From the public directory the name is a path.
func (m *memory) lookup(h, name string, isPublic bool) (string, uint32) {
	if !isPublic {
		return m.enter(h, name)
	}
	for part := range strings.SplitSeq(name, "/") {
		var status uint32
		if h, status = m.enter(h, part); status != 0 {
			return "", status
		}
	}
	return h, 0
}

func (m *memory) enter(h, name string) (string, uint32) {
	f := m.files[h]
	switch {
	case f.kind != 2:
		return "", 20
	case name == "." || name == "":
		return h, 0
	}
	found, ok := f.names[name]
	if !ok {
		return "", 2
	}
	return found, 0
}

func (m *memory) read(r *xdr.Reader, w *xdr.Writer, f *memFile, h string, fail func(uint32)) {
	offset, count := r.Uint64(), r.Uint32()
	if f.mode&0o444 == 0 {
		fail(13)
		return
	}
	if m.sparse > 0 {
		m.readSparse(w, h, offset, count)
		return
	}
	data := f.data[min(offset, uint64(len(f.data))):]
	data = data[:min(len(data), int(count), m.limit())]
	w.Uint32(0)
	m.attributes(w, h)
	w.Uint32(uint32(len(data)))
	w.Bool(offset+uint64(len(data)) >= uint64(len(f.data)))
	w.Opaque(data)
}

func (m *memory) readSparse(w *xdr.Writer, h string, offset uint64, count uint32) {
	data := make([]byte, min(uint64(m.limit()), uint64(count), uint64(m.sparse)-offset))
	for i := range data {
		data[i] = byte((offset + uint64(i)) >> 20)
	}
	w.Uint32(0)
	m.attributes(w, h)
	w.Uint32(uint32(len(data)))
	w.Bool(false)
	w.Opaque(data)
}

func (m *memory) create(c *rpcCall, w *xdr.Writer, f *memFile, fail func(uint32), change func()) {
	name := c.args.String(4096)
	if c.name == "CREATE" {
		c.args.Uint32() // GUARDED
	}
	if _, ok := f.names[name]; ok {
		fail(17)
		return
	}
	n := &memFile{kind: 1, modTime: epoch}
	if c.name == "MKDIR" {
		n.kind, n.names = 2, map[string]string{}
	}
	m.set(c.args, n)
	h := m.store(n)
	f.names[name] = h
	w.Uint32(0)
	w.Bool(!m.bare)
	if !m.bare {
		w.String(h)
	}
	m.attributes(w, h)
	change()
}

// set sets the attributes of a sattr3.
func (m *memory) set(r *xdr.Reader, f *memFile) {
	if r.Bool() {
		f.mode = r.Uint32()
	}
	r.Bool()
	r.Bool()
	if r.Bool() {
		f.data = f.data[:r.Uint64()]
	}
	r.Uint32()
	if r.Uint32() == 2 {
		f.modTime = time.Unix(int64(r.Uint32()), int64(r.Uint32()))
	}
}

// attributes appends a post_op_attr.
func (m *memory) attributes(w *xdr.Writer, h string) {
	w.Bool(!m.bare && m.files[h] != nil)
	if !m.bare && m.files[h] != nil {
		m.fattr(w, h)
	}
}

func (m *memory) fattr(w *xdr.Writer, h string) {
	f := m.files[h]
	size := uint64(len(f.data))
	if m.sparse > 0 {
		size = uint64(m.sparse)
	}
	m.sized(w, f, size)
}

// sized appends the fattr3 of a file with a size.
func (m *memory) sized(w *xdr.Writer, f *memFile, size uint64) {
	w.Uint32(f.kind)
	w.Uint32(f.mode)
	for _, v := range []uint32{1, 1000, 1001} {
		w.Uint32(v)
	}
	for _, v := range []uint64{size, size, 0, 7, uint64(f.id)} {
		w.Uint64(v)
	}
	for range 3 {
		w.Uint32(uint32(f.modTime.Unix()))
		w.Uint32(uint32(f.modTime.Nanosecond()))
	}
}
