package ftp_test

import (
	"context"
	"net"
	"sync"
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

// A control connection is kept alive, whatever the dialler does; one for data is
// left as it is.
func TestKeepAlive(t *testing.T) {
	s := serve(t)
	s.files["f"] = "text"
	var mu sync.Mutex
	var dialled int
	kept := make(map[int]net.KeepAliveConfig)
	client := ftp.Client{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := s.Dial(ctx, network, address)
		mu.Lock()
		defer mu.Unlock()
		n := dialled
		dialled++
		return watched{conn, func(c net.KeepAliveConfig) {
			mu.Lock()
			defer mu.Unlock()
			kept[n] = c
		}}, err
	}}
	r, err := client.Open(t.Context(), &access.Request{URL: url.MustParse("ftp://h/f")})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if dialled != 2 || len(kept) != 1 || !kept[0].Enable {
		t.Errorf("%d connections, kept alive: %+v; want the first of two", dialled, kept)
	}
}
