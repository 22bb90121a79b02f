package nfsd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"locus"
	"locus/access"
	"locus/demo/internal/serve"
	"locus/internal/xdr"
	"locus/url"
)

var when = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func file(data string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(data), ModTime: when} }

func link(target string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777, ModTime: when}
}

// start serves files, and returns the address and a client.
func start(t *testing.T, files fstest.MapFS) (addr string, c *locus.Client) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	s := &Server{Files: files}
	go func() { done <- serve.Run(ctx, l, 8, s.Serve) }()
	c = &locus.Client{Dial: new(net.Dialer).DialContext}
	t.Cleanup(func() {
		c.Close()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), c
}

func TestFiles(t *testing.T) {
	long := strings.Repeat("0123456789", 100_000)
	files := fstest.MapFS{
		"a.txt": file("hello"), "d/long": file(long), "d/50%": file("percent"), "d/é": file("byte"), "empty": file(""),
		"link": link("d/long"), "out": link("../../etc/passwd"), "abs": link("/a.txt"), "dir": link("d"), "loop": link("loop"),
	}
	addr, c := start(t, files)
	for path, want := range map[string]string{
		"/a.txt": "hello", "/d/long": long, "/d/50%25": "percent", "/d/%C3%A9": "byte", "/empty": "", "//a.txt": "hello", "/link": long, "/dir/long": long,
		"/d/../a.txt": "hello",
	} {
		r, err := c.Open(t.Context(), "nfs://"+addr+path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v, want %d", path, len(got), err, len(want))
		}
	}
	for path, want := range map[string]error{
		"/none": fs.ErrNotExist, "/a.txt/x": fs.ErrNotExist, "/out": fs.ErrPermission, "/abs": fs.ErrPermission, "/loop": fs.ErrPermission,
		"/" + strings.Repeat("n", 300): fs.ErrNotExist,
	} {
		if _, err := c.Open(t.Context(), "nfs://"+addr+path); !errors.Is(err, want) {
			t.Errorf("%s gives %v, want %v", path, err, want)
		}
	}
	for _, op := range []access.Op{access.Put, access.Append, access.Delete, access.MakeDir} {
		for _, name := range []string{"a.txt", "new"} {
			_, err := c.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("nfs://" + addr + "/" + name), Body: strings.NewReader("x"), Size: 1})
			if err == nil {
				t.Errorf("%v of %s is allowed", op, name)
			}
		}
	}
}

// A long directory is listed in parts. The parts are one listing.
func TestListing(t *testing.T) {
	files := fstest.MapFS{}
	var want []string
	for i := range 3000 {
		name := string([]rune{rune('a' + i/26/26%26), rune('a' + i/26%26), rune('a' + i%26)}) + strings.Repeat("x", 50)
		files["d/"+name] = file(strings.Repeat("y", i%9))
		want = append(want, name)
	}
	addr, c := start(t, files)
	r, err := c.Open(t.Context(), "nfs://"+addr+"/d")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var got []string
	err = access.Entries(r.List, func(e access.Entry) error {
		if e.Size != int64(len(got)%9) || !e.ModTime.Equal(when) {
			t.Errorf("%s has size %d and time %v", e.Title, e.Size, e.ModTime)
		}
		got = append(got, e.Title)
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d names, %v, want %d", len(got), err, len(want))
	}
}

// The whole tree is there as a file system.
func TestFS(t *testing.T) {
	addr, c := start(t, fstest.MapFS{"a.txt": file("hello"), "d/e/f": file("deep")})
	fsys, err := c.FS(t.Context(), "nfs://"+addr+"/")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(fsys, "a.txt", "d/e/f"); err != nil {
		t.Error(err)
	}
}

// say sends a message to a Server and returns its reply: xid, REPLY and the rest.
func say(s *Server, message ...uint32) []byte {
	var w xdr.Writer
	for _, v := range message {
		w.Uint32(v)
	}
	s.once.Do(s.init)
	reply, ok := s.answer(xdr.NewReader(w.Buf))
	if !ok {
		return nil
	}
	return reply[4:]
}

// Calls that the server does not have, or does not understand, are refused as RFC 5531
// says.
func TestRefusals(t *testing.T) {
	s := &Server{Files: fstest.MapFS{"a": file("x")}}
	call := func(program, version, proc uint32, args ...uint32) []uint32 {
		return append([]uint32{9, 0, 2, program, version, proc, 0, 0, 0, 0}, args...)
	}
	for _, test := range []struct {
		message []uint32
		want    string // after the xid
	}{
		{call(nfsProgram, 3, 0), "\x00\x00\x00\x01" + strings.Repeat("\x00", 16)},
		{call(nfsProgram, 4, 0), "\x00\x00\x00\x01" + strings.Repeat("\x00", 12) + "\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x03"},
		{call(nfsProgram, 3, 22), "\x00\x00\x00\x01" + strings.Repeat("\x00", 12) + "\x00\x00\x00\x03"},
		{call(100004, 3, 0), "\x00\x00\x00\x01" + strings.Repeat("\x00", 12) + "\x00\x00\x00\x01"},
		{call(nfsProgram, 3, 1), "\x00\x00\x00\x01" + strings.Repeat("\x00", 12) + "\x00\x00\x00\x04"},
		{call(nfsProgram, 3, 1, 8, 1, 2), "\x00\x00\x00\x01" + strings.Repeat("\x00", 16) + "\x00\x00\x00\x46"}, // a handle of another run
		{call(nfsProgram, 3, 1, 100), "\x00\x00\x00\x01" + strings.Repeat("\x00", 12) + "\x00\x00\x00\x04"},
		{call(mountProgram, 3, 1, 4, 0x2f6e6f6e), "\x00\x00\x00\x01" + strings.Repeat("\x00", 16) + "\x00\x00\x00\x02"}, // "/non"
		{call(mountProgram, 3, 1, 2, 0x2f610000), "\x00\x00\x00\x01" + strings.Repeat("\x00", 16) + "\x00\x00\x00\x14"}, // "/a", a file
	} {
		if got := say(s, test.message...); !bytes.Equal(got, append([]byte("\x00\x00\x00\x09"), test.want...)) {
			t.Errorf("%v is answered with %q, want %q", test.message, got, test.want)
		}
	}
	for _, message := range [][]uint32{nil, {9}, {9, 1, 2, nfsProgram, 3, 0, 0, 0, 0, 0}, {9, 0, 1, nfsProgram, 3, 0, 0, 0, 0, 0}, {9, 0, 2, nfsProgram, 3, 0, 0, 500}} {
		if got := say(s, message...); got != nil {
			t.Errorf("%v is answered with %q, want no answer", message, got)
		}
	}
}

// A symbolic link is no directory, also if its target is one (RFC 1813 §3.3.3). So a client
// cannot make new names without end.
func TestLookupInLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(".", filepath.Join(dir, "self")); err != nil {
		t.Skip(err)
	}
	s := &Server{Files: os.DirFS(dir)}
	s.once.Do(s.init)
	link := s.handle("self")
	var w xdr.Writer
	for _, v := range []uint32{9, 0, 2, nfsProgram, version, 3, 0, 0, 0, 0} {
		w.Uint32(v)
	}
	w.Opaque(link)
	w.String("self")
	reply, ok := s.answer(xdr.NewReader(w.Buf))
	if want := "\x00\x00\x00\x14\x00\x00\x00\x00"; !ok || !strings.HasSuffix(string(reply), want) {
		t.Errorf("LOOKUP in a link is answered with %q, want NFS3ERR_NOTDIR", reply)
	}
	if len(s.paths) != 2 {
		t.Errorf("the server keeps the names %q", s.paths)
	}
}

func TestLog(t *testing.T) {
	var log []string
	s := &Server{Files: fstest.MapFS{"a": file("x")}, Log: func(line string) { log = append(log, line) }}
	say(s, 9, 0, 2, nfsProgram, 3, 3, 0, 0, 0, 0, 0, 1, 0x61000000)
	say(s, 9, 0, 2, nfsProgram, 3, 7, 0, 0, 0, 0)
	say(s, 9, 0, 2, nfsProgram, 3, 1, 0, 0, 0, 0, 7)
	if want := []string{`LOOKUP "a"`, "WRITE (refused)", "GETATTR (not understood)"}; !slices.Equal(log, want) {
		t.Errorf("log %q, want %q", log, want)
	}
}

// Whatever is sent, there is an answer of bounded size, or none.
func FuzzAnswer(f *testing.F) {
	header := "\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01\x86\xa3\x00\x00\x00\x03"
	rest := strings.Repeat("\x00", 16)
	for proc, args := range map[string]string{
		"\x03": "\x00\x00\x00\x00\x00\x00\x00\x03a/b\x00", "\x06": rest + "\x00\x00\x00\x10", "\x11": rest + rest + "\x00\x00\x10\x00", "\x10": rest + rest,
	} {
		f.Add([]byte(header + "\x00\x00\x00" + proc + rest + args))
	}
	s := &Server{Files: fstest.MapFS{"a/b": file("content"), "l": link("a"), "m": link("m")}}
	s.once.Do(s.init)
	f.Fuzz(func(t *testing.T, message []byte) {
		reply, ok := s.answer(xdr.NewReader(message))
		if !ok {
			return
		}
		if len(reply) < 12 || len(reply) > maxRead+1024 || !bytes.Equal(reply[4:8], message[:4]) {
			t.Errorf("%q is answered with %q", message, reply)
		}
	})
}
