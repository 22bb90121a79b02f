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
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/ftp"
	"locus/url"
)

// Real servers send many files over one kept connection, even if some files do not exist.
func TestLiveManyFiles(t *testing.T) {
	for _, test := range []struct {
		name     string
		start    func(testing.TB, string) *peers.Server
		login    string
		security access.Security
		early    bool // its log shows an early EPSV
	}{
		{"vsftpd", peers.VSFTPD, "", access.NeverTLS, true},
		{"vsftpd over TLS", overTLS(peers.VSFTPDOverTLS, false), "", access.RequireTLS, false}, // it logs no commands there
		{"proftpd", peers.ProFTPD, "alice:secret@", access.NeverTLS, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const files = 60
			root := t.TempDir()
			for i := range files {
				name := filepath.Join(root, fmt.Sprintf("f%02d", i))
				if err := os.WriteFile(name, []byte(strings.Repeat(fmt.Sprint(i), i)), 0o644); err != nil { //nolint:gosec // vsftpd has an account of its own
					t.Fatal(err)
				}
			}
			s := test.start(t, root)
			c := ftp.Client{
				Dial: new(net.Dialer).DialContext, Pool: new(ftp.Pool),
				Security: test.security, TLS: &tls.Config{RootCAs: s.Roots, MinVersion: tls.VersionTLS12},
			}
			defer c.Pool.Close()
			at := func(i int) *access.Request {
				return &access.Request{URL: url.MustParse(fmt.Sprintf("ftp://%s%s/f%02d", test.login, s.Addr, i))}
			}
			for i := range files {
				r, err := c.Do(t.Context(), at(i))
				if gone := i%20 == 13; gone {
					if !errors.Is(err, fs.ErrNotExist) {
						t.Errorf("%d is gone: %v", i, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%d: %v", i, err)
				}
				if i%20 == 11 {
					if err := os.Remove(filepath.Join(root, fmt.Sprintf("f%02d", i+2))); err != nil {
						t.Fatal(err)
					}
				}
				got, err := io.ReadAll(r.Body)
				r.Body.Close()
				if err != nil || string(got) != strings.Repeat(fmt.Sprint(i), i) {
					t.Errorf("%d: %.40q, %v", i, got, err)
				}
			}
			if !test.early {
				return
			}
			if got := s.Commands(t, "RETR f59"); !inOrder(got, "RETR f19", "EPSV", "MDTM f20", "RETR f20", "EPSV", "MDTM f21", "RETR f21", "EPSV") {
				t.Errorf("the server got %q", got)
			}
		})
	}
}

// Real servers send the files of many directories over two connections. The
// first one sends no PWD, so it cannot return to the login directory.
//
// req: 1738-3.2-3, 1738-3.2-7
func TestLiveManyDirectories(t *testing.T) {
	for _, test := range []struct {
		name  string
		start func(testing.TB, string) *peers.Server
		login string
	}{
		{"vsftpd", peers.VSFTPD, ""},
		{"proftpd", peers.ProFTPD, "alice:secret@"},
		{"pure-ftpd", peers.PureFTPd, "alice:secret@"},
		{"inetutils-ftpd", peers.InetutilsFTPD, ""},
		{"pyftpdlib", func(t testing.TB, root string) *peers.Server { return peers.Pyftpdlib(t, root, "replace") }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			var paths []string
			for i := range 12 {
				dir := fmt.Sprintf("d%02d/a b/c", i)
				if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil { //nolint:gosec // vsftpd has an account of its own
					t.Fatal(err)
				}
				for _, name := range []string{"f", "g"} {
					path := dir + "/" + name
					if err := os.WriteFile(filepath.Join(root, path), []byte(path), 0o644); err != nil { //nolint:gosec // the same
						t.Fatal(err)
					}
					paths = append(paths, path)
				}
			}
			if err := os.Symlink("d00/a b", filepath.Join(root, "link")); err != nil {
				t.Fatal(err)
			}
			paths = slices.Insert(paths, 4, "link/c/f")
			s := test.start(t, root)
			var sent sentLog
			c := ftp.Client{Dial: sent.dial(s.Addr), Pool: new(ftp.Pool)}
			defer c.Pool.Close()
			for _, path := range paths {
				want := strings.Replace(path, "link", "d00/a b", 1)
				if got, err := get(t, c, "ftp://"+test.login+s.Addr+"/"+strings.ReplaceAll(path, " ", "%20")); err != nil || got != want {
					t.Errorf("get(%q) = %q, %v", path, got, err)
				}
			}
			if len(sent.controls) != 2 {
				t.Fatalf("%d control connections, want 2", len(sent.controls))
			}
			if first := sent.controls[0].String(); strings.Contains(first, "PWD") {
				t.Errorf("the first connection sends\n%s, want no PWD", first)
			}
		})
	}
}

// A sentLog records the bytes that a client sends over control connections.
type sentLog struct{ controls []*bytes.Buffer }

func (l *sentLog) dial(server string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil || address != server {
			return conn, err
		}
		l.controls = append(l.controls, new(bytes.Buffer))
		return sentConn{conn, l.controls[len(l.controls)-1]}, nil
	}
}

type sentConn struct {
	net.Conn
	sent *bytes.Buffer
}

func (c sentConn) Write(p []byte) (int, error) {
	c.sent.Write(p)
	return c.Conn.Write(p)
}

// inOrder reports whether all has the commands in some, in this order.
func inOrder(all []string, some ...string) bool {
	for i := range all {
		if i+len(some) <= len(all) && slices.Equal(all[i:i+len(some)], some) {
			return true
		}
	}
	return false
}
