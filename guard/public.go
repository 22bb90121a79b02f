package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
)

// A Resolver looks up the addresses of a host. [*net.Resolver] implements it. Network is "ip", "ip4" or "ip6".
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Public dials public addresses only. Its DialContext is meant for programs that open URLs for strangers.
//
// A name is resolved once. All its addresses are checked, and only these are dialed, so a different second answer of
// the name server has no effect. A name is refused if any of its addresses is not public.
//
// These addresses are not public: addresses that the IANA special-purpose registries do not call globally reachable
// (loopback, private, link-local, shared, documentation …); the protocol blocks 192.0.0.0/24 and 2001::/23; multicast;
// notations and tunnels that contain another address (v4-mapped, NAT64, 6to4, Teredo); addresses with a zone; the
// metadata services of clouds; and the networks of Interfaces.
//
// Several goroutines may use a Public at once if Dial and Resolver allow it.
type Public struct {
	// Dial connects to an allowed IP address. If Dial is nil, every request is refused. If its context has a deadline,
	// the addresses of a name share the time until the deadline.
	Dial proto.Dial

	// Resolver looks up names. If it is nil, only IP addresses can be dialed.
	Resolver Resolver

	// Interfaces returns the addresses of this machine with their networks, as net.InterfaceAddrs does. The addresses in
	// these networks are not public, because a firewall may protect them from strangers, but not from this machine. If
	// it fails, every request is refused. If it is nil, these addresses are not known.
	Interfaces func() ([]net.Addr, error)

	// TellMissing says that the person who sees the errors may know which names exist, for example because it is the
	// user of this machine. Then the error for a name that does not exist is a *net.DNSError.
	TellMissing bool
}

// maxAddresses is the number of addresses that are tried for a name.
const maxAddresses = 8

// DialContext dials address, "host:port", if all addresses of the host are public. It tries up to eight addresses of a
// name one after the other, and returns the first connection. Network is "tcp" or "udp", optionally followed by "4" or
// "6". If the host is refused, the error is an [*AddressError]. If Dial is nil, it is access.ErrNoDial.
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
	addrs = addrs[:min(len(addrs), maxAddresses)]
	for i, addr := range addrs {
		conn, err := p.dialShare(ctx, len(addrs)-i, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// dialShare dials address, the first of the n addresses that remain. It takes at most one nth of the time until the
// deadline of ctx, so that the other addresses get their share.
func (p Public) dialShare(ctx context.Context, n int, network, address string) (net.Conn, error) {
	if end, ok := ctx.Deadline(); ok && n > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(n))
		defer cancel()
	}
	return p.Dial(ctx, network, address)
}

// addresses returns the addresses of host, an IP address or a name, for the network "tcp" or "udp", which "4" or "6"
// may follow. The result has at least one address, and all are public. The error is an AddressError if the network is
// unknown, if host is "" or has no address, or if any address of host is not public.
func (p Public) addresses(ctx context.Context, network, host string) ([]netip.Addr, error) {
	family, ok := strings.CutPrefix(network, "tcp")
	if !ok {
		family, ok = strings.CutPrefix(network, "udp")
	}
	if !ok || family != "" && family != "4" && family != "6" {
		return nil, &AddressError{Host: host, Reason: "network " + network}
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if reason := p.reasonNotPublic(addr); reason != "" {
			return nil, &AddressError{Host: host, Addr: addr, Reason: reason}
		}
		return []netip.Addr{addr}, nil
	}
	if host == "" {
		return nil, &AddressError{Host: host, Reason: "no host"}
	}
	if p.Resolver == nil {
		return nil, fmt.Errorf("look up %q: no resolver is configured", host)
	}
	return p.lookup(ctx, "ip"+family, host)
}

// lookup returns the addresses of the name host: at least one, all of them public. The error is an AddressError if host
// does not have an address or has one that is not public, or if the name does not exist. With TellMissing, a name that
// does not exist gives a *net.DNSError instead. family is "ip", "ip4" or "ip6".
func (p Public) lookup(ctx context.Context, family, host string) ([]netip.Addr, error) {
	found, err := p.Resolver.LookupNetIP(ctx, family, host)
	if err != nil {
		if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound && p.TellMissing {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return nil, lookupError(host, err)
	}
	if len(found) == 0 {
		return nil, &AddressError{Host: host, Reason: "no address"}
	}
	var addrs []netip.Addr
	for _, addr := range found {
		// net.Resolver returns IPv4 addresses in v4-mapped form.
		addr = addr.Unmap()
		if reason := p.reasonNotPublic(addr); reason != "" {
			return nil, &AddressError{Host: host, Addr: addr, Reason: reason}
		}
		addrs = append(addrs, addr)
	}
	return addrs, nil
}

// reasonNotPublic returns the reason for which addr is not public, or "" if it is public.
func (p Public) reasonNotPublic(addr netip.Addr) string {
	if reason := reasonNotPublic(addr); reason != "" || p.Interfaces == nil {
		return reason
	}
	return reasonNear(p.Interfaces, addr)
}

// lookupError returns the error for strangers after the lookup of host failed with err. The text does not mention the
// name server. A name that does not exist gets the same error as a name without an address, so that strangers cannot
// tell them apart.
func lookupError(host string, err error) error {
	e, ok := errors.AsType[*net.DNSError](err)
	text := "the name server failed"
	switch {
	case ok && e.IsNotFound:
		return &AddressError{Host: host, Reason: "no address"}
	case ok && e.IsTimeout:
		text = "the name server does not answer"
	}
	return engine.Reason(fmt.Sprintf("look up %q: %s", host, text), err)
}

// An AddressError says that a host is not public. It wraps access.ErrNotPublic.
type AddressError struct {
	Host   string     // as requested
	Addr   netip.Addr // the address that is not public; the zero Addr if the name has no address
	Reason string     // "loopback", "private", "multicast" …
}

// Error returns `host "127.0.0.1" is not public (loopback)`. For a name it returns `host "localhost" has no public
// address`, because strangers should learn neither the address of the name nor whether the name exists.
func (e *AddressError) Error() string {
	if _, err := netip.ParseAddr(e.Host); err != nil && e.Host != "" {
		return fmt.Sprintf("host %q has no public address", e.Host)
	}
	return fmt.Sprintf("host %q is not public (%s)", e.Host, e.Reason)
}

// Unwrap returns access.ErrNotPublic, which wraps fs.ErrPermission. If the host has no address at all, Unwrap returns
// fs.ErrPermission.
func (e *AddressError) Unwrap() error {
	if e.Reason == "no address" {
		return fs.ErrPermission
	}
	return access.ErrNotPublic
}
