package ftp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/ftp"
	"locus/url"
)

// Real servers answer queued commands in order, during transfers of any length and also over TLS: one control connection
// is enough for all files.
func TestLivePipelined(t *testing.T) {
	for _, test := range []struct {
		name     string
		start    func(testing.TB, string) *peers.Server
		login    string
		security access.Security
	}{
		{"vsftpd", peers.VSFTPD, "", access.NeverTLS},
		{"vsftpd over TLS", overTLS(peers.VSFTPDOverTLS, false), "", access.RequireTLS},
		{"proftpd", peers.ProFTPD, "alice:secret@", access.NeverTLS},
		{"proftpd over TLS", overTLS(peers.ProFTPDOverTLS, false), "alice:secret@", access.RequireTLS},
		{"pure-ftpd", peers.PureFTPd, "alice:secret@", access.NeverTLS},
		{"pure-ftpd over TLS", peers.PureFTPdOverTLS, "alice:secret@", access.RequireTLS},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := test.start(t, t.TempDir())
			var controls atomic.Int64
			c := ftp.Client{
				Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
					if address == s.Addr {
						controls.Add(1)
					}
					return new(net.Dialer).DialContext(ctx, network, address)
				},
				Pool: new(ftp.Pool), Security: test.security, TLS: &tls.Config{RootCAs: s.Roots, MinVersion: tls.VersionTLS12},
			}
			defer c.Pool.Close()
			for i, size := range []int{0, 1, 4096, 5 << 20, 64 << 10, 100, 64<<10 + 1, 3, 4096, 4096} {
				name, content := fmt.Sprintf("f%d", i), bytes.Repeat([]byte{byte(i)}, size)
				u := url.MustParse("ftp://" + test.login + s.Addr + "/" + name)
				then := time.Date(2026, 3, 4, 5, 6, i, 0, time.UTC)
				_, err := c.Do(t.Context(), &access.Request{Op: access.Put, URL: u, Body: bytes.NewReader(content), Size: int64(size), ModTime: then})
				if err != nil {
					t.Fatalf("Put of %d bytes = %v", size, err)
				}
				stored, err := os.ReadFile(filepath.Join(s.Root, name))
				if err != nil || !bytes.Equal(stored, content) {
					t.Errorf("Put stores %d bytes, %v, want %d", len(stored), err, size)
				}
				if info, err := os.Stat(filepath.Join(s.Root, name)); err != nil || !info.ModTime().Equal(then) {
					t.Errorf("Put sets the time %v, %v, want %v", info.ModTime(), err, then)
				}
				if got, err := get(t, c, u.String()); err != nil || got != string(content) {
					t.Errorf("Get = %d bytes, %v, want %d", len(got), err, size)
				}
			}
			if got := controls.Load(); got != 1 {
				t.Errorf("%d control connections, want 1", got)
			}
		})
	}
}
