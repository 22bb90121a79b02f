package guard_test

import (
	"errors"
	"net"
	"testing"

	"locus/guard"
)

// A translator (RFC 6052, RFC 7915) connects to the IPv4 address in an IPv6 address. So no such address is dialled,
// as a literal or as the address of a name, whether the embedded address is private or public.
func TestAttackTranslatedAddresses(t *testing.T) {
	// attack: A NAT64 or SIIT address, or a name that resolves to one, embeds a private IPv4 address | it is
	// refused, because the translator would connect to the embedded address
	for _, address := range []string{
		"64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::808:808", // NAT64, RFC 6052
		"64:ff9b:1::7f00:1", "64:ff9b:1:fffe::a00:1", "64:ff9b:1:7f00:0:100::", // NAT64, RFC 8215
		"::ffff:0:7f00:1", "::ffff:0:a9fe:a9fe", "::ffff:0:808:808", // SIIT, RFC 7915
		"::ffff:7f00:1", "::7f00:1", "2002:7f00:1::1", "2001:0:7f00:1::1",
	} {
		for _, host := range []string{address, "translated.example"} {
			var d recordingDialer
			p := guard.Public{Dial: d.dial, Resolver: &changingResolver{sets: [][]string{{address}}}}
			_, err := p.DialContext(t.Context(), "tcp", net.JoinHostPort(host, "80"))
			if _, ok := errors.AsType[*guard.AddressError](err); !ok || len(d.dialed) > 0 {
				t.Errorf("DialContext(%q), which is at %s: %v after dialing %q, want a *guard.AddressError", host, address, err, d.dialed)
			}
		}
	}
}

// A name that has a translated address beside a public one leads to the public one only.
func TestAttackTranslatedBesidePublic(t *testing.T) {
	var d recordingDialer
	p := guard.Public{Dial: d.dial, Resolver: &changingResolver{sets: [][]string{{"64:ff9b::7f00:1", "8.8.8.8", "::ffff:0:7f00:1"}}}}
	conn, err := p.DialContext(t.Context(), "tcp", "both.example:80")
	if err == nil {
		conn.Close()
	}
	for _, address := range d.dialed {
		if address != "8.8.8.8:80" {
			t.Errorf("DialContext of a name with translated addresses dialed %s", address)
		}
	}
}

// An address of this machine, or of a machine in its network, is not public, although everybody may know it. A firewall
// keeps strangers out there, but not this machine.
func TestAttackNearAddresses(t *testing.T) {
	// attack: A page of another site knows the public address of its visitor, such as an IPv6 address, and leads to a
	// server at this machine or in its network, which a firewall protects | a page asks, because these addresses are
	// not public
	interfaces := func() ([]net.Addr, error) {
		return []net.Addr{
			&net.IPNet{IP: net.IPv4(203, 0, 112, 7), Mask: net.CIDRMask(24, 32)},
			&net.IPNet{IP: net.ParseIP("2606:2800::7"), Mask: net.CIDRMask(64, 128)},
			&net.IPNet{IP: net.ParseIP("2606:2801::7"), Mask: net.CIDRMask(128, 128)},
			&net.IPNet{IP: net.IPv4(203, 0, 115, 7), Mask: net.CIDRMask(0, 32)}, // not the whole internet
			&net.TCPAddr{IP: net.IPv4(203, 0, 113, 7)},
		}, nil
	}
	for _, test := range []struct {
		address  string
		isPublic bool
	}{
		{"203.0.112.7", false},
		{"203.0.112.8", false},
		{"2606:2800::7", false},
		{"2606:2800::8", false},
		{"2606:2801::7", false},
		{"203.0.115.7", false},
		{"2606:2801::8", true},
		{"2606:2800:0:1::7", true},
		{"203.0.114.7", true},
		{"8.8.8.8", true},
	} {
		for _, host := range []string{test.address, "near.example"} {
			var d recordingDialer
			p := guard.Public{Dial: d.dial, Resolver: &changingResolver{sets: [][]string{{test.address}}}, Interfaces: interfaces}
			_, err := p.DialContext(t.Context(), "tcp", net.JoinHostPort(host, "80"))
			if _, isRefused := errors.AsType[*guard.AddressError](err); isRefused == test.isPublic || len(d.dialed) > 0 != test.isPublic {
				t.Errorf("DialContext(%q), which is at %s: %v after dialing %q, want that it is public: %v", host, test.address, err, d.dialed, test.isPublic)
			}
		}
	}
	var d recordingDialer
	unknown := guard.Public{Dial: d.dial, Interfaces: func() ([]net.Addr, error) { return nil, errors.New("unknown") }}
	if _, err := unknown.DialContext(t.Context(), "tcp", "8.8.8.8:80"); err == nil || len(d.dialed) > 0 {
		t.Errorf("DialContext without the addresses of this machine: %v after dialing %q, want an error", err, d.dialed)
	}
}
