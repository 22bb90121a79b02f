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
