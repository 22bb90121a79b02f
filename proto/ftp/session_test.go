package ftp_test

import (
	"context"
	"net"
	"testing"

	"locus/access"
	"locus/proto/ftp"
	"locus/url"
)

// A watched connection notes how it is to be kept alive.
type watched struct {
	net.Conn
	note func(net.KeepAliveConfig)
}

func (w watched) SetKeepAliveConfig(c net.KeepAliveConfig) error {
	w.note(c)
	return nil
}

// A control connection is kept alive whatever the dialler does, and so is one for
// data, but for those of a file that is known to be small.
func TestKeepAlive(t *testing.T) {
	for _, tt := range []struct {
		name string
		url  string
		size int64 // that the caller knows; -1 for none
		want int   // connections that are kept alive, of two
	}{
		{"a file", "ftp://h/f", -1, 2},
		{"a small file", "ftp://h/f", 4, 1},
		{"a large file", "ftp://h/f", 1 << 30, 2},
		{"a listing", "ftp://h/", -1, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t)
			s.files["f"] = "text"
			s.lists["LIST"] = "-rw-r--r--   1 a b 4 Nov 21 02:02 f\r\n"
			dialled, kept := 0, 0
			client := ftp.Client{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := s.Dial(ctx, network, address)
				dialled++
				return watched{conn, func(c net.KeepAliveConfig) {
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
