package guard_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/guard"
)

// A recordingDialer records the addresses that it is told to dial, without connecting. Addresses in dead do not
// answer.
type recordingDialer struct {
	dialed []string
	dead   []string
}

func (d *recordingDialer) dial(_ context.Context, _, address string) (net.Conn, error) {
	d.dialed = append(d.dialed, address)
	if slices.Contains(d.dead, address) {
		return nil, errors.New("no answer from " + address)
	}
	client, server := net.Pipe()
	server.Close()
	return client, nil
}

// A changingResolver is a Resolver whose nth lookup returns its nth set, like a name server that changes its answer.
type changingResolver struct {
	sets    [][]string
	lookups []string
}

func (a *changingResolver) LookupNetIP(_ context.Context, network, host string) ([]netip.Addr, error) {
	n := len(a.lookups)
	a.lookups = append(a.lookups, network+" "+host)
	if n >= len(a.sets) {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var addrs []netip.Addr
	for _, s := range a.sets[n] {
		addrs = append(addrs, netip.MustParseAddr(s))
	}
	return addrs, nil
}

func TestPublicAddresses(t *testing.T) {
	// attack: A URL, redirect or menu link leads to a loopback, private, mapped or zoned address, or to a file
	tests := []struct {
		host   string
		reason string // "" if it is public
	}{
		{"8.8.8.8", ""},
		{"1.1.1.1", ""},
		{"2606:4700:4700::1111", ""},
		{"2001:4860:4860::8888", ""},
		{"192.31.196.1", ""},    // AS112: globally reachable
		{"192.52.193.1", ""},    // AMT
		{"192.175.48.1", ""},    // AS112
		{"2620:4f:8000::1", ""}, // AS112

		{"127.0.0.1", "loopback"},
		{"127.255.255.255", "loopback"},
		{"::1", "loopback"},
		{"0.0.0.0", "unspecified"},
		{"0.1.2.3", "unspecified"},
		{"::", "unspecified"},
		{"10.0.0.1", "private"},
		{"172.16.0.1", "private"},
		{"172.31.255.255", "private"},
		{"192.168.255.255", "private"},
		{"fc00::1", "private"},
		{"fdff::1", "private"},
		{"100.64.0.1", "shared by a provider's customers"},
		{"100.100.100.200", "shared by a provider's customers"},
		{"169.254.1.1", "link-local"},
		{"169.254.169.254", "link-local"},
		{"fd00:ec2::254", "private"},
		{"168.63.129.16", "metadata"},
		{"fe80::1", "link-local"},
		{"fec0::1", "site-local"},
		{"224.0.0.1", "multicast"},
		{"239.255.255.255", "multicast"},
		{"ff02::1", "multicast"},
		{"240.0.0.1", "reserved"},
		{"255.255.255.255", "reserved"},
		{"192.0.0.8", "protocol assignment"},
		{"192.0.0.192", "protocol assignment"},
		{"192.88.99.1", "6to4 relay"},
		{"198.18.0.1", "benchmarking"},
		{"192.0.2.1", "documentation"},
		{"198.51.100.1", "documentation"},
		{"203.0.113.1", "documentation"},
		{"2001:db8::1", "documentation"},
		{"3fff::1", "documentation"},
		{"::ffff:127.0.0.1", "v4-mapped"},
		{"::ffff:8.8.8.8", "v4-mapped"},
		{"::127.0.0.1", "not global unicast"}, // v4-compatible
		{"64:ff9b::7f00:1", "NAT64"},
		{"64:ff9b::808:808", "NAT64"},
		{"64:ff9b:1::a00:1", "NAT64"},
		{"2002:7f00:1::", "6to4"},
		{"2002:808:808::", "6to4"},
		{"2001:0:808:808::1", "Teredo"},
		{"2001:2::1", "protocol assignment"},
		{"2001:20::1", "protocol assignment"},
		{"100::1", "not global unicast"},
		{"100:0:0:1::1", "not global unicast"},
		{"5f00::1", "not global unicast"},
		{"4000::1", "not global unicast"},
		{"fe80::1%eth0", "an address with a zone"},
		{"2606:4700:4700::1111%eth0", "an address with a zone"},
		{"", "no host"},
	}
	for _, test := range tests {
		var d recordingDialer
		public := guard.Public{Dial: d.dial, Resolver: &changingResolver{}}
		conn, err := public.DialContext(t.Context(), "tcp", net.JoinHostPort(test.host, "80"))
		if test.reason == "" {
			if err != nil || len(d.dialed) != 1 {
				t.Errorf("DialContext(%q) = %v after dialing %q, want a connection", test.host, err, d.dialed)
				continue
			}
			conn.Close()
			continue
		}
		refused, ok := errors.AsType[*guard.AddressError](err)
		if !ok || refused.Reason != test.reason || refused.Host != test.host {
			t.Errorf("DialContext(%q) = %v, want it refused as %s", test.host, err, test.reason)
		}
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("DialContext(%q) = %v, want fs.ErrPermission", test.host, err)
		}
		if len(d.dialed) > 0 {
			t.Errorf("DialContext(%q) dialed %q, want no address", test.host, d.dialed)
		}
	}
}

// The first and the last address of every row of the IANA special-purpose registries that is not globally reachable,
// and of multicast, are refused. The addresses next to them are public, unless another row contains them.
func TestPublicRegistries(t *testing.T) {
	rows := []struct {
		prefix string
		alone  bool // the addresses before and after it are public
	}{
		{"0.0.0.0/8", false},
		{"10.0.0.0/8", true},
		{"100.64.0.0/10", true},
		{"127.0.0.0/8", true},
		{"169.254.0.0/16", true},
		{"172.16.0.0/12", true},
		{"192.0.0.0/24", true},
		{"192.0.2.0/24", true},
		{"192.88.99.0/24", true},
		{"192.168.0.0/16", true},
		{"198.18.0.0/15", true},
		{"198.51.100.0/24", true},
		{"203.0.113.0/24", true},
		{"224.0.0.0/4", false},
		{"240.0.0.0/4", false},
		{"::/128", false},
		{"::1/128", false},
		{"::ffff:0:0/96", false},
		{"64:ff9b:1::/48", false},
		{"100::/64", false},
		{"100:0:0:1::/64", false},
		{"2001::/32", false},
		{"2001:2::/48", false},
		{"2001:10::/28", false},
		{"2001::/23", false},
		{"2001:db8::/32", true},
		{"2002::/16", true},
		{"3fff::/20", false},
		{"5f00::/16", false},
		{"fc00::/7", false},
		{"fe80::/10", false},
		{"ff00::/8", false},
	}
	public := func(a netip.Addr) bool {
		var d recordingDialer
		conn, err := guard.Public{Dial: d.dial}.DialContext(t.Context(), "tcp", net.JoinHostPort(a.String(), "80"))
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	for _, test := range rows {
		p := netip.MustParsePrefix(test.prefix)
		first, last := p.Addr(), lastAddr(p)
		if public(first) || public(last) {
			t.Errorf("%s: first address public = %v, last address public = %v; want false", p, public(first), public(last))
		}
		if test.alone && (!public(first.Prev()) || !public(last.Next())) {
			t.Errorf("%s: address before public = %v, address after public = %v; want true", p, public(first.Prev()), public(last.Next()))
		}
	}
}

func lastAddr(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	last, _ := netip.AddrFromSlice(b)
	return last
}

func TestPublicNames(t *testing.T) {
	tests := []struct {
		name   string
		answer []string
		dead   []string
		dialed []string
		fails  string // "" if a connection is made
	}{
		{name: "one", answer: []string{"8.8.8.8"}, dialed: []string{"8.8.8.8:21"}},
		{name: "as net.Resolver gives them", answer: []string{"::ffff:8.8.8.8"}, dialed: []string{"8.8.8.8:21"}},
		{name: "mapped loopback", answer: []string{"::ffff:127.0.0.1"}, fails: "has no public address"},
		{name: "IPv6", answer: []string{"2606:4700::1"}, dialed: []string{"[2606:4700::1]:21"}},
		{name: "inside", answer: []string{"10.0.0.1"}, fails: "has no public address"},
		{name: "one of them inside", answer: []string{"8.8.8.8", "127.0.0.1"}, fails: "has no public address"},
		{name: "nothing", answer: []string{}, fails: "has no public address"},
		{
			name: "the next address", answer: []string{"8.8.8.8", "8.8.4.4"}, dead: []string{"8.8.8.8:21"},
			dialed: []string{"8.8.8.8:21", "8.8.4.4:21"},
		},
		{
			name: "none answers", answer: []string{"8.8.8.8", "8.8.4.4"}, dead: []string{"8.8.8.8:21", "8.8.4.4:21"},
			dialed: []string{"8.8.8.8:21", "8.8.4.4:21"}, fails: "no answer from 8.8.4.4:21",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := recordingDialer{dead: test.dead}
			public := guard.Public{Dial: d.dial, Resolver: &changingResolver{sets: [][]string{test.answer}}}
			conn, err := public.DialContext(t.Context(), "tcp", "name.example:21")
			if err == nil {
				conn.Close()
			}
			if (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
				t.Errorf("DialContext = %v, want an error with %q", err, test.fails)
			}
			if !slices.Equal(d.dialed, test.dialed) {
				t.Errorf("dialed %q, want %q", d.dialed, test.dialed)
			}
		})
	}
}

// A name server first returns a public address, and then a private one (DNS rebinding). DialContext dials the address
// that it has checked.
func TestPublicRebinding(t *testing.T) {
	// attack: A host name changes to a private address after the check (DNS rebinding of a target)
	resolver := &changingResolver{sets: [][]string{{"8.8.8.8"}, {"127.0.0.1"}}}
	var d recordingDialer
	public := guard.Public{Dial: d.dial, Resolver: resolver}

	conn, err := public.DialContext(t.Context(), "tcp", "rebind.example:80")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if len(resolver.lookups) != 1 {
		t.Errorf("lookups = %q, want one", resolver.lookups)
	}
	_, err = public.DialContext(t.Context(), "tcp", "rebind.example:80")
	if _, ok := errors.AsType[*guard.AddressError](err); !ok {
		t.Errorf("second DialContext = %v, want an *AddressError", err)
	}
	if want := []string{"8.8.8.8:80"}; !slices.Equal(d.dialed, want) {
		t.Errorf("dialed %q, want %q", d.dialed, want)
	}
}

func TestPublicBoundsDialling(t *testing.T) {
	many := make([]string, 1000)
	for i := range many {
		many[i] = netip.AddrFrom4([4]byte{8, 8, byte(i >> 8), byte(i)}).String()
	}
	calls := 0
	public := guard.Public{
		Dial:     func(context.Context, string, string) (net.Conn, error) { calls++; return nil, errors.New("dead") },
		Resolver: &changingResolver{sets: [][]string{many}},
	}
	if _, err := public.DialContext(t.Context(), "tcp", "many.example:80"); err == nil || calls > 10 {
		t.Errorf("DialContext = %v after %d calls, want an error after a few", err, calls)
	}
}

func TestPublicNetworks(t *testing.T) {
	tests := []struct{ network, lookup string }{
		{"tcp", "ip name.example"},
		{"tcp4", "ip4 name.example"},
		{"tcp6", "ip6 name.example"},
		{"udp", "ip name.example"},
		{"udp6", "ip6 name.example"},
		{"unix", ""},
		{"ip", ""},
		{"tcp5", ""},
		{"", ""},
	}
	for _, test := range tests {
		resolver := &changingResolver{sets: [][]string{{"8.8.8.8"}}}
		var d recordingDialer
		_, err := guard.Public{Dial: d.dial, Resolver: resolver}.DialContext(t.Context(), test.network, "name.example:80")
		if test.lookup == "" {
			if err == nil || len(resolver.lookups)+len(d.dialed) > 0 {
				t.Errorf("DialContext on %q = %v, want it refused", test.network, err)
			}
			continue
		}
		if err != nil || !slices.Equal(resolver.lookups, []string{test.lookup}) {
			t.Errorf("DialContext on %q looked up %q (%v), want %q", test.network, resolver.lookups, err, test.lookup)
		}
	}
}

func TestPublicLacking(t *testing.T) {
	if _, err := (guard.Public{}).DialContext(t.Context(), "tcp", "8.8.8.8:80"); !errors.Is(err, access.ErrNoDial) {
		t.Errorf("DialContext without a Dial = %v, want access.ErrNoDial", err)
	}
	var d recordingDialer
	if _, err := (guard.Public{Dial: d.dial}).DialContext(t.Context(), "tcp", "name.example:80"); err == nil {
		t.Error("DialContext of a name without a resolver = nil error, want an error")
	}
	if _, err := (guard.Public{Dial: d.dial}).DialContext(t.Context(), "tcp", "8.8.8.8"); err == nil {
		t.Error("DialContext without a port = nil error, want an error")
	}
}

// The error for a name does not show the address of the name.
func TestPublicHidesAddress(t *testing.T) {
	var d recordingDialer
	public := guard.Public{Dial: d.dial, Resolver: &changingResolver{sets: [][]string{{"10.20.30.40"}}}}
	_, err := public.DialContext(t.Context(), "tcp", "intranet.example:80")
	if err == nil || strings.Contains(err.Error(), "10.20.30.40") {
		t.Errorf("DialContext = %v, want an error without the address", err)
	}
}

// A failingResolver returns a net.DNSError, as net.Resolver does.
type failingResolver struct{ err *net.DNSError }

func (r failingResolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, r.err
}

// An error tells strangers neither whether a name exists in the internal network nor which name server was asked.
func TestPublicHidesNames(t *testing.T) {
	// attack: Errors show which names exist inside, or the name server | a missing name and a private name have
	// the same error, without the name server
	dns := net.DNSError{Err: "server misbehaving", Name: "intranet.example", Server: "10.0.0.53:53"}
	missing, slow := dns, dns
	missing.IsNotFound, slow.IsTimeout = true, true
	var texts []string
	for _, resolver := range []guard.Resolver{&changingResolver{sets: [][]string{{"10.20.30.40"}}}, failingResolver{&missing}, failingResolver{&slow}, failingResolver{&dns}} {
		var d recordingDialer
		_, err := guard.Public{Dial: d.dial, Resolver: resolver}.DialContext(t.Context(), "tcp", "intranet.example:80")
		if err == nil || strings.Contains(err.Error(), "10.0.0.53") {
			t.Fatalf("DialContext = %v, want an error without the name server", err)
		}
		texts = append(texts, fmt.Sprint(err, errors.Is(err, fs.ErrPermission)))
	}
	if texts[0] != texts[1] {
		t.Errorf("error for an internal name = %s, for a missing name = %s; want the same", texts[0], texts[1])
	}
	var d recordingDialer
	_, err := guard.Public{Dial: d.dial, Resolver: failingResolver{&missing}, TellMissing: true}.DialContext(t.Context(), "tcp", "intranet.example:80")
	if e, ok := errors.AsType[*net.DNSError](err); !ok || !e.IsNotFound || e.Server != "" || errors.Is(err, fs.ErrPermission) {
		t.Errorf("DialContext of a missing name with TellMissing = %v, want a *net.DNSError that says so", err)
	}
}

func ExamplePublic() {
	var dialer net.Dialer
	public := guard.Public{Dial: dialer.DialContext, Resolver: net.DefaultResolver}
	_, err := public.DialContext(context.Background(), "tcp", "169.254.169.254:80")
	fmt.Println(err)
	// Output: host "169.254.169.254" is not public (link-local)
}
