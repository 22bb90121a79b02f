package ftp_test

import (
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

// Real servers send many files over one kept connection, though some files do
// not exist.
func TestLiveManyFiles(t *testing.T) {
	for _, server := range []struct {
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
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			const files = 60
			root := t.TempDir()
			for i := range files {
				name := filepath.Join(root, fmt.Sprintf("f%02d", i))
				if err := os.WriteFile(name, []byte(strings.Repeat(fmt.Sprint(i), i)), 0o644); err != nil { //nolint:gosec // vsftpd has an account of its own
					t.Fatal(err)
				}
			}
			s := server.start(t, root)
			c := ftp.Client{
				Dial: new(net.Dialer).DialContext, Pool: new(ftp.Pool),
				Security: server.security, TLS: &tls.Config{RootCAs: s.Roots, MinVersion: tls.VersionTLS12},
			}
			defer c.Pool.Close()
			at := func(i int) *access.Request {
				return &access.Request{URL: url.MustParse(fmt.Sprintf("ftp://%s%s/f%02d", server.login, s.Addr, i))}
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
			if !server.early {
				return
			}
			if got := s.Commands(t, "RETR f59"); !inOrder(got, "RETR f19", "EPSV", "MDTM f20", "RETR f20", "EPSV", "MDTM f21", "RETR f21", "EPSV") {
				t.Errorf("the server got %q", got)
			}
		})
	}
}

// inOrder reports whether all has the commands some, in this order.
func inOrder(all []string, some ...string) bool {
	for i := range all {
		if i+len(some) <= len(all) && slices.Equal(all[i:i+len(some)], some) {
			return true
		}
	}
	return false
}
