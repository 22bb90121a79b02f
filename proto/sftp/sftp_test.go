package sftp_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/faulty"
	"locus/proto"
	"locus/proto/sftp"
	"locus/url"
)

var long = strings.Repeat("0123456789abcdef", 32<<10) // 512 KiB

// dialer connects to the addresses of tests by the names of hosts.
type dialer map[string]string

func (d dialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(address)
	return new(net.Dialer).DialContext(ctx, network, d[host])
}

// The client fulfills the contract, with and without a Pool.
func TestSuite(t *testing.T) {
	for _, pooled := range []bool{false, true} {
		name := map[bool]string{true: "pool", false: "alone"}[pooled]
		t.Run(name, func(t *testing.T) {
			s := start(t, &server{})
			c := s.client()
			if _, err := c.Do(t.Context(), &access.Request{Op: access.MakeDir, URL: url.MustParse("sftp://ada@h/~/list")}); err != nil {
				t.Fatalf("MakeDir = %v", err)
			}
			put(t, c, map[string]string{
				"sftp://ada@h/~/object": long, "sftp://ada@h/~/changing": "", "sftp://ada@h/~/list/one": "1", "sftp://ada@h/~/list/two": "2",
			})
			cut := faulty.Start(t, s.Addr, func(faulty.Conn) faulty.Fault { return faulty.Fault{Cut: 200 << 10} })
			stalled := faulty.Start(t, s.Addr, func(faulty.Conn) faulty.Fault { return faulty.Fault{Stall: 200 << 10} })
			d := dialer{"h": s.Addr, "cut": cut.Addr, "stalled": stalled.Addr}
			accesstest.Test(t, accesstest.Config{
				New: func(dial proto.Dial) access.Engine {
					c := sftp.Client{Dial: dial, KnownHosts: s.known, Keys: s.keys}
					if pooled {
						c.Pool = &sftp.Pool{}
					}
					return c
				},
				Dial:      d.Dial,
				Ops:       []access.Op{access.Stat, access.Put, access.Append, access.Delete, access.MakeDir},
				Object:    url.MustParse("sftp://ada@h/~/object"),
				Content:   long,
				Missing:   url.MustParse("sftp://ada@h/~/missing"),
				Listing:   url.MustParse("sftp://ada@h/~/list/"),
				Titles:    []string{"one", "two"},
				Changing:  url.MustParse("sftp://ada@h/~/changing"),
				Truncated: url.MustParse("sftp://ada@cut/~/object"),
				Stalled:   url.MustParse("sftp://ada@stalled/~/object"),
				Hostile: []url.URL{
					url.MustParse("sftp://ada@h/~/a%2Fb"), url.MustParse("sftp://ada@h/~/a%00"), url.MustParse("sftp://ada@h/~/a/%00b/c"),
				},
				Secret: url.MustParse("sftp://eve:sesame@h/object"),
			})
		})
	}
}
