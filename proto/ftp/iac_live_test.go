package ftp_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/peers"
	"locus/proto/ftp"
	"locus/url"
)

// Real servers keep the byte 0xFF in a name, or the change fails and leaves no file or directory.
func TestLiveIAC(t *testing.T) {
	pyftpdlib := func(mode string) func(testing.TB, string) *peers.Server {
		return func(t testing.TB, root string) *peers.Server { return peers.Pyftpdlib(t, root, mode) }
	}
	for _, test := range []struct {
		name  string
		start func(testing.TB, string) *peers.Server
		login string
		keeps bool // it stores files with names that are not UTF-8
		makes bool // it makes directories with such names
	}{
		{"vsftpd", peers.VSFTPD, "", true, true},
		{"proftpd", peers.ProFTPD, "alice:secret@", true, true},
		{"pure-ftpd", peers.PureFTPd, "alice:secret@", true, true},
		{"inetutils-ftpd", peers.InetutilsFTPD, "", true, true},
		{"pyftpdlib", pyftpdlib("surrogateescape"), "", true, false},
		{"pyftpdlib that replaces", pyftpdlib("replace"), "", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := test.start(t, makeLibrary(t))
			c := ftp.Client{Dial: new(net.Dialer).DialContext, Pool: new(ftp.Pool)}
			defer c.Pool.Close()
			at := func(name string) *access.Request {
				return &access.Request{URL: url.MustParse("ftp://" + test.login + s.Addr + "/pub/dir/" + name)}
			}
			there := func() []string {
				entries, err := os.ReadDir(filepath.Join(s.Root, "pub/dir"))
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, e := range entries {
					names = append(names, e.Name())
				}
				return names
			}
			before := there()
			for _, name := range []string{"l%FFx", "l%FF%FFx", "l%FF%F4%FE%FF"} {
				decoded, err := url.Unescape(name)
				if err != nil {
					t.Fatalf("Unescape(%q): %v", name, err)
				}
				want := before
				if test.keeps {
					want = append(slices.Clone(before), decoded)
					slices.Sort(want)
				}
				err = accesstest.Change(t.Context(), c, access.Put, at(name), strings.NewReader("content"))
				if got := there(); !slices.Equal(got, want) || (err == nil) != test.keeps || err != nil && !errors.Is(err, errors.ErrUnsupported) {
					t.Errorf("Put(%s) = %v leaves %q, want %q", name, err, got, want)
				}
				if !test.keeps {
					continue
				}
				if got, err := get(t, c, at(name).URL.String()); err != nil || got != "content" {
					t.Errorf("get(%s) = %q, %v", name, got, err)
				}
				if err := accesstest.Change(t.Context(), c, access.Delete, at(name), nil); err != nil || !slices.Equal(there(), before) {
					t.Errorf("Delete(%s) = %v leaves %q, want %q", name, err, there(), before)
				}
				if !test.makes {
					continue
				}
				if err := accesstest.Change(t.Context(), c, access.MakeDir, at(name), nil); err != nil || !slices.Equal(there(), want) {
					t.Errorf("MakeDir(%s) = %v leaves %q, want %q", name, err, there(), want)
				}
				if err := os.Remove(filepath.Join(s.Root, "pub/dir", decoded)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
