package sync

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"locus/access"
)

// While a name is looked up, other workers connect and look up other names. Each name is looked up once.
func TestAliasesMeanwhile(t *testing.T) {
	const here = "192.0.2.1"
	a := &aliases{}
	connect := func() { access.ConnectedOf(a.watch(t.Context()))(access.Connection{Address: here + ":70"}) }
	connect()
	within := func(name string, do func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			do()
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("%s waits for the lookup of another name", name)
		}
	}
	lookups := map[string]int{}
	a.lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
		lookups[host]++
		if host == "slow.example" {
			within("a connection", connect)
			within("another name", func() {
				if !a.has(t.Context(), "fast.example") {
					t.Error("has(fast.example) = false during the lookup of slow.example")
				}
			})
		}
		return []netip.Addr{netip.MustParseAddr(here)}, nil
	}
	for range 2 {
		for _, host := range []string{"slow.example", "fast.example"} {
			if !a.has(t.Context(), host) {
				t.Errorf("has(%q) = false", host)
			}
			if lookups[host] != 1 {
				t.Errorf("%q is looked up %d times, want once", host, lookups[host])
			}
		}
	}
}
