package guard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

type threeAddresses struct{}

func (threeAddresses) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("2606:2800::1"), netip.MustParseAddr("2606:2800::2"), netip.MustParseAddr("93.184.216.34")}, nil
}

// Addresses that do not answer leave time for the other addresses.
func TestPublicSharesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		p := Public{Resolver: threeAddresses{}, Dial: func(ctx context.Context, _, address string) (net.Conn, error) {
			if address == "93.184.216.34:80" {
				return client, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		conn, err := p.DialContext(ctx, "tcp", "h.example:80")
		if err != nil || time.Since(start) != 40*time.Second {
			t.Fatalf("DialContext = %v after %v, want a connection after 40s", err, time.Since(start))
		}
		conn.Close()
		if _, err := p.DialContext(ctx, "tcp", "10.0.0.1:80"); !errors.As(err, new(*AddressError)) {
			t.Errorf("DialContext of a private address = %v, want it refused", err)
		}
	})
}
