package ftp_test

import (
	"context"
	"net"
	"testing"

	"locus/access"
	"locus/proto/ftp"
	"locus/url"
)

// A watchedConn connection records its keep-alive settings.
type watchedConn struct {
	net.Conn
	note func(net.KeepAliveConfig)
}

func (w watchedConn) SetKeepAliveConfig(c net.KeepAliveConfig) error {
	w.note(c)
	return nil
}

// Control and data connections are kept alive whatever the dialer does. Data
// connections of small files are not.
func TestKeepAlive(t *testing.T) {
	for _, tt := range []struct {
		name string
		url  string
		size int64 // known to the caller; -1 for none
		want int   // connections with keep-alive, of two
	}{
		{"a file", "ftp://h/f", -1, 2},
		{"a small file", "ftp://h/f", 4, 1},
		{"a large file", "ftp://h/f", 1 << 30, 2},
		{"a listing", "ftp://h/", -1, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t)
			s.files["f"] = "text"
			s.listings["LIST"] = "-rw-r--r--   1 a b 4 Nov 21 02:02 f\r\n"
			dialled, kept := 0, 0
			client := ftp.Client{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := s.Dial(ctx, network, address)
				dialled++
				return watchedConn{conn, func(c net.KeepAliveConfig) {
					if c.Enable {
						kept++
					}
				}}, err
			}}
			req := &access.Request{URL: url.MustParse(tt.url)}
			if tt.size >= 0 {
				req.Known = &access.Entry{Size: tt.size}
			}
			r, err := client.Do(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			if dialled != 2 || kept != tt.want {
				t.Errorf("%d of %d connections are kept alive, want %d of 2", kept, dialled, tt.want)
			}
		})
	}
}
