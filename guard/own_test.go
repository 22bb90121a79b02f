package guard_test

import (
	"errors"
	"io/fs"
	"net"
	"testing"

	"locus/access"
	"locus/guard"
)

// Check refuses the program's own listeners and, with Machine, all addresses of this machine.
func TestOwn(t *testing.T) {
	// attack: A URL or redirect leads to the gateway itself or its metrics, by any name or interface
	// attack: A public gateway is asked for a public address of its own machine | 403
	interfaces := func() ([]net.Addr, error) {
		return []net.Addr{
			&net.IPNet{IP: net.IPv4(203, 0, 112, 7), Mask: net.CIDRMask(24, 32)},
			&net.IPNet{IP: net.ParseIP("2606:2800::7"), Mask: net.CIDRMask(64, 128)},
		}, nil
	}
	for _, test := range []struct {
		listens, dials string
		machine        bool
		want           error
	}{
		{"127.0.0.1:1738", "127.0.0.1:1738", false, access.ErrLoop},
		{"127.0.0.1:1738", "[::ffff:127.0.0.1]:1738", false, access.ErrLoop},
		{"127.0.0.1:1738", "0.0.0.0:1738", false, access.ErrLoop},
		{"127.0.0.1:1738", "[::]:1738", false, access.ErrLoop},
		{"127.0.0.1:1738", "127.0.0.1:70", false, nil},
		{"127.0.0.1:1738", "127.0.0.2:1738", false, nil},
		{"127.0.0.1:1738", "203.0.112.7:1738", false, nil},
		{"0.0.0.0:1738", "127.9.9.9:1738", false, access.ErrLoop},
		{"0.0.0.0:1738", "203.0.112.7:1738", false, access.ErrLoop},
		{"[::]:1738", "[2606:2800::7]:1738", false, access.ErrLoop},
		{"[::]:1738", "[::1]:1738", false, access.ErrLoop},
		{"[::]:1738", "203.0.112.7:1738", false, access.ErrLoop},
		{"[::]:1738", "203.0.112.8:1738", false, nil},
		{"[::]:1738", "203.0.112.7:80", false, nil},
		{"[fe80::7%eth0]:1738", "[fe80::7%eth1]:1738", false, access.ErrLoop},
		{"[::]:1738", "203.0.112.7:80", true, access.ErrNotPublic},
		{"[::]:1738", "[2606:2800::7]:80", true, fs.ErrPermission},
		{"[::]:1738", "203.0.112.8:80", true, nil},
	} {
		l, err := net.ResolveTCPAddr("tcp", test.listens)
		if err != nil {
			t.Fatalf("%s: %v", test.listens, err)
		}
		own := &guard.Own{Listeners: []net.Addr{l}, Machine: test.machine, Interfaces: interfaces}
		if err := own.Check(test.dials); !errors.Is(err, test.want) {
			t.Errorf("Check with listener %s and Machine %v: Check(%q) = %v, want %v", test.listens, test.machine, test.dials, err, test.want)
		}
	}
	unknown := &guard.Own{Machine: true, Interfaces: func() ([]net.Addr, error) { return nil, errors.New("unknown") }}
	for _, address := range []string{"203.0.112.8:80", "h:80", "", "203.0.112.8"} {
		if unknown.Check(address) == nil {
			t.Errorf("Check(%q) without the addresses of this machine = nil, want an error", address)
		}
	}
}
