package guard

import (
	"net"
	"net/netip"
)

// specialIPv4 are the IPv4 addresses that are not public: addresses that the IANA IPv4 Special-Purpose Address
// Registry does not call globally reachable, multicast, and a metadata service with an ordinary address.
//
// 192.0.0.0/24 is refused as a whole, including its two anycast addresses for the user's own network. The AS112 and
// AMT prefixes are public.
var specialIPv4 = []prefix{
	{netip.MustParsePrefix("0.0.0.0/8"), "unspecified"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared by a provider's customers"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("168.63.129.16/32"), "metadata"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.0.0.0/24"), "protocol assignment"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
}

// specialIPv6 are the IPv6 addresses that are not public. All addresses outside global unicast (2000::/3) are refused
// anyway; their entries here only give a better reason.
//
// The block 2001::/23 is refused as a whole, although the registry calls a few prefixes in it globally reachable
// (services of the user's own network, AMT, AS112, ORCHIDv2, DRIP), because servers do not have addresses there.
var specialIPv6 = []prefix{
	{netip.MustParsePrefix("::/128"), "unspecified"},
	{netip.MustParsePrefix("::1/128"), "loopback"},
	{netip.MustParsePrefix("::ffff:0:0/96"), "v4-mapped"},
	{netip.MustParsePrefix("64:ff9b::/96"), "NAT64"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "NAT64"},
	{netip.MustParsePrefix("2001::/32"), "Teredo"},
	{netip.MustParsePrefix("2001::/23"), "protocol assignment"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("2002::/16"), "6to4"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"},
	{netip.MustParsePrefix("fc00::/7"), "private"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("fec0::/10"), "site-local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
}

type prefix struct {
	netip.Prefix
	reason string
}

// reasonNotPublic returns the reason for which addr is not public, or "" if it is public.
func reasonNotPublic(addr netip.Addr) string {
	if addr.Zone() != "" {
		return "an address with a zone"
	}
	if addr.Is4() {
		return reasonIn(specialIPv4, addr)
	}
	if reason := reasonIn(specialIPv6, addr); reason != "" {
		return reason
	}
	if addr.As16()[0]>>5 != 0b001 {
		return "not global unicast"
	}
	return ""
}

// reasonNear returns why addr is not public if addr is in the network of one of the interfaces, or if interfaces fails.
// Otherwise it returns "".
func reasonNear(interfaces func() ([]net.Addr, error), addr netip.Addr) string {
	all, err := interfaces()
	if err != nil {
		return "this machine's addresses are unknown"
	}
	for _, one := range all {
		p, err := netip.ParsePrefix(one.String())
		switch {
		case err != nil:
		case p.Addr().Unmap().WithZone("") == addr:
			return "this machine"
		case p.Bits() > 0 && p.Contains(addr): // a tunnel may have the whole internet as its network
			return "this machine's network"
		}
	}
	return ""
}

// reasonIn returns the reason of the first prefix of table that contains addr, or "" if no prefix contains it.
func reasonIn(table []prefix, addr netip.Addr) string {
	for _, p := range table {
		if p.Contains(addr) {
			return p.reason
		}
	}
	return ""
}
