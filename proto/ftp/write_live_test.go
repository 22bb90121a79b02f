package ftp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/peers"
	"locus/proto"
	"locus/proto/ftp"
	"locus/url"
)

// writableServers are the real servers, without and with TLS. Over TLS they require it
// for data too, with the TLS session of the control connection. A login to proftpd is
// slow, so most variants keep their connection.
var writableServers = []writableServer{
	{"vsftpd", peers.VSFTPD, "ftp", "", access.NeverTLS, []variant{{}, {keeps: true}, {active: true}}},
	{"vsftpd/AUTH TLS", overTLS(peers.VSFTPDOverTLS, false), "ftp", "", access.RequireTLS, []variant{{}, {keeps: true, old: true}}},
	{"vsftpd/ftps", overTLS(peers.VSFTPDOverTLS, true), "ftps", "", access.NeverTLS, []variant{{keeps: true}, {active: true}}},
	{"proftpd", peers.ProFTPD, "ftp", "alice:secret@", access.NeverTLS, []variant{{}, {keeps: true, active: true}}},
	{"proftpd/AUTH TLS", overTLS(peers.ProFTPDOverTLS, false), "ftp", "alice:secret@", access.OpportunisticTLS, []variant{{keeps: true}, {keeps: true, old: true}}},
	{"proftpd/ftps", overTLS(peers.ProFTPDOverTLS, true), "ftps", "alice:secret@", access.NeverTLS, []variant{{keeps: true, active: true}}},
}

// A writableServer is a real server that accepts changes, and the configurations of clients that change it.
type writableServer struct {
	name     string
	start    func(testing.TB, string) *peers.Server
	scheme   string
	login    string // goes before the host
	security access.Security
	ways     []variant
}

// A variant is a configuration of the client.
type variant struct {
	keeps, active bool
	old           bool // TLS 1.2
}

func overTLS(start func(testing.TB, string, bool) *peers.Server, implicit bool) func(testing.TB, string) *peers.Server {
	return func(t testing.TB, root string) *peers.Server { return start(t, root, implicit) }
}

// TestLiveWriting makes every change on real servers: on new connections, on
// kept ones, and in active mode.
//
// req: 1738-2-1
// req: 1738-3.2-8
func TestLiveWriting(t *testing.T) {
	for _, server := range writableServers {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			s := server.start(t, makeLibrary(t))
			for _, way := range server.ways {
				t.Run(fmt.Sprintf("%+v", way), func(t *testing.T) {
					c := ftp.Client{Dial: new(net.Dialer).DialContext, Security: server.security, TLS: &tls.Config{RootCAs: s.Roots, MinVersion: tls.VersionTLS12}}
					if way.keeps {
						pool := &ftp.Pool{}
						t.Cleanup(func() { pool.Close() })
						c.Pool = pool
					}
					if way.active {
						c.Listen = new(net.ListenConfig).Listen
					}
					if way.old {
						c.TLS.MaxVersion = tls.VersionTLS12
					}
					w := &writer{t, c, server.scheme + "://" + server.login + s.Addr, s.Root}
					w.checkPut()
					w.checkResume()
					w.checkAppend()
					w.checkMakeDir()
					w.checkFailures()
				})
			}
		})
	}
}

// Real servers that require TLS give ErrTLSRequired.
func TestLiveTLSDemanded(t *testing.T) {
	for _, test := range []struct {
		name  string
		start func(testing.TB, string) *peers.Server
		login string
	}{
		{"vsftpd", overTLS(peers.VSFTPDOverTLS, false), ""},
		{"proftpd", overTLS(peers.ProFTPDOverTLS, false), "alice:secret@"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := test.start(t, makeLibrary(t))
			c := ftp.Client{Dial: new(net.Dialer).DialContext, Security: access.NeverTLS}
			_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://" + test.login + s.Addr + "/pub/hello.txt")})
			if !errors.Is(err, ftp.ErrTLSRequired) {
				t.Errorf("Open = %v, want %v", err, ftp.ErrTLSRequired)
			}
		})
	}
}

// Real servers pass the write tests of accesstest.
func TestContractOfWriting(t *testing.T) {
	server := peers.VSFTPD(t, makeLibrary(t))
	accesstest.Test(t, accesstest.Config{
		Ops:      []access.Op{access.Stat, access.Put, access.Append, access.Delete, access.MakeDir},
		New:      func(dial proto.Dial) access.Engine { return ftp.Client{Dial: dial} },
		Dial:     new(net.Dialer).DialContext,
		Missing:  url.MustParse("ftp://" + server.Addr + "/pub/dir/missing;type=i"),
		Changing: url.MustParse("ftp://" + server.Addr + "/pub/dir/changing;type=i"),
		Hostile:  []url.URL{url.MustParse("ftp://" + server.Addr + "/pub/x%0D%0ADELE%20y")},
	})
}

// A writer changes files on a server.
type writer struct {
	*testing.T
	client ftp.Client
	at     string // URL of the server
	root   string
}

func (w *writer) req(path string) *access.Request {
	return &access.Request{URL: url.MustParse(w.at + path)}
}

func (w *writer) file(name string) string {
	w.Helper()
	content, err := os.ReadFile(filepath.Join(w.root, name))
	if err != nil {
		w.Error(err)
	}
	return string(content)
}

// checkNames checks that pub/dir has exactly these names.
func (w *writer) checkNames(names ...string) {
	w.Helper()
	entries, err := os.ReadDir(filepath.Join(w.root, "pub/dir"))
	if err != nil {
		w.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		w.Errorf("in the directory there is %q, want %q", got, names)
	}
}

func (w *writer) must(err error) {
	w.Helper()
	if err != nil {
		w.Errorf("%v (%s)", err, access.Hint(err))
	}
}

func (w *writer) checkPut() {
	ctx := w.Context()
	blob := strings.Repeat("0123456789\r\n\xff\n", 30_000) // more than the buffers on the way
	then := time.Date(1994, 12, 20, 9, 30, 15, 0, time.UTC)
	for _, content := range []string{"", "short\n", blob, "again"} {
		req := w.req("/pub/dir/new.bin")
		req.ModTime = then
		w.must(accesstest.Change(ctx, w.client, access.Put, req, strings.NewReader(content)))
		if got := w.file("pub/dir/new.bin"); got != content {
			w.Errorf("stored %d bytes, want %d", len(got), len(content))
		}
		if got, err := get(w, w.client, w.at+"/pub/dir/new.bin"); err != nil || got != content {
			w.Errorf("reads %d bytes, %v, want %d", len(got), err, len(content))
		}
		e, err := w.client.Do(ctx, req.WithOp(access.Stat))
		w.must(err)
		if !e.ModTime.Equal(then) {
			w.Errorf("the time of what was stored is %v, want %v", e.ModTime, then)
		}
	}
	req := w.req("/pub/dir/new.bin")
	req.IfMatch.ModTime = then.Add(time.Second)
	if err := accesstest.Change(ctx, w.client, access.Put, req, strings.NewReader("x")); !errors.Is(err, access.ErrChanged) {
		w.Errorf("storing over another version: %v, want access.ErrChanged", err)
	}
	req.IfMatch.ModTime = then
	w.must(accesstest.Change(ctx, w.client, access.Put, req, strings.NewReader("match")))
	req = w.req("/pub/dir/new.bin")
	req.IfAbsent = true
	if err := accesstest.Change(ctx, w.client, access.Put, req, strings.NewReader("x")); !errors.Is(err, fs.ErrExist) {
		w.Errorf("storing what is to be absent: %v, want fs.ErrExist", err)
	}
	direct := w.client
	direct.Direct = true
	chmod := strings.Contains(w.at, "alice") // vsftpd forbids it for anonymous users
	if chmod {
		direct.Mode = "640"
	}
	w.must(accesstest.Change(ctx, direct, access.Put, w.req("/pub/dir/lines;type=a"), strings.NewReader("a\nb\r\nc")))
	if got := w.file("pub/dir/lines"); got != "a\nb\nc" {
		w.Errorf("lines in type A are stored as %q", got)
	}
	if info, err := os.Stat(filepath.Join(w.root, "pub/dir/lines")); chmod && (err != nil || info.Mode().Perm() != 0o640) {
		w.Errorf("after SITE CHMOD 640: %v, %v", info, err)
	}
	w.must(accesstest.Change(ctx, w.client, access.Delete, w.req("/pub/dir/new.bin"), nil))
	w.must(accesstest.Change(ctx, w.client, access.Delete, w.req("/pub/dir/lines"), nil))
	w.checkNames("one", "sub", "two three")
}

func (w *writer) checkResume() {
	ctx := w.Context()
	name := filepath.Join(w.root, "pub/dir/part")
	w.must(os.WriteFile(name, []byte("01234"), 0o666))
	w.must(os.Chmod(name, 0o666))
	req := w.req("/pub/dir/part")
	for _, test := range []struct {
		offset int64
		is     error
	}{{4, access.ErrChanged}, {6, access.ErrRange}, {5, nil}} {
		req.Offset = test.offset
		if err := accesstest.Change(ctx, w.client, access.Put, req, strings.NewReader("56789")); !errors.Is(err, test.is) {
			w.Errorf("the rest from %d: %v, want %v", test.offset, err, test.is)
		}
	}
	if got := w.file("pub/dir/part"); got != "0123456789" {
		w.Errorf("after the rest was stored there is %q", got)
	}
	w.must(os.Remove(name))
}

func (w *writer) checkAppend() {
	ctx := w.Context()
	for _, content := range []string{"one", "two"} {
		err := accesstest.Change(ctx, w.client, access.Append, w.req("/pub/dir/log"), strings.NewReader(content))
		w.must(err)
	}
	if got := w.file("pub/dir/log"); got != "onetwo" {
		w.Errorf("appended %q", got)
	}
	w.must(accesstest.Change(ctx, w.client, access.Delete, w.req("/pub/dir/log"), nil))
	u, err := accesstest.Add(ctx, w.client, access.Append, w.req("/pub/dir/"), strings.NewReader("unique"))
	w.must(err)
	added := strings.Replace(u.String(), "alice@", "alice:secret@", 1)
	if got, err := get(w, w.client, added); err != nil || got != "unique" {
		w.Errorf("at %q there is %q, %v", u, got, err)
	}
	w.must(accesstest.Change(ctx, w.client, access.Delete, &access.Request{URL: url.MustParse(added)}, nil))
	w.checkNames("one", "sub", "two three")
}

func (w *writer) checkMakeDir() {
	ctx := w.Context()
	for _, path := range []string{"/pub/dir/made", "/pub/dir/made/", "/pub/dir/made;type=d"} {
		w.must(accesstest.Change(ctx, w.client, access.MakeDir, w.req(path), nil))
		if err := accesstest.Change(ctx, w.client, access.MakeDir, w.req(path), nil); !errors.Is(err, fs.ErrExist) {
			w.Errorf("making what is there: %v, want fs.ErrExist", err)
		}
		w.must(accesstest.Change(ctx, w.client, access.Put, w.req("/pub/dir/made/f"), strings.NewReader("x")))
		if err := accesstest.Change(ctx, w.client, access.Delete, w.req("/pub/dir/made/"), nil); err == nil || errors.Is(err, fs.ErrNotExist) {
			w.Errorf("deleting a directory that is not empty: %v", err)
		}
		w.must(accesstest.Change(ctx, w.client, access.Delete, w.req("/pub/dir/made/f"), nil))
		w.must(accesstest.Change(ctx, w.client, access.Delete, w.req("/pub/dir/made/"), nil))
	}
	for _, path := range []string{"/pub/dir/nope", "/pub/dir/nope/", "/pub/nope/f"} {
		if err := accesstest.Change(ctx, w.client, access.Delete, w.req(path), nil); !errors.Is(err, fs.ErrNotExist) {
			w.Errorf("deleting %q: %v, want fs.ErrNotExist", path, err)
		}
	}
	if err := accesstest.Change(ctx, w.client, access.MakeDir, w.req("/pub/nope/d"), nil); err == nil {
		w.Error("a directory is made in one that is not there")
	}
	w.checkNames("one", "sub", "two three")
}

// checkFailures uploads bodies that break off. Only the old file must stay.
func (w *writer) checkFailures() {
	broken := errors.New("the disk is gone")
	part := bytes.Repeat([]byte("x"), 1<<20)
	for _, old := range []string{"", "one"} {
		name := "/pub/dir/one"
		if old == "" {
			name = "/pub/dir/fresh"
		}
		err := accesstest.Change(w.Context(), w.client, access.Put, w.req(name), io.MultiReader(bytes.NewReader(part), failingReader{broken}))
		if !errors.Is(err, broken) {
			w.Errorf("storing what breaks off: %v, want %v", err, broken)
		}
		ctx, cancel := context.WithCancel(w.Context())
		err = accesstest.Change(ctx, w.client, access.Put, w.req(name), io.MultiReader(bytes.NewReader(part), funcReader(cancel), bytes.NewReader(part), failingReader{broken}))
		if !errors.Is(err, context.Canceled) {
			w.Errorf("storing what is given up: %v, want context.Canceled", err)
		}
		w.checkNames("one", "sub", "two three")
	}
	if got := w.file("pub/dir/one"); got != "1" {
		w.Errorf("after stores that failed there is %.10q", got)
	}
	direct := w.client
	direct.Direct = true
	_ = accesstest.Change(w.Context(), direct, access.Put, w.req("/pub/dir/fresh"), io.MultiReader(bytes.NewReader(part), failingReader{broken}))
	w.checkNames("one", "sub", "two three")
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// A funcReader is an empty Reader that calls a function.
type funcReader func()

func (f funcReader) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}
