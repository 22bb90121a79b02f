package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"strings"

	"locus/access"
)

// A Resolver finds the addresses of a host. [*net.Resolver] is one. Network is
// "ip", "ip4" or "ip6".
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Public dials public addresses only: its DialContext is the dialler of a
// program that opens what strangers ask for.
//
// A name is resolved once, every address that it has is checked, and then just
// these addresses are dialled: a name server that gives another answer a moment
// later changes nothing. A name with one address that is not public is refused
// whole.
//
// Not public is whatever the IANA special-purpose registries do not call
// globally reachable (loopback, private, link-local, shared, documentation …),
// the rest of their blocks for protocols (192.0.0.0/24 and 2001::/23), multicast,
// every notation or tunnel that holds another address (v4-mapped, NAT64, 6to4,
// Teredo), addresses with a zone, and the metadata services of clouds.
//
// Public may be used by several goroutines at once if Dial and Resolver may.
type Public struct {
	// Dial dials what is let through; it is only given IP addresses, one at a
	// time. Nil refuses everything. Give it a time limit of its own, or an
	// address that does not answer uses up all the time there is.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Resolver finds the addresses of names. Nil refuses names, so that only
	// addresses can be dialled.
	Resolver Resolver
}

// maxAddresses is how many addresses of one name are tried.
const maxAddresses = 8

// DialContext dials address, "host:port", if all of the host's addresses are
// public. Network is "tcp" or "udp", or one of these with "4" or "6" at its end.
// A refusal is an [*AddressError].
func (p Public) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if p.Dial == nil {
		return nil, access.ErrNoDial
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial %q: %w", address, err)
	}
	addrs, err := p.addresses(ctx, network, host)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, addr := range addrs[:min(len(addrs), maxAddresses)] {
		conn, err := p.Dial(ctx, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// addresses returns the addresses of host, at least one, all of them public.
func (p Public) addresses(ctx context.Context, network, host string) ([]netip.Addr, error) {
	family, ok := strings.CutPrefix(network, "tcp")
	if !ok {
		family, ok = strings.CutPrefix(network, "udp")
	}
	if !ok || family != "" && family != "4" && family != "6" {
		return nil, &AddressError{Host: host, Reason: "network " + network}
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if reason := notPublic(addr); reason != "" {
			return nil, &AddressError{Host: host, Addr: addr, Reason: reason}
		}
		return []netip.Addr{addr}, nil
	}
	if host == "" {
		return nil, &AddressError{Host: host, Reason: "no host"}
	}
	if p.Resolver == nil {
		return nil, fmt.Errorf("look up %q: no resolver was given", host)
	}
	return p.lookup(ctx, "ip"+family, host)
}

func (p Public) lookup(ctx context.Context, family, host string) ([]netip.Addr, error) {
	found, err := p.Resolver.LookupNetIP(ctx, family, host)
	if err != nil {
		return nil, fmt.Errorf("look up %q: %w", host, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("look up %q: no address: %w", host, fs.ErrNotExist)
	}
	var addrs []netip.Addr
	for _, addr := range found {
		// net.Resolver gives IPv4 addresses in their v4-mapped form.
		addr = addr.Unmap()
		if reason := notPublic(addr); reason != "" {
			return nil, &AddressError{Host: host, Addr: addr, Reason: reason}
		}
		addrs = append(addrs, addr)
	}
	return addrs, nil
}

// An AddressError says that a host is not public. It wraps fs.ErrPermission.
type AddressError struct {
	Host   string     // as it was asked for
	Addr   netip.Addr // what it stands for; the zero Addr if it did not come to that
	Reason string     // "loopback", "private", "multicast" …
}

// Error gives `host "localhost" is not public (loopback)`. It does not show what
// address a name has, which may be nobody's business outside.
func (e *AddressError) Error() string {
	return fmt.Sprintf("host %q is not public (%s)", e.Host, e.Reason)
}

// Unwrap returns fs.ErrPermission.
func (e *AddressError) Unwrap() error { return fs.ErrPermission }
