package ftp_test

import (
	"context"
	"net"
	"testing"

	"locus/access"
	"locus/proto/ftp"
	"locus/url"
)

// A watchedConn passes its keep-alive settings to note.
type watchedConn struct {
	net.Conn
	note func(net.KeepAliveConfig)
}

func (w watchedConn) SetKeepAliveConfig(c net.KeepAliveConfig) error {
	w.note(c)
	return nil
}

// The client enables keep-alive on control and data connections, but not on the data connections of
// small files.
func TestKeepAlive(t *testing.T) {
	for _, test := range []struct {
		name string
		url  string
		size int64  // known to the caller; -1 for none
		told string // the reply to SIZE; "" for the size of f
		want int    // connections with keep-alive, of two
	}{
		{"a file of unknown size", "ftp://h/f", -1, "502 what?", 2},
		{"a small file, as SIZE says", "ftp://h/f", -1, "", 1},
		{"a small file, as the caller says", "ftp://h/f", 4, "", 1},
		{"a large file, as SIZE says", "ftp://h/f", -1, "213 65537", 2},
		{"a large file, as the caller says", "ftp://h/f", 1 << 30, "", 2},
		{"a listing", "ftp://h/", -1, "", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t)
			s.files["f"] = "text"
			if test.told != "" {
				s.script["SIZE"] = say(test.told + "\r\n")
			}
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
			req := &access.Request{URL: url.MustParse(test.url)}
			if test.size >= 0 {
				req.Known = &access.Entry{Size: test.size}
			}
			r, err := client.Do(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			if dialled != 2 || kept != test.want {
				t.Errorf("%d of %d connections are kept alive, want %d of 2", kept, dialled, test.want)
			}
		})
	}
}
